"""One run of the program: what is open while it lasts, and the sources of its feeds asked ahead of their turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from aggregator import bookkeeping, voices
from aggregator.config.load import Config
from aggregator.door import Door
from aggregator.ledger import ledger, lock, memories
from aggregator.ledger.ledger import Ledger
from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.outcome import Listener, Progress, quiet
from aggregator.voices import Terms, Voice

AT_ONCE = 16
"""Sources asked at once; how many of one host is the gate's. More threads wait for parsing."""

AHEAD = 8
"""Feeds whose sources are asked while an earlier one is composed: more would only keep their documents in memory."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the program: its clock, the ledger, the door to the origins, and who listens."""

    config: Config
    at: datetime
    book: Ledger
    door: Door
    force: bool = False
    listen: Listener = field(default=quiet)


@contextmanager
def begin(config: Config, at: datetime, *, wait: bool = False) -> Iterator[Run]:
    """A run with the lock held and the ledger open, as long as the body lasts.

    Raises LockedError where another refresh is at work, unless ``wait``; LedgerError.
    """
    with lock.lock(config.state, wait=wait), ledger.open(config.state, fence=True) as book:
        door = Door(config.contact or "", config.allow_networks, memories.holds(book, at), config.proxy or "")
        try:
            yield Run(config, at, book, door)
        finally:
            door.close()


def heard(run: Run, plans: Sequence[Plan]) -> Iterator[tuple[Plan, tuple[Voice, ...]]]:
    """Each feed with its sources' voices, in order; the sources of the next feeds are asked meanwhile."""
    with ThreadPoolExecutor(max_workers=AT_ONCE) as threads:
        ahead: deque[tuple[Plan, Terms, tuple[Future[Voice], ...]]] = deque()
        for plan in (*plans, *[None] * AHEAD):
            if plan is not None:
                terms = _terms(run, plan)
                known = bookkeeping.memories_of(run.book, plan)
                ahead.append((plan, terms, voices.ask(threads, plan.sources, known, terms)))
            if ahead and (plan is None or len(ahead) > AHEAD):
                due, terms, asked = ahead.popleft()
                known = bookkeeping.memories_of(run.book, due)
                yield due, voices.read([voice.result() for voice in asked], known, terms)


def _terms(run: Run, plan: Plan) -> Terms:
    """How the sources of one feed are asked and read."""

    def tell(source: Source, stage: str, message: str) -> None:
        run.listen(Progress(plan.name, source.name, stage, message))

    return Terms(run.door, run.at, tell, plan.refresh, run.force)
