"""Media types of published files by their names, the same from our server and from a bucket, and names of archives."""

from __future__ import annotations

import re
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

PRIVATE_MARK: Final = '<meta name="robots" content="noindex">'
"""Stands in the pages of a private feed (HTML Living Standard, section 4.2.5.1)."""

PAGE: Final = "index.html"
"""The page of a feed, which says of its folder whether it is private."""

_HEAD_BYTES: Final = 2048
"""The mark stands within these, before the title, which may be long."""

# Names of the files that only some editions of a feed have.
_ARCHIVE: Final = re.compile(r"(?:podcast|feed)-archive-[1-9][0-9]*\.(?:xml|atom|json)")
_CHAPTERS: Final = re.compile(r"chapters-[0-9a-f]{16}\.json")
_LANGUAGE: Final = re.compile(rb'<!doctype html>\s<html lang="([a-z]{2})">')
_TRANSLATION: Final = re.compile(r"(?:index|changes)\.[a-z]{2}\.html")


def find_media_type(path: str) -> str:
    """Return the media type of a published file, whose ending is among ``TYPES``.

    >>> find_media_type("show/feed.json"), find_media_type("show/report.json")
    ('application/feed+json; charset=utf-8', 'application/json; charset=utf-8')
    """
    ending, name = Path(path).suffix, Path(path).name
    others = (kind for start, kind in _OTHER_JSON.items() if name.startswith(start))
    return next(others, TYPES[ending]) if ending == ".json" else TYPES[ending]


def is_private(page: bytes) -> bool:
    """Return whether this is the page of a private feed; its first bytes are enough."""
    return PRIVATE_MARK.encode() in page[:_HEAD_BYTES]


def find_page_language(page: bytes) -> str | None:
    r"""Return the language of a page, ``None`` if this is none; its first bytes are enough.

    >>> find_page_language(b'<!doctype html>\n<html lang="de">'), find_page_language(b"<opml/>")
    ('de', None)
    """
    found = _LANGUAGE.match(page)
    return found[1].decode() if found else None


def make_cache_control(*, private: bool) -> str:
    """Return the Cache-Control of a published file: what is private is kept by its client alone (RFC 9111)."""
    return f"{'private' if private else 'public'}, max-age={MAX_AGE}"


def is_archive(name: str) -> bool:
    """Return whether this is the name of an archive (``generator.paging``).

    >>> is_archive("podcast-archive-1.xml"), is_archive("podcast.xml")
    (True, False)
    """
    return _ARCHIVE.fullmatch(name) is not None


def is_chapters(name: str) -> bool:
    """Return whether this is the name of a chapters file (``generator.chapters``)."""
    return _CHAPTERS.fullmatch(name) is not None


def is_translation(name: str) -> bool:
    """Return whether this is the name of a page in another language than its main one.

    >>> is_translation("index.de.html"), is_translation("index.html")
    (True, False)
    """
    return _TRANSLATION.fullmatch(name) is not None
