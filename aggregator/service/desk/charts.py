"""Charts of the last ninety days: new items, and the time that polls took; bars as paths of SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct

from aggregator.model.source import PollDay
from aggregator.store.polls import DAYS

_HEIGHT, _STEP, _WIDTH = 40, 4, 3
"""Units of a chart: its height, and how far bars are apart and wide."""

_TELLING = 7
"""Days before which nothing is drawn: no item is new in the feed's first publication, and one day is no course."""


class _DayLine(Struct, frozen=True):
    """A UTC day: new items, polls, how many of them failed, and the milliseconds that answers took, if there were any.

    ``mean`` and ``slowest`` are 0 on a day without answers.
    """

    day: date
    items: int = 0
    polls: int = 0
    failures: int = 0
    mean: int = 0
    slowest: int = 0


class Charts(Struct, frozen=True):
    """The last ninety days, today last, and their sums; ``is_telling`` if anything in them is a week old."""

    days: tuple[_DayLine, ...]
    items: int
    polls: int
    failures: int
    is_telling: bool


def make_charts(today: date, items: Iterable[tuple[date, int]], polled: Sequence[PollDay]) -> Charts:
    """Return the charts of the days up to today; ``items`` are counts of new items, added up for each day."""
    counts = dict.fromkeys((today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)), 0)
    for day, count in items:
        if day in counts:
            counts[day] += count
    known = {each.day: each for each in polled}
    days = tuple(_make_line(day, count, known) for day, count in counts.items())
    return Charts(
        days,
        items=sum(each.items for each in days),
        polls=sum(each.polls for each in days),
        failures=sum(each.failures for each in days),
        is_telling=any(each.items or each.polls for each in days[:-_TELLING]),
    )


def _make_line(day: date, items: int, known: Mapping[date, PollDay]) -> _DayLine:
    polled = known.get(day)
    if polled is None:
        return _DayLine(day, items)
    mean = polled.milliseconds // polled.answers if polled.answers else 0
    return _DayLine(day, items, polled.polls, polled.failures, mean, polled.slowest)


def draw_bars(values: Sequence[float], most: float) -> str:
    """Return the path of a bar for each value, the largest as high as the chart.

    >>> draw_bars((0, 1, 4), 4)
    'M4 40v-10h3v10zM8 40v-40h3v40z'
    """
    heights = (max(1, round(_HEIGHT * value / most)) if value > 0 else 0 for value in values)
    return "".join(
        f"M{place * _STEP} {_HEIGHT}v-{height}h{_WIDTH}v{height}z" for place, height in enumerate(heights) if height
    )
