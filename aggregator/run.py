"""One run of the program: what is open while it lasts, and the sources of its feeds asked ahead of their turn."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic

from msgspec import Struct, field

from aggregator import bookkeeping, voices
from aggregator.config.load import Config
from aggregator.door import Door
from aggregator.fetchers.rounds import Errand, Rounds, rounds
from aggregator.ledger import ledger, lock, memories, robots
from aggregator.ledger.ledger import Ledger
from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.outcome import Listener, Progress, quiet
from aggregator.voices import Memories, Terms, Voice

AT_ONCE = 16
"""Sources asked at once; how many of one host is the gate's. More threads wait for parsing."""

AHEAD = 9
"""Feeds asked at once that are new: more would only keep their documents in memory while one is composed."""

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
        door = Door(
            config.contact or "",
            config.allow_networks,
            memories.holds(book, at),
            partial(robots.robots, book),
            config.proxy or "",
            config.obey_robots,
            ledger.folder(book),
        )
        before = gc.get_threshold()
        gc.set_threshold(*CIRCLES)
        try:
            yield Run(config, at, book, door)
        finally:
            gc.set_threshold(*before)
            door.close()


def heard(run: Run, plans: Sequence[Plan]) -> Iterator[tuple[tuple[Plan, tuple[Voice, ...]], ...]]:
    """Each feed with its sources' voices, once all of them have answered; those of the next are asked meanwhile.

    In the order in which they are done: a source that keeps its feed waiting delays no other feed. A feed that brought
    a document comes by itself and at once; those without come together, so that they are written down together.
    """
    silent: list[_Asked] = []
    until = monotonic() + SECONDS
    for asked in _answered(run, plans):
        news = asked is not None and asked.news()
        if asked is not None and not news:
            silent.append(asked)
        if silent and (len(silent) >= LOT or monotonic() >= until):
            yield tuple([(each.plan, each.read()) for each in silent])
            silent = []
        if not silent:
            until = monotonic() + SECONDS
        if asked is not None and news:
            yield ((asked.plan, asked.read()),)
    if silent:
        yield tuple([(each.plan, each.read()) for each in silent])


class _Asked(Struct, eq=False):
    """A feed whose sources are being asked, and what was remembered of them before.

    ``silent`` is how many of them have not answered yet: it is counted by who takes the answers, in one thread.
    """

    plan: Plan
    terms: Terms
    known: Mapping[str, Memories]
    voices: tuple[Errand[Voice], ...] = ()
    silent: int = 0

    def begin(self, asking: Rounds, done: SimpleQueue[_Asked]) -> None:
        """Ask its sources; the feed is put there by each of them that has answered."""
        self.voices = voices.ask(asking, self.plan.sources, self.known, self.terms, lambda: done.put(self))
        self.silent = len(self.voices)

    def weight(self) -> int:
        """How much it may keep in memory: 1 where every source was heard before, ``FAMILIAR`` where one was not."""
        return 1 if all(any(each.digest for each in said.values()) for said in self.known.values()) else FAMILIAR

    def news(self) -> bool:
        """Whether one of them brought a document."""
        return any(answer.document for voice in self.voices for answer in voice.answer().answers)

    def read(self) -> tuple[Voice, ...]:
        """What the documents say, once: they are let go, for they are too much to keep until the next feed."""
        said = [voice.answer() for voice in self.voices]
        self.voices = ()
        return voices.read(said, self.known, self.terms)


def _answered(run: Run, plans: Sequence[Plan]) -> Iterator[_Asked | None]:
    """Each feed all of whose sources have answered; ``None`` after every ``SECONDS`` in which no feed has.

    Where the run ends early, nobody is asked any more.
    """
    with rounds(AT_ONCE) as asking:
        done: SimpleQueue[_Asked] = SimpleQueue()
        following = bookkeeping.memories_of(run.book, plans)
        ahead = 0
        while True:
            while ahead < AHEAD * FAMILIAR and (one := next(following, None)):
                asked = _Asked(one[0], _terms(run, one[0]), one[1])
                asked.begin(asking, done)
                ahead += asked.weight()
            if not ahead:
                return
            came = _taken(done)
            ahead -= came.weight() if came else 0
            yield came


def _taken(done: SimpleQueue[_Asked]) -> _Asked | None:
    """The first feed of which all sources have answered; ``None`` where there is none for ``SECONDS``."""
    until = monotonic() + SECONDS
    while (left := until - monotonic()) > 0:
        try:
            asked = done.get(timeout=left)
        except Empty:
            return None
        asked.silent -= 1
        if not asked.silent:
            return asked
    return None


def _terms(run: Run, plan: Plan) -> Terms:
    """How the sources of one feed are asked and read."""

    def tell(source: Source, stage: str, message: str) -> None:
        run.listen(Progress(plan.name, source.name, stage, message))

    return Terms(run.door, run.at, tell, plan.refresh, run.force)
