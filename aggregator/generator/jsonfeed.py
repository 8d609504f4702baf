"""Render JSON Feed 1.1: all items, with attachments, and in ``_aggregator`` the source of each field.

https://www.jsonfeed.org/version/1.1/
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from aggregator.generator import json_text
from aggregator.generator.content import sanitize
from aggregator.generator.content.feed_channel import PAGE, FeedChannel
from aggregator.generator.content.feed_item import FeedItem
from aggregator.generator.content.passed_tags import Row, make_rows
from aggregator.generator.content.prepared import PreparedFeed
from aggregator.generator.json_text import without_empty
from aggregator.generator.kept import Document
from aggregator.generator.paging import FeedPage
from aggregator.model.item import Item
from aggregator.text import urls

NAME: Final = "feed.json"
_ELSEWHERE: Final = frozenset({"podcast:alternateEnclosure", "podcast:contentLink"})
_VERSION: Final = "https://jsonfeed.org/version/1.1"


def lay_out(feed: PreparedFeed, page: FeedPage) -> Document:
    """Return one page of the document."""
    channel, older = feed.channel, page.find_older(len(feed.items))
    document = {
        "version": _VERSION,
        "title": channel.title,
        "home_page_url": channel.link,
        "feed_url": channel.address(page.file_name(NAME)),
        "next_url": channel.address(older.file_name(NAME)) if older else None,
        "description": channel.description,
        "icon": channel.image,
        "authors": [{"name": channel.author or channel.title}],
        "language": channel.language,
        "expired": True if channel.complete else None,
        "hubs": [{"type": "WebSub", "url": hub} for hub in channel.hubs] if not page.number else None,
        "_aggregator": {"about": channel.address(PAGE), "podcast_guid": channel.guid},
    }
    return json_text.lay_out(without_empty(document) | {"items": []}, page.cut(range(len(feed.items))))


def render_items(feed: PreparedFeed, indices: Sequence[int]) -> list[bytes]:
    """Return these items as they stand in the document."""
    made = (_make_item(feed.source.items[index], feed.items[index], feed.channel) for index in indices)
    return list(map(json_text.indent_item, made))


def _make_item(item: Item, shown: FeedItem, channel: FeedChannel) -> dict[str, Any]:
    rows = make_rows([tag for tag in shown.tags if tag.name in _ELSEWHERE], "item")
    return without_empty(
        {
            "id": shown.guid,
            "url": shown.link,
            "title": shown.title,
            "content_html": shown.html or None,
            "content_text": None if shown.html else shown.placeholder,
            "summary": shown.short,
            "image": shown.image,
            "date_published": shown.published.isoformat() if shown.published else None,
            "date_modified": shown.updated.isoformat() if shown.updated else None,
            "authors": [{"name": shown.author}] if shown.author else None,
            "tags": list(shown.categories),
            "language": shown.language,
            "attachments": _make_attachments(shown, rows),
            "external_url": next((row[2]["href"] for row in rows if row[0] == "podcast:contentLink"), None),
            "_aggregator": _make_provenance(item, shown, channel),
        }
    )


def _make_attachments(shown: FeedItem, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the media file and others of the item, which have one title, as alternatives have."""
    if shown.media is None:
        return []
    attachment: dict[str, Any] = {"url": shown.media.url, "mime_type": shown.media.type}
    if shown.media.length:
        attachment["size_in_bytes"] = shown.media.length
    if shown.duration:
        attachment["duration_in_seconds"] = shown.duration
    others = []
    for _, _, known, children in rows:
        uri = next((child[2].get("uri") for child in children if child[0] == "podcast:source"), None)
        if uri and uri != shown.media.url and urls.is_web(uri):
            size = int(known.get("length") or 0)
            others.append(without_empty({"url": uri, "mime_type": known["type"], "size_in_bytes": size}))
    return [attachment, *others] if not others else [{**each, "title": shown.title} for each in (attachment, *others)]


def _make_provenance(item: Item, shown: FeedItem, channel: FeedChannel) -> dict[str, Any]:
    """Return which source gave each field; report.json has every repair too."""
    origin = channel.find_origin(shown.origin)
    fields = {
        known.field: {
            "source": sanitize.clean_source_name(known.source),
            "agreeing": [sanitize.clean_source_name(name) for name in known.agreeing],
            "confidence": round(known.confidence, 3),
        }
        for known in sorted(item.provenance, key=lambda known: known.field)
    }
    extension: dict[str, Any] = {"about": channel.address(PAGE), "genre": item.genre}
    if shown.duration:
        extension["duration_in_seconds"] = shown.duration
    pieces = {"part": item.part, "tag": item.tag, "prefix": item.prefix, "suffix": item.suffix}
    extension |= {
        name: sanitize.clean_text(piece) if isinstance(piece, str) else piece for name, piece in pieces.items() if piece
    }
    if origin:
        extension["source"] = {"name": sanitize.clean_line(origin[0]), "url": origin[1]}
    return extension | {
        "entries": [sanitize.clean_text(name) for name in item.entries],
        "cut": item.cut,
        "fields": fields,
    }
