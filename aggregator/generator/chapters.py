"""Render JSON chapters of items whose source has Podlove chapters in the feed: podcast apps read only separate files.

https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/chapters/jsonChapters.md
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from aggregator.generator.content.passed_tags import Row, make_rows
from aggregator.generator.content.prepared import PreparedFeed
from aggregator.generator.json_text import to_json
from aggregator.generator.storage.names import is_chapters
from aggregator.model.entry import Tag

TYPE: Final = "application/json+chapters"
_INLINE, _FILE = "psc:chapters", "podcast:chapters"
_KEYS = {"title": "title", "href": "url", "image": "img"}


def render(feed: PreparedFeed) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of the chapters file of each item that needs one."""
    for item in feed.items:
        if row := find_chapters(item.tags):
            yield name_file(item.guid), to_json({"version": "1.2.0", "chapters": list(map(_make_chapter, row[3]))})


def name_file(guid: str) -> str:
    """Return the name of an item's chapters file.

    >>> name_file("a")
    'chapters-ca978112ca1bbdca.json'
    """
    return f"chapters-{hashlib.sha256(guid.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.json"


def find_stale(folder: Path, current: frozenset[str]) -> Iterator[str]:
    """Yield the chapters files in the folder that are not among ``current``."""
    for path in sorted(folder.iterdir()):
        if is_chapters(path.name) and path.name not in current:
            yield path.name


def find_chapters(tags: tuple[Tag, ...]) -> Row | None:
    """Return the chapters among these elements of an item; ``None`` if there are none, or if a file has them."""
    if not any(tag.name == _INLINE for tag in tags):
        return None
    rows = {row[0]: row for row in make_rows(tags, "item")}
    return None if _FILE in rows else rows.get(_INLINE)


def _make_chapter(row: Row) -> dict[str, object]:
    attributes = row[2]
    start = 0.0
    for part in str(attributes["start"]).split(":"):
        start = start * 60 + float(part)
    fields = {key: attributes[name] for name, key in _KEYS.items() if attributes.get(name)}
    return {"startTime": int(start) if start.is_integer() else round(start, 3), **fields}
