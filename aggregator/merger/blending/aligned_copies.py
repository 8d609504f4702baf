"""Align the copies of a text as columns with one token of each copy, in the likeliest order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, groupby

from msgspec import Struct

from aggregator.merger.blending.copies import PreparedCopy, log_odds
from aggregator.text import alignment
from aggregator.text.tokens import Token

_ORDER_POWER = 4  # weight of a copy's order against its length in the choice of the copy whose order is followed
_LONG = 2000  # tokens whose order is compared
_LONGEST_RUN = 60  # columns of a moved block; a longer run is two orders of a whole text
_MOST_REPEATED = 3  # words that a copy may have twice in a row
_MOST_REPLACED = 3  # words in the place of as many others; more are another text
_LEAST_IN_ORDER = 0.25  # share of a long copy; with less it is another text, and nothing moved
_MOST_RUNS = 60  # moved blocks of one text that are placed


class Column(Struct, eq=False):
    """One token: by number of the copy, the token and its position there.

    ``moved`` are the numbers of the copies that have it in another place than the column.
    """

    key: str
    cells: dict[int, Token]
    places: dict[int, int]
    moved: frozenset[int] = frozenset()


def align_copies(copies: Sequence[PreparedCopy]) -> list[Column]:
    """Return the columns in the order of the copy with the most reliable order; the others are added one by one."""
    first = _find_backbone(copies)
    columns = [Column(token.key, {first: token}, {first: place}) for place, token in enumerate(copies[first].tokens)]
    for number in (other for other in range(len(copies)) if other != first):
        columns = _add_copy(columns, number, copies[number])
    for size in range(1, _MOST_REPEATED + 1):
        columns = _join_repeated(columns, size)
    return _join_replaced(columns)


def _join_repeated(columns: list[Column], size: int) -> list[Column]:
    """Return the columns with the words that a copy has once in the same place, where another has them twice in a row.

    "to to lend": one copy may have been aligned with the first "to", another with the second, and both would be right.
    """
    keys = [column.key for column in columns]
    for at in range(len(columns) - 2 * size + 1):
        words, again = keys[at : at + size], keys[at + size : at + 2 * size]
        around = keys[max(0, at - size) : at], keys[at + 2 * size : at + 3 * size]
        if words == again and words not in around and (size == 1 or len({*words}) > 1):
            pairs = list(zip(columns[at : at + size], columns[at + size : at + 2 * size], strict=True))
            if not any(column.moved for pair in pairs for column in pair):
                _place_together(pairs)
    return [column for column in columns if column.cells]


def _place_together(pairs: Sequence[tuple[Column, Column]]) -> None:
    """Move the words of each copy that has them once to the first place, or where the others write them alike."""
    numbers = set().union(*(column.cells for pair in pairs for column in pair))
    twice = {number for number in numbers if all(number in one.cells and number in other.cells for one, other in pairs)}
    for number in numbers - twice:
        if any(number in one.cells and number in other.cells for one, other in pairs):
            continue
        alike = [0, 0]
        for one, other in pairs:
            own = one.cells.get(number) or other.cells.get(number)
            for place, column in enumerate((one, other)):
                alike[place] += sum(own is not None and column.cells[each].surface == own.surface for each in twice)
        for pair in pairs:
            wanted, left = pair if alike[0] >= alike[1] else pair[::-1]
            if number in left.cells:
                wanted.cells[number], wanted.places[number] = left.cells.pop(number), left.places.pop(number)


def _join_replaced(columns: list[Column]) -> list[Column]:
    """Return the columns with words that stand in the place of as many other words in one column with these.

    The columns before and behind them are of copies that have the ones, and of copies that have the others.
    """
    runs = [list(run) for _, run in groupby(columns, key=lambda column: column.cells.keys())]
    joined: list[Column] = []
    at = 0
    while at < len(runs):
        size = _count_replaced(runs, at) if joined else 1
        for run in runs[at + 1 : at + size]:
            for column, other in zip(runs[at], run, strict=True):
                column.cells |= other.cells
                column.places |= other.places
        joined += runs[at]
        at += size
    return joined


def _count_replaced(runs: Sequence[Sequence[Column]], at: int) -> int:
    """Return how many runs of words from one on stand in its place, itself included: no copy has two of them."""
    having = set(runs[at][0].cells)
    end = at
    while end < len(runs) and _is_replaceable(runs[end], len(runs[at])):
        if end > at and not having.isdisjoint(runs[end][0].cells):
            break
        having.update(runs[end][0].cells)
        end += 1
    if end - at < 2 or end == len(runs):  # noqa: PLR2004 - nothing stands in its place
        return 1
    around = runs[at - 1][0].cells.keys(), runs[end][0].cells.keys()
    return 1 if any(side.isdisjoint(run[0].cells) for run in runs[at:end] for side in around) else end - at


def _is_replaceable(run: Sequence[Column], size: int) -> bool:
    """Return whether a run has so many words, and nothing else."""
    return len(run) == size <= _MOST_REPLACED and all(one.key[:1].isalnum() and not one.moved for one in run)


def _find_backbone(copies: Sequence[PreparedCopy]) -> int:
    longest = max(len(copy.tokens) for copy in copies)
    scores = [
        copy.weight * (1 - copy.rates.moved) ** _ORDER_POWER * agreement**3 * (0.55 + 0.45 * len(copy.tokens) / longest)
        for copy, agreement in zip(copies, _measure_agreement(copies), strict=True)
    ]
    return scores.index(max(scores))


def _measure_agreement(copies: Sequence[PreparedCopy]) -> list[float]:
    """Return how much each copy's order of words agrees with the others', 0 to 1; long texts by their beginnings."""
    lines = [copy.keys[:_LONG] for copy in copies]
    words = [set(line) for line in lines]
    shared: dict[tuple[int, int], float] = {}
    for one, other in combinations(range(len(lines)), 2):
        order = len(lines[one]) if lines[one] == lines[other] else alignment.count_common(lines[one], lines[other])
        shared[one, other] = shared[other, one] = min(1.0, order / (len(words[one] & words[other]) or 1))
    agreements = []
    for number in range(len(lines)):
        others = [other for other in range(len(lines)) if other != number]
        total = sum(copies[other].weight for other in others)
        agreed = sum(copies[other].weight * shared[number, other] for other in others)
        agreements.append(agreed / total if total else 1.0)
    return agreements


def _add_copy(columns: list[Column], number: int, copy: PreparedCopy) -> list[Column]:
    tokens = copy.tokens
    in_order, moved = _pair_tokens(tuple([column.key for column in columns]), tuple([token.key for token in tokens]))
    for j, i in chain(in_order.items(), moved.items()):
        column = columns[i]
        column.cells[number] = tokens[j]
        column.places[number] = j
    for i in moved.values():
        columns[i].moved |= {number}
    if len(in_order) + len(moved) == len(tokens):
        return columns
    return _insert_columns(columns, number, copy, in_order, moved)


@lru_cache(maxsize=8)  # equal copies are aligned once
def _pair_tokens(columns: tuple[str, ...], keys: tuple[str, ...]) -> tuple[Mapping[int, int], Mapping[int, int]]:
    """Return the columns of the tokens that have one: of those in order, and of those that moved."""
    if columns == keys:
        return {j: j for j in range(len(keys))}, {}
    in_order = {j: i for i, j in alignment.align(columns, keys)}
    if len(in_order) < _LEAST_IN_ORDER * min(len(columns), len(keys)) and len(keys) > _LONG:
        return in_order, {}
    free_columns = sorted(set(range(len(columns))).difference(in_order.values()))
    free_tokens = sorted(set(range(len(keys))).difference(in_order))
    return in_order, {j: i for i, j in alignment.find_moved_blocks((columns, keys), (free_columns, free_tokens))}


def _insert_columns(
    columns: list[Column], number: int, copy: PreparedCopy, in_order: Mapping[int, int], moved: Mapping[int, int]
) -> list[Column]:
    """Return the columns with new ones for the tokens that have none, behind the token they follow.

    What a whole copy has behind its last known token ends the text; a cut copy ends before.
    """
    last = max(in_order, default=-1)
    new: dict[int, list[Column]] = {}
    anchor = -1
    for j, token in enumerate(copy.tokens):
        if j in in_order:
            anchor = in_order[j]
        elif j not in moved:
            place = len(columns) - 1 if j > last and not copy.cut else anchor
            new.setdefault(place, []).append(Column(token.key, {number: token}, {number: j}))
    inserted = new.get(-1, [])
    for place, column in enumerate(columns):
        inserted.append(column)
        inserted += new.get(place, ())
    return inserted


def place_moved_runs(columns: list[Column], copies: Sequence[PreparedCopy]) -> list[Column]:
    """Return the columns with each run that copies have in different places at the likeliest of these."""
    if not any(column.moved for column in columns):
        return columns
    groups = groupby(columns, key=lambda column: (column.moved, column.cells.keys()))
    runs = [list(group) for (moved, _), group in groups if moved]
    homes: dict[int, dict[int, Column]] = {}
    for run in runs[:_MOST_RUNS]:
        if len(run) > _LONGEST_RUN or _move_odds(run, copies) <= 0:
            continue
        mover = max(run[0].moved, key=lambda number: _order_evidence(copies[number]))
        if mover not in homes:
            homes[mover] = {column.places[mover]: column for column in columns if mover in column.places}
        before = run[0].places[mover] - 1
        anchor = homes[mover].get(before)
        if before < 0 or (anchor is not None and anchor not in run):
            columns = _move_behind(run, columns, anchor)
            for column in run:
                column.moved = frozenset(column.cells) - column.moved
    return columns


def _move_odds(run: Sequence[Column], copies: Sequence[PreparedCopy]) -> float:
    """Return the natural log-odds that the run belongs where the copies that moved it have it."""
    odds = 0.0
    for number in run[0].cells:
        evidence = copies[number].trust * _order_evidence(copies[number])
        odds += evidence if number in run[0].moved else -evidence
    return odds


def _order_evidence(copy: PreparedCopy) -> float:
    return log_odds(1, copy.rates.moved)


def _move_behind(run: Sequence[Column], columns: Sequence[Column], anchor: Column | None) -> list[Column]:
    """Return the columns with the run behind another column, or first if that is ``None``."""
    moving = set(map(id, run))
    placed = [column for column in columns if id(column) not in moving]
    at = placed.index(anchor) + 1 if anchor else 0
    placed[at:at] = run
    return placed
