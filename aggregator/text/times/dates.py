"""Parse any date that a listing may print, as an aware UTC time and its precision.

The two forms of feeds (RFC 822 section 5 as updated by RFC 2822 section 4.3, ISO 8601 as profiled by RFC 3339) and the
common forms of English pages (``April 29, 2024 00:01``, ``08/04/2024``) are parsed by patterns. Every other text is
folded, its time and zone are cut out, and ``worded_dates`` parses the rest by the words of all languages. What that
does not cover is parsed by dateutil, with two defaults: parts that differ were not in the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from functools import cache
from importlib import import_module
from itertools import chain

from aggregator.model.entry import Moment, Precision
from aggregator.text.times import worded_dates, words
from aggregator.text.times.worded_dates import Day, complete_year

_MAX_TEXT = 80  # characters; "Mon Jun 08 2026 10:00:00 GMT+0000 (Coordinated Universal Time)" has 62
_FIRST_YEAR = 1971  # 1970 is an unset date: the epoch in some zone
_LAST_YEAR = 2099  # Buddhist years (1971 is 2514) and milliseconds read as seconds are later
_NOON = 12

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            *("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august"),
            *("sep sept september", "oct october", "nov november", "dec december"),
        ),
        start=1,
    )
    for name in names.split()
}
_HOURS_OF_ZONE = {
    "utc": 0.0, "ut": 0.0, "gmt": 0.0, "z": 0.0, "wet": 0.0, "bst": 1.0, "west": 1.0, "cet": 1.0, "mez": 1.0,
    "cest": 2.0, "mesz": 2.0, "eet": 2.0, "eest": 3.0, "msk": 3.0, "мск": 3.0, "jst": 9.0, "kst": 9.0, "aest": 10.0,
    "aedt": 11.0, "est": -5.0, "edt": -4.0, "cst": -6.0, "cdt": -5.0, "mst": -7.0, "mdt": -6.0, "pst": -8.0,
    "pdt": -7.0,
}  # fmt: skip

_CLOCK = (
    r"(?P<hour>\d{1,2})(?P<colon>[:.])(?P<minute>\d{2})(?:(?P=colon)(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?)?"
)
_OFFSET = r"[+\u2212-]\d{1,2}(?::?\d{2})?(?!\d)"
_COMMENT = r"(?:\s*\([^()]*\))?(?:\s*\[[\w/+-]*\])?"  # RFC 2822 section 3.2.3; RFC 9557 section 3.1
_OFFSETS = rf"(?:UTC|GMT|UT|Z)?\s*(?P<offset>{_OFFSET})(?:Z|\s+[A-Za-z]{{1,5}}\b)?"  # "+0200 CEST"
_ZONE = rf"(?:\s*(?:{_OFFSETS}|(?P<zone>[A-Za-z]{{1,5}})))?{_COMMENT}"
_WEEKDAY = r"(?:[^\W\d]{2,12}\.?,\s*|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?\s+)?"
_MONTH = r"(?P<month>[A-Za-z]{3,9})\.?"
_TIME = rf"(?:,?\s+(?:at\s+|-\s+)?{_CLOCK}{_ZONE})?"
_RFC822 = re.compile(
    rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:\.? |-){_MONTH}(?: |-)(?P<year>\d{{4}}|\d{{2}}){_TIME}", re.IGNORECASE
)
_ISO8601 = re.compile(
    rf"(?P<year>\d{{4}})(?:[-/](?P<month>\d{{1,2}})(?:[-/](?P<day>\d{{1,2}})(?:(?:T|\s+(?:at\s+)?){_CLOCK}{_ZONE})?)?)?",
    re.IGNORECASE,
)
_BASIC = re.compile(
    r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
    r"(?:T(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?)?(?P<zone>Z)?"
)
_PROSE = re.compile(
    rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}}){_TIME}", re.IGNORECASE
)
_PATTERNS = (_RFC822, _ISO8601, _PROSE, _BASIC)
_EPOCH = re.compile(r"(\d{10})(?:\d{3}|\d{6})?(?:\.\d+)?")
_MICROSOFT = re.compile(r"/Date\((\d{10})\d{3}(?:[+-]\d{4})?\)/")  # of .NET's JavaScriptSerializer: milliseconds


def parse(text: str | None, *, day_first: bool | None = None, language: str | None = None) -> Moment | None:
    """Return the date of the text, or ``None`` where it is no date, lacks the year, or is outside 1971 to 2099.

    A time without a zone, or with an unknown one, is taken as UTC and ``zoned`` is false. ``-0000`` is UTC (RFC 2822
    section 3.3). ``day_first`` is the order that the listing gives its numbers. Without it ``08/04/2024`` is the fourth
    of August unless ``language`` (BCP 47) has the other order; with dots and dashes the day stands first. A date that
    is possible in one order only has that one. A month without a day has the precision of a year.

    >>> found = parse("Sun, 04 Aug 2024 01:47:46 EST")
    >>> found.at.isoformat(), found.precision, found.zoned
    ('2024-08-04T06:47:46+00:00', 'second', True)
    >>> parse("08/04/2024").precision, parse("12 сентября 2025 г.").at.isoformat()
    ('day', '2025-09-12T00:00:00+00:00')
    """
    text = " ".join(text.split()) if text else ""
    if not text or len(text) > _MAX_TEXT:
        return None
    if match := _EPOCH.fullmatch(text) or _MICROSOFT.fullmatch(text):
        return _limit_years(datetime.fromtimestamp(int(match[1]), UTC), "second", zoned=True)
    for pattern in _PATTERNS:
        if (match := pattern.fullmatch(text)) and (month := _parse_month(match["month"])):
            return _assemble(match, complete_year(match["year"]), month, int(match["day"] or 0))
    return _parse_words(text, day_first=day_first, language=language) or _guess(text)


def preload() -> None:
    """Load the tables and the modules that only some texts need, for processes that cannot open files later."""
    words.load()
    _make_clocks()
    import_module("dateutil.parser")


def is_standard(text: str) -> bool:
    """Return whether a text begins as a date of RFC 822 or ISO 8601, which says the same in every listing."""
    return _STANDARD.match(text) is not None


_STANDARD = re.compile(r"\d{4}-|(?:[A-Za-z]{3,9},? )?\d{1,2} [A-Za-z]{3} \d{4}\b")


def find_day_first(texts: Iterable[str]) -> bool | None:
    """Return whether the day stands first in the dates of a listing, by a number that no month has, else ``None``.

    Dates with the commonest mark between their numbers count; one mistake among four and more does not.

    >>> find_day_first(["03/04/2025", "17/04/2025"]), find_day_first(["03-17-2025"]), find_day_first(["03/04/2025"])
    (True, False, None)
    >>> find_day_first(["3/4", "17/4"])
    True
    """
    numeric = (words.fold(text[:_MAX_TEXT]) for text in texts if not is_standard(text))
    written: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for text in numeric:
        for match in filter(None, (_TWO_NUMBERS.fullmatch(text), *_THREE_NUMBERS.finditer(text))):
            written[match["mark"]].append((int(match["one"]), int(match["two"])))
    pairs = max(written.values(), key=len, default=[])
    first, second = sum(one > _MONTHS_OF_YEAR for one, _ in pairs), sum(two > _MONTHS_OF_YEAR for _, two in pairs)
    return first > second if max(first, second) >= max(1, _ONE_WRONG * min(first, second)) else None


_MONTHS_OF_YEAR = 12
_ONE_WRONG = 4  # dates of one order to each of the other: that one is a mistake
_TWO_NUMBERS = re.compile(r"(?P<one>\d{1,2})\s?(?P<mark>[/.-])\s?(?P<two>\d{1,2})\.?")
_THREE_NUMBERS = re.compile(  # a year of two digits behind a dot or dash may be a day: "25-09-12"
    r"(?<![\d/.-])(?P<one>\d{1,2})(?P<mark>[/.-])\s?(?P<two>\d{1,2})(?P=mark)\s?(?:\d{4}|(?<=/)\d{2})(?![\d/])"
)


def _parse_month(name: str | None) -> int:
    """Return the number of an English month, 1 without a name, 0 for another name."""
    if name is None:
        return 1
    return int(name) if name.isdecimal() else _MONTHS.get(name.lower(), 0)


def _parse_words(text: str, *, day_first: bool | None, language: str | None) -> Moment | None:
    """Return the date of a text in words, without its time, and with it."""
    folded = _ERA.sub(_convert_era, words.fold(text))
    if day_first is None and language is None and _RIGHT_TO_LEFT.search(text):
        day_first = True
    clocks, last_zone = _make_clocks()
    for match in (None, *chain.from_iterable(clock.finditer(folded) for clock in clocks)):
        rest = f"{folded[: match.start()]} {folded[match.end() :]}" if match else folded
        zone = last_zone.search(rest) if match else None
        rest = rest[: zone.start()] if zone else rest
        if day := worded_dates.parse(rest, day_first=day_first, language=language):
            return _assemble(match, day.year, day.month, day.day, day, zone[1] if zone else None)
    return None


_ERAS = {  # the year before the first one
    "令和": 2018, "r": 2018, "平成": 1988, "h": 1988, "昭和": 1925, "民國": 1911, "民国": 1911,
}  # fmt: skip
_ERA = re.compile(
    r"(?<!\w)(?:(令和|平成|昭和|民國|民国)\s?(元|\d{1,3})(?=\s?年|[./])|([rh])(\d{1,2})(?=[./]\d{1,2}[./]\d))"
)


def _convert_era(match: re.Match[str]) -> str:
    """Return the Gregorian year of a year of a Japanese era, or of the Republic of China."""
    year = match[2] or match[4]
    return str(_ERAS[match[1] or match[3]] + (1 if year == "元" else int(year)))


@cache
def _make_clocks() -> tuple[tuple[re.Pattern[str], ...], re.Pattern[str]]:
    """Return patterns of a time in a folded text, the likelier one first, and of a zone at the end of one."""
    zones = "|".join(sorted(_HOURS_OF_ZONE, reverse=True))
    clocks = (
        rf"(?:(?<=\d)t|(?<![\d:.]))(?P<hour>\d{{1,2}})\s?{colon}\s?(?P<minute>\d{{2}})(?:\s?분|分)?"
        rf"(?:[:.]?(?P<second>(?<=[:.])\d{{2}})(?:[.,]\d+)?)?(?![\d:])(?:\s*(?P<half>[ap])\.?\s?m\b\.?)?"
        rf"(?:\s*(?:{_OFFSETS}|\s(?P<zone>{zones})\b))?{_COMMENT}"
        for colon in ("[:h時时点點시]", r"\.")
    )
    last_zone = re.compile(rf"\s({_OFFSET}|{zones}){_COMMENT}$")
    return tuple(re.compile(clock, re.IGNORECASE) for clock in clocks), last_zone


_RIGHT_TO_LEFT = re.compile("[\u0590-\u07ff\u200f]")  # the day stands first in all short dates of these languages


def _assemble(  # noqa: PLR0913, PLR0917 -- the parts of a date
    match: re.Match[str] | None,
    year: int,
    month: int,
    day: int,
    worded: Day | None = None,
    last_zone: str | None = None,
) -> Moment | None:
    """Return the time of a date, with the time of day and the zone that a pattern found."""
    groups = match.groupdict() if match else {}
    extra = timedelta()
    hour, minute, second = (int(groups.get(part) or 0) for part in ("hour", "minute", "second"))
    half = {"a": 0, "p": _NOON}.get((groups.get("half") or "").lower(), worded.half if worded else None)
    if half is not None and hour <= _NOON and groups.get("hour"):
        hour = hour % _NOON + half
    if (hour, minute, second) == (24, 0, 0):  # ISO 8601-1 section 5.3.2: the end of the day
        hour, extra = 0, timedelta(days=1)
    zone = _find_zone(groups.get("offset") or groups.get("zone") or last_zone)
    try:
        at = datetime(year, month, day or 1, hour, minute, min(second, 59), tzinfo=zone or UTC)  # 60 is a leap second
    except ValueError:
        return None
    if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
        return None
    precision: Precision = "second" if groups.get("second") else "minute" if groups.get("hour") else "day"
    return _limit_years((at + extra).astimezone(UTC), precision if day else "year", zoned=zone is not None)


def _find_zone(name: str | None) -> tzinfo | None:
    """Return the zone of a name or an offset; ``None`` where it is not given, unknown, or a day and more."""
    if name is None:
        return None
    if match := _SIGNED.fullmatch(name):
        offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
        if offset >= timedelta(days=1):
            return None
        return timezone(offset if match["sign"] == "+" else -offset)
    hours = _HOURS_OF_ZONE.get(name.lower())
    return None if hours is None else timezone(timedelta(hours=hours))


_SIGNED = re.compile(r"(?P<sign>[+\u2212-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?")


_DEFAULTS = (datetime(2004, 1, 1), datetime(2008, 2, 2, 1, 1, 1))  # noqa: DTZ001 -- they differ in every part
_YEAR = re.compile(r"(?<![\d:])(\d{4})(?![\d:])")
_CERTAIN = re.compile(
    r"[a-z]{3}|\d{4}-", re.IGNORECASE
)  # the name of a month, or ISO 8601: no order of numbers to guess
_TURNED = re.compile(r"(?:gmt|utc|ut|z)\s*[+-]\d", re.IGNORECASE)  # dateutil takes these signs as POSIX does


def _guess(text: str) -> Moment | None:
    """Return the date by dateutil, ``None`` unless its year stands in the text, and a time with a colon or am or pm."""
    years = _YEAR.findall(text)
    if len(years) != 1 or not _CERTAIN.search(text) or _TURNED.search(text) or not text.isascii():
        return None
    from dateutil import parser  # noqa: PLC0415 -- few texts come here

    try:
        one, two = (parser.parse(text, default=default, tzinfos=_find_dateutil_zone) for default in _DEFAULTS)
        if not one.year == two.year == int(years[0]) or (one.month, one.day) != (two.month, two.day):
            return None
        zoned = one.tzinfo is not None
        at = one.astimezone(UTC) if zoned else one.replace(tzinfo=UTC)
    except (ValueError, OverflowError, TypeError, AttributeError, ArithmeticError):  # its documented and seen failures
        return None
    if one.hour != two.hour:
        return _limit_years(at.replace(microsecond=0), "day", zoned=zoned)
    if not re.search(r"\d:\d|\d\s*[ap]\.?m", text, re.IGNORECASE):
        return None
    exact = one.second == two.second and one.minute == two.minute
    return _limit_years(at.replace(microsecond=0), "second" if exact else "minute", zoned=zoned)


def _find_dateutil_zone(name: str | None, offset: int | None) -> tzinfo | None:
    if offset is not None and abs(offset) < timedelta(days=1).total_seconds():
        return timezone(timedelta(seconds=offset))
    return _find_zone(name)


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
