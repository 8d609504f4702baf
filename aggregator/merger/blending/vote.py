"""Vote: which columns are part of the text, by how often each witness loses and adds words.

A run of columns that the same witnesses have is one event. It is real with the odds of its witnesses having it and the
others lacking it; a witness that is cut has no opinion behind its end. What is seen in the text itself moves the
rates: a copy that lost three commas has lost the fourth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from math import exp

from msgspec import Struct

from aggregator.merger.blending.aligned_copies import Column
from aggregator.merger.blending.copies import Witness, marked_trusts
from aggregator.merger.blending.error_rates import Rates, evidence

# A tail of more than 30 words is text that the other copy lacks, not something stuck to it.
LONGEST_TAIL = 30
ROUNDS = 2
# Rates known beforehand count as 40 words seen; at 10 one lost word makes a copy a loser, at 200 the text says nothing.
STRENGTH = 40.0
STRENGTH_OF_MARKS = 8.0
REPEATED = 0.3
# A person may say one word twice; several in a row are said twice by machines, whoever is trusted.
REPEATED_SEVERAL = 0.9
UNFINISHED = 0.2
# The same words are stuck to two copies by chance a fifth as often as to one (natural log of 5).
SAME_STUCK = 1.6
MARKS_PER_WORD = 0.2
PRIOR = 0.0


class Stretch(Struct):
    """Neighbouring columns that the same witnesses have: which these are, and the odds that they are in the text.

    ``lexical`` says that a word is among them.
    """

    columns: list[Column]
    start: int
    lexical: bool
    odds: float = 0.0
    repeats: bool = False

    @property
    def end(self) -> int:
        """The number of the last column."""
        return self.start + len(self.columns) - 1

    @property
    def probability(self) -> float:
        """How sure it is that they are in the text, 0 to 1."""
        return 1 / (1 + exp(-max(-30.0, min(30.0, self.odds))))


def standing(columns: Sequence[Column], witnesses: Sequence[Witness]) -> list[Stretch]:
    """The stretches that are part of the text, in order."""
    return [stretch for stretch in weighed(columns, witnesses) if stretch.odds >= 0]


def weighed(columns: Sequence[Column], witnesses: Sequence[Witness]) -> list[Stretch]:
    """All stretches in order, with the odds that they are in the text; those below 0 are not."""
    stretches = _stretches(columns)
    reach = [_reach(columns, number) for number in range(len(witnesses))]
    rates = [witness.rates for witness in witnesses]
    cases = _cases(stretches, reach)
    for _ in range(ROUNDS):
        for alike in cases:
            odds = _odds(alike[0], witnesses, rates, reach)
            for stretch in alike:
                stretch.odds = odds
        for number, witness in enumerate(witnesses):
            witness.seen = _seen(stretches, number, reach[number])
        rates = [_adapted(witness) for witness in witnesses]
    for number, witness in enumerate(witnesses):
        witness.rates = rates[number]
    return stretches


def _cases(stretches: Sequence[Stretch], reach: Sequence[tuple[int, int]]) -> list[list[Stretch]]:
    """The stretches by all that their odds depend on: a long text has thousands, and a hundred cases."""
    begun, ended = max(first for first, _ in reach), min(last for _, last in reach)
    cases: dict[tuple[object, ...], list[Stretch]] = {}
    for stretch in stretches:
        start, end, size = stretch.start, stretch.end, min(len(stretch.columns), LONGEST_TAIL + 1)
        beyond = () if begun <= end and start <= ended else tuple([(end < one, start > other) for one, other in reach])
        case = (*stretch.columns[0].cells, stretch.lexical, stretch.repeats, size, beyond)
        cases.setdefault(case, []).append(stretch)
    return list(cases.values())


def _adapted(witness: Witness) -> Rates:
    """The rates of a witness after what was seen of it in this text."""
    words = {name: seen for name, seen in witness.seen.items() if name.endswith("word")}
    marks = {name: seen for name, seen in witness.seen.items() if name.endswith("mark")}
    return witness.rates.moreover(words, STRENGTH).moreover(marks, STRENGTH_OF_MARKS)


def _stretches(columns: Sequence[Column]) -> list[Stretch]:
    stretches, start = [], 0
    for _, group in groupby(columns, key=lambda column: column.cells.keys()):
        members = list(group)
        stretches.append(Stretch(members, start, any(column.key[:1].isalnum() for column in members)))
        start += len(members)
    _mark_repeats(stretches)
    return stretches


def _mark_repeats(stretches: Sequence[Stretch]) -> None:
    """Marks the stretches that say again what stands right before or behind them."""
    for before, after in pairwise(stretches):
        for one, other in ((before, after), (after, before)):
            size = len(one.columns)
            if one.lexical and size <= len(other.columns) and len(one.columns[0].cells) < len(other.columns[0].cells):
                near = other.columns[-size:] if other is before else other.columns[:size]
                one.repeats |= [column.key for column in one.columns] == [column.key for column in near]


def _reach(columns: Sequence[Column], number: int) -> tuple[int, int]:
    """The first and the last column that a witness has in its place."""
    places = range(len(columns))
    first = next((i for i in places if _in_place(columns[i], number)), None)
    return (0, -1) if first is None else (first, next(i for i in reversed(places) if _in_place(columns[i], number)))


def _in_place(column: Column, number: int) -> bool:
    return number in column.cells and number not in column.moved


def _odds(
    stretch: Stretch, witnesses: Sequence[Witness], rates: Sequence[Rates], reach: Sequence[tuple[int, int]]
) -> float:
    """The natural log-odds that the stretch is in the text."""
    having = stretch.columns[0].cells
    opposed = [number for number in range(len(witnesses)) if number not in having]
    voices = [number for number in opposed if not (witnesses[number].cut and stretch.start > reach[number][1])]
    if not voices:
        return 30.0
    at_end = all(stretch.start > reach[number][1] or stretch.end < reach[number][0] for number in voices)
    if at_end and any(witnesses[number].keep and number not in stretch.columns[0].moved for number in having):
        return 30.0
    lost_inside = not stretch.lexical and not at_end
    trusts = marked_trusts(having if lost_inside else (), voices, witnesses)
    odds = PRIOR
    for number in having:
        odds += trusts[number] * _for(stretch, rates[number], at_end=at_end)
    if at_end:
        odds += SAME_STUCK * sum(sorted(witnesses[number].weight ** 2 for number in having)[:-1])
    for number in voices:
        beyond = stretch.start > reach[number][1]
        odds += trusts[number] * _against(stretch, rates[number], beyond=beyond, finished=witnesses[number].finished)
    return odds


def _for(stretch: Stretch, rates: Rates, *, at_end: bool) -> float:
    lost, added = (rates.lost_word, rates.added_word) if stretch.lexical else (rates.lost_mark, rates.added_mark)
    if stretch.repeats and len(stretch.columns[0].cells) == 1:
        added = REPEATED if len(stretch.columns) == 1 else REPEATED_SEVERAL
    elif at_end:
        added = rates.stuck if len(stretch.columns) <= LONGEST_TAIL else rates.added_word
    return evidence(1 - lost, added)


def _against(stretch: Stretch, rates: Rates, *, beyond: bool, finished: bool) -> float:
    lost, added = (rates.lost_word, rates.added_word) if stretch.lexical else (rates.lost_mark, rates.added_mark)
    if beyond:
        lost = rates.short if finished else max(rates.short, UNFINISHED)
    return evidence(lost, 1 - added)


def _seen(stretches: Sequence[Stretch], number: int, reach: tuple[int, int]) -> dict[str, tuple[float, float]]:
    """What one witness lost and added within its reach, as the vote stands."""
    counts = dict.fromkeys(("lost_word", "lost_mark", "added_word", "added_mark"), 0.0)
    words = 0
    first, last = reach
    for stretch in stretches:
        start, columns = stretch.start, stretch.columns
        if start <= first or start + len(columns) > last:
            continue
        real = stretch.odds >= 0
        if real:
            words += len(columns)
        if (number in columns[0].cells) != real and not stretch.repeats:
            counts[f"{'lost' if real else 'added'}_{'word' if stretch.lexical else 'mark'}"] += 1
    chances = {"word": float(words), "mark": words * MARKS_PER_WORD}
    return {name: (events, chances[name.split("_")[1]]) for name, events in counts.items()}
