"""Render Atom 1.0 (RFC 4287): all items, with enclosure links, ids that are IRIs, and each entry's source."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from feedgen.feed import FeedGenerator

from aggregator.generator.content import links
from aggregator.generator.content.feed_channel import FeedChannel
from aggregator.generator.content.feed_item import FeedItem, to_feed_time
from aggregator.generator.content.passed_tags import Row, make_rows
from aggregator.generator.content.prepared import PreparedFeed
from aggregator.generator.kept import Document
from aggregator.generator.paging import FeedPage
from aggregator.generator.podcast import add_entry, insert_items, new_feed, split_items

NAME: Final = "feed.atom"
_START: Final = b"  <entry>\n"
_END: Final = b"</feed>\n"


def lay_out(feed: PreparedFeed, page: FeedPage) -> Document:
    """Return one page of the document."""
    channel, indices = feed.channel, page.cut(range(len(feed.items)))
    part = [feed.items[index] for index in indices]
    home: Row = ("link", None, {"rel": "alternate", "type": "text/html", "href": channel.link}, ())
    paging = page.make_links(channel, NAME, len(feed.items))
    bare = tuple((name.removeprefix("atom:"), text, attributes, within) for name, text, attributes, within in paging)
    document = new_feed((home, *bare), ("fh",) if page.number else ())
    _set_required(document, channel, to_feed_time(page.updated_at(part, feed.source.updated)))
    document.author(name=channel.author or channel.title)
    document.subtitle(channel.description)
    if channel.language:
        document.language(channel.language)
    document.generator("aggregator")
    if channel.image:
        document.logo(channel.image)
    if channel.copyright:
        document.rights(channel.copyright)
    return insert_items(document.atom_str(pretty=True), _END, indices)


def render_items(feed: PreparedFeed, indices: Sequence[int]) -> list[bytes]:
    """Return these items as they stand in the document."""
    document = new_feed((), ())
    _set_required(document, feed.channel, to_feed_time(feed.source.updated))
    for index in indices:
        _add_entry(document, feed.items[index], feed.channel)
    return split_items(document.atom_str(pretty=True), _START, _END)


def _set_required(document: FeedGenerator, channel: FeedChannel, updated: datetime) -> None:
    """Set the elements that a feed must have (RFC 4287, section 4.1.1)."""
    document.id(f"urn:uuid:{channel.guid}")
    document.title(channel.title)
    document.updated(updated)


def _add_entry(document: FeedGenerator, item: FeedItem, channel: FeedChannel) -> None:
    entry = add_entry(document, _make_links(item) + _make_source(item, channel))
    entry.id(links.make_atom_id(item.guid, channel.guid))
    entry.title(item.title)
    entry.updated(item.changed)
    if item.published:
        entry.published(item.published)
    if item.author:
        entry.author(name=item.author)
    if item.html:
        entry.content(item.html, type="html")
        entry.summary(item.short, type="text")
    else:
        entry.content(item.placeholder, type="text")
    for category in item.categories:
        entry.category(term=category)


def _make_links(item: FeedItem) -> tuple[Row, ...]:
    rows: list[Row] = []
    if item.link:
        rows.append(("link", None, {"rel": "alternate", "type": "text/html", "href": item.link}, ()))
    if item.media:
        attributes = {
            "rel": "enclosure",
            "type": item.media.type,
            "length": str(item.media.length),
            "href": item.media.url,
        }
        rows.append(("link", None, attributes, ()))
    payment = [tag for tag in item.tags if tag.name == "atom:link"]
    return (*rows, *(("link", *row[1:]) for row in make_rows(payment, "item")))


def _make_source(item: FeedItem, channel: FeedChannel) -> tuple[Row, ...]:
    """Return where the entry came from; the time is the entry's own, because a source's would change at every poll."""
    origin = channel.find_origin(item.origin)
    if origin is None:
        return ()
    inside: tuple[Row, ...] = (
        ("id", origin[1], {}, ()),
        ("title", channel.title, {}, ()),
        ("updated", item.changed.isoformat(), {}, ()),
        ("link", None, {"rel": "self", "href": origin[1]}, ()),
    )
    return (("source", None, {}, inside),)
