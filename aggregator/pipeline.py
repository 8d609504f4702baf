"""The story of a refresh, top to bottom; the only file that knows the order.

    fetch      Source    -> Document    fetchers/fetch.fetch, of every source
    read       Document  -> Sighting    fetchers/fetch.fetch, in child processes
    remember   Sighting  -> Ledger      bookkeeping.remember_all
    repair     Sighting  -> Sighting    stages.repaired
    match      Sighting  -> Cluster     stages.matched
    reconcile  Cluster   -> Item        making.reconcile_all
    admit      Item      -> Item        stages.admitted
    settle     Item      -> Item        stages.settled
    publish    Feed      -> files       publish.publish

What was promised is committed to the ledger before the files appear: a crash between the two leaves a promise that
the next run keeps, never a published guid that nobody remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime

from msgspec.structs import replace

from aggregator import (
    bookkeeping,
    learning,
    making,
    outcome,
    probes,
    publish,
    run,
    stages,
    standing,
)
from aggregator.config.load import Config
from aggregator.errors import ConfigError, LedgerError, PublishError, SilenceError
from aggregator.fetchers.fetch import SPOKEN
from aggregator.ledger import admissions, ledger, robots
from aggregator.ledger.ledger import Ledger
from aggregator.model.cluster import Matching
from aggregator.model.feed import Feed, Hearing, Plan
from aggregator.model.sighting import Sighting
from aggregator.outcome import Listener, Outcome, Progress, quiet
from aggregator.run import Run


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
    name, SilenceError where nothing could be fetched and nothing was remembered, LedgerError. A feed whose files could
    not be written stops no other: its outcome says so.
    """
    chosen = _chosen(config, feeds)
    with run.begin(config, at, wait=wait) as begun:
        current = replace(begun, force=force, listen=listen)
        found: dict[str, Outcome] = {}
        for lot in _remembered(current, chosen):
            found |= {plan.name: _refresh_feed(current, plan, told, stands) for plan, told, stands in lot}
        outcomes = [found[plan.name] for plan in chosen]
        if not any(each.files or each.failures for each in outcomes):
            raise SilenceError(outcome.silence(outcomes))
        return (*outcomes[:-1], _with_index(current, outcomes[-1]))


def _with_index(current: Run, last: Outcome) -> Outcome:
    """The last outcome of a run with the files that list every feed, or why they could not be written."""
    output, plans = current.config.output, current.config.plans
    basis = bookkeeping.basis_of_all(current.book, plans)
    stands = standing.standing(current.book, bookkeeping.EVERY, basis)
    if stands and standing.stand(output, stands.files):
        return replace(last, files=(*last.files, *outcome.files(stands)))
    try:
        written = publish.publish_index(output, bookkeeping.covers(current.book, plans))
    except PublishError as error:
        return replace(last, failures=(*last.failures, str(error)))
    stands = standing.Standing(basis, files=standing.states(output, [each.name for each in written]))
    done = replace(last, files=(*last.files, *written))
    return _noted(done, lambda: standing.keep_standing(current.book, bookkeeping.EVERY, stands))


def _remembered(
    current: Run, plans: Sequence[Plan]
) -> Iterator[list[tuple[Plan, tuple[Hearing, ...], standing.Standing | None]]]:
    """Some feeds at a time, what became of their sources, and what stands: all that they said is in the ledger.

    It is remembered in one transaction and then let go: 20,000 sightings are not held while others are composed.
    """
    for heard in run.heard(current, plans):
        with ledger.transaction(current.book) as page:
            bookkeeping.remember_all(page, heard, current.at)
            robots.keep_robots(page, current.resources.news())
            lot = [(plan, outcome.hearings(said), _stands(page, plan, current.at)) for plan, said in heard]
        del heard
        yield lot


def _stands(book: Ledger, plan: Plan, now: datetime) -> standing.Standing | None:
    """What stands in the output, ``None`` where it must be made anew or media are still to be asked for."""
    more = plan.probe_enclosures and probes.known(book, plan).more
    return None if more else bookkeeping.stands(book, plan, now)


def _refresh_feed(current: Run, plan: Plan, told: tuple[Hearing, ...], stands: standing.Standing | None) -> Outcome:
    """The story for one feed, from what is remembered, where what ``stands`` is not just that."""
    if stands and standing.stand(current.config.output, stands.files):
        return outcome.outcome(plan, told, stands)
    current.listen(Progress(plan.name, "", "compose"))
    if plan.probe_enclosures:
        _probe(current, plan)
    return _made_anew(current, plan, told)


def _made_anew(current: Run, plan: Plan, told: tuple[Hearing, ...]) -> Outcome:
    """The story for one feed from what is remembered to its files."""
    with ledger.transaction(current.book) as page:
        composed = compose(page, plan, current.at)
        stands = outcome.standing(composed, bookkeeping.basis(page, plan))
        # Of a source that rests, what it last came to: one that was never heard has nothing to publish.
        if not composed.feed.items and not any(each.state in SPOKEN for each in composed.feed.hearings):
            return outcome.outcome(plan, told, stands)
        bookkeeping.promise(page, plan, composed, current.at)
        past = bookkeeping.changes(page, plan, composed.feed, current.at)
    current.listen(Progress(plan.name, "", "publish"))
    feed = composed.feed
    try:
        written = publish.publish(current.config.output, feed, plan.window, past)
    except PublishError as error:
        return replace(outcome.outcome(plan, told, stands), failures=(str(error),))
    stands = replace(stands, files=standing.states(current.config.output, [each.name for each in written]))
    done = outcome.with_news(outcome.outcome(plan, told, stands), composed, written)
    return _noted(done, lambda: _stand_published(current.book, plan, feed, stands))


def _stand_published(book: Ledger, plan: Plan, feed: Feed, stands: standing.Standing) -> None:
    """Note what stands."""
    with ledger.transaction(book) as page:
        bookkeeping.stand_published(page, plan, feed, stands)


def _noted(done: Outcome, note: Callable[[], None]) -> Outcome:
    """The outcome once what stands is noted, so that the next run need not make it anew; or why it could not be.

    Nothing is lost with the note: what was promised was committed before, and the files are whole.
    """
    try:
        note()
    except LedgerError as error:
        return done if done.failures else replace(done, failures=(f"{done.feed}: published, but not noted: {error}",))
    return done


def _probe(current: Run, plan: Plan) -> None:
    """Ask the media's own hosts for what no source gave; no transaction is open while they take their time."""
    items = compose(current.book, plan, current.at).feed.items
    probes.ask(current.book, plan, items, current.resources.limiter(), current.at)
    robots.keep_robots(current.book, current.resources.news())


def compose(book: Ledger, plan: Plan, now: datetime, *, adding: bool = True) -> stages.Composition:
    """The feed, newest first, out of everything its sources ever said.

    Unless ``adding`` is set it has no item that was not published before.

    Nothing is written but work that need not be done again, and that within a transaction only.
    """
    made = _made(book, plan)
    made = stages.admitted(book, plan, made, now, adding=adding)
    settlement = stages.settled(book, plan, made, now)
    return stages.composed(book, plan, made, settlement, now)


def _made(book: Ledger, plan: Plan) -> stages.Made:
    """The items of a feed, before they are settled."""
    mended = stages.repaired(book, plan)
    table, matching = _matched(book, plan, mended.sightings)
    weights = stages.weighed(book, plan, mended)
    lore = learning.lore_of(book, plan, matching.clusters, weights)
    weights = replace(weights, lore=learning.as_lore(lore, plan))
    brief = making.Brief(mended.digests, weights, learning.digest(lore, plan))
    items, work = making.reconcile_all(book, plan, matching.clusters, brief)
    told = stages.sorted_out(mended, matching)
    return stages.Made(items, told, (table, lore, told.work, work))


def _matched(book: Ledger, plan: Plan, sightings: Sequence[Sighting]) -> tuple[learning.Learned, Matching]:
    """The clusters of a feed and the table that weighed them; a source that speaks alone is compared with nothing."""
    alone = stages.alone(book, plan, sightings)
    if alone is not None:
        table = learning.table_of(book, plan, len(sightings))
        return table, Matching(alone, (), learning.version(table))
    pairs = stages.compared(sightings)
    table = learning.table_of(book, plan, len(sightings), pairs)
    return table, stages.matched(book, plan, sightings, learning.as_table(table), pairs)


def weigh(config: Config, name: str, *, at: datetime) -> Feed:
    """The feed as it was last published, with what the ledger knows now; nothing is fetched and nothing is written.

    Raises ConfigError, LedgerError.
    """
    plan = _chosen(config, (name,))[0]
    with ledger.open(config.state) as book:
        return compose(book, plan, at, adding=False).feed


def weigh_without(config: Config, name: str, forgotten: Collection[str], *, at: datetime) -> Feed:
    """The feed as :func:`weigh` gives it, as if these sources and no others were forgotten."""
    plan = _chosen(config, (name,))[0]
    with ledger.open(config.state) as book:
        return compose(admissions.as_if(book, name, forgotten), plan, at, adding=False).feed


def _chosen(config: Config, feeds: Collection[str]) -> Sequence[Plan]:
    """The plans of the named feeds, all where none is named; ConfigError for a name the config does not have."""
    known = {plan.name: plan for plan in config.plans}
    for name in feeds:
        if name not in known:
            raise ConfigError(f"{config.path}: there is no feed {name}; there are {', '.join(known)}")
    return [plan for plan in config.plans if not feeds or plan.name in feeds]
