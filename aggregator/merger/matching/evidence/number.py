"""Evidence of numbers: those of an episode and season, and those that titles have in other places (digits)."""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.evidence.levels import Kind, Level
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Ints, sum_shared
from aggregator.translation.marks import N_


class NumberLevel(Level):
    """The numbers of two episodes compared, those that their titles mark included."""

    NONE = N_("none"), 0.0
    SAME_SEASON = N_("equal, same season"), 3.5
    EQUAL = N_("equal"), 2.2
    OTHER_SEASON = N_("equal, other season"), -4.2
    DIFFERENT = N_("different"), -4.9


class DigitsLevel(Level):
    """The digits of two titles compared that are not marked as the number of an episode."""

    NONE = N_("none"), 0.0
    EQUAL = N_("equal"), 2.0
    MORE = "one has more", -3.1, N_("one has more numbers")
    CONFLICT = N_("conflict"), -6.2
    CODE = "a code of its own", 4.5, N_("one has a model code")


def _compare_numbers(frame: Frame, left: Ints, right: Ints) -> Ints:
    have = (frame.numbers.sizes[left] > 0) & (frame.numbers.sizes[right] > 0)
    meet = sum_shared((frame.numbers,), frame.numbers, left, right) > 0
    known = (frame.season[left] != ABSENT) & (frame.season[right] != ABSENT)
    same = np.where(frame.season[left] == frame.season[right], NumberLevel.SAME_SEASON, NumberLevel.OTHER_SEASON)
    return np.where(have, np.where(meet, np.where(known, same, NumberLevel.EQUAL), NumberLevel.DIFFERENT), 0)


def _compare_digits(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of digits: missing in the other title and its numbers, equal, or a code that both have once."""
    one = frame.digits.sizes[left] > sum_shared((frame.all_numbers,), frame.digits, right, left)
    other = frame.digits.sizes[right] > sum_shared((frame.all_numbers,), frame.digits, left, right)
    some = (frame.digits.sizes[left] > 0) | (frame.digits.sizes[right] > 0)
    level = np.where(some, DigitsLevel.EQUAL + one.astype(np.int64) + other, 0)
    return np.where(sum_shared((frame.codes,), frame.codes, left, right) > 0, DigitsLevel.CODE, level)


def _read_numbers(frame: Frame, row: int) -> str:
    record, title = frame.records[row], frame.titles[row]
    numbers = " ".join(f"{number}" for number in dict.fromkeys((*record.numbers, *title.numbers)))
    season = record.season or title.season
    return numbers if season is None else f"season {season}: {numbers}"


_SAME, _OTHER = (NumberLevel.SAME_SEASON, NumberLevel.EQUAL), (NumberLevel.OTHER_SEASON, NumberLevel.DIFFERENT)
NUMBER = Kind(
    "number", N_("number"), NumberLevel, _read_numbers, _compare_numbers, witnesses=_SAME, contradicting=_OTHER
)
DIGITS = Kind(
    *("digits", N_("numbers in the titles"), DigitsLevel),
    lambda frame, row: " ".join(f"{number}" for number in frame.titles[row].digits),
    _compare_digits,
    contradicting=(DigitsLevel.CONFLICT,),  # what one title leaves out is no contradiction
    is_translated=True,
)
