"""Evidence of dates: the days between two entries, or the years where one has no day.

Time zones and delays of directories move a date by up to three days. Dates on which two listings disagree as a whole
are corrected in ``listing_evidence.correct_dates``.
"""

from __future__ import annotations

from datetime import date

import numpy as np

from aggregator.merger.matching.evidence.levels import Kind, Level, grade
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Ints
from aggregator.translation.marks import N_


class DateLevel(Level):
    """The days between two dates; the last three are of years."""

    NONE = N_("none"), 0.0
    SAME_DAY = N_("same day"), 1.5
    NEXT_DAY = N_("next day"), 0.7
    DAYS_3 = N_("2 or 3 days"), 0.5
    DAYS_31 = "31 days", -4.0, N_("up to 31 days apart")
    YEAR = "a year", -4.6, N_("up to a year apart")
    MORE = "more", -0.9, N_("more than a year apart")  # a host may date its archive again
    SAME_YEAR = N_("same year"), 1.5
    NEXT_YEAR = N_("next year"), -1.0
    YEARS_APART = N_("years apart"), -2.8


_DAYS = np.array([1, 2, 4, 32, 367])  # the first days of the levels after the same day

NEAR_DATES = DateLevel.SAME_DAY, DateLevel.NEXT_DAY, DateLevel.DAYS_3
FAR_DATES = DateLevel.DAYS_31, DateLevel.YEAR, DateLevel.MORE
OTHER_DAYS = DateLevel.NEXT_DAY, DateLevel.DAYS_3, *FAR_DATES


def grade_days(days: Ints) -> Ints:
    """Return the level of dates by the days between them."""
    return grade(days, _DAYS)


def _compare(frame: Frame, left: Ints, right: Ints) -> Ints:
    days = np.abs(frame.day[left] - frame.day[right])
    years = np.abs(frame.year[left] - frame.year[right])
    known = (frame.day[left] != ABSENT) & (frame.day[right] != ABSENT)
    dated = (frame.year[left] != ABSENT) & (frame.year[right] != ABSENT)
    return np.where(known, grade_days(days), np.where(dated, DateLevel.SAME_YEAR + np.minimum(years, 2), 0))


def _read(frame: Frame, row: int) -> str | int | None:
    record = frame.records[row]
    return record.year if record.day is None else date.fromordinal(record.day).isoformat()


_CONTRADICTING = DateLevel.DAYS_31, DateLevel.YEAR, DateLevel.YEARS_APART
DATE = Kind("date", N_("date"), DateLevel, _read, _compare, contradicting=_CONTRADICTING)
