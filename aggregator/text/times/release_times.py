"""Learn when a show publishes from the dates of its items, and when to poll for the next one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median_high

from msgspec import Struct

NEWEST = 20
"""Newest dates of a source that count: few, so that a show that changes its day is learned again soon."""

_HOUR, _DAY, _WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
_POLLS_IN_GAP = 6  # polls between two items, outside of the usual hours
_FEWEST_GAPS = 2
_PAUSE = 6  # usual gaps without an item, at least two weeks, after which the show has paused


class Habit(Struct, frozen=True):
    """Publishing habit of a show: its usual ``hours`` of the week (Monday 00:00 UTC is 0), and how often to poll.

    ``every`` is the interval of polls outside of these hours.
    """

    every: timedelta = _DAY
    hours: frozenset[int] = frozenset()


def learn_habit(histories: Iterable[Sequence[datetime]], now: datetime) -> Habit:
    """Return the habit by the dates of items of each source; without a habit polls are daily, with no hours."""
    habits = [_learn(sorted({date for date in dates if date <= now})[-NEWEST:], now) for dates in histories]
    return Habit(
        min((habit.every for habit in habits), default=_DAY),
        frozenset().union(*(habit.hours for habit in habits)),
    )


def find_next_poll(habit: Habit, last: datetime) -> datetime:
    """Return when to poll after ``last``: in the next usual hour or the one after it, else after the interval.

    The hour after it counts, too, for items that appear later in their hour than the poll.
    """
    hour = (last + _HOUR).astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    while hour < last + habit.every:
        if {_number_hour(hour), _number_hour(hour - _HOUR)} & habit.hours:
            return max(last + _HOUR, hour)
        hour += _HOUR
    return last + habit.every


def _learn(dates: Sequence[datetime], now: datetime) -> Habit:
    gaps = [later - before for before, later in pairwise(dates)]
    if len(gaps) < _FEWEST_GAPS:
        return Habit()
    gap = median_high(gaps)
    if now - dates[-1] > max(2 * _WEEK, _PAUSE * gap):
        return Habit()
    return Habit(min(max(gap / _POLLS_IN_GAP, _HOUR), _DAY), frozenset(map(_number_hour, dates)))


def _number_hour(moment: datetime) -> int:
    """Return the hour of the week, from 0."""
    at = moment.astimezone(UTC)
    return at.weekday() * 24 + at.hour
