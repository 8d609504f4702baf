"""Copies of one text side by side, as columns with one token of each copy, in the likeliest order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations, groupby

from msgspec import Struct

from aggregator.merger.blending.copies import FINISHED, PreparedCopy, log_odds
from aggregator.text import alignment
from aggregator.text.tokens import Token

# How much more an orderly witness is preferred than a long one as the one whose order is followed.
_MORE_ORDER = 4
# Order is judged by this many tokens.
_LONG = 2000


class Column(Struct, eq=False):
    """One token as the witnesses have it, by their number; ``moved`` are those who have it in another place."""

    key: str
    cells: dict[int, Token]
    places: dict[int, int]
    moved: frozenset[int] = frozenset()


def order_by_reliability(witnesses: Sequence[PreparedCopy]) -> list[int]:
    """The numbers of the witnesses, the one whose order is to be believed first."""
    first = _find_backbone(witnesses)
    return [first, *(number for number in range(len(witnesses)) if number != first)]


def _find_backbone(witnesses: Sequence[PreparedCopy]) -> int:
    longest = max(len(witness.tokens) for witness in witnesses)
    agreements = _measure_agreement(witnesses)
    scores = [
        witness.weight
        * (1 - witness.rates.moved) ** _MORE_ORDER
        * agreement**3
        * (0.55 + 0.45 * len(witness.tokens) / longest)
        for witness, agreement in zip(witnesses, agreements, strict=True)
    ]
    return max(range(len(witnesses)), key=lambda number: scores[number])


def _measure_agreement(witnesses: Sequence[PreparedCopy]) -> list[float]:
    """How far the order of each witness is the order of the others, 0 to 1, by the beginnings of long texts."""
    lines = [witness.keys[:_LONG] for witness in witnesses]
    words = [set(line) for line in lines]
    shared: dict[tuple[int, int], float] = {}
    for one, other in combinations(range(len(lines)), 2):
        order = len(lines[one]) if lines[one] == lines[other] else alignment.count_common(lines[one], lines[other])
        shared[one, other] = shared[other, one] = min(1.0, order / (len(words[one] & words[other]) or 1))
    agreements = []
    for number in range(len(lines)):
        others = [other for other in range(len(lines)) if other != number]
        total = sum(witnesses[other].weight for other in others)
        agreed = sum(witnesses[other].weight * shared[number, other] for other in others)
        agreements.append(agreed / total if total else 1.0)
    return agreements


def align_copies(witnesses: Sequence[PreparedCopy], order: Sequence[int]) -> list[Column]:
    """The columns in the order of the first witness of ``order``, the others added one by one."""
    columns: list[Column] = []
    for number in order:
        columns = _add_copy(columns, number, witnesses[number].tokens)
    return columns


def _add_copy(columns: list[Column], number: int, tokens: Sequence[Token]) -> list[Column]:
    keys = [token.key for token in tokens]
    woven = [column.key for column in columns]
    if woven == keys:
        for place, (column, token) in enumerate(zip(columns, tokens, strict=True)):
            column.cells[number] = token
            column.places[number] = place
        return columns
    home, jumped = _pair_tokens(tuple(woven), tuple(keys))
    for j, i in (*home.items(), *jumped.items()):
        column = columns[i]
        column.cells[number] = tokens[j]
        column.places[number] = j
    for i in jumped.values():
        columns[i].moved |= {number}
    if len(home) + len(jumped) == len(tokens):
        return columns
    return _insert_columns(columns, number, tokens, home, jumped)


@lru_cache(maxsize=8)
def _pair_tokens(woven: tuple[str, ...], keys: tuple[str, ...]) -> tuple[Mapping[int, int], Mapping[int, int]]:
    """For each token that has one its column, of those in order and of those that moved.

    Remembered for the item that was read last: who learns from it reads it again.
    """
    home = {j: i for i, j in alignment.align(woven, keys)}
    free_columns = sorted(set(range(len(woven))).difference(home.values()))
    free_tokens = sorted(set(range(len(keys))).difference(home))
    return home, {j: i for i, j in alignment.find_moved_blocks((woven, keys), (free_columns, free_tokens))}


def _insert_columns(
    columns: list[Column], number: int, tokens: Sequence[Token], home: Mapping[int, int], jumped: Mapping[int, int]
) -> list[Column]:
    """The columns with new ones for the tokens nobody had yet, behind the token they follow."""
    last = max(home, default=-1)
    fresh: dict[int, list[Column]] = {}
    anchor = -1
    for j, token in enumerate(tokens):
        if j in home:
            anchor = home[j]
        elif j not in jumped:
            place = len(columns) - 1 if j > last else anchor
            fresh.setdefault(place, []).append(Column(token.key, {number: token}, {number: j}))
    spliced = fresh.pop(-1, [])
    done = 0
    for place in sorted(fresh):
        spliced += columns[done : place + 1]
        spliced += fresh[place]
        done = place + 1
    return spliced + columns[done:]


# Words that fell out of a line stand behind its end: an end of up to five words is a likelier fall than a middle.
_SHORT_END = 5
_FALLEN = 1.5
# A run of more than 60 columns is not a block that moved, but two orders of a whole text.
_LONGEST_RUN = 60
# Texts in which more runs moved are not one text in two orders.
_MOST_RUNS = 60


def place_moved_runs(columns: list[Column], witnesses: Sequence[PreparedCopy]) -> list[Column]:
    """The columns in their likeliest order."""
    if not any(column.moved for column in columns):
        return columns
    runs = [
        run for run in _moved_runs(columns)[:_MOST_RUNS] if len(run) <= _LONGEST_RUN and _move_odds(run, witnesses) > 0
    ]
    homes: dict[int, dict[int, Column]] = {}
    for run in runs:
        mover = max(run[0].moved, key=lambda number: _order_evidence(witnesses[number]))
        if mover not in homes:
            homes[mover] = {column.places[mover]: column for column in columns if mover in column.places}
        before = run[0].places[mover] - 1
        anchor = homes[mover].get(before)
        if before < 0 or (anchor is not None and anchor not in run):
            columns = _move_behind(run, columns, anchor)
            for column in run:
                column.moved = frozenset(column.cells) - column.moved
    return columns


def _moved_runs(columns: Sequence[Column]) -> list[list[Column]]:
    """Neighbouring columns that the same witnesses have elsewhere."""
    groups = groupby(columns, key=lambda column: (column.moved, column.cells.keys()))
    return [list(group) for (moved, _), group in groups if moved]


def _move_odds(run: Sequence[Column], witnesses: Sequence[PreparedCopy]) -> float:
    """The natural log-odds that the run belongs where those who moved it have it."""
    odds = 0.0
    for number in run[0].cells:
        faith = witnesses[number].trust * _order_evidence(witnesses[number])
        if _has_fallen(run, number, witnesses[number]):
            faith -= _FALLEN
        odds += faith if number in run[0].moved else -faith
    return odds


def _has_fallen(run: Sequence[Column], number: int, witness: PreparedCopy) -> bool:
    """Whether a witness has the run as a few words behind the end of its last sentence."""
    first, last = run[0].places[number], run[-1].places[number]
    if len(run) > _SHORT_END or last != len(witness.tokens) - 1 or not first:
        return False
    return witness.tokens[first - 1].surface.endswith(FINISHED) and not witness.finished


def _order_evidence(witness: PreparedCopy) -> float:
    return log_odds(1, witness.rates.moved)


def _move_behind(run: Sequence[Column], columns: Sequence[Column], anchor: Column | None) -> list[Column]:
    """The columns with the run behind another column, or before all where there is none."""
    placed = list(columns)
    at = placed.index(run[0])
    for column in run:
        at = placed.index(column, at)
        del placed[at]
    at = placed.index(anchor) + 1 if anchor else 0
    placed[at:at] = run
    return placed
