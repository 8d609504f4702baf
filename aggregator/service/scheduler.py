"""Call a function every 30 seconds until the process is stopped, by APScheduler.

The scheduler keeps nothing: one job in memory, one call at a time, missed calls made one. What is due stands in the
store (`workers`), so that a restart polls no source sooner and several processes share the work.
"""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from types import FrameType

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.job import Job
from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger

from aggregator.errors import AggregatorError, escape_lines

TICK = timedelta(seconds=30)
"""How late a source may be polled; each tick at which none is due costs one read of the store."""

_Tick = Callable[[datetime], object]
_Tell = Callable[[str], object]


def run(tick: _Tick, tell: _Tell, *, every: timedelta = TICK) -> None:
    """Tick until SIGTERM or SIGINT; a tick at work is then finished first. A second signal ends the process at once.

    ``tell`` is called with each line of an AggregatorError of a tick. Call this in the main thread.
    """
    with catching_signals() as wait, ticking(tick, tell, every=every):
        wait()


@contextmanager
def catching_signals() -> Iterator[Callable[[], None]]:
    """Give a function that waits for SIGTERM or SIGINT; the body then ends in order, or at once by a second signal.

    For the main thread, which waits at a socket: one that waits for a lock misses a signal that comes just before it
    sleeps (``signal.set_wakeup_fd``).
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)

    def end(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)

    def wait() -> None:
        while reader.recv(1)[0] not in before:
            pass

    with reader, writer:
        waker = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield wait
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(waker)


@contextmanager
def ticking(tick: _Tick, tell: _Tell, *, every: timedelta = TICK) -> Iterator[None]:
    """Tick in a thread while the body runs, first at once; when the body ends a tick at work is finished."""
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    scheduler = BackgroundScheduler(
        jobstores={"default": MemoryJobStore()}, executors={"default": ThreadPoolExecutor(1)}, timezone=UTC
    )
    job = scheduler.add_job(
        _run_tick,
        _FixedDelay(every),
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


class _FixedDelay(BaseTrigger):  # type: ignore[misc]  # APScheduler says no types
    """A tick after a fixed time from now, whenever the last one was.

    APScheduler's own interval trigger counts every missed tick, which takes minutes and gigabytes after the clock was
    set ahead by years.
    """

    def __init__(self, every: timedelta) -> None:
        self.every = every

    def get_next_fire_time(self, _previous: datetime | None, now: datetime) -> datetime:
        return now + self.every


def _watch(job: Job, every: timedelta, stop: Event) -> None:
    """Run the tick at once if the clock was set, which is checked in monotonic time.

    APScheduler compares with the clock alone: set back by a day, it would not tick for a day.
    """
    while not stop.wait(every.total_seconds()):
        now = datetime.now(UTC)
        if abs(job.next_run_time - now) > 2 * every:
            job.modify(next_run_time=now)


def _run_tick(tick: _Tick, tell: _Tell) -> None:
    """Run one tick; an AggregatorError is given to ``tell``, any other error is logged by APScheduler. Both go on."""
    try:
        tick(datetime.now(UTC).replace(microsecond=0))
    except AggregatorError as error:
        for line in escape_lines(str(error)):
            tell(line)
