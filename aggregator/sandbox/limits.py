"""Limits of processor time and memory: how much a feed may cost, and work in this process that costs no more."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

SECONDS, MEGABYTES = 60, 512
"""Processor time and memory that any feed may take; each of its entries adds to both."""

_MEGABYTE = 1_048_576
_STATM = Path("/proc/self/statm")
_LEAST_SECONDS = 0.001
"""Of a timer: none ends one."""


class Limits(Struct, frozen=True):
    """Most that one task may cost: processor and wall seconds, megabytes above what the process has."""

    cpu_seconds: int
    wall_seconds: float
    megabytes: int


class CostError(BaseException):
    """Some work exceeds its limits; the message is a predicate ("it takes more than …").

    No Exception, because it is raised at any place: SQLAlchemy would make it an error of the store.
    """


def make_limits(count: int, characters: int = 0) -> Limits:
    """Return the most that a feed of so many entries may cost, which are stored in so many characters.

    A cold refresh of 16,800 entries takes 37 s and 235 MB: 2 ms and 14 kB an entry (docs/performance.md). Long texts
    take up to 19 us a character: Chinese, or words with letters lost.
    """
    seconds = SECONDS + count // 50 + characters // 20_000
    return Limits(seconds, 60 + 3 * seconds, MEGABYTES + count // 40 + characters // 50_000)


def describe_time(limits: Limits) -> str:
    """Return why work ended that took too much processor time."""
    return f"it takes more than {limits.cpu_seconds} s of processor time"


def describe_memory(limits: Limits) -> str:
    """Return why work ended that took too much memory."""
    return f"it takes more than {limits.megabytes} MB of memory"


def find_most_memory(limits: Limits) -> int:
    """Return the bytes of address space that this process may have at most: what it has, and what the limits add."""
    if not _STATM.exists():  # not Linux: nothing tells how much is in use
        return resource.RLIM_INFINITY
    return int(_STATM.read_text("ascii").split()[0]) * resource.getpagesize() + limits.megabytes * _MEGABYTE


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Raise CostError in the body once it has taken more processor time or memory; for the main thread.

    A person waits for the body and can end it, so that wall time has no limit here.
    """
    at_work, stopped = True, False

    def stop(_number: int, _frame: object) -> None:
        nonlocal stopped
        stopped = True
        if at_work:
            raise CostError(describe_time(limits))

    begun = _read_seconds()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = find_most_memory(limits)
    handler = signal.signal(signal.SIGPROF, stop)
    try:
        signal.setitimer(signal.ITIMER_PROF, max(limits.cpu_seconds, _LEAST_SECONDS), 1)  # comes again each second
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        yield
        # Python drops an error that is raised in a destructor; the timer of a busy machine comes late.
        if stopped or _read_seconds() - begun > limits.cpu_seconds:
            raise CostError(describe_time(limits))
    except MemoryError:
        raise CostError(describe_memory(limits)) from None
    finally:
        at_work = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGPROF, handler)


def _read_seconds() -> float:
    """Return the processor time of this process; its clock (``time.process_time``) stands still while a timer runs."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
