"""Atom 1.0 (RFC 4287): everything, with real enclosure links, ids that are IRIs, and each entry's source."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from aggregator.generator import podcast
from aggregator.generator.content import channel_tags, feed_channel, feed_item, ids
from aggregator.generator.content.feed_channel import Masthead
from aggregator.generator.content.feed_item import Leaf
from aggregator.generator.content.podcast_tags import Row
from aggregator.generator.paging import WHOLE, Sheet
from aggregator.generator.podcast import Node, moment, new_entry, new_feed
from aggregator.generator.rss import DECLARATION
from aggregator.model.feed import Feed
from aggregator.model.item import Item

NAME: Final = "feed.atom"
CLOSE: Final = b"</feed>\n"


def render(feed: Feed, *, sheet: Sheet = WHOLE) -> bytes:
    """The document; the sheet says which part of it."""
    return b"".join(stream(feed, sheet=sheet))


def stream(feed: Feed, *, sheet: Sheet = WHOLE) -> Iterator[bytes]:
    """The document in pieces, one for each entry."""
    head = feed_channel.of(feed)
    part = sheet.cut(feed.items)
    yield front(head, sheet.links(head, NAME, len(feed.items)), sheet.dated(part, feed.updated))
    for item in part:
        yield entry(item, head)
    yield CLOSE


def front(head: Masthead, links: tuple[Row, ...], updated: datetime) -> bytes:
    """The document up to its first entry."""
    page: Row = ("link", None, {"rel": "alternate", "type": "text/html", "href": head.link}, ())
    bare = tuple((name.removeprefix("atom:"), text, attributes, rows) for name, text, attributes, rows in links)
    feed = new_feed((page, *bare), ("fh",) if any(row[0] == "fh:archive" for row in bare) else ())
    feed.id(f"urn:uuid:{head.guid}")
    feed.title(head.title)
    feed.updated(moment(updated))
    feed.author(name=head.author or head.title)
    feed.subtitle(head.description)
    feed.language(head.language)
    feed.generator("aggregator")
    if head.image:
        feed.logo(head.image)
    if head.copyright:
        feed.rights(head.copyright)
    written: bytes = feed.atom_str(pretty=True)
    return DECLARATION + written.partition(b"?>\n")[2].removesuffix(CLOSE)


def entry(item: Item, head: Masthead) -> bytes:
    """One ``<entry>``, as it stands in the document; the same item and masthead give the same bytes."""
    return written(feed_item.of(item), head)


def written(said: Leaf, head: Masthead) -> bytes:
    """The same of a leaf already made."""
    return podcast.written(_element(said, head), ("feed",), ())


def _element(said: Leaf, head: Masthead) -> Node:
    made = new_entry(_links(said) + _source(said, head))
    made.id(ids.atom(said.guid, head.guid))
    made.title(said.title)
    made.updated(said.changed)
    if said.published:
        made.published(said.published)
    if said.author:
        made.author(name=said.author)
    if said.html:
        made.content(said.html, type="html")
        made.summary(said.short, type="text")
    else:
        made.content(said.placeholder, type="text")
    for category in said.categories:
        made.category(term=category)
    element: Node = made.atom_entry()
    return element


def _links(said: Leaf) -> tuple[Row, ...]:
    rows: list[Row] = []
    if said.link:
        rows.append(("link", None, {"rel": "alternate", "type": "text/html", "href": said.link}, ()))
    if said.media:
        attributes = {
            "rel": "enclosure",
            "type": said.media.type,
            "length": str(said.media.length),
            "href": said.media.url,
        }
        rows.append(("link", None, attributes, ()))
    return tuple(rows)


def _source(said: Leaf, head: Masthead) -> tuple[Row, ...]:
    """Where the entry came from; the time is the entry's own, for a source's clock would move every poll."""
    found = channel_tags.origin(said, head)
    if found is None:
        return ()
    inside: tuple[Row, ...] = (
        ("id", found[1], {}, ()),
        ("title", head.title, {}, ()),
        ("updated", said.changed.isoformat(), {}, ()),
        ("link", None, {"rel": "self", "href": found[1]}, ()),
    )
    return (("source", None, {}, inside),)
