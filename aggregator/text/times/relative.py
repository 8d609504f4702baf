"""Parse the date of a text that counts from now: "3 days ago", "gestern", "il y a 2 heures"."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from aggregator.model.entry import Moment
from aggregator.text.times import words

_NUMBER = re.compile(r"\d+")
_TIME = re.compile(r"[,\s]+(?:[^\W\d]{1,3}\s+)?\d{1,2}[:.]\d{2}\b.*")  # "yesterday at 10:00": in no known zone
_ONE = re.compile(r"\b(?:an?|one|ein(?:e[mnr]?)?|une?|una|um|uma|uno|een|en|ett?|один|одну)\b")
_MAX_TEXT = 50  # characters
_MAX_COUNT = 1000  # of any unit
_WEEK = words.UNITS["week"]


def parse(text: str, now: datetime, *, language: str | None = None) -> Moment | None:
    """Return the day that a text names, as it was at ``now``; ``None`` for any other text.

    Months and years ago are rounded: such a date has the precision of a year.

    >>> from datetime import UTC, datetime
    >>> parse("vor 3 Tagen", datetime(2026, 3, 4, 10, tzinfo=UTC)).at.isoformat()
    '2026-03-01T00:00:00+00:00'
    """
    if not text or len(text) > _MAX_TEXT:
        return None
    tables, short = words.load(), (language or "").split("-", maxsplit=1)[0].lower()
    folded = _TIME.sub("", words.fold(text))
    phrase = words.split_words(folded)
    days = tables.days.get(phrase)
    if days is not None:
        return _count_back(now, words.UNITS["day"], min(days))
    if ago := tables.ago.get(phrase):  # "לפני שבועיים": two weeks
        seconds = next((each for each, languages in ago.items() if short in languages), min(ago))
        unit = seconds if seconds in words.UNITS.values() else seconds // 2
        return _count_back(now, unit, seconds // unit)
    number = _NUMBER.search(phrase)
    ones = [number] if number else _ONE.finditer(phrase)
    patterns = (f"{phrase[: one.start()]}#{phrase[one.end() :]}" for one in ones)
    units = next((tables.past[pattern] for pattern in patterns if pattern in tables.past), {})
    known = {unit for unit, languages in units.items() if short in languages} or set(units)
    amount = int(number[0]) if number else 1
    return _count_back(now, known.pop(), amount) if len(known) == 1 and amount <= _MAX_COUNT else None


def _count_back(now: datetime, unit: int, amount: int) -> Moment | None:
    try:
        at = (now - timedelta(seconds=unit * amount)).astimezone(UTC)
    except OverflowError:
        return None
    return Moment(
        at.replace(hour=0, minute=0, second=0, microsecond=0), "day" if unit <= _WEEK else "year", zoned=False
    )
