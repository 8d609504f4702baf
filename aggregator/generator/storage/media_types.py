"""Media types of published files and how long they may be cached, the same from our server and from a bucket."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

MAX_AGE: Final = 300
"""How long a client may use its copy without asking, in seconds: feeds change a few times a day, and 300 to 900 is what
readers and caches expect; longer delays a new episode by as much."""

TYPES: Final[Mapping[str, str]] = {
    ".xml": "application/rss+xml; charset=utf-8",
    ".atom": "application/atom+xml; charset=utf-8",
    ".json": "application/feed+json; charset=utf-8",
    ".opml": "text/x-opml; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
"""By the name's end (RFC 8288, RFC 4287, JSON Feed 1.1, OPML 2.0)."""

_OTHER_JSON: Final[Mapping[str, str]] = {
    "report": "application/json; charset=utf-8",
    "chapters-": "application/json+chapters; charset=utf-8",
}
"""JSON that is no feed, by the beginning of the file's name."""


def find_media_type(path: str) -> str:
    """Return the media type of a published file, whose ending is among ``TYPES``.

    >>> find_media_type("show/feed.json"), find_media_type("show/report.json")
    ('application/feed+json; charset=utf-8', 'application/json; charset=utf-8')
    """
    ending, name = Path(path).suffix, Path(path).name
    others = (kind for start, kind in _OTHER_JSON.items() if name.startswith(start))
    return next(others, TYPES[ending]) if ending == ".json" else TYPES[ending]
