"""Weave: witnesses of one text laid side by side as columns, one for each token that any of them has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from msgspec import Struct

from aggregator.merger.blending.copies import Witness
from aggregator.text import alignment
from aggregator.text.tokens import Token

# How much more an orderly witness is preferred than a long one as the one whose order is followed.
MORE_ORDER = 4
# Order is judged by this many tokens.
LONG = 2000


class Column(Struct, eq=False):
    """One token as the witnesses have it, by their number; ``moved`` are those who have it in another place."""

    key: str
    cells: dict[int, Token]
    places: dict[int, int]
    moved: frozenset[int] = frozenset()


def backbone_first(witnesses: Sequence[Witness]) -> list[int]:
    """The numbers of the witnesses, the one whose order is to be believed first."""
    first = _backbone(witnesses)
    return [first, *(number for number in range(len(witnesses)) if number != first)]


def _backbone(witnesses: Sequence[Witness]) -> int:
    longest = max(len(witness.tokens) for witness in witnesses)
    agreements = _agreements(witnesses)
    scores = [
        witness.weight
        * (1 - witness.rates.moved) ** MORE_ORDER
        * agreement**3
        * (0.55 + 0.45 * len(witness.tokens) / longest)
        for witness, agreement in zip(witnesses, agreements, strict=True)
    ]
    return max(range(len(witnesses)), key=lambda number: scores[number])


def _agreements(witnesses: Sequence[Witness]) -> list[float]:
    """How far the order of each witness is the order of the others, 0 to 1, by the beginnings of long texts."""
    lines = [witness.keys[:LONG] for witness in witnesses]
    words = [set(line) for line in lines]
    shared: dict[tuple[int, int], float] = {}
    for one, other in combinations(range(len(lines)), 2):
        order = len(lines[one]) if lines[one] == lines[other] else alignment.common(lines[one], lines[other])
        shared[one, other] = shared[other, one] = min(1.0, order / (len(words[one] & words[other]) or 1))
    agreements = []
    for number in range(len(lines)):
        others = [other for other in range(len(lines)) if other != number]
        total = sum(witnesses[other].weight for other in others)
        agreed = sum(witnesses[other].weight * shared[number, other] for other in others)
        agreements.append(agreed / total if total else 1.0)
    return agreements


def weave(witnesses: Sequence[Witness], order: Sequence[int]) -> list[Column]:
    """The columns in the order of the first witness of ``order``, the others added one by one."""
    columns: list[Column] = []
    for number in order:
        columns = _added(columns, number, witnesses[number].tokens)
    return columns


def _added(columns: list[Column], number: int, tokens: Sequence[Token]) -> list[Column]:
    keys = [token.key for token in tokens]
    woven = [column.key for column in columns]
    if woven == keys:
        for place, (column, token) in enumerate(zip(columns, tokens, strict=True)):
            column.cells[number] = token
            column.places[number] = place
        return columns
    home, jumped = _paired(tuple(woven), tuple(keys))
    for j, i in (*home.items(), *jumped.items()):
        column = columns[i]
        column.cells[number] = tokens[j]
        column.places[number] = j
    for i in jumped.values():
        columns[i].moved |= {number}
    if len(home) + len(jumped) == len(tokens):
        return columns
    return _spliced(columns, number, tokens, home, jumped)


@lru_cache(maxsize=8)
def _paired(woven: tuple[str, ...], keys: tuple[str, ...]) -> tuple[Mapping[int, int], Mapping[int, int]]:
    """For each token that has one its column, of those in order and of those that moved.

    Remembered for the item that was read last: who learns from it reads it again.
    """
    home = {j: i for i, j in alignment.in_order(woven, keys)}
    free_columns = sorted(set(range(len(woven))).difference(home.values()))
    free_tokens = sorted(set(range(len(keys))).difference(home))
    return home, {j: i for i, j in alignment.moved((woven, keys), (free_columns, free_tokens))}


def _spliced(
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
