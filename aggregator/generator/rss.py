"""RSS 2.0 with the itunes and podcast namespaces: podcast.xml, which apps subscribe to, and feed.xml with everything.

An item's bytes depend on the item and the masthead alone, so they can be kept and put together again: ``render``
is ``assemble(head, entries)``, byte for byte what one cold run of feedgen gives. Rules: RSS 2.0 and the RSS Advisory
Board's profile, PSP-1, Apple's requirements, and the podcast namespace; the table is in docs/output.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from aggregator.generator import podcast
from aggregator.generator.content import channel_tags, feed_channel, feed_item
from aggregator.generator.content.feed_channel import Masthead
from aggregator.generator.content.feed_item import Leaf
from aggregator.generator.content.podcast_tags import Row, rows
from aggregator.generator.paging import WHOLE, Sheet
from aggregator.generator.podcast import Entry, moment, new_entry, new_feed
from aggregator.model.feed import Feed
from aggregator.model.item import Item
from aggregator.model.sighting import Tag

PREFIXES: Final = ("itunes", "podcast", "atom", "content")
DECLARATION: Final = b'<?xml version="1.0" encoding="UTF-8"?>\n'
# A browser that is given the file itself shows it as a page; readers pass over it. The style lies above all feeds.
OPENING: Final = DECLARATION + b'<?xml-stylesheet type="text/css" href="../feed.css"?>\n'
CLOSE: Final = b"  </channel>\n</rss>\n"


def render(feed: Feed, *, episodes_only: bool, sheet: Sheet = WHOLE) -> bytes:
    """The document: the episodes that have audio, or everything; the sheet says which part of it."""
    return b"".join(stream(feed, episodes_only=episodes_only, sheet=sheet))


def stream(feed: Feed, *, episodes_only: bool, sheet: Sheet = WHOLE) -> Iterator[bytes]:
    """The document in pieces, one for each item, so that no more than one is held at a time."""
    head = feed_channel.of(feed)
    chosen = [item for item in feed.items if not episodes_only or feed_item.playable(item)]
    head = titled(head, heard=all(map(feed_item.playable, chosen)))
    part = sheet.cut(chosen)
    name = "podcast.xml" if episodes_only else "feed.xml"
    head_bytes = opening(feed, head, part, sheet.links(head, name, len(chosen)), sheet)
    return pieces(head_bytes, (entry(item, head) for item in part))


def assemble(head: bytes, entries: Iterable[bytes]) -> bytes:
    """A whole document of a front and its items, already written."""
    return b"".join(pieces(head, entries))


def pieces(head: bytes, entries: Iterable[bytes]) -> Iterator[bytes]:
    """The document's pieces in order."""
    yield head
    yield from entries
    yield CLOSE


def titled(head: Masthead, *, heard: bool) -> Masthead:
    """The masthead of this document: one with items that are not heard is no podcast, so its medium is a blog's."""
    return head if heard else replace(head, medium="blog")


def opening(feed: Feed, head: Masthead, part: Sequence[Item], links: tuple[Row, ...], sheet: Sheet) -> bytes:
    """The document up to its first item, dated by what this page shows."""
    newest = part[0].published.at if part and part[0].published else None
    return front(head, links, (newest, sheet.dated(part, feed.updated)))


def front(head: Masthead, links: tuple[Row, ...], dates: tuple[datetime | None, datetime]) -> bytes:
    """The document up to its first item; ``dates`` are the newest item's and the newest change's."""
    archived = any(row[0] == "fh:archive" for row in links)
    feed = new_feed(links + channel_tags.rows_of(head), (*PREFIXES, "fh") if archived else PREFIXES)
    feed.title(head.title)
    feed.link(href=head.link, rel="alternate")
    feed.description(head.description)
    feed.language(head.language)
    feed.generator("aggregator")
    feed.updated(moment(dates[1]))
    if dates[0]:
        feed.pubDate(moment(dates[0]))
    if head.copyright:
        feed.copyright(head.copyright)
    if head.ttl:
        feed.ttl(head.ttl)
    if head.image:
        feed.image(url=head.image, title=head.title, link=head.link)
    written: bytes = feed.rss_str(pretty=True)
    return OPENING + written.partition(b"?>\n")[2].removesuffix(CLOSE)


def entry(item: Item, head: Masthead) -> bytes:
    """One ``<item>``, as it stands in the document; the same item and masthead give the same bytes."""
    return written(feed_item.of(item), head)


def written(said: Leaf, head: Masthead) -> bytes:
    """The same of a leaf already made."""
    return podcast.written(_made(said, head).rss_entry(), ("rss", "channel"), PREFIXES)


def _made(said: Leaf, head: Masthead) -> Entry:
    made = new_entry(_rows(said, head))
    made.title(said.title)
    made.guid(said.guid, permalink=False)
    if said.link:
        made.link(href=said.link, rel="alternate")
    if said.html:
        made.content(said.html, type="html")
        made.summary(said.short, type="text")
    for category in said.categories:
        made.category(term=category)
    if said.media:
        made.enclosure(said.media.url, said.media.length, said.media.type)
    if said.published:
        made.published(said.published)
    if origin := channel_tags.origin(said, head):
        made.source(origin[1], head.title)
    return made


def _rows(said: Leaf, head: Masthead) -> tuple[Row, ...]:
    """What feedgen has no element for."""
    explicit = head.explicit if said.explicit is None else said.explicit
    plain: tuple[tuple[str, str | None], ...] = (
        ("itunes:duration", str(said.duration) if said.duration else None),
        ("itunes:explicit", "true" if explicit else "false"),
        ("itunes:author", said.author),
        ("itunes:season", str(said.season) if said.season else None),
        ("itunes:episode", str(said.episode) if said.episode else None),
        ("itunes:episodeType", said.episode_type),
    )
    picture: tuple[Row, ...] = (("itunes:image", None, {"href": said.image}, ()),) if said.image else ()
    spoken: tuple[Row, ...] = tuple((name, value, {}, ()) for name, value in plain if value)
    return spoken + picture + rows(_numbers(said) + _tags(said, head), "item")


def _numbers(said: Leaf) -> tuple[Tag, ...]:
    """Season and episode by the podcast namespace: the season's name and the displayed number beside the number."""
    given = {tag.name: dict(tag.attributes) for tag in said.tags}
    found: list[Tag] = []
    if said.season:
        name = given.get("podcast:season", {}).get("name")
        found.append(Tag("podcast:season", str(said.season), (("name", name),) if name else ()))
    if said.episode:
        display = said.number or given.get("podcast:episode", {}).get("display")
        found.append(Tag("podcast:episode", str(said.episode), (("display", display),) if display else ()))
    return tuple(found)


def _tags(said: Leaf, head: Masthead) -> tuple[Tag, ...]:
    """The sources' own elements; persons of an item replace the show's, so the hosts are named again."""
    own = tuple(tag for tag in said.tags if tag.name not in {"podcast:season", "podcast:episode"})
    named = {(tag.text or "").strip().lower() for tag in own if tag.name == "podcast:person"}
    if not named:
        return own
    hosts = (
        tag
        for tag in head.tags
        if tag.name == "podcast:person" and dict(tag.attributes).get("role", "host").lower() == "host"
    )
    return own + tuple(host for host in hosts if (host.text or "").strip().lower() not in named)
