"""report.json: who said what, who won, what was repaired, what was silent, and what a person should look at.

It tells the state of the store, not the story of a run: no time of a run and no "new this time", so the same
store gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aggregator.generator.content import channel_tags, plain_text
from aggregator.generator.content.feed_channel import FeedChannel
from aggregator.generator.content.feed_item import FeedItem
from aggregator.generator.content.people import person
from aggregator.generator.content.prepared import PreparedFeed
from aggregator.generator.jsontext import without_empty, write
from aggregator.model.cluster import Pair
from aggregator.model.entry import Note
from aggregator.model.feed import SourceResult
from aggregator.model.item import Dissent, HeldItem, Item, Provenance

# Two of a kind may differ by a description of this length; what is longer is told by its beginning.
VALUE = 2000


def render(feed: PreparedFeed) -> bytes:
    """Return the report."""
    source, channel = feed.source, feed.channel
    document = {
        "feed": channel.name,
        "title": channel.title,
        "podcast_guid": channel.guid,
        "updated": feed.updated.isoformat(),
        "counts": _counts(feed),
        "sources": [
            _source_result(source_result, channel)
            for source_result in sorted(source.source_results, key=lambda one: one.source.name)
        ],
        "near_misses": [_pair(pair) for pair in source.near_misses],
        "held": [_held(each) for each in source.held],
        "remarks": [plain_text.text(remark) for remark in (*source.remarks, *_remarks(feed))],
        "items": [_item(item, said, channel) for item, said in zip(source.items, feed.items, strict=True)],
    }
    return write(document)


def _counts(feed: PreparedFeed) -> dict[str, int]:
    items = feed.source.items
    return {
        "items": len(items),
        "episodes": sum(item.genre == "episode" for item in items),
        "playable": sum(item.playable for item in feed.items),
        "seen_by_several": sum(len(_sources(item)) > 1 for item in items),
        "cut": sum(item.cut for item in items),
        "repairs": sum(len(known.notes) for item in items for known in item.provenance),
        "near_misses": len(feed.source.near_misses),
        "held": len(feed.source.held),
    }


def _sources(item: Item) -> set[str]:
    return {name.partition("/")[0] for name in item.entries}


def _held(each: HeldItem) -> dict[str, Any]:
    return without_empty(
        {
            "title": plain_text.text(each.title),
            "entries": [plain_text.text(name) for name in each.entries],
            "why": each.why,
            "until": each.until.isoformat() if each.until else None,
            "published": each.published.at.isoformat() if each.published else None,
        }
    )


def _source_result(source_result: SourceResult, channel: FeedChannel) -> dict[str, Any]:
    source = source_result.source
    return without_empty(
        {
            "name": source.name,
            "kind": source.kind,
            "url": dict(channel.origins).get(source.name),
            "trust": source.trust,
            "state": source_result.state,
            "message": plain_text.text(source_result.message),
            "entries": source_result.entries,
            "remarks": [plain_text.text(remark) for remark in source_result.remarks],
        }
    )


def _item(item: Item, said: FeedItem, channel: FeedChannel) -> dict[str, Any]:
    """Return one item of the report."""
    origin = channel_tags.origin(said, channel)
    return without_empty(
        {
            "guid": said.guid,
            "title": said.title,
            "published": said.published.isoformat() if said.published else None,
            "precision": item.published.precision if item.published else None,
            "genre": item.genre,
            "part": item.part,
            "tag": plain_text.line(item.tag or ""),
            "prefix": plain_text.text(item.prefix or "") or None,
            "suffix": plain_text.text(item.suffix or "") or None,
            "origin": origin[0] if origin else item.origin,
            "cut": item.cut,
            "entries": [plain_text.text(name) for name in item.entries],
            "fields": [_field(known) for known in item.provenance],
            "evidence": [_pair(pair) for pair in item.pairs],
        }
    )


def _field(known: Provenance) -> dict[str, Any]:
    return without_empty(
        {
            "field": known.field,
            "witness": plain_text.called(known.witness),
            "agreeing": [plain_text.called(name) for name in known.agreeing],
            "dissent": [
                {"source": plain_text.called(other.source), "value": _said(known, other)} for other in known.dissent
            ],
            "confidence": round(known.confidence, 4),
            "repairs": [_note(note) for note in known.notes],
        }
    )


def _said(known: Provenance, other: Dissent) -> str:
    """What a source said otherwise; of authors the name alone."""
    return (person(other.value) or "") if known.field == "author" else _value(other.value)


def _note(note: Note) -> dict[str, str]:
    return {"cause": plain_text.called(note.cause), "before": _passage(note.before), "after": _passage(note.after)}


def _pair(pair: Pair) -> dict[str, Any]:
    return without_empty(
        {
            "left": plain_text.text(pair.left),
            "right": plain_text.text(pair.right),
            "weight": round(pair.weight, 3),
            "veto": pair.veto,
            "evidence": [
                {
                    "name": one.name,
                    "level": one.level,
                    "left": _value(one.left),
                    "right": _value(one.right),
                    "weight": round(one.weight, 3),
                }
                for one in pair.evidence
            ],
        }
    )


def _remarks(feed: PreparedFeed) -> Sequence[str]:
    """What the output lacks because nobody gave it, in words."""
    channel = feed.channel
    missing = [
        name
        for name, value in (
            ("artwork", channel.image),
            ("an Apple category", channel.categories),
            ("an author", channel.author),
        )
        if not value
    ]
    found = [f"nobody gave {name} for the show: directories ask for it" for name in missing]
    unsized = sum(1 for item in feed.items if item.media and not item.media.length)
    if unsized:
        found.append(f"nobody gave the length of {unsized} audio files: 0 is published")
    return found


def _value(value: str) -> str:
    return plain_text.line(value, VALUE)


def _passage(value: str) -> str:
    """What a repair met or left, as it stood: blanks may be all that differs."""
    return plain_text.passage(value, VALUE)
