"""What runs on and on: a tick that asks the store who is due, and refreshes it.

The scheduler holds nothing worth keeping: one job in memory, one run at a time, missed ticks made one. What is due
stands in the store, so that a restart asks no origin sooner and several processes share the work.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from types import FrameType

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.job import Job
from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger

from aggregator import refresh
from aggregator.config.load import Config
from aggregator.errors import AggregatorError, LockedError, escape_lines
from aggregator.fetchers.http import polling
from aggregator.result import Listener, Outcome, ignore_progress
from aggregator.store import database, facts, polls
from aggregator.store.database import Store
from aggregator.store.polls import Claim

TICK = timedelta(seconds=30)
"""How late a source may be asked; each tick that finds nobody due costs one read of the store."""

LEASE = timedelta(minutes=15)
"""After which a source whose worker died is asked by another: longer than any refresh of a feed has taken."""

MOST = 256
"""Sources claimed at once: what is left is due at the next tick, or another worker's."""

TICKED = "ticked"
"""The fact that says when anything was last refreshed by the schedule."""

Tick = Callable[[datetime], object]
Tell = Callable[[str], object]


def run(tick: Tick, tell: Tell, *, every: timedelta = TICK) -> None:
    """Tick until SIGTERM or SIGINT; a tick at work is then finished first. A second signal ends the process at once.

    ``tell`` is given each line that a tick could not help: a person reads it. Call it in the main thread, which waits
    at a socket: one that waits for a lock misses a signal that comes just before it sleeps (``signal.set_wakeup_fd``).
    """
    heard, told = socket.socketpair()
    told.setblocking(False)

    def end(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)

    with heard, told:
        waker = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            with ticking(tick, tell, every=every):
                while heard.recv(1)[0] not in before:
                    pass
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(waker)


@contextmanager
def ticking(tick: Tick, tell: Tell, *, every: timedelta = TICK) -> Iterator[None]:
    """Tick in a thread while the body runs, first at once; when the body ends a tick at work is finished."""
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    scheduler = BackgroundScheduler(
        jobstores={"default": MemoryJobStore()}, executors={"default": ThreadPoolExecutor(1)}, timezone=UTC
    )
    job = scheduler.add_job(
        _once,
        _Beat(every),
        args=(tick, tell),
        next_run_time=datetime.now(UTC),
        coalesce=True,
        max_instances=1,
        misfire_grace_time=None,
    )
    scheduler.start()
    stop = Event()
    watch = Thread(target=_watch, args=(job, every, stop), daemon=True)
    watch.start()
    try:
        yield
    finally:
        stop.set()
        watch.join()
        scheduler.shutdown(wait=True)


class _Beat(BaseTrigger):  # type: ignore[misc]  # APScheduler says no types
    """A tick so long after now, whatever came before.

    APScheduler's own interval counts every tick that it missed: set ahead by years, a clock costs it minutes and
    gigabytes.
    """

    def __init__(self, every: timedelta) -> None:
        self.every = every

    def get_next_fire_time(self, _previous: datetime | None, now: datetime) -> datetime:
        """Return the next tick."""
        return now + self.every


def _watch(job: Job, every: timedelta, stop: Event) -> None:
    """Have the tick come at once where the clock was set, looked at by time that really passes.

    APScheduler knows the clock only: set back by a day, it would not tick for a day.
    """
    while not stop.wait(every.total_seconds()):
        now = datetime.now(UTC)
        if abs(job.next_run_time - now) > 2 * every:
            job.modify(next_run_time=now)


def _once(tick: Tick, tell: Tell) -> None:
    """One tick. What a person can act on is told, a defect shows its traceback (APScheduler logs it); both go on."""
    try:
        tick(datetime.now(UTC).replace(microsecond=0))
    except AggregatorError as error:
        for line in escape_lines(str(error)):
            tell(line)


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
        if _clock_went_back(store, at):
            polls.limit_due_times(store, _due_times(config, store, at), LEASE, at)
        claims = polls.claim_due(store, at, most=MOST, lease=LEASE, owner=f"{socket.gethostname()}:{os.getpid()}")
    if not claims and not everything:
        return ()
    feeds = () if everything else sorted({each.feed for each in claims})
    try:
        told = refresh.refresh(config, at=at, feeds=feeds, listen=listen)
    except LockedError:
        with database.open_store(config.state) as store:
            _finish(store, claims, dict.fromkeys(claims, at), at)
        raise
    except AggregatorError:
        _put_off(config, claims, at)
        raise
    _put_off(config, claims, at)
    return told


def _put_off(config: Config, claims: Sequence[Claim], at: datetime) -> None:
    """Let go of the sources until each is due again."""
    schedules = {plan.name: plan.refresh for plan in config.plans}
    with database.open_store(config.state) as store:
        known = polls.read_poll_states(store, {each.feed for each in claims})
        following = {
            each: polling.next_due(
                f"{each.feed}/{each.source}",
                schedules[each.feed],
                known.get((each.feed, each.source), ()),
                at,
            )
            for each in claims
        }
        _finish(store, claims, following, at)


def _clock_went_back(store: Store, at: datetime) -> bool:
    """Was the last tick that refreshed anything later than this one?"""
    kept = facts.read_fact(store, "", TICKED)
    return kept is not None and datetime.fromisoformat(kept.decode("ascii")) > at + polling.BACKWARD


def _due_times(config: Config, store: Store, at: datetime) -> dict[tuple[str, str], datetime]:
    """When each source is due by what is remembered of it."""
    known = polls.read_poll_states(store, [plan.name for plan in config.plans])
    return {
        (plan.name, source.name): polling.due_at(plan.refresh, known.get((plan.name, source.name), ()), at)
        for plan in config.plans
        for source in plan.sources
    }


def _finish(store: Store, claims: Sequence[Claim], following: dict[Claim, datetime], at: datetime) -> None:
    """Write down when each is due, in one transaction; what another worker has claimed since stays its own."""
    with database.transaction(store) as tx:
        facts.write_fact(tx, "", TICKED, at.isoformat().encode("ascii"))
        for each in claims:
            polls.release_claim(tx, each, following[each])
