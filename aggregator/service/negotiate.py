"""What a request's headers ask for: which encoding, and whether what the client has still stands (RFC 9110)."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from aggregator.text.dates import parse_http_date

# An entity tag as RFC 9110, section 8.8.3, allows it in a list, the weakness mark aside.
TAG = re.compile(r'(?:^|,)\s*(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?=,|$)')
# "a;q=0.5": the name and its weight (section 12.4.2). A weight that cannot be read counts as 0.
WEIGHT = re.compile(r"(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)")
ALIASES = {"x-gzip": "gzip"}


@lru_cache(maxsize=1024)
def encoding(accepted: str | None, offered: tuple[str, ...]) -> str:
    """Return the encoding with the highest weight for the client, of equal ones the one offered first.

    ``offered`` are the encodings there are, best first; "identity" is the answer where none of them is accepted, also
    to a client that refuses identity (section 12.5.3 allows that).

    >>> encoding("gzip, deflate, br", ("br", "gzip")), encoding("gzip;q=1, br;q=0.5", ("br", "gzip"))
    ('br', 'gzip')
    >>> encoding("gzip;q=0, *;q=0.5", ("gzip",)), encoding(None, ("br",))
    ('identity', 'identity')
    """
    if not accepted:
        return "identity"
    weights = weighed(accepted)
    others = weights.get("*", 0.0)
    best, most = "identity", 0.0
    for name in offered:
        weight = weights.get(name, others)
        if weight > most:
            best, most = name, weight
    return best if most >= weights.get("identity", 0.0) else "identity"


def weighed(accepted: str) -> dict[str, float]:
    """Each encoding that Accept-Encoding names, in lower case, with its weight from 0 to 1.

    >>> weighed("GZIP;q=0.8, x-gzip, br; q=wrong")
    {'gzip': 1.0, 'br': 0.0}
    """
    found: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        given = next((piece[2:].strip() for piece in parameters if piece.startswith("q=")), "1")
        name = ALIASES.get(name, name)
        if name:
            found[name] = float(given) if WEIGHT.fullmatch(given) else 0.0
    return found


def unchanged(wanted_tags: str | None, since: str | None, tag: str, modified: datetime | None) -> bool:
    """Whether the client's copy still stands, so that the answer is 304 (section 13.2.2).

    ``wanted_tags`` is If-None-Match, compared weakly against ``tag``, the strong tag of what would be sent; where it
    is given, ``since`` (If-Modified-Since) does not count. A date that cannot be read does not count either.

    >>> (
    ...     unchanged('"a", W/"b"', None, '"b"', None),
    ...     unchanged("*", None, '"b"', None),
    ...     unchanged('"a"', None, '"b"', None),
    ... )
    (True, True, False)
    """
    if wanted_tags is not None:
        return wanted_tags.strip() == "*" or tag in TAG.findall(wanted_tags)
    seen = parse_http_date(since) if since and modified else None
    return seen is not None and modified is not None and modified <= seen
