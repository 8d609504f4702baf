"""HTTP dates, as both our requests and our server meet them."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST = 64  # characters; an HTTP date has 29


def parse_http_date(text: str) -> datetime | None:
    """Return the time of an HTTP date in any of its three forms (RFC 9110 section 5.6.7), in UTC; else ``None``.

    >>> parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT")
    True
    >>> parse_http_date("Sun Nov  6 08:49:37 1994").isoformat(), parse_http_date("yesterday")
    ('1994-11-06T08:49:37+00:00', None)
    """
    if not text or len(text) > _LONGEST:
        return None
    try:
        parsed = parsedate_to_datetime(text)
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
