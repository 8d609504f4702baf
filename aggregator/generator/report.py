"""Render report.json: the sources of each field, repairs, states of sources, and near misses.

It has no times of runs, so that the same store gives the same bytes. What sources give differently, and the evidence
that joins entries, are in the store alone (`aggregator explain`): they are most of an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aggregator.generator import json_text
from aggregator.generator.content import sanitize
from aggregator.generator.content.feed_channel import FeedChannel
from aggregator.generator.content.feed_item import FeedItem
from aggregator.generator.content.prepared import PreparedFeed
from aggregator.generator.json_text import without_empty
from aggregator.generator.kept import Document
from aggregator.generator.pages.wording import LACKS
from aggregator.model.cluster import Pair
from aggregator.model.entry import Note
from aggregator.model.feed import Feed, SourceResult
from aggregator.model.item import HeldItem, Item, LeftOut, Provenance
from aggregator.translation.marks import nN_

# Characters of a value; longer ones are cut.
_MAX_PASSAGE = 2000

_UNSIZED = nN_(
    "the size of %(count)s audio file is unknown; 0 is published",
    "the size of %(count)s audio files is unknown; 0 is published",
)


def lay_out(feed: PreparedFeed) -> Document:
    """Return the report."""
    source, channel = feed.source, feed.channel
    document = {
        "feed": channel.name,
        "title": channel.title,
        "podcast_guid": channel.guid,
        "updated": source.updated.isoformat(),
        "counts": _make_counts(feed),
        "sources": [
            _make_source(source_result, channel)
            for source_result in sorted(source.source_results, key=lambda one: one.source.name)
        ],
        "near_misses": [_make_pair(pair) for pair in source.near_misses],
        "held": [_make_unpublished(each) for each in source.held],
        "remarks": list_remarks(source, channel, sum(1 for item in feed.items if item.media and not item.media.length)),
        "items": [],
    }
    if source.left_out:
        document["left_out"] = [_make_unpublished(each) for each in source.left_out]
    return json_text.lay_out(document, range(len(feed.items)))


def render_items(feed: PreparedFeed, indices: Sequence[int]) -> list[bytes]:
    """Return these items as they stand in the report."""
    made = (_make_item(feed.source.items[index], feed.items[index], feed.channel) for index in indices)
    return list(map(json_text.indent_item, made))


def _make_counts(feed: PreparedFeed) -> dict[str, int]:
    items = feed.source.items
    return {
        "items": len(items),
        "episodes": sum(item.genre == "episode" for item in items),
        "playable": sum(item.playable for item in feed.items),
        "seen_by_several": sum(len(item.sources) > 1 for item in items),
        "cut": sum(item.cut for item in items),
        "repairs": sum(len(known.notes) for item in items for known in item.provenance),
        "near_misses": len(feed.source.near_misses),
        "held": len(feed.source.held),
    }


def _make_unpublished(each: HeldItem | LeftOut) -> dict[str, Any]:
    return without_empty(
        {
            "title": sanitize.clean_text(each.title),
            "entries": [sanitize.clean_text(name) for name in each.entries],
            "why": each.why,
            "until": each.until.isoformat() if isinstance(each, HeldItem) and each.until else None,
            "source": each.source if isinstance(each, LeftOut) else None,
            "published": each.published.at.isoformat() if each.published else None,
        }
    )


def _make_source(source_result: SourceResult, channel: FeedChannel) -> dict[str, Any]:
    source = source_result.source
    return without_empty(
        {
            "name": source.name,
            "kind": source.kind,
            "url": dict(channel.origins).get(source.name),
            "trust": source.trust,
            "state": source_result.status,
            "message": sanitize.clean_text(source_result.message),
            "entries": source_result.entries,
            "remarks": [sanitize.clean_text(remark) for remark in source_result.remarks],
        }
    )


def _make_item(item: Item, shown: FeedItem, channel: FeedChannel) -> dict[str, Any]:
    origin = channel.find_origin(shown.origin)
    return without_empty(
        {
            "guid": shown.guid,
            "title": shown.title,
            "published": shown.published.isoformat() if shown.published else None,
            "precision": item.published.precision if item.published else None,
            "genre": item.genre,
            "part": item.part,
            "tag": sanitize.clean_line(item.tag or ""),
            "prefix": sanitize.clean_text(item.prefix or "") or None,
            "suffix": sanitize.clean_text(item.suffix or "") or None,
            "origin": origin[0] if origin else item.origin,
            "cut": item.cut,
            "entries": [sanitize.clean_text(name) for name in item.entries],
            "fields": [_make_field(known) for known in item.provenance],
        }
    )


def _make_field(known: Provenance) -> dict[str, Any]:
    return without_empty(
        {
            "field": known.field,
            "source": sanitize.clean_source_name(known.source),
            "agreeing": [sanitize.clean_source_name(name) for name in known.agreeing],
            "confidence": round(known.confidence, 4),
            "repairs": [_make_repair(note) for note in known.notes],
        }
    )


def _make_repair(note: Note) -> dict[str, str]:
    return {
        "cause": sanitize.clean_source_name(note.cause),
        "before": sanitize.clean_passage(note.before, _MAX_PASSAGE),
        "after": sanitize.clean_passage(note.after, _MAX_PASSAGE),
    }


def _make_pair(pair: Pair) -> dict[str, Any]:
    return without_empty(
        {
            "left": sanitize.clean_text(pair.left),
            "right": sanitize.clean_text(pair.right),
            "weight": round(pair.weight, 3),
            "veto": pair.veto,
        }
    )


def list_remarks(feed: Feed, channel: FeedChannel, unsized: int) -> list[str]:
    """Return the remarks about a feed, and what it lacks because no source gives it: the size of ``unsized`` files."""
    given = (channel.image, channel.categories, channel.language, channel.author)
    found = [remark for remark, value in zip(LACKS, given, strict=True) if not value]
    if unsized:
        found.append(_UNSIZED[unsized > 1] % {"count": unsized})
    return [sanitize.clean_text(remark) for remark in (*feed.remarks, *found)]
