"""Two records side by side: for each kind of evidence the level of agreement that is reached.

Absent is no evidence: level 0 of every kind weighs nothing. All levels are whole numbers in one table of pairs by
kinds, so that weighing is one look-up for each kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggregator.merger.frame import ABSENT, Frame
from aggregator.merger.sparse import Ints, shared

Levels = NDArray[np.int8]

LEVELS: dict[str, tuple[str, ...]] = {
    "id": ("none", "equal"),
    "text": (
        "none",
        "below .3",
        ".3 to .4",
        ".4 to .5",
        ".5 to .65",
        ".65 to .8",
        ".8 to .9",
        ".9 to .97",
        "above .97",
    ),
    "core": ("unequal", "equal, in a source once", "equal, 2 or 3 times", "equal, more often"),
    "told": ("none", "below .3", ".3 to .5", ".5 to .7", ".7 to .9", "above .9"),
    "duration": (
        "none",
        "precise, 2 s",
        "precise, 15 s",
        "precise, 90 s or 2 %",
        "precise, more",
        "minutes, 60 s",
        "minutes, 240 s",
        "minutes, more",
    ),
    "date": (
        "none",
        "same day",
        "next day",
        "2 or 3 days",
        "31 days",
        "a year",
        "more",
        "same year",
        "next year",
        "years apart",
    ),
    "number": ("none", "equal, same season", "equal", "equal, other season", "different"),
    "tag": ("none", "same", "different"),
    "digits": ("none", "equal", "one has more", "conflict"),
    "part": ("none", "equal", "one has", "conflict"),
}
KINDS = tuple(LEVELS)
_MINUTE = 60
_TOLD = 3  # words that a description must have to be compared
_CONFLICT = 3


@dataclass(frozen=True, slots=True)
class Compared:
    """Pairs of rows with the level of each kind of evidence, in the order of ``KINDS``."""

    left: Ints
    right: Ints
    levels: Levels


def compare(frame: Frame, left: Ints, right: Ints) -> Compared:
    """The levels of all pairs."""
    columns = [_MEASURES[kind](frame, left, right) for kind in KINDS]
    return Compared(
        left,
        right,
        np.stack(columns, axis=1).astype(np.int8) if len(left) else np.zeros((0, len(KINDS)), dtype=np.int8),
    )


def _id(frame: Frame, left: Ints, right: Ints) -> Ints:
    return (shared(frame.hard, left, right) > 0).astype(np.int64)


def _text(frame: Frame, left: Ints, right: Ints) -> Ints:
    cosine = shared(frame.grams, left, right)
    return 1 + np.searchsorted(np.array([0.3, 0.4, 0.5, 0.65, 0.8, 0.9, 0.97]), cosine, side="right")


def _core(frame: Frame, left: Ints, right: Ints) -> Ints:
    most = np.maximum(frame.repeats[left], frame.repeats[right])
    return np.where(frame.core[left] == frame.core[right], 1 + np.searchsorted(np.array([2, 4]), most, side="right"), 0)


def _told(frame: Frame, left: Ints, right: Ints) -> Ints:
    sums = frame.told.sums
    poorer = np.minimum(sums[left], sums[right])
    share = shared(frame.told, left, right, square=False) / np.maximum(poorer, 1e-6)
    level = 1 + np.searchsorted(np.array([0.3, 0.5, 0.7, 0.9]), share, side="right")
    return np.where(np.minimum(frame.told.sizes[left], frame.told.sizes[right]) >= _TOLD, level, 0)


def _duration(frame: Frame, left: Ints, right: Ints) -> Ints:
    one, other = frame.seconds[left], frame.seconds[right]
    gap = np.abs(one - other)
    coarse = (frame.step[left] >= _MINUTE) | (frame.step[right] >= _MINUTE)
    far = np.maximum(90, np.maximum(one, other) * 0.02)
    precise = np.where(gap > far, 4, 1 + np.searchsorted(np.array([3, 16]), gap, side="right"))
    minutes = 5 + np.searchsorted(np.array([61, 241]), gap, side="right")
    return np.where((one == ABSENT) | (other == ABSENT), 0, np.where(coarse, minutes, precise))


def _date(frame: Frame, left: Ints, right: Ints) -> Ints:
    days = np.abs(frame.day[left] - frame.day[right])
    years = np.abs(frame.year[left] - frame.year[right])
    fine = 1 + np.searchsorted(np.array([1, 2, 4, 32, 367]), days, side="right")
    coarse = 7 + np.minimum(years, 2)
    known = (frame.day[left] != ABSENT) & (frame.day[right] != ABSENT)
    dated = (frame.year[left] != ABSENT) & (frame.year[right] != ABSENT)
    return np.where(known, fine, np.where(dated, coarse, 0))


def _number(frame: Frame, left: Ints, right: Ints) -> Ints:
    have = (frame.numbers.sizes[left] > 0) & (frame.numbers.sizes[right] > 0)
    meet = shared(frame.numbers, left, right) > 0
    known = (frame.season[left] != ABSENT) & (frame.season[right] != ABSENT)
    season = np.where(known, np.where(frame.season[left] == frame.season[right], 1, 3), 2)
    return np.where(have, np.where(meet, season, 4), 0)


def _tag(frame: Frame, left: Ints, right: Ints) -> Ints:
    return np.where(frame.tag[left] == frame.tag[right], 1, 2)


def _digits(frame: Frame, left: Ints, right: Ints) -> Ints:
    one, other = frame.digits[left], frame.digits[right]
    level = np.where(one == other, np.where(one == ABSENT, 0, 1), np.where((one == ABSENT) | (other == ABSENT), 2, 3))
    for at in np.flatnonzero(level == _CONFLICT).tolist():
        a, b = set(frame.titles[left[at]].digits), set(frame.titles[right[at]].digits)
        if a <= b or b <= a:
            level[at] = 2
    return level


def _part(frame: Frame, left: Ints, right: Ints) -> Ints:
    one, other = frame.part[left], frame.part[right]
    both = (one != ABSENT) & (other != ABSENT)
    return np.where(both, np.where(one == other, 1, 3), np.where(one == other, 0, 2))


_MEASURES: dict[str, Callable[[Frame, Ints, Ints], Ints]] = {
    "id": _id,
    "text": _text,
    "core": _core,
    "told": _told,
    "duration": _duration,
    "date": _date,
    "number": _number,
    "tag": _tag,
    "digits": _digits,
    "part": _part,
}
