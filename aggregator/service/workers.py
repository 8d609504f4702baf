"""One worker of a schedule: reload the config if it changed, claim the sources that are due, refresh their feeds.

Several workers may share a store: a source that one has claimed is left to it until its lease ends.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from aggregator import refresh
from aggregator.config.load import Config, load
from aggregator.errors import AggregatorError, ConfigError, LockedError
from aggregator.fetchers.http import polling
from aggregator.model.source import PollState
from aggregator.result import Listener, Outcome, ignore_progress
from aggregator.store import database, facts, polls
from aggregator.store.database import Store
from aggregator.store.polls import Claim

LEASE = timedelta(minutes=15)
"""After which a source whose worker died is asked by another: longer than any refresh of a feed has taken."""

MOST = 256
"""Sources claimed at once: what is left is due at the next tick, or another worker's."""

TICKED = "ticked"
"""The fact that says when anything was last refreshed by the schedule."""


class Worker(Struct):
    """A config that is read again when its file changes, and what is called with each message.

    ``say`` is called with news, ``warn`` with errors of a changed config, which is then not used. ``mark`` is time and
    size of the file when it was read; ``fresh`` is whether no tick has looked at all feeds of the config yet.
    """

    config: Config
    say: Callable[[str], object]
    warn: Callable[[str], object]
    mark: tuple[int, int] | None = None
    looked: bool = False
    fresh: bool = True

    def reload(self) -> Config:
        """Return the config, read again if its file has changed; errors in a changed one are reported once."""
        try:
            state = self.config.path.stat()
            mark = (state.st_mtime_ns, state.st_size)
        except OSError:
            mark = None
        if mark != self.mark:
            first, self.mark, self.looked = not self.looked, mark, True
            try:
                self.config = load(self.config.path)
            except ConfigError as error:
                self.warn(f"{error}\nthe previous config stays in use")
            else:
                self.fresh = True
                if not first:
                    self.say(f"{self.config.path}: read again")
        return self.config

    def tick(self, at: datetime) -> tuple[Outcome, ...]:
        """Refresh the feeds that are due, and all of a fresh config; return their outcomes."""
        config = self.reload()
        everything, self.fresh = self.fresh, False
        try:
            return refresh_due(config, at, everything=everything)
        except LockedError:
            self.fresh = everything
            raise


def refresh_due(
    config: Config, at: datetime, *, everything: bool = False, listen: Listener = ignore_progress
) -> tuple[Outcome, ...]:
    """Refresh the feeds of which a source is due, and say what became of each; empty where none is.

    With ``everything`` the others are gone through too, as a service does at its start: what was committed by a run
    that was killed before it published, or what a changed config says, is published, and no source is asked for it.
    Raises what ``refresh.refresh`` raises; where another refresh holds the lock, the sources stay due.
    """
    with database.open_store(config.state) as store:
        polls.set_sources(store, [(plan.name, source.name) for plan in config.plans for source in plan.sources], at)
        if everything or _clock_went_back(store, at):  # another config may have another schedule
            polls.limit_due_times(store, _due_times(config, store, at), LEASE, at)
        claims = polls.claim_due(store, at, most=MOST, lease=LEASE, owner=f"{socket.gethostname()}:{os.getpid()}")
    if not claims and not everything:
        return ()
    feeds = () if everything else sorted({each.feed for each in claims})
    try:
        outcomes = refresh.refresh(config, at=at, feeds=feeds, is_clock=True, listen=listen)
    except LockedError:
        with database.open_store(config.state) as store:
            _finish(store, claims, dict.fromkeys(claims, at), at)
        raise
    except AggregatorError:
        _put_off(config, claims, at)
        raise
    _put_off(config, claims, at)
    return outcomes


def _put_off(config: Config, claims: Sequence[Claim], at: datetime) -> None:
    """Let go of the sources until each is due again."""
    with database.open_store(config.state) as store:
        known = polls.read_poll_states(store, {each.feed for each in claims})
        schedules = _choose_schedules(config, known, at)
        following = {
            each: polling.next_due(
                f"{each.feed}/{each.source}", schedules[each.feed], known.get((each.feed, each.source), ()), at
            )
            for each in claims
        }
        _finish(store, claims, following, at)


def _clock_went_back(store: Store, at: datetime) -> bool:
    """Was the last tick that refreshed anything later than this one?"""
    kept = facts.read_fact(store, "", TICKED)
    return kept is not None and datetime.fromisoformat(kept.decode("ascii")) > at + polling.BACKWARD


def _due_times(config: Config, store: Store, at: datetime) -> dict[tuple[str, str], datetime]:
    """Return when each source is due, by its poll states."""
    known = polls.read_poll_states(store, [plan.name for plan in config.plans])
    schedules = _choose_schedules(config, known, at)
    found = {}
    for plan in config.plans:
        for source in plan.sources:
            states, schedule = known.get((plan.name, source.name), ()), schedules[plan.name]
            last = polling.find_last_poll(states)
            if last is None or last > at:
                found[plan.name, source.name] = polling.due_at(schedule, states, at)
            else:
                found[plan.name, source.name] = polling.next_due(f"{plan.name}/{source.name}", schedule, states, last)
    return found


def _choose_schedules(
    config: Config, known: Mapping[tuple[str, str], Sequence[PollState]], at: datetime
) -> dict[str, polling.Schedule]:
    """Return the schedule of each feed, by the poll states of (feed, source)."""
    by_feed: dict[str, list[PollState]] = {}
    for (feed, _), poll_states in known.items():
        by_feed.setdefault(feed, []).extend(poll_states)
    return {plan.name: polling.choose_schedule(plan.refresh, by_feed.get(plan.name, ()), at) for plan in config.plans}


def _finish(store: Store, claims: Sequence[Claim], following: dict[Claim, datetime], at: datetime) -> None:
    """Write down when each is due, in one transaction; what another worker has claimed since stays its own."""
    with database.transaction(store) as tx:
        facts.write_fact(tx, "", TICKED, at.isoformat().encode("ascii"))
        for each in claims:
            polls.release_claim(tx, each, following[each])
