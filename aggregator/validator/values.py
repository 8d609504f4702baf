"""Check values of a feed: dates, lengths, languages, addresses, and text damaged on its way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

from aggregator.generator.content.links import IRI
from aggregator.generator.podcast import Node, make_tag
from aggregator.text import characters
from aggregator.validator.document import FeedDocument

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_RFC822 = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}"
    r" (?:[01]\d|2[0-3]):[0-5]\d:[0-6]\d (?:[+-]\d{4}|GMT)"
)
# RFC 822 5.1 with RSS 2.0's years; its names of zones, and no others. Names are read in any case: 3.4.7.
_OLD822 = re.compile(
    r"(?:(Mon|Tue|Wed|Thu|Fri|Sat|Sun), ?)?\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?:\d{4}|\d{2})"
    r" ([01]?\d|2[0-3]):[0-5]\d(?::[0-6]\d)? (?:[+-]\d{4}|UTC?|GMT|[ECMP][SD]T|[A-IK-Z])",
    re.IGNORECASE,
)
# RFC 822 3.3: white space, a comment's brackets, and a character that a backslash quotes in it.
_COMMENT_PART = re.compile(r"\\.|[()]|[^\\()]+", re.DOTALL)
_RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})")
# Minutes above 59 are no mistake where there are no hours: "148:31" is seen, and understood.
DURATION = re.compile(r"\d{1,15}|\d{1,3}:[0-5]?\d:[0-5]\d|\d{1,4}:[0-5]\d")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9._~%!$&'()*+,;=:@\[\]-]+(?:[/?#][!#$%&'()*+,/:;=?@\[\]A-Za-z0-9~._-]*)?")
_NO_ADDRESS = re.compile(r"[\s<>\"{}|\\^`]|^[a-z]+:/*$|:://|^https?:(?!//[^/?#:@])|^\w+:$")
# RFC 2822 3.4.1, addr-spec; a domain may be one name.
MAIL = re.compile(r"[^\s@<>()\[\],;:\"]+@[^\s@<>()\[\],;:\"]+")
# UTF-8 read as Windows-1252: a lead byte's letter and a continuation byte's sign, which no language writes together.
MOJIBAKE = re.compile("[ÃÂ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰‹Œ‘’“”•–—˜™›œ]|â€|â\u0080")
NUMBERED = re.compile(r"(?i)^(?:#\d+\b|s\d++\s*+(?:[:.,-]\s*+)?e\d+\b|(?:episode|ep\.?|season)\s*+#?\d+\b)")

PROGRAM_WORDS = characters.PROGRAM_WORDS - {""}
MARKED = frozenset({"description", "encoded", "summary", "content", "subtitle"})
_PLAIN = (
    "title", "itunes:title", "itunes:author", "itunes:subtitle", "itunes:keywords", "itunes:name", "copyright",
    "generator", "category", "atom:title", "atom:name", "podcast:person",
)  # fmt: skip


def local_name(element: Node) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def list_elements(document: FeedDocument) -> Iterator[Node]:
    """Yield every element of the document, without comments and processing instructions."""
    if document.root is not None:
        yield from (one for one in document.root.iter() if isinstance(one.tag, str))


def list_plain_elements(document: FeedDocument) -> Iterator[Node]:
    """Yield the elements whose text must be plain and on one line."""
    if document.root is not None and document.kind in {"rss", "atom"}:
        wanted = [make_tag(name) for name in _PLAIN]
        yield from (one for one in document.root.iter(*wanted) if one.get("type", "text") == "text")


def find_date_fault(value: str) -> str | None:
    """Return what is wrong with a date by RFC 822 with RSS 2.0's years of two or four digits; ``None`` if nothing is.

    Weekday and seconds are optional, a zone may be a name, and comments may stand between the words.
    """
    text = _drop_comments(value)
    found, at = _OLD822.fullmatch(text), _parse(text)
    if found is None:
        if at and at.tzinfo:
            return f"{text[:60]!r}: write {format_datetime(at)!r}"
        return f"{value.strip()[:60]!r} is not like 'Mon, 04 Aug 2025 08:00:00 +0000'"
    if at is None:
        return f"{text!r} is no day of the calendar"
    if found.group(1) and _DAYS[at.weekday()] != found.group(1).title():
        return f"{text!r} was a {_DAYS[at.weekday()]}"
    return None


def _drop_comments(value: str) -> str:
    """Return a date without comments, which may be nested, and with one space at most: RFC 822 3.1.4 and 3.4.3."""
    depth, kept = 0, []
    for part in _COMMENT_PART.findall(value):
        if part == "(":
            depth += 1
        if not depth:
            kept.append(part)
        elif part == ")":
            depth -= 1
            kept.append(" ")
    if depth:
        return value.strip()
    return re.sub(r" ?([,:]) ?", lambda sign: ", " if sign.group(1) == "," else ":", " ".join("".join(kept).split()))


def find_old_form(text: str) -> str | None:
    """Return what is wrong with a date that ``find_date_fault`` allows and some apps do not read."""
    if find_date_fault(text) or _RFC822.fullmatch(text):
        return None
    at = _parse(_drop_comments(text))
    return f"{text[:60]!r}: write {format_datetime(at)!r}" if at and at.tzinfo else f"{text[:60]!r} is an old form"


def _parse(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if _RFC3339.fullmatch(text) else parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None


def parse_date(value: str) -> datetime | None:
    """Parse an RSS or RFC 3339 date to UTC; ``None`` if it cannot be read."""
    at = _parse(value.strip())
    try:
        return at and (at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC))
    except OverflowError:  # a time of the year 1 or 9999 that is in another year in UTC
        return None


def is_rfc3339(value: object) -> bool:
    """Return whether a value is a date as in Atom and JSON Feed (RFC 3339), with a zone, of a day that exists."""
    return isinstance(value, str) and _RFC3339.fullmatch(value.strip()) is not None and parse_date(value) is not None


def is_future(at: datetime, now: datetime) -> bool:
    """Return whether it is later than now, with a minute's grace for clocks that differ."""
    return at > now + timedelta(minutes=1)


def parse_seconds(value: str) -> int:
    """Parse a duration to seconds; 0 if it is unknown or unreadable."""
    if not DURATION.fullmatch(value):
        return 0
    total = 0
    for part in value.split(":"):
        total = total * 60 + int(part)
    return total


def suggest_boolean(value: str) -> str:
    """Return what to write instead of a value that should be ``true`` or ``false``.

    >>> suggest_boolean("clean"), suggest_boolean("explicit"), suggest_boolean("maybe")
    ('write false', 'write true', 'write true or false')
    """
    text = value.strip().lower()
    if text in {"no", "clean", "false", "0"}:
        return "write false"
    return "write true" if text in {"yes", "explicit", "true", "1"} else "write true or false"


def is_web(value: object) -> bool:
    """Return whether it is an ASCII http or https address, encoded as it should be."""
    return isinstance(value, str) and _ADDRESS.fullmatch(value) is not None


def is_reference(text: str) -> bool:
    """Return whether it is an address, relative or absolute, by the characters of RFC 3987."""
    return _NO_ADDRESS.search(text) is None


def is_address(text: str) -> bool:
    """Return whether it is an absolute address, by the characters of RFC 3987."""
    return is_reference(text) and IRI.fullmatch(text) is not None
