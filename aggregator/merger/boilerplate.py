"""Boilerplate: what one listing sticks to the head or tail of many texts and the others do not have, learned.

Nothing here knows a phrase. A run of words is boilerplate where, over many items, it stands at an end of one copy
while the other copies of the same item lack it, and where copies hardly ever share it: what an author writes under
every text is in all copies, what a site adds is in its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from aggregator.merger.witnesses import Witness

HEAD, TAIL = "\x02", "\x03"
DIGITS = re.compile(r"\d+")
# Seen alone in three items, and shared by copies less than a third as often. At two items, chance repeats get in.
LEAST_ALONE = 3
MOST_SHARED = 0.35
# No tail of more than 60 tokens was seen; longer runs are text that the others do not have.
LONGEST = 60
# Unknown triples stand where two phrases meet: two of them.
JOINT = 2
MOST_REMEMBERED = 200_000


@dataclass(slots=True)
class Learner:
    """Counts of triples of keys at the ends of copies: in one copy only, and in several copies of one item."""

    alone: Counter[str] = field(default_factory=Counter)
    shared: Counter[str] = field(default_factory=Counter)

    def hear(self, copies: Sequence[Witness]) -> None:
        """Adds what the copies of one item show."""
        if len(copies) < 2:  # noqa: PLR2004 - one copy has nobody to lack it
            return
        lines = [_plain(witness) for witness in copies]
        inside = [set(_triples(line)) for line in lines]
        for number, line in enumerate(lines):
            others = [inside[other] for other in range(len(lines)) if other != number]
            judged = any(not copy.cut for other, copy in enumerate(copies) if other != number)
            for edge in _edges(line):
                self._count(edge, others, judged=judged)
        if len(self.alone) + len(self.shared) > MOST_REMEMBERED:
            self._forget()

    def _count(self, edge: Iterable[str], others: Sequence[set[str]], *, judged: bool) -> None:
        reached = True
        for triple in edge:
            if any(triple in other for other in others):
                self.shared[triple] += 1
                reached = False
            elif reached and judged:
                self.alone[triple] += 1

    def _forget(self) -> None:
        """Drops what was seen once: memory stays bounded however many items pass."""
        for counts in (self.alone, self.shared):
            for triple in [triple for triple, count in counts.items() if count == 1]:
                del counts[triple]

    def learned(self) -> frozenset[str]:
        """The triples that are boilerplate, as strings that can be stored."""
        return frozenset(
            triple
            for triple, count in self.alone.items()
            if count >= LEAST_ALONE and self.shared[triple] < MOST_SHARED * count
        )


def learn(items: Iterable[Sequence[Witness]]) -> frozenset[str]:
    """What is boilerplate over all items, each given as the witnesses of one text."""
    learner = Learner()
    for witnesses in items:
        learner.hear(witnesses)
    return learner.learned()


def strip(witnesses: Sequence[Witness], table: frozenset[str]) -> None:
    """Takes known boilerplate off the ends of each witness, where no other witness of the item has it."""
    if not table or len(witnesses) < 2:  # noqa: PLR2004 - a lone copy keeps what it says
        return
    lines = [_plain(witness) for witness in witnesses]
    inside = [set(_triples(line)) for line in lines]
    for number, (witness, line) in enumerate(zip(witnesses, lines, strict=True)):
        shared = frozenset[str]().union(*(inside[other] for other in range(len(lines)) if other != number))
        start, end = _bounds(line, table - shared if shared & table else table)
        if start or end < len(line):
            witness.tokens = witness.tokens[start:end]
            if end < len(line):
                witness.cut = witness.cut and False


def _bounds(line: Sequence[str], table: frozenset[str]) -> tuple[int, int]:
    """Where the text begins and ends without the boilerplate round it."""
    start, end = 0, len(line)
    while True:
        tail = _reach([*reversed(line[start:end]), HEAD], table, TAIL, backwards=True)
        head = _reach([*line[start:end], TAIL], table, HEAD, backwards=False)
        if tail and end - start - tail > 1:
            end -= tail
        elif head and end - start - head > 1:
            start += head
        else:
            return start, end


def _reach(line: Sequence[str], table: frozenset[str], edge: str, *, backwards: bool) -> int:
    """How many tokens from the edge inward are known boilerplate."""
    padded = [edge, *line[: LONGEST + JOINT]]
    reach = misses = 0
    for i in range(len(padded) - 2):
        triple = padded[i : i + 3]
        known = " ".join(reversed(triple) if backwards else triple) in table
        if known:
            reach, misses = i + 2, 0
        else:
            misses += 1
            if misses > JOINT or not reach:
                break
    return reach


def _edges(line: Sequence[str]) -> Iterator[list[str]]:
    """The triples from the tail inward, and from the head inward."""
    tail = [*line[-LONGEST:], TAIL]
    yield [" ".join(tail[i : i + 3]) for i in range(len(tail) - 3, -1, -1)]
    head = [HEAD, *line[:LONGEST]]
    yield [" ".join(head[i : i + 3]) for i in range(len(head) - 2)]


def _triples(line: Sequence[str]) -> Iterator[str]:
    padded = [HEAD, *line, TAIL]
    return (" ".join(padded[i : i + 3]) for i in range(len(padded) - 2))


def _plain(witness: Witness) -> list[str]:
    """The keys with every number as #."""
    return [DIGITS.sub("#", token.key) for token in witness.tokens]
