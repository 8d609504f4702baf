"""Find the differences between two publications of a feed.

An item as it is in feed.xml has every field that subscribers see. The entries of items show that two became one or one
became two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Final

from lxml import etree
from msgspec.structs import replace

from aggregator.generator import rss
from aggregator.generator.changes.feed_state import FeedState, FieldChange, ItemState, StateChanges, find_changes
from aggregator.generator.content.prepared import prepare
from aggregator.generator.paging import FeedPage
from aggregator.generator.podcast import NAMESPACES, Node, format_name
from aggregator.model.feed import Feed
from aggregator.text.html import to_text

_NAMES: Mapping[str, str] = {
    "pubDate": "date",
    "content:encoded": "text",
    "description": "summary",
    "enclosure": "audio",
    "guid": "guid",
    "category": "categories",
    "source": "credit",
    "itunes:author": "author",
    "itunes:category": "categories",
    "itunes:duration": "length",
    "itunes:episode": "episode number",
    "itunes:episodeType": "kind of episode",
    "itunes:explicit": "explicit mark",
    "itunes:image": "picture",
    "itunes:season": "season",
    "itunes:type": "kind of show",
    "itunes:complete": "end mark",
}
"""Everyday names of elements, those of the changes page; any other element has its own name."""

_DERIVED = frozenset({"lastBuildDate", "generator", "docs", "image", "item", "fh:archive", "guid"})
"""Elements that say nothing of their own: they follow from others or are always the same."""


_HEAD: Final = "".join(("<rss", *(f' xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items()), ">")).encode()
_TAIL: Final = b"</rss>"


def describe_feed(feed: Feed, rendered: Mapping[str, bytes]) -> FeedState:
    """Return what is compared of a feed; ``rendered`` are its items as they stand in feed.xml, by guid, if known."""
    prepared = prepare(feed)
    missing = [index for index, item in enumerate(feed.items) if item.guid not in rendered]
    made = zip(missing, rss.render_items(prepared, missing) if missing else (), strict=True)
    texts = {**rendered, **{feed.items[index].guid: text for index, text in made}}
    items: dict[str, ItemState] = {}
    for item, shown in zip(feed.items, prepared.items, strict=True):
        node = etree.fromstring(_HEAD + texts[item.guid] + _TAIL)[0]
        fields = _read_fields(node) | ({"language": shown.language} if shown.language else {})
        fields["listed by"] = ", ".join(item.sources)
        items[shown.guid] = ItemState(shown.guid, node.findtext("title") or "", item.genre, fields, item.entries)
    without_items = b"".join(part for part in rss.lay_out(prepared, FeedPage()) if isinstance(part, bytes))
    sources = {each.source.name: f"{each.source.kind}, {each.status}" for each in feed.source_results}
    return FeedState(_read_fields(etree.fromstring(without_items)[0]), items, dict(sorted(sources.items())))


def _read_fields(parent: Node) -> dict[str, str]:
    """Return the children of an element as text, by name; several of one name in one value."""
    found: dict[str, list[str]] = {}
    for child in parent:
        for name, value in _read_element(child, item=parent.tag == "item"):
            found.setdefault(name, []).append(value)
    return {name: ", ".join(dict.fromkeys(values)) for name, values in found.items()}


def _read_element(node: Node, *, item: bool) -> Iterator[tuple[str, str]]:
    name = format_name(node)
    if name in _DERIVED or (name == "pubDate" and not item):
        return
    if name == "atom:link":
        if node.get("rel") in {"self", "hub"}:
            yield ("address" if node.get("rel") == "self" else "hub"), node.get("href", "")
    elif name == "enclosure":
        yield "audio", node.get("url", "")
        yield "audio type", node.get("type", "")
        if node.get("length") != "0":
            yield "audio size", node.get("length", "")
    elif name == "pubDate":
        yield "date", parsedate_to_datetime(node.text or "").isoformat()
    else:
        yield ("description" if name == "description" and not item else _NAMES.get(name, name)), _flatten(node)


def _flatten(node: Node) -> str:
    """Return an element's text, attributes and children as one text."""
    own = [node.text or "", *(str(value) for name, value in sorted(node.attrib.items()) if name != "isPermaLink")]
    return " ".join(piece for piece in (*own, *map(_flatten, node)) if piece.strip())


def find_difference(before: FeedState, after: FeedState) -> StateChanges:
    """Return what differs between two publications of one feed; of a first publication only its items."""
    found = find_changes(before, after)
    merged = _find_moved(found.removed, after.items.values())
    parted = _find_moved(found.added, [item for guid, item in before.items.items() if guid in after.items])
    return replace(
        found,
        added=tuple(item for item in found.added if item.guid not in parted),
        removed=tuple(item for item in found.removed if item.guid not in merged),
        merged=tuple(merged.values()),
        parted=tuple(parted.values()),
        changed=tuple(replace(each, fields=fields) for each in found.changed if (fields := _simplify(each.fields))),
    )


def _find_moved(items: Iterable[ItemState], others: Iterable[ItemState]) -> dict[str, tuple[ItemState, ItemState]]:
    """Return the items that share an entry with one of the others, each with that one, by guid."""
    home = {entry: item for item in others for entry in item.entries}
    found = ((item, next((home[entry] for entry in item.entries if entry in home), None)) for item in items)
    return {item.guid: (item, other) for item, other in found if other is not None and other is not item}


def _simplify(fields: Sequence[FieldChange]) -> tuple[FieldChange, ...]:
    """Return the fields with texts as plain text, and without the summary that is made of a text that changed."""
    names = {each.field for each in fields}
    return tuple(_to_plain_text(each) for each in fields if each.field != "summary" or "text" not in names)


def _to_plain_text(change: FieldChange) -> FieldChange:
    if change.field != "text" or change.before is None or change.after is None:
        return change
    before, after = to_text(change.before), to_text(change.after)
    same = re.sub(r"\s+", " ", before) == re.sub(r"\s+", " ", after)
    return FieldChange("markup", change.before, change.after) if same else FieldChange("text", before, after)
