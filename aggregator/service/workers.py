"""One worker of a schedule: reload the config if it changed, claim the feeds that are due, refresh them.

Several workers may share a store: a feed that one has claimed is left to it until its lease ends.
"""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import blake2b
from threading import Lock

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator import opml_lists, refresh
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.errors import AggregatorError, ConfigError, LockedError, NothingToPublishError, StoreError
from aggregator.fetchers.http import polling
from aggregator.model.feed import Plan
from aggregator.model.results import Outcome
from aggregator.model.source import PollState
from aggregator.sandbox import forks
from aggregator.store import database, facts, hub_subscriptions, leases
from aggregator.store.database import Claim, Store
from aggregator.version import VERSION

_MAX_CLAIMED = 256
"""Feeds claimed at once: what is left is claimed afterwards, or by another worker."""

_TICKED = "ticked"
"""The fact that says when anything was last claimed by the schedule."""

_CONFIG = "config"
"""The fact with the digest of the config by which feeds were last made due."""

_INDEX_EVERY = timedelta(days=1)
"""How often the files that list every feed are compared; a change of a feed makes them due at once."""

_RETRY = timedelta(seconds=10)
"""After which feeds are sent again whose refresh failed because the store could not be reached, or by a defect."""

_REFUSED_REST = timedelta(hours=1)
"""After which a feed that waits for a change of the config is due again; the change itself makes it due at once."""

_REST = timedelta(seconds=2)
"""How long a feed waits whose host another worker polls, and the list of all feeds after it was written."""

_UNKNOWN = (0, 0)
"""In place of time and size of the config before it is first looked at."""


class Worker(Struct):
    """A config that is read again when its file changes, and what is called with each message.

    ``say`` is called with news, ``warn`` with errors of a changed config, which is then not used. ``mark`` is time and
    size of the file when it was read, ``None`` if it was missing then. ``fresh`` is whether no tick has looked at all
    feeds of the config yet. ``due_times`` are those of the feeds after the last tick that could read the store.
    """

    config: Config
    say: Callable[[str], object]
    warn: Callable[[str], object]
    mark: tuple[int, int] | None = _UNKNOWN
    fresh: bool = True
    due_times: Mapping[str, datetime] = {}
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        """Raise ConfigError where documents would be parsed in this process, which strangers can reach."""
        if forks.is_in_process():
            raise ConfigError("AGGREGATOR_IN_PROCESS is for debugging one refresh; unset it to serve or to work")

    def reload(self) -> Config:
        """Return the config, read again if its file has changed; errors in a changed one are reported once."""
        with self.lock:
            try:
                state = self.config.path.stat()
                mark = (state.st_mtime_ns, state.st_size)
            except OSError:
                mark = None
            if mark == self.mark:
                return self.config
            is_first, self.mark = self.mark == _UNKNOWN, mark
            try:
                self.config = load(self.config.path)
            except ConfigError as error:
                self.warn(f"{error}\nthe previous config stays in use")
                return self.config
            self.fresh = True
            if not is_first:
                self.say(f"{self.config.path}: read again")
            return self.config

    def tick(self, at: datetime) -> tuple[Outcome, ...]:
        """Refresh the feeds that are due, and all of a fresh config; return their outcomes.

        Before that the config is brought in step with its OPML lists.
        """
        news, problems = opml_lists.keep_in_step(self.reload(), at)
        for line in news:
            self.say(line)
        for line in problems:
            self.warn(line)
        config = self.reload()
        everything, self.fresh = self.fresh, False
        self.due_times = self.due_times or {plan.name: at for plan in config.plans}
        try:
            return refresh_due(config, at, everything=everything)
        except (LockedError, StoreError):
            self.fresh = everything
            raise
        finally:
            with suppress(AggregatorError), database.open_store(config.state) as store:
                self.due_times = leases.read_due_times(store)

    def find_overdue(self, now: datetime) -> tuple[str, timedelta] | None:
        """Return the feed that has been due for longest, and for how long; ``None`` if none is due."""
        due_at, feed = min(((due_at, feed) for feed, due_at in self.due_times.items()), default=(now, ""))
        return (feed, now - due_at) if due_at < now else None


def refresh_due(config: Config, at: datetime, *, everything: bool = False) -> tuple[Outcome, ...]:
    """Refresh the feeds with a source that is due, and return their outcomes; empty if none is due.

    With ``everything`` all feeds are looked at, as a service does at its start: what a killed run has stored and not
    published, or what a changed config changes, is published; sources that are not due are not polled for it. Raises
    what ``refresh.refresh`` raises; if another refresh holds the lock, the feeds stay due.
    """
    outcomes: list[Outcome] = []
    try:
        with database.open_store(config.state) as store:
            schedule(store, config, at, everything=everything)
            while (claim := claim_due(store, at)[0]).feeds:
                outcomes += _refresh_claim(store, config, claim, at)
    finally:
        gc.collect()  # SQLAlchemy's engines are cycles, which at refresh.GC_THRESHOLDS would wait for days
    return tuple(outcomes)


def schedule(store: Store, config: Config, at: datetime, *, everything: bool = False) -> None:
    """Make the feeds of the config those that are refreshed; all are due if the config has changed, or the clock.

    With ``everything`` all are due in an SQLite store; on PostgreSQL what a killed worker left is due with its lease.
    """
    leases.set_feeds(store, [plan.name for plan in config.plans], at)
    digest = blake2b(repr((VERSION, config)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    is_same = facts.read_fact(store, "", _CONFIG) == digest
    if not is_same:
        facts.write_fact(store, "", _CONFIG, digest)
    starts_alone = everything and store.engine.dialect.name == "sqlite"
    if starts_alone:
        leases.end_all(store)
    if not is_same or _clock_went_back(store, at) or starts_alone:
        leases.make_all_due(store, at)


def claim_due(
    store: Store, at: datetime, *, most: int = _MAX_CLAIMED, lease: timedelta = leases.LEASE, owner: str | None = None
) -> tuple[Claim, int]:
    """Claim feeds that are due, for this process unless another ``owner`` is named; as `leases.claim_due`."""
    name = f"{socket.gethostname()}:{os.getpid()}" if owner is None else owner
    claim, lost = leases.claim_due(store, at, leases.read_clock(store), most=most, lease=lease, owner=name)
    if claim.feeds:
        facts.write_fact(store, "", _TICKED, at.isoformat().encode("ascii"))
    return claim, lost


def _refresh_claim(store: Store, config: Config, claim: Claim, at: datetime) -> tuple[Outcome, ...]:
    """Refresh the feeds of a claim under the lock of the store, and release them until each is due again."""
    feeds = [feed for feed in claim.feeds if feed != leases.INDEX]
    if not feeds and store.engine.dialect.name == "sqlite":  # there each refresh ends with the list of all feeds
        _finish(store, config, claim, (), at)
        return ()
    try:
        outcomes = refresh.refresh(config, at=at, feeds=feeds, is_clock=True, claim=claim)
    except LockedError:
        leases.release(store, claim)
        raise
    except AggregatorError:
        _finish(store, config, claim, (), at)
        raise
    _finish(store, config, claim, outcomes, at)
    return outcomes


def refresh_sent(
    store: Store, config: Config, sent: Claim, at: datetime | None, owner: str
) -> tuple[tuple[Outcome, ...], int]:
    """Refresh feeds that a dispatcher has claimed; return their outcomes, and how many leases were lost.

    Raises what ``refresh.refresh_feeds`` raises, but LockedError; the feeds are then due again after a moment, or at
    their next slot if it was their sources that failed.
    ``at`` is the clock of the refresh, ``None`` for that of the store.
    """
    now = leases.read_clock(store)
    claim = leases.begin(store, sent, now + config.lease, owner)
    lost = len(sent.feeds) - len(claim.feeds)
    if not claim.feeds:
        return (), lost
    clock, is_clock = at or now.replace(microsecond=0), at is None
    outcomes: tuple[Outcome, ...] = ()
    try:
        with refresh.open_run(config, replace(store, claim=claim), clock, config.plans) as run:
            outcomes = refresh.refresh_feeds(replace(run, is_clock=is_clock))
    except LockedError:
        return (), len(sent.feeds)
    except NothingToPublishError:
        _finish(store, config, claim, (), clock)
        raise
    except AggregatorError:
        with suppress(AggregatorError):  # the first error says more, and the leases end by themselves
            leases.release(store, claim, leases.read_clock(store) + _RETRY)
        raise
    return outcomes, lost + len(claim.feeds) - _finish(store, config, claim, outcomes, clock)


def _finish(store: Store, config: Config, claim: Claim, outcomes: Sequence[Outcome], at: datetime) -> int:
    """Let go of the feeds of a claim until each is due again; return how many were still leased.

    Feeds that were put off stay due, and wait for a moment.
    """
    put_off = tuple(each.feed for each in outcomes if each.is_put_off)
    rest = leases.read_clock(store) + _REST
    if put_off:
        leases.release(store, Claim(claim.token, put_off), rest)
    done = [feed for feed in claim.feeds if feed not in put_off]
    known = hub_subscriptions.read_poll_states(store, done)
    due_times = {plan.name: _find_due_time(plan, known, at) for plan in config.plans if plan.name in done}
    if leases.INDEX in done:
        due_times[leases.INDEX] = at + _INDEX_EVERY
    due_times |= {each.feed: at + _REFUSED_REST for each in outcomes if each.is_refused and each.feed in due_times}
    return leases.finish(store, claim, due_times, rest) + len(put_off)


def _find_due_time(plan: Plan, known: Mapping[tuple[str, str], Sequence[PollState]], at: datetime) -> datetime:
    states = {source.name: known.get((plan.name, source.name), ()) for source in plan.sources}
    schedule = polling.choose_schedule(plan.refresh, [each for some in states.values() for each in some], at)
    return min(polling.next_due(f"{plan.name}/{name}", schedule, some, at) for name, some in states.items())


def _clock_went_back(store: Store, at: datetime) -> bool:
    """Return whether the last tick that claimed anything was later than this one."""
    kept = facts.read_fact(store, "", _TICKED)
    return kept is not None and datetime.fromisoformat(kept.decode("ascii")) > at + polling.BACKWARD
