"""One run of the program: what is open while it lasts, and the sources of its feeds asked ahead of their turn."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from aggregator import bookkeeping, voices
from aggregator.config.load import Config
from aggregator.door import Door
from aggregator.ledger import ledger, lock, memories
from aggregator.ledger.ledger import Ledger
from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.outcome import Listener, Progress, quiet
from aggregator.voices import Memories, Terms, Voice

AT_ONCE = 16
"""Sources asked at once; how many of one host is the gate's. More threads wait for parsing."""

AHEAD = 8
"""Feeds whose sources are asked while an earlier one is composed: more would only keep their documents in memory."""


CIRCLES = (100_000, 20, 100)
"""When the garbage collector looks for circles while a run lasts (``gc.set_threshold``): our records make none, and
with Python's own (700, 10, 10) it takes a fifth of a refresh to find that out."""


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
        before = gc.get_threshold()
        gc.set_threshold(*CIRCLES)
        try:
            yield Run(config, at, book, door)
        finally:
            gc.set_threshold(*before)
            door.close()


def heard(run: Run, plans: Sequence[Plan]) -> Iterator[tuple[Plan, tuple[Voice, ...]]]:
    """Each feed with its sources' voices, as soon as all of them have answered; those of the next are asked meanwhile.

    In order where all answer alike: a source that keeps its feed waiting delays no other feed.
    """
    with ThreadPoolExecutor(max_workers=AT_ONCE) as threads:
        ahead: list[_Asked] = []
        following = iter(plans)
        while True:
            for plan in islice(following, AHEAD + 1 - len(ahead)):
                terms, known = _terms(run, plan), bookkeeping.memories_of(run.book, plan)
                ahead.append(_Asked(plan, terms, known, voices.ask(threads, plan.sources, known, terms)))
            if not ahead:
                return
            each = _first_complete(ahead)
            ahead.remove(each)
            yield each.plan, voices.read([voice.result() for voice in each.voices], each.known, each.terms)


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A feed whose sources are being asked, and what was remembered of them before."""

    plan: Plan
    terms: Terms
    known: Mapping[str, Memories]
    voices: tuple[Future[Voice], ...]


def _first_complete(ahead: Sequence[_Asked]) -> _Asked:
    """The first feed all of whose sources have answered, waited for where there is none."""
    while True:
        for each in ahead:
            if all(voice.done() for voice in each.voices):
                return each
        wait([voice for each in ahead for voice in each.voices if not voice.done()], return_when=FIRST_COMPLETED)


def _terms(run: Run, plan: Plan) -> Terms:
    """How the sources of one feed are asked and read."""

    def tell(source: Source, stage: str, message: str) -> None:
        run.listen(Progress(plan.name, source.name, stage, message))

    return Terms(run.door, run.at, tell, plan.refresh, run.force)
