"""Evidence of lengths, compared to the second, or by the minute where one of the two is rounded.

Re-encoding moves a length by up to 12 seconds (five hosts of one show). Stores round to minutes, directories drop the
seconds. An advertisement may be inserted.
"""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.evidence.levels import Kind, Level, grade
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Ints
from aggregator.translation.marks import N_

_WITHIN, _WITHIN_MINUTES = N_("within %(time)s"), N_("within %(time)s, in minutes")


class LengthLevel(Level):
    """The difference of two lengths; the last three are of lengths in minutes."""

    NONE = N_("none"), 0.0
    SECONDS_2 = "precise, 2 s", 1.5, (_WITHIN, {"time": "2 s"})
    SECONDS_15 = "precise, 15 s", 0.6, (_WITHIN, {"time": "15 s"})
    ADVERTISEMENT = "precise, 90 s or 2 %", 0.5, N_("within 90 s or 2 %")
    FURTHER = "precise, more", -1.9, N_("further apart")
    MINUTE = "minutes, 60 s", 1.8, (_WITHIN_MINUTES, {"time": "60 s"})
    MINUTES_4 = "minutes, 240 s", 0.3, (_WITHIN_MINUTES, {"time": "240 s"})
    FURTHER_IN_MINUTES = "minutes, more", -5.6, N_("further apart, in minutes")


_SECONDS = np.array([3, 16])
_MINUTES = np.array([61, 241])  # the second is an advertisement beside rounding
_ADS_SECONDS, _ADS_SHARE = 90, 0.02  # an inserted advertisement
_MINUTE = 60

OTHER_LENGTHS = LengthLevel.FURTHER, LengthLevel.FURTHER_IN_MINUTES


def compare_lengths(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of each pair."""
    one, other = frame.seconds[left], frame.seconds[right]
    gap = np.abs(one - other)
    far = gap > np.maximum(_ADS_SECONDS, np.maximum(one, other) * _ADS_SHARE)
    precise = np.where(far, LengthLevel.FURTHER, grade(gap, _SECONDS))
    coarse = np.maximum(frame.step[left], frame.step[right]) >= _MINUTE
    level = np.where(coarse, LengthLevel.MINUTE - 1 + grade(gap, _MINUTES), precise)
    return np.where((one == ABSENT) | (other == ABSENT), 0, level)


def _read(frame: Frame, row: int) -> str | None:
    record = frame.records[row]
    return None if record.seconds is None else f"{record.seconds} s ± {record.step // 2}"


_EXACT = LengthLevel.SECONDS_2, LengthLevel.SECONDS_15  # minutes agree by chance
_APART = (LengthLevel.FURTHER_IN_MINUTES,)
LENGTH = Kind("duration", N_("duration"), LengthLevel, _read, compare_lengths, witnesses=_EXACT, contradicting=_APART)
