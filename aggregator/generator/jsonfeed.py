"""JSON Feed 1.1: everything, with attachments, and in ``_aggregator`` who said what (jsonfeed.org/version/1.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from aggregator.generator.content import channel_tags, feed_channel, feed_item, plain_text
from aggregator.generator.content.feed_channel import PAGE, Masthead
from aggregator.generator.content.feed_item import Leaf
from aggregator.generator.jsontext import CLOSE, block, kept, separated
from aggregator.generator.paging import WHOLE, Sheet, archive_name, count
from aggregator.model.feed import Feed
from aggregator.model.item import Item

NAME: Final = "feed.json"
VERSION: Final = "https://jsonfeed.org/version/1.1"


def render(feed: Feed, *, sheet: Sheet = WHOLE) -> bytes:
    """The document; the sheet says which part of it."""
    return b"".join(stream(feed, sheet=sheet))


def stream(feed: Feed, *, sheet: Sheet = WHOLE) -> Iterator[bytes]:
    """The document in pieces, one for each item."""
    head = feed_channel.of(feed)
    yield front(head, sheet, len(feed.items))
    for position, item in enumerate(sheet.cut(feed.items)):
        yield separated(position, entry(item, head))
    yield CLOSE


def front(head: Masthead, sheet: Sheet, total: int) -> bytes:
    """The document up to its first item."""
    older = sheet.number - 1 if sheet.number else count(total, sheet.window)
    said: dict[str, Any] = {
        "version": VERSION,
        "title": head.title,
        "home_page_url": head.link,
        "feed_url": head.address(archive_name(NAME, sheet.number) if sheet.number else NAME),
        "next_url": head.address(archive_name(NAME, older)) if older > 0 else None,
        "description": head.description,
        "icon": head.image,
        "authors": [{"name": head.author or head.title}],
        "language": head.language,
        "expired": True if head.complete else None,
        "hubs": [{"type": "WebSub", "url": hub} for hub in head.hubs] if not sheet.number else None,
        "_aggregator": {"about": head.address(PAGE), "podcast_guid": head.guid},
    }
    return block(kept(said), 0).removesuffix(b"\n}") + b',\n  "items": ['


def entry(item: Item, head: Masthead) -> bytes:
    """One item, as it stands in the document; the same item and masthead give the same bytes."""
    return written(item, feed_item.of(item), head)


def written(item: Item, said: Leaf, head: Masthead) -> bytes:
    """The same of an item whose leaf is already made."""
    return block(
        kept(
            {
                "id": said.guid,
                "url": said.link,
                "title": said.title,
                "content_html": said.html or None,
                "content_text": None if said.html else said.placeholder,
                "summary": said.short,
                "image": said.image,
                "date_published": said.published.isoformat() if said.published else None,
                "date_modified": said.updated.isoformat() if said.updated else None,
                "authors": [{"name": said.author}] if said.author else None,
                "tags": list(said.categories),
                "language": said.language,
                "attachments": _attachments(said),
                "_aggregator": _provenance(item, said, head),
            }
        ),
        4,
    )


def _attachments(said: Leaf) -> list[dict[str, Any]]:
    if said.media is None:
        return []
    attachment: dict[str, Any] = {"url": said.media.url, "mime_type": said.media.type}
    if said.media.length:
        attachment["size_in_bytes"] = said.media.length
    if said.duration:
        attachment["duration_in_seconds"] = said.duration
    return [attachment]


def _provenance(item: Item, said: Leaf, head: Masthead) -> dict[str, Any]:
    """Who said what: the whole story, with every other value and repair, stands in report.json."""
    origin = channel_tags.origin(said, head)
    fields = {
        known.field: {
            "witness": plain_text.called(known.witness),
            "agreeing": [plain_text.called(name) for name in known.agreeing],
            "confidence": round(known.confidence, 3),
        }
        for known in sorted(item.provenance, key=lambda known: known.field)
    }
    told: dict[str, Any] = {"about": head.address(PAGE), "genre": item.genre}
    if said.duration:
        told["duration_in_seconds"] = said.duration
    pieces = {"part": item.part, "tag": item.tag, "prefix": item.prefix, "suffix": item.suffix}
    told |= {
        name: plain_text.text(piece) if isinstance(piece, str) else piece for name, piece in pieces.items() if piece
    }
    if origin:
        told["source"] = {"name": plain_text.line(origin[0]), "url": origin[1]}
    return told | {"sightings": [plain_text.text(name) for name in item.sightings], "cut": item.cut, "fields": fields}
