"""report.json: who said what, who won, what was repaired, what was silent, and what a person should look at.

It tells the state of the ledger, not the story of a run: no time of a run and no "new this time", so the same
ledger gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aggregator.generator.content import channel_tags, feed_channel, feed_item, plain_text
from aggregator.generator.content.feed_channel import Masthead
from aggregator.generator.content.feed_item import Leaf
from aggregator.generator.content.people import person
from aggregator.generator.jsontext import CLOSE, block, kept, separated
from aggregator.model.cluster import Pair
from aggregator.model.feed import Feed, Hearing
from aggregator.model.item import Dissent, Item, Provenance
from aggregator.model.sighting import Note

# Two of a kind may differ by a description of this length; what is longer is told by its beginning.
VALUE = 2000


def render(feed: Feed) -> bytes:
    """The report, as JSON that a person can read too."""
    return b"".join(stream(feed))


def stream(feed: Feed) -> Iterator[bytes]:
    """The report in pieces, one for each item."""
    head = feed_channel.of(feed)
    yield front(feed, head)
    for position, item in enumerate(feed.items):
        yield separated(position, written(item, feed_item.of(item), head))
    yield CLOSE


def front(feed: Feed, head: Masthead) -> bytes:
    """The report up to its first item: the show, the sources, what a person should look at."""
    said = {
        "feed": head.name,
        "title": head.title,
        "podcast_guid": head.guid,
        "updated": feed.updated.isoformat(),
        "counts": _counts(feed),
        "sources": [_hearing(hearing, head) for hearing in sorted(feed.hearings, key=lambda known: known.source.name)],
        "near_misses": [_pair(pair) for pair in feed.near_misses],
        "remarks": [plain_text.text(remark) for remark in (*feed.remarks, *_remarks(feed, head))],
    }
    return block(said, 0).removesuffix(b"\n}") + b',\n  "items": ['


def _counts(feed: Feed) -> dict[str, int]:
    return {
        "items": len(feed.items),
        "episodes": sum(item.genre == "episode" for item in feed.items),
        "playable": sum(feed_item.playable(item) for item in feed.items),
        "seen_by_several": sum(len(_sources(item)) > 1 for item in feed.items),
        "cut": sum(item.cut for item in feed.items),
        "repairs": sum(len(known.notes) for item in feed.items for known in item.provenance),
        "near_misses": len(feed.near_misses),
    }


def _sources(item: Item) -> set[str]:
    return {name.partition("/")[0] for name in item.sightings}


def _hearing(hearing: Hearing, head: Masthead) -> dict[str, Any]:
    source = hearing.source
    return kept(
        {
            "name": source.name,
            "kind": source.kind,
            "url": dict(head.origins).get(source.name),
            "trust": source.trust,
            "state": hearing.state,
            "message": plain_text.text(hearing.message),
            "sightings": hearing.sightings,
            "remarks": [plain_text.text(remark) for remark in hearing.remarks],
        }
    )


def written(item: Item, said: Leaf, head: Masthead) -> bytes:
    """One item of the report: the same item and masthead give the same bytes."""
    origin = channel_tags.origin(said, head)
    return block(
        kept(
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
                "sightings": [plain_text.text(name) for name in item.sightings],
                "fields": [_field(known) for known in item.provenance],
                "evidence": [_pair(pair) for pair in item.pairs],
            }
        ),
        4,
    )


def _field(known: Provenance) -> dict[str, Any]:
    return kept(
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
    return kept(
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


def _remarks(feed: Feed, head: Masthead) -> Sequence[str]:
    """What the output lacks because nobody gave it, in words."""
    missing = [
        name
        for name, value in (("artwork", head.image), ("an Apple category", head.categories), ("an author", head.author))
        if not value
    ]
    found = [f"nobody gave {name} for the show: directories ask for it" for name in missing]
    unsized = sum(1 for item in feed.items if (media := feed_item.media(item)) and not media.length)
    if unsized:
        found.append(f"nobody gave the length of {unsized} audio files: 0 is published")
    return found


def _value(value: str) -> str:
    return plain_text.line(value, VALUE)


def _passage(value: str) -> str:
    """What a repair met or left, as it stood: blanks may be all that differs."""
    return plain_text.passage(value, VALUE)
