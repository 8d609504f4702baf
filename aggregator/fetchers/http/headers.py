"""Header fields: make those of requests, and parse time, freshness and type in those of answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import cache
from urllib.parse import urljoin

from aggregator.fetchers.http.target import make_printable
from aggregator.model.source import Validators
from aggregator.text.times.dates import parse_http_date
from aggregator.version import VERSION

_CODINGS = "gzip, deflate, br"  # an answer may have one of them (RFC 9110 section 8.4.1)

_ACCEPT = (
    "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, "
    "application/json;q=0.9, text/html;q=0.5, */*;q=0.3"
)

_MAX_AGE = re.compile(r'(?:^|[,\s])max-age\s*=\s*"?([0-9]+)', re.IGNORECASE)
_LISTS = frozenset({"cache-control", "content-encoding", "link"})
_LINK = re.compile(r"""<([^<>]*)>((?:[^<>",]|"[^"]*")*)""")
_RELATION = re.compile(r"""(?:^|;)\s*rel\s*=\s*(?:"([^"]*)"|([^\s;"]+))""", re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]+")
_LONGEST_VALIDATOR = 4_096  # characters; servers refuse header lines of 8 KB, and then every poll would fail
_MANY_DIGITS = 9  # 30 years of seconds; longer numbers are read as that


@cache
def make_request_headers(contact: str, codings: str = _CODINGS) -> tuple[tuple[str, str], ...]:
    """Return the fields of every request: ``product/version (+contact)``, the types and codings that are accepted."""
    about = "".join(letter for letter in contact if letter.isascii() and letter.isprintable())
    agent = f"aggregator/{VERSION}" + (f" (+{about})" if about else "")
    return (("User-Agent", agent), ("Accept", _ACCEPT), ("Accept-Encoding", codings))


def join_fields(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the fields by name in lower case, without the space around values.

    A list that came twice has both values in order; of other fields (ETag, Location, dates) the first counts.
    """
    fields: dict[str, str] = {}
    for key, text in pairs:
        name, value = key.lower(), text.strip(" \t")
        if name not in fields:
            fields[name] = value
        elif name in _LISTS:
            fields[name] += ", " + value
    return fields


def parse_freshness(fields: Mapping[str, str], now: datetime) -> timedelta | None:
    """Return how long an answer stays fresh; ``None`` if that is not given.

    ``max-age`` before ``Expires`` (RFC 9111 section 5.3), which is relative to the answer's own ``Date``. Age is not
    subtracted: an origin counts from when it was asked.

    >>> parse_freshness({"cache-control": "public, max-age=600"}, datetime(2026, 1, 1)).seconds
    600
    """
    if found := _MAX_AGE.search(fields.get("cache-control", "")):
        return _parse_seconds(found[1])
    return _parse_wait(fields.get("expires", ""), fields, now)


def parse_retry_after(fields: Mapping[str, str], now: datetime) -> timedelta | None:
    """Return the time of ``Retry-After`` in either of its forms (RFC 9110 section 10.2.3); ``None`` without it.

    A date is relative to the answer's ``Date``, so that a wrong clock on either side changes nothing.
    """
    text = fields.get("retry-after", "").strip()
    return _parse_seconds(text) if _SECONDS.fullmatch(text) else _parse_wait(text, fields, now)


def parse_content_type(text: str) -> tuple[str | None, str | None]:
    """Return media type and charset of a Content-Type in lower case, ``None`` for what is missing.

    >>> parse_content_type('Text/XML; charset="UTF-8"')
    ('text/xml', 'utf-8')
    """
    kind, *parameters = (part.strip() for part in make_printable(text).lower().split(";"))
    named = dict(part.partition("=")[::2] for part in parameters)
    return kind or None, named.get("charset", "").strip("\"' ") or None


def find_link(text: str, relation_type: str, url: str) -> str | None:
    """Return the first address that a Link field of the document at ``url`` has for a relation (RFC 8288 section 3).

    >>> find_link('<?page=1>; rel=prev, <?page=3>; rel="next"; title="a, b"', "next", "https://example.org/list?page=2")
    'https://example.org/list?page=3'
    """
    for link in _LINK.finditer(text):
        relation = _RELATION.search(link[2])
        if relation is not None and relation_type in (relation[1] or relation[2] or "").lower().split():
            try:
                return urljoin(url, str(link[1]).strip())
            except ValueError:
                return None
    return None


def parse_content_length(text: str) -> int | None:
    """Return the bytes of a Content-Length; ``None`` if it is no number, 0, or larger than any file."""
    return (int(text) or None) if re.fullmatch(r"[0-9]{1,15}", text) else None


def get_validators(fields: Mapping[str, str]) -> Validators:
    """Return ETag and Last-Modified byte for byte, ``None`` for what is missing or cannot be sent back."""
    return Validators(_keep_sendable(fields.get("etag")), _keep_sendable(fields.get("last-modified")))


def _keep_sendable(value: str | None) -> str | None:
    if not value or len(value) > _LONGEST_VALIDATOR or any(letter < " " or letter == "\x7f" for letter in value):
        return None
    return value


def _parse_wait(text: str, fields: Mapping[str, str], now: datetime) -> timedelta | None:
    """Return the time from the answer's own date to the one in the text."""
    until = parse_http_date(text)
    return None if until is None else max(until - (parse_http_date(fields.get("date", "")) or now), timedelta())


def _parse_seconds(digits: str) -> timedelta:
    return timedelta(seconds=int(digits) if len(digits) <= _MANY_DIGITS else 10**_MANY_DIGITS)
