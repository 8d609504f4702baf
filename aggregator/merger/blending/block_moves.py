"""Relocate: runs that stand in different places in different copies, put where the more reliable order has them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from aggregator.merger.blending.aligned_copies import Column
from aggregator.merger.blending.copies import FINISHED, Witness
from aggregator.merger.blending.error_rates import evidence

# Words that fell out of a line stand behind its end: an end of up to five words is a likelier fall than a middle.
SHORT_END = 5
FALLEN = 1.5
# A run of more than 60 columns is not a block that moved, but two orders of a whole text.
LONGEST = 60
# Texts in which more runs moved are not one text in two orders.
MOST = 60


def relocate(columns: list[Column], witnesses: Sequence[Witness]) -> list[Column]:
    """The columns in their likeliest order."""
    if not any(column.moved for column in columns):
        return columns
    runs = [run for run in _runs(columns)[:MOST] if len(run) <= LONGEST and _odds(run, witnesses) > 0]
    homes: dict[int, dict[int, Column]] = {}
    for run in runs:
        mover = max(run[0].moved, key=lambda number: _faith(witnesses[number]))
        if mover not in homes:
            homes[mover] = {column.places[mover]: column for column in columns if mover in column.places}
        before = run[0].places[mover] - 1
        anchor = homes[mover].get(before)
        if before < 0 or (anchor is not None and anchor not in run):
            columns = _placed(run, columns, anchor)
            for column in run:
                column.moved = frozenset(column.cells) - column.moved
    return columns


def _runs(columns: Sequence[Column]) -> list[list[Column]]:
    """Neighbouring columns that the same witnesses have elsewhere."""
    groups = groupby(columns, key=lambda column: (column.moved, column.cells.keys()))
    return [list(group) for (moved, _), group in groups if moved]


def _odds(run: Sequence[Column], witnesses: Sequence[Witness]) -> float:
    """The natural log-odds that the run belongs where those who moved it have it."""
    odds = 0.0
    for number in run[0].cells:
        faith = witnesses[number].trust * _faith(witnesses[number])
        if _fallen(run, number, witnesses[number]):
            faith -= FALLEN
        odds += faith if number in run[0].moved else -faith
    return odds


def _fallen(run: Sequence[Column], number: int, witness: Witness) -> bool:
    """Whether a witness has the run as a few words behind the end of its last sentence."""
    first, last = run[0].places[number], run[-1].places[number]
    if len(run) > SHORT_END or last != len(witness.tokens) - 1 or not first:
        return False
    return witness.tokens[first - 1].surface.endswith(FINISHED) and not witness.finished


def _faith(witness: Witness) -> float:
    return evidence(1, witness.rates.moved)


def _placed(run: Sequence[Column], columns: Sequence[Column], anchor: Column | None) -> list[Column]:
    """The columns with the run behind another column, or before all where there is none."""
    placed = list(columns)
    at = placed.index(run[0])
    for column in run:
        at = placed.index(column, at)
        del placed[at]
    at = placed.index(anchor) + 1 if anchor else 0
    placed[at:at] = run
    return placed
