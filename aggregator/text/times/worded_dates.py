"""Parse a date in words of any language of the tables, or in three numbers, as year, month and day.

Each word of the text must be a word of dates: a month, a weekday, a half of the day, or a filler ("of", "den", "г.").
The languages in which all of them are words decide between months of one name, as "listopad", October in Croatian and
November in Czech; then the weekday, and the dot behind a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from aggregator.text.times import words
from aggregator.text.times.words import DatePiece

Order: TypeAlias = Literal["dmy", "mdy", "ymd"]

_GAP = re.compile(r"[\s.,،、;:()\[\]/|\-'\"·~〜_]*")
_SEPARATOR = re.compile(r"\s*([./-])\s*")
_KOREAN = re.compile(
    r"\d{2}\. \d{1,2}\. \d{1,2}\."
)  # the only short date of CLDR with a year of two digits in this form
_PIVOT = 50  # RFC 2822 section 4.3: two-digit years 00-49 are 2000-2049
_BUDDHIST = 2400  # years of Thai dates from here on are 543 ahead
_NOON = 12
_MINUTE = words.UNITS["minute"]


class Day(Struct, frozen=True):
    """A date, ``day`` 0 where only its month is named; ``half`` is 12 where the text says after noon, else 0."""

    year: int
    month: int
    day: int
    half: int | None = None


class _Month(Struct, frozen=True):
    """A month that a text means in a language that all of its words have: its place, its number, its languages.

    ``common`` are those of all words, empty where the other words are of any language.
    """

    at: int
    number: int
    languages: frozenset[str]
    common: frozenset[str]


def parse(folded: str, *, day_first: bool | None, language: str | None) -> Day | None:
    """Return the date of a text that is folded by ``words.fold``; ``None`` if it is none, or lacks the year.

    ``day_first`` is the order of the numbers, ``None`` for that of the language.
    """
    parts = _find_parts(folded)
    if parts is None or _ends_in_minutes(parts):
        return None
    numbers = [part for part in parts if part.is_number]
    day = None
    if (months := list(_find_months(parts))) and len(numbers) <= 2:  # noqa: PLR2004 -- a day and a year
        day = _choose_month(months, parts, language)
    elif len(numbers) == 3:  # noqa: PLR2004 -- a day, a month and a year
        if (at := _find_numbered_month(parts)) is not None:
            day = _make_day([part for part in parts if part is not parts[at]], int(parts[at].text), frozenset())
        elif (mark := _find_mark(parts, numbers)) is not None:
            named = "ymd" if _KOREAN.search(folded) else words.find_order(language)
            day = _order_numbers(numbers, mark, day_first, named)
    return day and replace(day, half=_find_half(parts))


def find_weekdays(folded: str) -> frozenset[int] | None:
    """Return the weekdays, Monday 0, that the words of a date name; ``None`` if a word is in no date.

    A word may be two weekdays in two languages.

    >>> sorted(find_weekdays("mo 12 oktober")), sorted(find_weekdays("12 oktober")), sorted(find_weekdays("12月13日"))
    ([0], [], [])
    """
    tables, found, is_mark = words.load(), set[int](), False
    parts = _find_parts(folded)
    if parts is None:
        return None
    for part in parts:
        is_mark = is_mark and words.is_closed(part.text)  # "日" is Sunday, and the mark of a day
        if not is_mark and part.text not in tables.months and part.text not in tables.fillers:
            found.update(tables.weekdays.get(part.text, {}))
        is_mark = part.is_number
    return frozenset(found)


def _find_parts(folded: str) -> list[DatePiece] | None:
    """Return the numbers and the longest phrases that the tables have; ``None`` if there is anything else."""
    tokens = [part for token in words.list_tokens(folded) for part in _split_closed(token)]
    end = folded[folded.rfind(tokens[-1].text) + len(tokens[-1].text) :] if tokens else ""
    if not tokens or not _GAP.fullmatch(end) or not all(_GAP.fullmatch(token.gap) for token in tokens):
        return None
    parts, at = [], 0
    while at < len(tokens):
        size = 1 if tokens[at].is_number else _measure_phrase(tokens[at : at + words.LONGEST_PHRASE])
        if not size:
            return None
        parts.append(DatePiece(" ".join(token.text for token in tokens[at : at + size]), tokens[at].gap))
        at += size
    return parts


def _ends_in_minutes(parts: Sequence[DatePiece]) -> bool:
    """Return whether the last two words are minutes, no year: "min" is a word of dates, too, Sunday in Indonesian."""
    if any(part.is_number and len(part.text) == len("2024") for part in parts):
        return False
    number, unit = parts[-2].text if len(parts) > 1 else "", parts[-1].text
    return number.isdecimal() and len(number) == len("35") and _MINUTE in words.load().units.get(unit, {})


def _split_closed(token: DatePiece) -> list[DatePiece]:
    """Return the words of the tables in a word of a script without blanks, as in "日星期五"."""
    if token.is_number or not words.is_closed(token.text) or _is_known(token.text):
        return [token]
    for end in range(len(token.text) - 1, 0, -1):
        if _is_known(token.text[:end]):
            return [DatePiece(token.text[:end], token.gap), *_split_closed(DatePiece(token.text[end:], ""))]
    return [token]


def _measure_phrase(tokens: Sequence[DatePiece]) -> int:
    for size in range(len(tokens), 0, -1):
        if _is_known(" ".join(token.text for token in tokens[:size])):
            return size
    return 0


def _is_known(phrase: str) -> bool:
    tables = words.load()
    return any(
        phrase in table
        for table in (
            *(tables.months, tables.weekdays, tables.fillers, tables.halves, tables.month_before, tables.month_behind),
        )
    )


def _find_half(parts: Sequence[DatePiece]) -> int | None:
    """Return the half of the day that the text names, ``None`` if it names none or a word of two meanings."""
    tables = words.load()
    found = {
        half
        for part in parts
        if part.text not in tables.fillers and part.text not in tables.months and part.text not in tables.weekdays
        for half in tables.halves.get(part.text, ())
    }
    return found.pop() if len(found) == 1 else None


def _find_months(parts: Sequence[DatePiece]) -> Iterator[_Month]:
    tables = words.load()
    for at, part in enumerate(parts):
        others = [_list_languages(each.text) for each in parts if each is not part and not each.is_number]
        if any(languages is None for languages in others):
            continue
        for number, languages in tables.months.get(part.text, {}).items():
            if common := languages.intersection(*(each for each in others if each)):
                yield _Month(at, number, languages, common)


def _list_languages(phrase: str) -> frozenset[str] | None:
    """Return the languages in which a phrase may stand beside a month, empty for any; ``None`` for no such phrase."""
    tables = words.load()
    found = [
        *tables.weekdays.get(phrase, {}).values(),
        *tables.halves.get(phrase, {}).values(),
        *([tables.fillers[phrase]] if phrase in tables.fillers else []),
    ]
    if not found:
        return None
    return frozenset() if frozenset() in found else frozenset().union(*found)


def _choose_month(months: list[_Month], parts: Sequence[DatePiece], language: str | None) -> Day | None:
    """Return the date with the month that the language, the other words, the weekday or the day's dot choose."""
    short = (language or "").split("-", maxsplit=1)[0].lower()
    months = [month for month in months if short in month.languages] or months
    days = {
        month: day
        for month in months
        if (day := _make_day([*parts[: month.at], *parts[month.at + 1 :]], month.number, month.languages))
    }
    if len({*days.values()}) > 1:
        dotted = words.load().dotted_days
        has_dot = any(gap.gap.startswith(".") and part.is_number for part, gap in pairwise(parts))
        days = {month: day for month, day in days.items() if _fits_weekday(day, parts)} or days
        if len({*days.values()}) > 1:
            fitting = ((month, month.common & dotted, month.common - dotted) for month in days)
            days = {month: days[month] for month, with_dot, without in fitting if (with_dot if has_dot else without)}
    return next(iter(days.values())) if len({*days.values()}) == 1 else None


def _fits_weekday(day: Day, parts: Sequence[DatePiece]) -> bool:
    try:
        weekday = date(day.year, day.month, day.day).weekday()
    except ValueError:
        return False
    return any(weekday in words.load().weekdays.get(part.text, {}) for part in parts)


def _find_numbered_month(parts: Sequence[DatePiece]) -> int | None:
    """Return the place of a number that a word makes a month, as in "9月" and "tháng 9"."""
    tables = words.load()
    if any(_list_languages(part.text) is None and not _marks_month(part.text) for part in parts if not part.is_number):
        return None
    for at, part in enumerate(parts):
        if part.text in tables.month_behind and at and parts[at - 1].is_number:
            return at - 1
        if part.text in tables.month_before and at + 1 < len(parts) and parts[at + 1].is_number:
            return at + 1
    return None


def _marks_month(phrase: str) -> bool:
    return phrase in words.load().month_before or phrase in words.load().month_behind


def _make_day(parts: Sequence[DatePiece], month: int, languages: frozenset[str]) -> Day | None:
    """Return the date of a month and of the other numbers: one of four digits is the year, else the last one."""
    numbers = [part.text for part in parts if part.is_number]
    years = [number for number in numbers if len(number) == len("2024")]
    if len(numbers) == 1 and years:
        numbers.append("0")
    elif not years and len(numbers) == 2 and len(numbers[1]) == 2:  # noqa: PLR2004 -- "4 Aug 24"
        years = numbers[1:]
    if len(numbers) != 2 or len(years) != 1:  # noqa: PLR2004
        return None
    day = numbers[1 - numbers.index(years[0])] if numbers[0] != numbers[1] else numbers[0]
    year = complete_year(years[0])
    if languages == {"th"} and year > _BUDDHIST:
        year -= 543
    return Day(year, month, int(day)) if len(day) <= len("31") else None


def complete_year(text: str) -> int:
    """Return the year of four digits or of two (RFC 2822 section 4.3)."""
    year = int(text)
    return year if len(text) != len("24") else year + (2000 if year < _PIVOT else 1900)


def _find_mark(parts: Sequence[DatePiece], numbers: Sequence[DatePiece]) -> str | None:
    """Return what stands between the numbers of a date; ``None`` if they are no date."""
    if any(_list_languages(part.text) is None for part in parts if not part.is_number):
        return None
    first = parts.index(numbers[0])
    marks = [_SEPARATOR.fullmatch(part.gap) for part in numbers[1:]]
    if parts[first : first + 3] != list(numbers) or any(len(part.text) not in (1, 2, 4) for part in numbers):
        return None
    found = {match and match[1] for match in marks}
    return found.pop() if len(found) == 1 else None


def _order_numbers(
    numbers: Sequence[DatePiece],
    mark: str,
    day_first: bool | None,  # noqa: FBT001 -- a fact of the listing
    named: str | None,
) -> Day | None:
    """Return the date of three numbers, ``None`` if they can be read in two orders and nothing decides.

    ``day_first`` decides. Without it the day stands first with dots and dashes, as in all languages of CLDR and in
    PHP's strtotime; with slashes the month, if the order ``named`` by the language is no other. Korean writes
    "25. 9. 12.".
    """
    one, _, three = texts = [part.text for part in numbers]
    is_first = mark in ".-" or named == "dmy" if day_first is None else day_first
    usual: Order = "dmy" if is_first else "mdy"
    other: Order = "mdy" if usual == "dmy" else "dmy"
    attempts: tuple[tuple[Order, ...], ...]
    if len(three) == len("2025"):
        attempts = (usual,), (other,)
    elif len(one) == len("2025") or len(three) == 1 or (named == "ymd" and len(one) == len("25")):
        attempts = (("ymd",),)
    elif mark == "-" and day_first is None and named is None:
        attempts = (("dmy", "ymd"),)
    else:
        attempts = (usual,), (other, "ymd")
    for orders in attempts:
        if found := {day for order in orders if (day := _read(texts, order))}:
            return found.pop() if len(found) == 1 else None
    return None


def _read(numbers: Sequence[str], order: Order) -> Day | None:
    values = dict(zip(order, numbers, strict=True))
    year, month, day = complete_year(values["y"]), int(values["m"]), int(values["d"])
    year -= 543 if year > _BUDDHIST else 0
    try:
        date(year, month, day)
    except ValueError:
        return None
    return Day(year, month, day) if len(values["y"]) in (2, 4) and len(values["m"]) <= 2 else None  # noqa: PLR2004
