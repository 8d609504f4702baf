"""One run of the program: what is open while it lasts, and the sources of its feeds fetched ahead of their turn."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic

from msgspec import Struct, field

from aggregator import persist
from aggregator.config.load import Config
from aggregator.fetchers.fetch import FetchedSource, PollStates, Resources, Terms, fetch
from aggregator.fetchers.http.polling import Policy
from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.outcome import Listener, Progress, quiet
from aggregator.store import connection, database, polls
from aggregator.store.database import Store

AHEAD = 9
"""Feeds fetched at once that are new: more would only keep their listings in memory while one is composed."""

FAMILIAR = 3
"""So many feeds that were heard before count as a new one: nearly all of them bring nothing. The more are asked in one
go, the less of it is done with cold caches: with 1, each feed of 205 takes a seventh more."""

LOT = 200
"""Feeds without news that are written down in one transaction, which takes 0.7 ms of processor time and 3 ms of a disk
that is asked to be sure. With 50 each feed takes 10 µs more."""

SECONDS = 1.0
"""The longest that such feeds wait for others: what was asked and is not written down is asked again after a crash."""

CIRCLES = (100_000, 20, 100)
"""When the garbage collector looks for circles while a run lasts (``gc.set_threshold``): our records make none, and
with Python's own (700, 10, 10) it takes a fifth of a refresh to find that out."""


class Run(Struct, frozen=True):
    """One run of the program: its clock, the store, what sources are fetched with, and who listens."""

    config: Config
    at: datetime
    store: Store
    resources: Resources
    force: bool = False
    listen: Listener = field(default=quiet)


@contextmanager
def begin(config: Config, at: datetime, *, wait: bool = False) -> Iterator[Run]:
    """A run with the lock held and the store open, as long as the body lasts.

    Raises LockedError where another refresh is at work, unless ``wait``; StoreError.
    """
    with connection.refresh_lock(config.state, wait=wait), database.open_store(config.state, fence=True) as store:
        resources = Resources(
            policy_of(config), polls.read_holds(store, at), partial(polls.read_robots, store), database.folder_of(store)
        )
        before = gc.get_threshold()
        gc.set_threshold(*CIRCLES)
        try:
            yield Run(config, at, store, resources)
        finally:
            gc.set_threshold(*before)
            resources.close()


def policy_of(config: Config | None) -> Policy:
    """Return how origins are polled, as the config says if there is one."""
    if config is None:
        return Policy()
    return Policy(
        contact=config.contact or "",
        allow_networks=config.allow_networks,
        proxy=config.proxy or "",
        obey_robots=config.obey_robots,
    )


def heard(run: Run, plans: Sequence[Plan]) -> Iterator[tuple[tuple[Plan, tuple[FetchedSource, ...]], ...]]:
    """Yield each feed with its sources' results once all of them have come; those of the next are fetched meanwhile.

    In the order in which they are done: a source that keeps its feed waiting delays no other feed. A feed of which
    anything new was read comes by itself and at once; the others come together, to be written down together.
    """
    silent: list[_Fetching] = []
    until = monotonic() + SECONDS
    for done in _fetched(run, plans):
        news = done is not None and done.has_news()
        if done is not None and not news:
            silent.append(done)
        if silent and (len(silent) >= LOT or monotonic() >= until):
            yield tuple([(each.plan, each.take()) for each in silent])
            silent = []
        if not silent:
            until = monotonic() + SECONDS
        if done is not None and news:
            yield ((done.plan, done.take()),)
    if silent:
        yield tuple([(each.plan, each.take()) for each in silent])


class _Fetching(Struct, eq=False):
    """A feed whose sources are being fetched; ``left`` is how many are not done, counted by the main thread."""

    plan: Plan
    weight: int
    left: int
    fetched_sources: tuple[Future[FetchedSource], ...] = ()

    def has_news(self) -> bool:
        """Whether anything new was read; once all are done."""
        return any(listing is not None for fetched in self.fetched_sources for listing in fetched.result().listings)

    def take(self) -> tuple[FetchedSource, ...]:
        """Return the results and let go of them: the listings are too much to keep until the next feed."""
        fetched_sources = tuple([fetched.result() for fetched in self.fetched_sources])
        self.fetched_sources = ()
        return fetched_sources


def _fetched(run: Run, plans: Sequence[Plan]) -> Iterator[_Fetching | None]:
    """Yield each feed once all of its sources are done; ``None`` after every ``SECONDS`` in which none is."""
    done: SimpleQueue[_Fetching] = SimpleQueue()
    following = persist.memories_of(run.store, plans)
    ahead = 0
    while True:
        while ahead < AHEAD * FAMILIAR and (one := next(following, None)):
            ahead += _begin(run, one[0], one[1], done)
        if not ahead:
            return
        came = _next_done(done)
        ahead -= came.weight if came else 0
        yield came


def _begin(run: Run, plan: Plan, known: Mapping[str, PollStates], done: SimpleQueue[_Fetching]) -> int:
    """Fetch the sources of a feed, which each of them puts there when it is done; return how much memory it may keep.

    That is 1 if every source was heard before, ``FAMILIAR`` if one was not.
    """
    familiar = all(any(each.digest for each in said.values()) for said in known.values())
    feed = _Fetching(plan, 1 if familiar else FAMILIAR, len(plan.sources))
    terms = _terms(run, plan)
    feed.fetched_sources = tuple([fetch(source, known[source.name], terms) for source in plan.sources])
    for fetched in feed.fetched_sources:
        fetched.add_done_callback(lambda _: done.put(feed))
    return feed.weight


def _next_done(done: SimpleQueue[_Fetching]) -> _Fetching | None:
    """Return the next feed of which all sources are done; ``None`` if there is none for ``SECONDS``."""
    until = monotonic() + SECONDS
    while (left := until - monotonic()) > 0:
        try:
            feed = done.get(timeout=left)
        except Empty:
            return None
        feed.left -= 1
        if not feed.left:
            return feed
    return None


def _terms(run: Run, plan: Plan) -> Terms:
    """Return how the sources of one feed are fetched."""

    def tell(source: Source, stage: str, message: str) -> None:
        with suppress(BrokenPipeError):  # no fault of the source; the main thread meets it with its next line
            run.listen(Progress(plan.name, source.name, stage, message))

    return Terms(run.resources, run.at, tell, plan.refresh, run.force)
