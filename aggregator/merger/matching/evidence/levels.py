"""The levels of a kind of evidence, and what the file of a kind declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from aggregator.merger.matching.features.token_bags import Bools, Doubles, Ints
from aggregator.translation.marks import N_

Levels = NDArray[np.int8]
Label = tuple[str, Mapping[str, str]]  # a message, and the values of its placeholders


class Level(IntEnum):
    """A level of agreement; its number is its place in the class, where 0 is "no evidence" and weighs nothing.

    - ``text``: its name in stored tables of weights and in the evidence of pairs.
    - ``weight``: natural log-odds in the shipped table.
    - ``label``: what people read.
    """

    text: str
    weight: float
    label: Label

    def __new__(cls, text: str, weight: float, label: str | Label = "") -> Self:
        """Return the next level of a class; without a label people read its name."""
        level = int.__new__(cls, len(cls.__members__))
        level._value_ = len(cls.__members__)
        level.text, level.weight = text, weight
        level.label = label if isinstance(label, tuple) else (label or text, {})
        return level


def is_one_of(column: Levels | Ints, levels: Iterable[int]) -> Bools:
    """Return whether each level of a column is one of some levels: of a million pairs in a tenth of `numpy.isin`."""
    found = np.zeros(len(column), dtype=np.bool_)
    for level in levels:
        found |= column == level
    return found


Columns = Mapping[type[Level], Levels]
"""The levels of pairs by kind of evidence; the arrays are views, to be written to."""


class Kind(Struct, frozen=True):
    """A kind of evidence.

    - ``name``: its name in stored tables of weights and in the evidence of pairs; ``label``: what it compares.
    - ``levels``: its levels with their weights.
    - ``read``: the value of a row of a frame, for people.
    - ``compare``: the level of each pair, given a frame, its left and its right rows; ``None`` if it does not follow
      from two rows alone.
    - ``unless``: the level of a kind before it with which there is nothing to compare.
    - ``correct``: change levels of any kind where this one has an exception; given ``Columns``, too.
    - ``is_fitted``: whether its weights are fitted to a large run; those up to ``ascending`` ascend with the level.
    - ``witnesses``: levels that are evidence for a pair besides title and date.
    - ``contradicting``: levels that keep two published items apart.
    - ``is_translated``: whether the values of a translation say nothing.
    """

    name: str
    label: str
    levels: type[Level]
    read: Callable[..., str | int | None]
    compare: Callable[..., Ints] | None = None
    unless: Level | None = None
    correct: Callable[..., None] | None = None
    is_fitted: bool = True
    ascending: int = 0
    witnesses: tuple[Level, ...] = ()
    contradicting: tuple[Level, ...] = ()
    is_translated: bool = False


def grade(values: Doubles | Ints, edges: Doubles | Ints) -> Ints:
    """Return the level of each value, counted from 1; a value at an edge is above it."""
    levels: Ints = 1 + np.searchsorted(edges, values, side="right")
    return levels


def below(percent: str) -> Label:
    """Return the label of two values that are less alike than some percent."""
    return N_("below %(share)s %% alike"), {"share": percent}


def between(least: str, most: str) -> Label:
    """Return the label of two values that are alike between two percentages."""
    return N_("%(least)s to %(most)s %% alike"), {"least": least, "most": most}


def above(percent: str) -> Label:
    """Return the label of two values that are more alike than some percent."""
    return N_("above %(share)s %% alike"), {"share": percent}
