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
from aggregator.merger.blending.copies import PreparedCopy, Rates, log_odds, trust_about_marks

# A tail of more than 30 words is text that the other copy lacks, not something stuck to it.
_LONGEST_TAIL = 30
_ROUNDS = 2
# Rates known beforehand count as 40 words seen; at 10 one lost word makes a copy a loser, at 200 the text says nothing.
_STRENGTH = 40.0
_STRENGTH_OF_MARKS = 8.0
_REPEATED = 0.3
# A person may say one word twice; several in a row are said twice by machines, whoever is trusted.
_REPEATED_SEVERAL = 0.9
_UNFINISHED = 0.2
# The same words are stuck to two copies by chance a fifth as often as to one (natural log of 5).
_SAME_STUCK = 1.6
_MARKS_PER_WORD = 0.2
_PRIOR = 0.0


class _Stretch(Struct):
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


def keep_likely(columns: Sequence[Column], witnesses: Sequence[PreparedCopy]) -> list[_Stretch]:
    """The stretches that are part of the text, in order."""
    return [stretch for stretch in weigh_stretches(columns, witnesses) if stretch.odds >= 0]


def weigh_stretches(columns: Sequence[Column], witnesses: Sequence[PreparedCopy]) -> list[_Stretch]:
    """All stretches in order, with the odds that they are in the text; those below 0 are not."""
    stretches = _find_stretches(columns)
    reach = [_find_reach(columns, number) for number in range(len(witnesses))]
    rates = [witness.rates for witness in witnesses]
    cases = _group_by_case(stretches, reach)
    for _ in range(_ROUNDS):
        for alike in cases:
            odds = _stretch_odds(alike[0], witnesses, rates, reach)
            for stretch in alike:
                stretch.odds = odds
        for number, witness in enumerate(witnesses):
            witness.seen = _count_errors(stretches, number, reach[number])
        rates = [_adapt_rates(witness) for witness in witnesses]
    for number, witness in enumerate(witnesses):
        witness.rates = rates[number]
    return stretches


def _group_by_case(stretches: Sequence[_Stretch], reach: Sequence[tuple[int, int]]) -> list[list[_Stretch]]:
    """The stretches by all that their odds depend on: a long text has thousands, and a hundred cases."""
    begun, ended = max(first for first, _ in reach), min(last for _, last in reach)
    cases: dict[tuple[object, ...], list[_Stretch]] = {}
    for stretch in stretches:
        start, end, size = stretch.start, stretch.end, min(len(stretch.columns), _LONGEST_TAIL + 1)
        beyond = () if begun <= end and start <= ended else tuple([(end < one, start > other) for one, other in reach])
        case = (*stretch.columns[0].cells, stretch.lexical, stretch.repeats, size, beyond)
        cases.setdefault(case, []).append(stretch)
    return list(cases.values())


def _adapt_rates(witness: PreparedCopy) -> Rates:
    """The rates of a witness after what was seen of it in this text."""
    words = {name: seen for name, seen in witness.seen.items() if name.endswith("word")}
    marks = {name: seen for name, seen in witness.seen.items() if name.endswith("mark")}
    return witness.rates.moreover(words, _STRENGTH).moreover(marks, _STRENGTH_OF_MARKS)


def _find_stretches(columns: Sequence[Column]) -> list[_Stretch]:
    stretches, start = [], 0
    for _, group in groupby(columns, key=lambda column: column.cells.keys()):
        members = list(group)
        stretches.append(_Stretch(members, start, any(column.key[:1].isalnum() for column in members)))
        start += len(members)
    _mark_repeats(stretches)
    return stretches


def _mark_repeats(stretches: Sequence[_Stretch]) -> None:
    """Marks the stretches that say again what stands right before or behind them."""
    for before, after in pairwise(stretches):
        for one, other in ((before, after), (after, before)):
            size = len(one.columns)
            if one.lexical and size <= len(other.columns) and len(one.columns[0].cells) < len(other.columns[0].cells):
                near = other.columns[-size:] if other is before else other.columns[:size]
                one.repeats |= [column.key for column in one.columns] == [column.key for column in near]


def _find_reach(columns: Sequence[Column], number: int) -> tuple[int, int]:
    """The first and the last column that a witness has in its place."""
    places = range(len(columns))
    first = next((i for i in places if _in_place(columns[i], number)), None)
    return (0, -1) if first is None else (first, next(i for i in reversed(places) if _in_place(columns[i], number)))


def _in_place(column: Column, number: int) -> bool:
    return number in column.cells and number not in column.moved


def _stretch_odds(
    stretch: _Stretch, witnesses: Sequence[PreparedCopy], rates: Sequence[Rates], reach: Sequence[tuple[int, int]]
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
    trusts = trust_about_marks(having if lost_inside else (), voices, witnesses)
    odds = _PRIOR
    for number in having:
        odds += trusts[number] * _evidence_for(stretch, rates[number], at_end=at_end)
    if at_end:
        odds += _SAME_STUCK * sum(sorted(witnesses[number].weight ** 2 for number in having)[:-1])
    for number in voices:
        beyond = stretch.start > reach[number][1]
        odds += trusts[number] * _evidence_against(
            stretch, rates[number], beyond=beyond, finished=witnesses[number].finished
        )
    return odds


def _evidence_for(stretch: _Stretch, rates: Rates, *, at_end: bool) -> float:
    lost, added = (rates.lost_word, rates.added_word) if stretch.lexical else (rates.lost_mark, rates.added_mark)
    if stretch.repeats and len(stretch.columns[0].cells) == 1:
        added = _REPEATED if len(stretch.columns) == 1 else _REPEATED_SEVERAL
    elif at_end:
        added = rates.stuck if len(stretch.columns) <= _LONGEST_TAIL else rates.added_word
    return log_odds(1 - lost, added)


def _evidence_against(stretch: _Stretch, rates: Rates, *, beyond: bool, finished: bool) -> float:
    lost, added = (rates.lost_word, rates.added_word) if stretch.lexical else (rates.lost_mark, rates.added_mark)
    if beyond:
        lost = rates.short if finished else max(rates.short, _UNFINISHED)
    return log_odds(lost, 1 - added)


def _count_errors(stretches: Sequence[_Stretch], number: int, reach: tuple[int, int]) -> dict[str, tuple[float, float]]:
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
    chances = {"word": float(words), "mark": words * _MARKS_PER_WORD}
    return {name: (events, chances[name.split("_")[1]]) for name, events in counts.items()}
