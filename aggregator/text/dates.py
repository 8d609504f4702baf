"""When a source says that something happened: any date a listing may print, as an aware UTC time and its precision.

The two forms that feeds use (RFC 822 section 5 as RFC 2822 section 4.3 mends it, ISO 8601 as RFC 3339 profiles it)
and the three that pages use (``April 29, 2024 00:01``, ``08/04/2024``, ``29.04.2024``) are read by patterns here:
dateutil is 20 times slower (``benchmarks``) and stands behind them for everything else. It is asked twice with two
defaults, so that what the text did not say is seen, and it never meets a zone name: it answers a naive time for
"EST" where the machine stands elsewhere.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Literal, NamedTuple
from unicodedata import combining

from dateutil import parser

from aggregator.text.normalization import normalize

Precision = Literal["year", "day", "minute", "second"]

LONGEST = 80  # characters; "Wednesday, September 29, 2021 at 10:00:00 PM EDT" has 48
FIRST_YEAR = 1971  # a feed that says 1970 lost its date: that is the epoch in some zone
LAST_YEAR = 2099  # Buddhist years begin at 2514 for 1971, milliseconds read as seconds far behind
PIVOT = 50  # RFC 2822 section 4.3: two-digit years 00-49 are 2000-2049
NOON = 12

MONTHS = (  # Unicode CLDR 46, wide names, without accents: English, German, French, Spanish, Portuguese, Italian, Dutch
    "january januar janvier enero janeiro gennaio januari",
    "february februar fevrier febrero fevereiro febbraio februari",
    "march marz maerz mars marzo marco maart",
    "april avril abril aprile",
    "may mai mayo maio maggio mei",
    "june juni juin junio junho giugno",
    "july juli juillet julio julho luglio",
    "august aout agosto augustus",
    "september septembre septiembre setembro settembre",
    "october oktober octobre octubre outubro ottobre",
    "november novembre noviembre novembro",
    "december dezember decembre diciembre dezembro dicembre",
)
HOURS_OF_ZONE = {
    "utc": 0.0, "ut": 0.0, "gmt": 0.0, "z": 0.0, "wet": 0.0, "bst": 1.0, "west": 1.0, "cet": 1.0, "mez": 1.0,
    "cest": 2.0, "mesz": 2.0, "eet": 2.0, "eest": 3.0, "msk": 3.0, "jst": 9.0, "kst": 9.0, "aest": 10.0, "aedt": 11.0,
    "est": -5.0, "edt": -4.0, "cst": -6.0, "cdt": -5.0, "mst": -7.0, "mdt": -6.0, "pst": -8.0, "pdt": -7.0,
}  # fmt: skip

CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?(?:\s*(?P<half>[ap])\.?m\b\.?)?"
ZONE = r"(?:\s*(?P<zone>[+-]\d{1,2}:?\d{2}|[+-]\d{2}|[A-Za-z]{1,5}))?(?:\s*\([^()]*\))?"
WEEKDAY = r"(?:[^\W\d]{1,12}\.?,?\s+)?"
MONTH = r"(?P<month>[^\W\d_]{3,10})\.?"
NTH = r"(?:st|nd|rd|th)?"
RFC822 = re.compile(
    rf"{WEEKDAY}(?P<day>\d{{1,2}})(?:\.? | de |-){MONTH}(?: de | |-)(?P<year>\d{{4}}|\d{{2}})"
    rf"(?:,?\s+(?:at\s+)?{CLOCK}{ZONE})?",
    re.IGNORECASE,
)
ISO8601 = re.compile(
    rf"(?P<year>\d{{4}})(?:[-/](?P<month>\d{{1,2}})(?:[-/](?P<day>\d{{1,2}})(?:(?:T|\s+){CLOCK}{ZONE})?)?)?",
    re.IGNORECASE,
)
BASIC = re.compile(
    r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
    r"(?:T(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?)?(?P<zone>Z)?"
)
PROSE = re.compile(
    rf"{WEEKDAY}{MONTH}\s+(?P<day>\d{{1,2}}){NTH},?\s+(?P<year>\d{{4}})(?:,?\s+(?:at\s+)?{CLOCK}{ZONE})?",
    re.IGNORECASE,
)
SLASHES = re.compile(
    rf"(?P<one>\d{{1,2}})(?P<dot>[/.-])(?P<two>\d{{1,2}})(?P=dot)(?P<year>\d{{4}})(?:,?\s+{CLOCK}{ZONE})?",
    re.IGNORECASE,
)
EPOCH = re.compile(r"\d{10}(?:\d{3})?")
OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?")
# What nearly every feed writes, read without a question left: 1.3 µs where the patterns above take 5 to 15.
SURE_RFC822 = re.compile(
    r"[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) (?:GMT|([+-][01]\d)(\d\d))", re.ASCII
)
SURE_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
SURE_ISO8601 = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|([+-][01]\d):(\d\d))", re.ASCII)
DEFAULTS = (datetime(2004, 1, 1), datetime(2008, 2, 2, 1, 1, 1))  # noqa: DTZ001 -- they differ in every part and never leave


class Reading(NamedTuple):
    """An aware UTC time in whole seconds, how much of it the text said, and whether the text named a zone."""

    at: datetime
    precision: Precision
    zoned: bool


def parse(text: str, *, day_first: bool = False) -> Reading | None:
    """What the text says, or ``None`` where it is no date, lacks the year, or names a year no feed can mean.

    A time without a zone, or with an unknown one, is taken as UTC and told so. ``-0000`` is UTC (RFC 2822 section 3.3).
    ``08/04/2024`` is the fourth of August unless ``day_first`` is set or only the other order is possible; with
    dots the day always stands first. A month without a day has the precision of a year.

    >>> parse("Sun, 04 Aug 2024 01:47:46 EST")
    Reading(at=datetime.datetime(2024, 8, 4, 6, 47, 46, tzinfo=datetime.timezone.utc), precision='second', zoned=True)
    >>> parse("08/04/2024")
    Reading(at=datetime.datetime(2024, 8, 4, 0, 0, tzinfo=datetime.timezone.utc), precision='day', zoned=False)
    """
    if found := _sure(text):
        return found
    text = " ".join(text.split())
    if not text or len(text) > LONGEST:
        return None
    if EPOCH.fullmatch(text):
        return _within(datetime.fromtimestamp(int(text[:10]), UTC), "second", zoned=True)
    for pattern in (RFC822, ISO8601, PROSE, BASIC):
        if match := pattern.fullmatch(text):
            month = _month(match["month"])
            return _assembled(match, month, int(match["day"] or 1)) if month else None
    if match := SLASHES.fullmatch(text):
        return _assembled(match, *_ordered(int(match["one"]), int(match["two"]), day_first or match["dot"] == "."))
    return _guessed(text, day_first=day_first)


def _sure(text: str) -> Reading | None:
    """The reading of the commonest forms, far from the ends of the years; ``None`` leaves it to the patterns."""
    if match := SURE_RFC822.fullmatch(text):
        day, name, year, clock, hours, minutes = match.groups()
        month = _digits(name)
    elif match := SURE_ISO8601.fullmatch(text):
        year, month, day, clock, hours, minutes = match.groups()
    elif SURE_DAY.fullmatch(text):
        return _sure_day(text)
    else:
        return None
    try:
        at = datetime.fromisoformat(f"{year}-{month}-{day}T{clock}{hours or '+00'}:{minutes or '00'}")
    except ValueError:
        return None
    if not FIRST_YEAR < at.year < LAST_YEAR:
        return None
    return Reading(at if at.tzinfo is UTC else at.astimezone(UTC), "second", True)


def _sure_day(text: str) -> Reading | None:
    """The same for a day without a time."""
    try:
        at = datetime.fromisoformat(f"{text}T00:00:00+00:00")
    except ValueError:
        return None
    return Reading(at, "day", zoned=False) if FIRST_YEAR < at.year < LAST_YEAR else None


@lru_cache(maxsize=512)
def _digits(name: str) -> str:
    """The month's number in two digits, "00" as for ``_month``."""
    return f"{_month(name):02}"


@lru_cache(maxsize=512)
def _month(name: str | None) -> int:
    """The month's number; 1 where none is named, 0 where the word begins no name of a month, or names of two."""
    if name is None:
        return 1
    if name.isdecimal():
        return int(name)
    word = "".join(letter for letter in normalize("NFKD", name.casefold()) if not combining(letter))
    found = {number for number, names in enumerate(MONTHS, start=1) if f" {word}" in f" {names}"}
    return found.pop() if len(found) == 1 else 0


def _ordered(one: int, two: int, day_first: bool) -> tuple[int, int]:  # noqa: FBT001 -- a fact of the page
    """Month and day."""
    if (day_first or one > NOON) and two <= NOON:
        return two, one
    return one, two


def _assembled(match: re.Match[str], month: int, day: int) -> Reading | None:
    said = match.groupdict()
    year, extra = int(match["year"]), timedelta()
    if len(match["year"]) == len("24"):
        year += 2000 if year < PIVOT else 1900
    hour, minute, second = (int(said.get(part) or 0) for part in ("hour", "minute", "second"))
    if said.get("half"):
        hour = hour % NOON + (NOON if said["half"].lower() == "p" else 0)
    if (hour, minute, second) == (24, 0, 0):  # ISO 8601-1 section 5.3.2: the end of the day
        hour, extra = 0, timedelta(days=1)
    zone = _zone(said.get("zone"))
    try:
        at = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=zone or UTC)  # 60 is a leap second
    except ValueError:
        return None
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        return None
    precision: Precision = "second" if said.get("second") else "minute" if said.get("hour") else "day"
    if not said.get("day") and not said.get("one"):
        precision = "year"
    return _within((at + extra).astimezone(UTC), precision, zoned=zone is not None)


def _zone(name: str | None) -> tzinfo | None:
    """The zone a name or an offset means; ``None`` where it is not given, unknown, or no offset on this earth."""
    if name is None:
        return None
    if match := OFFSET.fullmatch(name):
        offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
        if offset >= timedelta(days=1):
            return None
        return timezone(-offset if match["sign"] == "-" else offset)
    hours = HOURS_OF_ZONE.get(name.lower())
    return None if hours is None else timezone(timedelta(hours=hours))


def _guessed(text: str, *, day_first: bool) -> Reading | None:
    """What dateutil makes of it: parts that follow the default were not in the text."""
    try:
        one, two = (parser.parse(text, default=default, dayfirst=day_first, tzinfos=_named) for default in DEFAULTS)
        if one.year != two.year or not FIRST_YEAR <= one.year <= LAST_YEAR:
            return None
        zoned = one.tzinfo is not None
        at = one.astimezone(UTC) if zoned else one.replace(tzinfo=UTC)
    except (ValueError, OverflowError, TypeError, AttributeError, ArithmeticError):  # its documented and seen failures
        return None
    return _within(at.replace(microsecond=0), _said(one, two), zoned=zoned)


def _named(name: str | None, offset: int | None) -> tzinfo | None:
    if offset is not None and abs(offset) < timedelta(days=1).total_seconds():
        return timezone(timedelta(seconds=offset))
    return _zone(name)


def _said(one: datetime, two: datetime) -> Precision:
    if (one.month, one.day) != (two.month, two.day):
        return "year"
    if one.hour != two.hour:
        return "day"
    return "second" if one.second == two.second and one.minute == two.minute else "minute"


def _within(at: datetime, precision: Precision, *, zoned: bool) -> Reading | None:
    return Reading(at, precision, zoned) if FIRST_YEAR <= at.year <= LAST_YEAR else None
