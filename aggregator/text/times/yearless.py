"""Find the years of dates that a listing writes without one, such as "12. Oktober", "10月15日" and "12/10".

A year is taken from what the listing says beside: a heading that is a year, the weekday of the date, dates with a year
above and below, and the order of the listing: newest first or oldest first, up to the day of the poll. Where these
leave two years, the date stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from aggregator.model.entry import Moment
from aggregator.text.times import dates, worded_dates, words

_MAX_TEXT = 60  # characters
_LEAP_YEAR = 2024  # to read a text with: it has each day
_YEARS = 12  # that are tried; a weekday comes back on a day after five, six or eleven
_MIN_DAYS = 3  # days that make an order
_LEAST_WITHOUT_TURN = 4  # days that by chance are in order within one year in 1 of 24 cases
_YEAR = 365  # days
_CLEAR = 0.2  # of the days that the other order of the listing would take
_LONGEST_PAUSE, _USUAL_PAUSES = 62, 6  # days between two items; or so many times the usual pause
_PINNED = 2  # old items that may stand above the newest one
_SILENT = 183  # days since the newest item, after which a year may have gone by
_TWO_NUMBERS = re.compile(r"(\d{1,2})\s?([/.-])\s?(\d{1,2})\s?(\.?)")


class YearlessDate(Struct, frozen=True):
    """A text with a day and a month, and the weekdays that it may name, Monday 0; ``day_first`` is of its numbers."""

    text: str
    month: int
    day: int
    weekdays: frozenset[int] = frozenset()
    day_first: bool | None = None
    language: str | None = None


@lru_cache(1024)
def _complete(found: YearlessDate, year: int) -> Moment | None:
    """Return the date in a year; ``None`` for a day that the year does not have."""
    if numbers := _TWO_NUMBERS.fullmatch(words.fold(found.text)):
        text = f"{numbers[1]}/{numbers[3]}/{year}"
    else:
        text = f"{year} {found.text}"
    moment = dates.parse(text, day_first=found.day_first, language=found.language)
    return moment if moment and moment.precision != "year" else None


Found: TypeAlias = Moment | YearlessDate | None


@lru_cache(1024)
def parse(text: str, *, day_first: bool | None = None, language: str | None = None) -> YearlessDate | None:
    """Return the date of a text that has a day and a month and no year; ``None`` for any other text.

    Two numbers are a date only if it is clear which is the month: by ``day_first``, a dot behind the second one, or a
    language that writes the year first.

    >>> found = parse("Mo., 12. Oktober")
    >>> found.month, found.day, found.weekdays, parse("12/10"), parse("12.10.").month
    (10, 12, frozenset({0}), None, 10)
    """
    text = " ".join(text.split())
    if not text or len(text) > _MAX_TEXT:
        return None
    folded = words.fold(text)
    if day_first is None and (numbers := _TWO_NUMBERS.fullmatch(folded)):
        if numbers[2] == "." and numbers[4]:
            day_first = True
        elif words.find_order(language) == "ymd":
            day_first = False
        else:
            return None
    weekdays = worded_dates.find_weekdays(folded)
    if weekdays is None:
        return None
    found = _complete(YearlessDate(text, 0, 0, weekdays, day_first, language), _LEAP_YEAR)
    if found is None or found.at.year != _LEAP_YEAR:
        return None
    return YearlessDate(text, found.at.month, found.at.day, weekdays, day_first, language)


def resolve(found: Sequence[Found], today: date, headings: Sequence[int | None] = ()) -> list[Moment | None]:
    """Return the dates of a listing in its order, those without a year in the year that the others leave them.

    ``today`` is when the listing was polled; ``headings`` are the years under which its entries stand.
    """
    moments = [each if isinstance(each, Moment) else None for each in found]
    if all(each is None or isinstance(each, Moment) for each in found):
        return moments
    years = _choose_years(found, today, headings or [None] * len(found))
    for at, (each, year) in enumerate(zip(found, years, strict=True)):
        if isinstance(each, YearlessDate) and year is not None:
            completed = _complete(each, year)
            moments[at] = completed and replace(completed, infers_year=True)
    return moments


class _Place(Struct):
    """An entry with a date: the days that it may mean, the latest first; ``is_fixed`` if its year is written."""

    at: int
    days: list[date]
    is_fixed: bool


def _choose_years(found: Sequence[Found], today: date, headings: Sequence[int | None]) -> list[int | None]:
    places = [
        _Place(at, _list_days(each, today, heading), isinstance(each, Moment))
        for at, (each, heading) in enumerate(zip(found, headings, strict=True))
        if each is not None
    ]
    places = [each for each in places if each.days]
    chosen: list[int | None] = [None] * len(found)
    for place, day in zip(places, _choose_days(places, found, today, headings), strict=True):
        chosen[place.at] = None if day is None else day.year
    return chosen


def _list_days(each: Found, today: date, heading: int | None) -> list[date]:
    if isinstance(each, Moment):
        return [each.at.date()]
    if each is None:
        return []
    years = [heading] if heading else range(today.year + 1, today.year - _YEARS, -1)
    days = [day for year in years if (day := _make_date(year, each.month, each.day))]
    limit = today + timedelta(days=1)
    return [day for day in days if day <= limit and (not each.weekdays or day.weekday() in each.weekdays)]


def _make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _choose_days(
    places: Sequence[_Place], found: Sequence[Found], today: date, headings: Sequence[int | None]
) -> list[date | None]:
    """Return the day of each entry: by its heading, its weekday, or the order of all."""
    latest = [place.days[0] for place in places]
    is_headed = all(place.is_fixed or headings[place.at] for place in places)
    is_weekly = all(
        isinstance(each, Moment) or (each is not None and len(each.weekdays) == 1)
        for each in (found[place.at] for place in places)
    )
    if is_headed or (is_weekly and (_descends(latest) or _descends(latest[::-1]))):
        return [*latest]
    chosen = _order(places, today)
    if not any(chosen) and len(places) > _LEAST_WITHOUT_TURN:
        return [None, *_order(places[1:], today)]  # an old item may be pinned at the top
    return chosen


def _order(places: Sequence[_Place], today: date) -> list[date | None]:
    """Return the days of entries that are newest or oldest first; ``None`` for each that is not certain."""
    down, up = _descend(places, today), _descend(places[::-1], today)
    if down is not None and (up is None or _measure(down) <= _measure(up)):
        return _accept(places, down, today)
    return [None] * len(places) if up is None else _accept(places[::-1], up, today)[::-1]


def _descends(days: Sequence[date]) -> bool:
    return all(one >= other for one, other in pairwise(days))


def _descend(places: Sequence[_Place], today: date) -> list[date] | None:
    """Return the latest days that descend; ``None`` if there are none."""
    bound, days = today + timedelta(days=1), []
    for place in places:
        slack = timedelta(days=1) if place.is_fixed else timedelta()  # two days at once in two zones
        day = next((day for day in place.days if day <= bound + slack), None)
        if day is None:
            return None
        days.append(day)
        bound = min(day, bound)
    return days


def _measure(days: Sequence[date]) -> int:
    return (days[0] - days[-1]).days if days else 0


def _accept(places: Sequence[_Place], days: Sequence[date], today: date) -> list[date | None]:
    """Return the descending days that are certain: those with a written year below, and all of a clear order."""
    lowest = next((at for at in range(len(places) - 1, -1, -1) if places[at].is_fixed), -1)
    least = list(_ascend(places[: lowest + 1]))
    sure = [day if day == other else None for day, other in zip(days, least, strict=False)]
    if len(sure) < len(days) and not _is_clear(days, today, is_anchored=lowest >= 0):
        return [*sure, *[None] * (len(days) - len(sure))]
    return [*sure, *days[len(sure) :]]


def _ascend(places: Sequence[_Place]) -> list[date | None]:
    """Return the earliest days from the last entry up, whose year is written."""
    found: list[date | None] = []
    bound: date | None = None
    for place in reversed(places):
        day = place.days[0] if place.is_fixed else None
        if not place.is_fixed and bound is not None:
            day = next((each for each in reversed(place.days) if each >= bound), None)
        bound = day or bound
        found.append(day)
    return found[::-1]


def _is_clear(days: Sequence[date], today: date, *, is_anchored: bool) -> bool:
    """Return whether days in descending order can be those of the listing: it is no chance, and no year is left out."""
    pauses = [(one - other).days for one, other in pairwise(days) if one != other]
    if len(pauses) < _MIN_DAYS - 1:
        return False
    usual = median(pauses)
    turns = [(one - other).days for one, other in pairwise(days) if one.year != other.year]
    if max(*pauses[:_PINNED], *turns) > max(_LONGEST_PAUSE, _USUAL_PAUSES * usual):
        return False
    if not is_anchored and (today - days[0]).days > max(_SILENT, _USUAL_PAUSES * usual):
        return False
    other = _YEAR * len(pauses) - _measure(days)
    return _measure(days) <= _CLEAR * other or (not turns and len(pauses) >= _LEAST_WITHOUT_TURN - 1)


def list_pieces(part: str) -> Iterator[str]:
    """Yield the part of a line, and its first and its last words, in which a date without a year may stand."""
    yield part
    every = part.split()
    for size in range(min(4, len(every) - 1), 1, -1):
        yield " ".join(every[:size])
        yield " ".join(every[-size:])
