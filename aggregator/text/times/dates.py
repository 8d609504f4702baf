"""Parse any date that a listing may print, as an aware UTC time and its precision.

The two forms of feeds (RFC 822 section 5 as updated by RFC 2822 section 4.3, ISO 8601 as profiled by RFC 3339) and the
common forms of pages (``April 29, 2024 00:01``, ``08/04/2024``, ``29.04.2024``) are parsed by patterns, twenty times
faster than by dateutil (``benchmarks``), which parses everything else. It parses each text with two defaults: parts
that differ were not in the text. Zone names are resolved here, because dateutil returns a naive time for "EST" on a
machine in another zone.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from functools import lru_cache
from unicodedata import combining

from dateutil import parser

from aggregator.model.entry import Moment, Precision
from aggregator.text.fold import normalize

_LONGEST = 80  # characters; "Wednesday, September 29, 2021 at 10:00:00 PM EDT" has 48
_FIRST_YEAR = 1971  # 1970 is an unset date: the epoch in some zone
_LAST_YEAR = 2099  # Buddhist years (1971 is 2514) and milliseconds read as seconds are later
_PIVOT = 50  # RFC 2822 section 4.3: two-digit years 00-49 are 2000-2049
_NOON = 12

_MONTHS = (  # Unicode CLDR 46, wide names without accents, as they stand in dates: English, German, French, Spanish,
    # Portuguese, Italian, Dutch, Swedish, Polish, Russian
    "january januar janvier enero janeiro gennaio januari stycznia января",
    "february februar fevrier febrero fevereiro febbraio februari lutego февраля",
    "march marz maerz mars marzo marco maart mars marca марта",
    "april avril abril aprile kwietnia апреля",
    "may mai mayo maio maggio mei maj maja мая",
    "june juni juin junio junho giugno czerwca июня",
    "july juli juillet julio julho luglio lipca июля",
    "august aout agosto augustus augusti sierpnia августа",
    "september septembre septiembre setembro settembre wrzesnia сентября",
    "october oktober octobre octubre outubro ottobre pazdziernika октября",
    "november novembre noviembre novembro listopada ноября",
    "december dezember decembre diciembre dezembro dicembre grudnia декабря",
)
_HOURS_OF_ZONE = {
    "utc": 0.0, "ut": 0.0, "gmt": 0.0, "z": 0.0, "wet": 0.0, "bst": 1.0, "west": 1.0, "cet": 1.0, "mez": 1.0,
    "cest": 2.0, "mesz": 2.0, "eet": 2.0, "eest": 3.0, "msk": 3.0, "jst": 9.0, "kst": 9.0, "aest": 10.0, "aedt": 11.0,
    "est": -5.0, "edt": -4.0, "cst": -6.0, "cdt": -5.0, "mst": -7.0, "mdt": -6.0, "pst": -8.0, "pdt": -7.0,
}  # fmt: skip

_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?(?:\s*(?P<half>[ap])\.?m\b\.?)?"
_ZONE = r"(?:\s*(?P<zone>[+-]\d{1,2}:?\d{2}|[+-]\d{2}|[A-Za-z]{1,5}))?(?:\s*\([^()]*\))?"
_WEEKDAY = r"(?:[^\W\d]{1,12}\.?,?\s+)?"
_MONTH = r"(?P<month>[^\W\d_]{3,10})\.?"
_NTH = r"(?:st|nd|rd|th)?"
_RFC822 = re.compile(
    rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:\.? | de |-){_MONTH}(?: de | |-)(?P<year>\d{{4}}|\d{{2}})"
    rf"(?:,?\s+(?:at\s+)?{_CLOCK}{_ZONE})?",
    re.IGNORECASE,
)
_ISO8601 = re.compile(
    rf"(?P<year>\d{{4}})(?:[-/](?P<month>\d{{1,2}})(?:[-/](?P<day>\d{{1,2}})(?:(?:T|\s+){_CLOCK}{_ZONE})?)?)?",
    re.IGNORECASE,
)
_BASIC = re.compile(
    r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
    r"(?:T(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?)?(?P<zone>Z)?"
)
_PROSE = re.compile(
    rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}}){_NTH},?\s+(?P<year>\d{{4}})(?:,?\s+(?:at\s+)?{_CLOCK}{_ZONE})?",
    re.IGNORECASE,
)
_SLASHES = re.compile(
    rf"(?P<one>\d{{1,2}})(?P<dot>[/.-])(?P<two>\d{{1,2}})(?P=dot)(?P<year>\d{{4}})(?:,?\s+{_CLOCK}{_ZONE})?",
    re.IGNORECASE,
)
_IDEOGRAPHS = re.compile(r"(?P<year>\d{4})\s*[年년]\s*(?P<month>\d{1,2})\s*[月월]\s*(?P<day>\d{1,2})\s*[日일]?")
_EPOCH = re.compile(r"\d{10}(?:\d{3})?")
_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?")
_DEFAULTS = (datetime(2004, 1, 1), datetime(2008, 2, 2, 1, 1, 1))  # noqa: DTZ001 -- they differ in every part


def parse(text: str | None, *, day_first: bool = False) -> Moment | None:
    """Return the date of the text, or ``None`` where it is no date, lacks the year, or is outside 1971 to 2099.

    A time without a zone, or with an unknown one, is taken as UTC and ``zoned`` is false. ``-0000`` is UTC (RFC 2822
    section 3.3). ``08/04/2024`` is the fourth of August unless ``day_first`` is set or only the other order is
    possible; with dots the day always stands first. A month without a day has the precision of a year.

    >>> found = parse("Sun, 04 Aug 2024 01:47:46 EST")
    >>> found.at.isoformat(), found.precision, found.zoned
    ('2024-08-04T06:47:46+00:00', 'second', True)
    >>> parse("08/04/2024").precision
    'day'
    """
    text = " ".join(text.split()) if text else ""
    if not text or len(text) > _LONGEST:
        return None
    if _EPOCH.fullmatch(text):
        return _limit_years(datetime.fromtimestamp(int(text[:10]), UTC), "second", zoned=True)
    for pattern in (_RFC822, _ISO8601, _PROSE, _BASIC, _IDEOGRAPHS):
        if match := pattern.fullmatch(text):
            month = _parse_month(match["month"])
            return _assemble(match, month, int(match["day"] or 1)) if month else None
    if match := _SLASHES.fullmatch(text):
        return _assemble(
            match, *_order_day_month(int(match["one"]), int(match["two"]), day_first or match["dot"] == ".")
        )
    return _guess(text, day_first=day_first)


@lru_cache(maxsize=512)
def _parse_month(name: str | None) -> int:
    """Return the number of a month's name or its beginning; 1 without a name, 0 for an unknown or ambiguous one."""
    if name is None:
        return 1
    if name.isdecimal():
        return int(name)
    word = "".join(letter for letter in normalize("NFKD", name.casefold()) if not combining(letter))
    found = {number for number, names in enumerate(_MONTHS, start=1) if f" {word}" in f" {names}"}
    return found.pop() if len(found) == 1 else 0


def _order_day_month(one: int, two: int, day_first: bool) -> tuple[int, int]:  # noqa: FBT001 -- a fact of the page
    """Return month and day."""
    if (day_first or one > _NOON) and two <= _NOON:
        return two, one
    return one, two


def _assemble(match: re.Match[str], month: int, day: int) -> Moment | None:
    groups = match.groupdict()
    year, extra = int(match["year"]), timedelta()
    if len(match["year"]) == len("24"):
        year += 2000 if year < _PIVOT else 1900
    hour, minute, second = (int(groups.get(part) or 0) for part in ("hour", "minute", "second"))
    if groups.get("half"):
        hour = hour % _NOON + (_NOON if groups["half"].lower() == "p" else 0)
    if (hour, minute, second) == (24, 0, 0):  # ISO 8601-1 section 5.3.2: the end of the day
        hour, extra = 0, timedelta(days=1)
    zone = _find_zone(groups.get("zone"))
    try:
        at = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=zone or UTC)  # 60 is a leap second
    except ValueError:
        return None
    if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
        return None
    precision: Precision = "second" if groups.get("second") else "minute" if groups.get("hour") else "day"
    if not groups.get("day") and not groups.get("one"):
        precision = "year"
    return _limit_years((at + extra).astimezone(UTC), precision, zoned=zone is not None)


def _find_zone(name: str | None) -> tzinfo | None:
    """Return the zone of a name or an offset; ``None`` where it is not given, unknown, or a day and more."""
    if name is None:
        return None
    if match := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
        if offset >= timedelta(days=1):
            return None
        return timezone(-offset if match["sign"] == "-" else offset)
    hours = _HOURS_OF_ZONE.get(name.lower())
    return None if hours is None else timezone(timedelta(hours=hours))


def _guess(text: str, *, day_first: bool) -> Moment | None:
    """Return the date by dateutil; parts that follow the default are not in the text."""
    try:
        one, two = (
            parser.parse(text, default=default, dayfirst=day_first, tzinfos=_find_dateutil_zone)
            for default in _DEFAULTS
        )
        if one.year != two.year or not _FIRST_YEAR <= one.year <= _LAST_YEAR:
            return None
        zoned = one.tzinfo is not None
        at = one.astimezone(UTC) if zoned else one.replace(tzinfo=UTC)
    except (ValueError, OverflowError, TypeError, AttributeError, ArithmeticError):  # its documented and seen failures
        return None
    return _limit_years(at.replace(microsecond=0), _find_precision(one, two), zoned=zoned)


def _find_dateutil_zone(name: str | None, offset: int | None) -> tzinfo | None:
    if offset is not None and abs(offset) < timedelta(days=1).total_seconds():
        return timezone(timedelta(seconds=offset))
    return _find_zone(name)


def _find_precision(one: datetime, two: datetime) -> Precision:
    if (one.month, one.day) != (two.month, two.day):
        return "year"
    if one.hour != two.hour:
        return "day"
    return "second" if one.second == two.second and one.minute == two.minute else "minute"


def _limit_years(at: datetime, precision: Precision, *, zoned: bool) -> Moment | None:
    return Moment(at, precision, zoned) if _FIRST_YEAR <= at.year <= _LAST_YEAR else None


_LONGEST_HTTP_DATE = 64  # characters; an HTTP date has 29


def parse_http_date(text: str) -> datetime | None:
    """Return the time of an HTTP date in any of its three forms (RFC 9110 section 5.6.7), in UTC; else ``None``.

    >>> parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT")
    True
    >>> parse_http_date("Sun Nov  6 08:49:37 1994").isoformat(), parse_http_date("yesterday")
    ('1994-11-06T08:49:37+00:00', None)
    """
    if not text or len(text) > _LONGEST_HTTP_DATE:
        return None
    try:
        parsed = parsedate_to_datetime(text)
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
