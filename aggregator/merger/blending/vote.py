"""Vote on which columns are part of the text, by how often each copy loses and adds words.

A run of columns that the same copies have is one event. Its odds are those of its copies having it and the others
lacking it; a cut copy has no vote behind its end. The errors in the text itself change the rates: a copy that lost
three commas probably lost the fourth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise, takewhile
from math import exp

from msgspec import Struct

from aggregator.merger.blending.aligned_copies import Column
from aggregator.merger.blending.copies import PreparedCopy, Rates, log_odds, trust_about_marks

_LONGEST_TAIL = 30  # words that a source may add at the end; more are text that the other copy lacks
_ROUNDS = 2
_STRENGTH = 40.0  # words that known rates count as; at 10 one lost word decides, at 200 the text changes nothing
_STRENGTH_OF_MARKS = 8.0
_REPEATED = 0.3  # rate of adding a word that is there already
_REPEATED_SEVERAL = 0.9  # of several in a row, which machines repeat, not people
_UNFINISHED = 0.2  # rate of being cut, at least, for a copy that does not end as a sentence does
_SAME_STUCK = 1.6  # ln 5: two copies have the same words added at an end a fifth as often as one has
_LOST = frozenset("?\ufffd")  # what encodings leave of a mark that they lack, in two sources alike
_MARKS_PER_WORD = 0.2
_CERTAIN = 30.0
_SEPARATORS = frozenset("|-–—·•:/»")
_LEAST_DOUBT = 1.0  # log-odds against a mark with nothing to separate, and for one of several words in a gap

_Seen = dict[str, tuple[float, float]]
"""Events and chances by the name of a rate."""


class _Stretch(Struct):
    """Neighbouring columns that the same copies have, and the natural log-odds that they are in the text.

    ``lexical`` says that a word is among them, ``repeats`` that they repeat the words beside them.
    """

    columns: list[Column]
    start: int
    lexical: bool
    odds: float = 0.0
    repeats: bool = False

    @property
    def end(self) -> int:
        """Return the number of the last column."""
        return self.start + len(self.columns) - 1

    @property
    def probability(self) -> float:
        """Return the probability that they are in the text, 0 to 1."""
        return 1 / (1 + exp(-max(-_CERTAIN, min(_CERTAIN, self.odds))))


def weigh_stretches(columns: Sequence[Column], copies: Sequence[PreparedCopy]) -> list[_Stretch]:
    """Return all stretches in order, with the odds that they are in the text; those below 0 are not.

    ``rates`` and ``seen`` of the copies are set by their errors in this text.
    """
    stretches = _find_stretches(columns)
    reach = [_find_reach(columns, number) for number in range(len(copies))]
    known = [copy.rates for copy in copies]
    weighed = 0 if any(not copy.cut and not copy.finished for copy in copies) else 1  # round without errors counted
    for number_of_round in range(weighed, _ROUNDS + 1):
        beyond = [_count_beyond(stretches, copy, last) for copy, (_, last) in zip(copies, reach, strict=True)]
        for stretch in stretches:
            stretch.odds = _measure_odds(stretch, copies, reach, beyond)
        for number, copy in enumerate(copies if number_of_round else ()):
            words, marks = _count_errors(stretches, number, reach[number])
            copy.seen = words | marks
            copy.rates = known[number].add_counts(words, _STRENGTH).add_counts(marks, _STRENGTH_OF_MARKS)
    _keep_beginning(stretches, copies)
    _drop_loose_separators(stretches)
    _fill_gaps(stretches, copies, reach)
    return stretches


def _keep_beginning(stretches: Sequence[_Stretch], copies: Sequence[PreparedCopy]) -> None:
    """Keep the words that copies with most of all weight begin with: more of them lose a word than add the same one."""
    first = next(iter(stretches), None)
    if first and first.odds < 0 and first.lexical and not first.repeats:
        having = first.columns[0].cells.keys() - first.columns[0].moved
        if 2 * sum(copies[number].weight for number in having) > sum(copy.weight for copy in copies):
            first.odds = _LEAST_DOUBT


def _fill_gaps(stretches: Sequence[_Stretch], copies: Sequence[PreparedCopy], reach: Sequence[tuple[int, int]]) -> None:
    """Keep what the most trusted copy has in a gap of the text where most copies have words, though not the same."""
    groups = [list(group) for _, group in groupby(stretches, key=lambda stretch: stretch.odds >= 0)]
    for gap in groups[1:-1]:
        if gap[0].odds >= 0 or any(stretch.repeats for stretch in gap):
            continue
        spanning = {number for number, (first, last) in enumerate(reach) if first < gap[0].start and last > gap[-1].end}
        having = [stretch.columns[0].cells.keys() - stretch.columns[0].moved for stretch in gap if stretch.lexical]
        filled = spanning.intersection(set().union(*having))
        if sum(copies[number].trust for number in filled) <= sum(copies[number].trust for number in spanning - filled):
            continue
        best = max(filled, key=lambda number: (copies[number].weight, -number))
        for stretch in gap:
            if best in stretch.columns[0].cells and best not in stretch.columns[0].moved:
                stretch.odds = _LEAST_DOUBT


def _drop_loose_separators(stretches: Sequence[_Stretch]) -> None:
    """Leave out marks alone that several copies have at an end, each before other words that are left out."""
    for ordered in (stretches[::-1], stretches):
        outer = list(takewhile(lambda stretch: stretch.odds < 0 or not stretch.lexical, ordered))
        lexical = [at for at, stretch in enumerate(outer) if stretch.lexical]
        for stretch in outer[lexical[0] :] if lexical else ():
            if stretch.odds >= 0 and all(column.key in _SEPARATORS for column in stretch.columns):
                stretch.odds = -_LEAST_DOUBT


def _find_stretches(columns: Sequence[Column]) -> list[_Stretch]:
    stretches, start = [], 0
    for _, group in groupby(columns, key=lambda column: column.cells.keys()):
        members = list(group)
        stretches.append(_Stretch(members, start, any(column.key[:1].isalnum() for column in members)))
        start += len(members)
    _mark_repeats(stretches)
    return stretches


def _mark_repeats(stretches: Sequence[_Stretch]) -> None:
    for before, after in pairwise(stretches):
        for one, other in ((before, after), (after, before)):
            size = len(one.columns)
            if one.lexical and size <= len(other.columns) and len(one.columns[0].cells) < len(other.columns[0].cells):
                near = other.columns[-size:] if other is before else other.columns[:size]
                one.repeats |= [column.key for column in one.columns] == [column.key for column in near]


def _find_reach(columns: Sequence[Column], number: int) -> tuple[int, int]:
    """Return the first and the last column that a copy has in order; (0, -1) for none."""

    def find(places: Iterable[int], otherwise: int) -> int:
        return next((i for i in places if number in columns[i].cells and number not in columns[i].moved), otherwise)

    return find(range(len(columns)), 0), find(reversed(range(len(columns))), -1)


def _count_beyond(stretches: Sequence[_Stretch], copy: PreparedCopy, last: int) -> int:
    """Return how many stretches of words behind the end of a copy, which is not finished there, are in the text."""
    if copy.finished:
        return 0
    return sum(stretch.start > last and stretch.lexical and stretch.odds > 0 for stretch in stretches)


def _is_cut(stretch: _Stretch, copy: PreparedCopy, beyond: int) -> bool:
    """Return whether a copy that ends before the stretch is cut: it is known, or other words follow its end."""
    return copy.cut or beyond > (stretch.lexical and stretch.odds > 0)


def _measure_odds(
    stretch: _Stretch, copies: Sequence[PreparedCopy], reach: Sequence[tuple[int, int]], beyond: Sequence[int]
) -> float:
    """Return the natural log-odds that the stretch is in the text.

    ``beyond`` is for each copy the number of stretches of words that are in the text behind its end.
    """
    having = stretch.columns[0].cells
    lacking = [
        number
        for number in range(len(copies))
        if number not in having
        and not (stretch.start > reach[number][1] and _is_cut(stretch, copies[number], beyond[number]))
    ]
    if not lacking:
        return _CERTAIN
    at_end = all(stretch.start > reach[number][1] or stretch.end < reach[number][0] for number in lacking)
    at_end = at_end and not all(_begins_inside(stretch, copies[number], reach[number]) for number in lacking)
    if at_end and any(copies[number].keep and number not in stretch.columns[0].moved for number in having):
        return _CERTAIN
    lost_inside = not stretch.lexical and not at_end and not all(_LOST.issuperset(one.key) for one in stretch.columns)
    trusts = trust_about_marks(having if lost_inside else (), lacking, copies)
    odds = 0.0
    for number in having:
        odds += trusts[number] * _weigh_presence(stretch, copies[number].rates, at_end=at_end)
    if at_end:
        odds += _SAME_STUCK * sum(sorted(copies[number].weight ** 2 for number in having)[:-1])
    for number in lacking:
        behind = stretch.start > reach[number][1]
        odds += trusts[number] * _weigh_absence(stretch, copies[number], beyond=behind)
    return odds


def _begins_inside(stretch: _Stretch, copy: PreparedCopy, reach: tuple[int, int]) -> bool:
    """Return whether a copy has lost its beginning, the stretch: it begins with a small letter."""
    return stretch.end < reach[0] and copy.tokens[0].surface[:1].islower()


def _weigh_presence(stretch: _Stretch, rates: Rates, *, at_end: bool) -> float:
    lost, added = (rates.lost_word, rates.added_word) if stretch.lexical else (rates.lost_mark, rates.added_mark)
    if stretch.repeats and len(stretch.columns[0].cells) == 1:
        added = _REPEATED if len(stretch.columns) == 1 else _REPEATED_SEVERAL
    elif at_end:
        added = rates.stuck if len(stretch.columns) <= _LONGEST_TAIL else rates.added_word
    return log_odds(1 - lost, added)


def _weigh_absence(stretch: _Stretch, copy: PreparedCopy, *, beyond: bool) -> float:
    rates = copy.rates
    lost, added = (rates.lost_word, rates.added_word) if stretch.lexical else (rates.lost_mark, rates.added_mark)
    if beyond:
        lost = rates.short if copy.finished else max(rates.short, _UNFINISHED)
    return log_odds(lost, 1 - added)


def _count_errors(stretches: Sequence[_Stretch], number: int, reach: tuple[int, int]) -> tuple[_Seen, _Seen]:
    """Return the counts of words and marks that one copy lost and added within its reach, by the present odds."""
    counts = {(lexical, real): 0.0 for lexical in (True, False) for real in (True, False)}
    words = 0
    first, last = reach
    for stretch in stretches:
        if stretch.start <= first or stretch.end >= last:
            continue
        real = stretch.odds >= 0
        words += real * len(stretch.columns)
        if (number in stretch.columns[0].cells) != real and not stretch.repeats:
            counts[stretch.lexical, real] += 1
    several = float(words), words * _MARKS_PER_WORD
    return (
        {"lost_word": (counts[True, True], several[0]), "added_word": (counts[True, False], several[0])},
        {"lost_mark": (counts[False, True], several[1]), "added_mark": (counts[False, False], several[1])},
    )
