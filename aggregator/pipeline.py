"""The story of a refresh, top to bottom; the only file that knows the order.

    fetch      Source    -> Document    voices.fetch
    read       Document  -> Sighting    voices.read
    remember   Sighting  -> Ledger      bookkeeping.remember_voices
    repair     Sighting  -> Sighting  )
    match      Sighting  -> Cluster   ) compose.compose
    reconcile  Cluster   -> Item      )
    settle     Item      -> Item      )
    publish    Feed      -> files       publish.publish

What was promised is committed to the ledger before the files appear: a crash between the two leaves a promise that
the next run keeps, never a published guid that nobody remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from aggregator import bookkeeping, compose, publish, voices
from aggregator.bookkeeping import Standing
from aggregator.config.load import Config
from aggregator.errors import ConfigError, SilenceError
from aggregator.fetchers import sandbox
from aggregator.fetchers.sandbox import Pool
from aggregator.fetchers.web import Policy
from aggregator.generator.files import Written
from aggregator.ledger import ledger, lock
from aggregator.ledger.ledger import Ledger
from aggregator.model.feed import Feed, Hearing, Plan
from aggregator.model.source import Source


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a refresh is: a feed, a source of it (empty for the stages after reading), and what is being done."""

    feed: str
    source: str
    stage: str
    message: str = ""
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a refresh of one feed came to.

    ``hearings`` are this run's; ``sightings`` is how many entries were read in this run, ``remembered`` how many the
    ledger holds. ``new`` and ``changed`` count items, ``repaired`` the sightings that needed mending. ``alarms`` are
    what a person should look at.
    """

    feed: str
    hearings: tuple[Hearing, ...] = ()
    sightings: int = 0
    remembered: int = 0
    items: int = 0
    episodes: int = 0
    posts: int = 0
    new: int = 0
    changed: int = 0
    repaired: int = 0
    near_misses: int = 0
    files: tuple[Written, ...] = ()
    alarms: tuple[str, ...] = ()


Listener = Callable[[Progress], None]


def quiet(_progress: Progress) -> None:
    """Listen to nothing."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the program: the config, its clock, and who listens."""

    config: Config
    at: datetime
    force: bool = False
    listen: Listener = field(default=quiet)


def refresh(  # noqa: PLR0913 - each is an option of a run
    config: Config,
    *,
    at: datetime,
    feeds: Collection[str] = (),
    force: bool = False,
    wait: bool = False,
    listen: Listener = quiet,
) -> tuple[Outcome, ...]:
    """Refresh the named feeds (all where none is named) and say what became of each.

    Raises LockedError where another refresh is at work (unless ``wait``), ConfigError for a feed the config does not
    name, SilenceError where nothing could be fetched and nothing was remembered, LedgerError, PublishError.
    """
    run = Run(config, at, force, listen)
    chosen = _chosen(config, feeds)
    with lock.lock(config.state, wait=wait), ledger.open(config.state, fence=True) as book, sandbox.pool() as children:
        outcomes = [_refresh_feed(run, book, children, plan) for plan in chosen]
        if not any(outcome.files for outcome in outcomes):
            raise SilenceError(_silence(outcomes))
        covers = [cover for plan in config.plans if (cover := bookkeeping.cover(book, plan))]
        index = publish.publish_index(config.output, covers)
    return (*outcomes[:-1], replace(outcomes[-1], files=(*outcomes[-1].files, *index)))


def _refresh_feed(run: Run, book: Ledger, children: Pool, plan: Plan) -> Outcome:
    """The story for one feed."""

    def tell(source: Source, stage: str, message: str) -> None:
        run.listen(Progress(plan.name, source.name, stage, message))

    terms = voices.Terms(_policy(run.config), run.at, children, tell, run.force)
    known = bookkeeping.memories_of(book, plan)
    heard = voices.read(voices.fetch(plan.sources, known, terms), known, terms)
    with ledger.transaction(book) as page:
        bookkeeping.remember_voices(page, plan, heard, run.at)
        stands = bookkeeping.standing(page, plan)
        if stands and publish.stand(run.config.output, stands.files):
            return _outcome(plan, heard, stands)
        run.listen(Progress(plan.name, "", "compose"))
        composed = compose.compose(page, plan, run.at)
        stands = _standing(composed, bookkeeping.basis(page, plan))
        if not composed.feed.items and not any(voice.state in voices.SPOKEN for voice in heard):
            return _outcome(plan, heard, stands)
        bookkeeping.promise(page, plan, composed, run.at)
    run.listen(Progress(plan.name, "", "publish"))
    written = publish.publish(run.config.output, composed.feed, plan.window)
    stands = replace(stands, files=publish.states(run.config.output, written))
    bookkeeping.keep_standing(book, plan, stands)
    return _with_news(_outcome(plan, heard, stands), composed, written)


def weigh(config: Config, name: str, *, at: datetime) -> Feed:
    """The feed as the ledger knows it: nothing is fetched and nothing is written. Raises ConfigError, LedgerError."""
    plan = _chosen(config, (name,))[0]
    with ledger.open(config.state) as book:
        return compose.compose(book, plan, at).feed


def _chosen(config: Config, feeds: Collection[str]) -> Sequence[Plan]:
    """The plans of the named feeds, all where none is named; ConfigError for a name the config does not have."""
    known = {plan.name: plan for plan in config.plans}
    for name in feeds:
        if name not in known:
            raise ConfigError(f"{config.path}: there is no feed {name}; there are {', '.join(known)}")
    return [plan for plan in config.plans if not feeds or plan.name in feeds]


def _policy(config: Config) -> Policy:
    """How the config lets origins be asked."""
    return Policy(contact=config.contact or "", allow_networks=config.allow_networks)


def _standing(composed: compose.Composition, basis: str) -> Standing:
    """What the summary says of a feed as it stands, before its files are written."""
    feed = composed.feed
    episodes = sum(item.genre == "episode" for item in feed.items)
    return Standing(
        basis=basis,
        remembered=composed.sightings,
        items=len(feed.items),
        episodes=episodes,
        posts=len(feed.items) - episodes,
        repaired=composed.repaired,
        near_misses=len(feed.near_misses),
        remarks=feed.remarks,
    )


def _outcome(plan: Plan, heard: Sequence[voices.Voice], stands: Standing) -> Outcome:
    """What the refresh of one feed came to where nothing new was published."""
    return Outcome(
        feed=plan.name,
        hearings=tuple(Hearing(voice.source, voice.state, voice.message, voice.sightings) for voice in heard),
        sightings=sum(voice.sightings for voice in heard),
        remembered=stands.remembered,
        items=stands.items,
        episodes=stands.episodes,
        posts=stands.posts,
        repaired=stands.repaired,
        near_misses=stands.near_misses,
        files=tuple(Written(each.name, changed=False) for each in stands.files),
        alarms=stands.remarks,
    )


def _with_news(outcome: Outcome, composed: compose.Composition, written: tuple[Written, ...]) -> Outcome:
    """The outcome with what this run published and settled."""
    settlement = composed.settlement
    return replace(
        outcome,
        new=len(settlement.new),
        changed=len(settlement.changed),
        files=written,
        alarms=(*settlement.events, *outcome.alarms),
    )


def _silence(outcomes: Sequence[Outcome]) -> str:
    """Why there is nothing to publish: one line for each source."""
    said = [f"{each.feed}: {hearing.source.name}: {hearing.message}" for each in outcomes for hearing in each.hearings]
    return "nothing could be fetched and nothing was remembered" + "".join(f"\n  {line}" for line in said)
