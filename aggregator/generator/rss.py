"""Render RSS 2.0 with the itunes and podcast namespaces: podcast.xml, to which apps subscribe, and feed.xml with all.

Rules: RSS 2.0 and the RSS Advisory Board's profile, PSP-1, Apple's requirements, and the podcast namespace; the table
is in docs/output.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from feedgen.feed import FeedGenerator
from msgspec.structs import replace

from aggregator.generator import chapters
from aggregator.generator.content.feed_channel import FeedChannel
from aggregator.generator.content.feed_item import FeedItem, to_feed_time
from aggregator.generator.content.passed_tags import Row, make_rows, make_text_rows
from aggregator.generator.content.prepared import PreparedFeed
from aggregator.generator.content.sanitize import escape_tags, shorten
from aggregator.generator.kept import Document
from aggregator.generator.paging import FeedPage
from aggregator.generator.podcast import add_entry, insert_items, new_feed, split_items
from aggregator.model.entry import Tag
from aggregator.text.fold import fold

_PREFIXES: Final = ("itunes", "podcast", "atom", "content")
_SELDOM: Final = ("media", "psc")
_START: Final = b"    <item>\n"
_END: Final = b"  </channel>\n"
_STYLESHEET: Final = "../feed.css"
"""One file in the output folder lets browsers show every feed as a page; feed readers ignore it."""


def lay_out(feed: PreparedFeed, page: FeedPage, *, episodes_only: bool = False) -> Document:
    """Return one page of podcast.xml (``episodes_only``: items with playable media) or of feed.xml (all)."""
    chosen = [index for index, item in enumerate(feed.items) if item.playable or not episodes_only]
    playable = all(feed.items[index].playable for index in chosen)
    channel = feed.channel if playable else replace(feed.channel, medium="blog")  # with posts it is no podcast
    indices = page.cut(chosen)
    part = [feed.items[index] for index in indices]
    links = page.make_links(channel, "podcast.xml" if episodes_only else "feed.xml", len(chosen))
    document = _make_document(channel, links, _list_prefixes(part, page))
    document.updated(to_feed_time(page.updated_at(part, feed.source.updated)))
    if part and part[0].published:
        document.pubDate(part[0].published)
    return insert_items(document.rss_str(pretty=True), _END, indices)


def render_items(feed: PreparedFeed, indices: Sequence[int]) -> list[bytes]:
    """Return these items as they stand in the document."""
    document = _make_document(feed.channel, (), (*_PREFIXES, *_SELDOM))
    for index in indices:
        _add_item(document, feed.items[index], feed.channel)
    return split_items(document.rss_str(pretty=True), _START, _END)


def _list_prefixes(part: Sequence[FeedItem], page: FeedPage) -> tuple[str, ...]:
    """Return the namespaces that the document declares: those that are seldom needed only where they are."""
    used = {tag.name.partition(":")[0] for item in part for tag in item.tags}
    return (*_PREFIXES, *(each for each in _SELDOM if each in used), *(("fh",) if page.number else ()))


def _make_document(channel: FeedChannel, links: tuple[Row, ...], prefixes: tuple[str, ...]) -> FeedGenerator:
    document = new_feed(links + _make_channel_rows(channel), prefixes, stylesheet=_STYLESHEET)
    document.title(channel.title)
    document.link(href=channel.link, rel="alternate")
    document.description(shorten(escape_tags(channel.description)))
    if channel.language:
        document.language(channel.language)
    document.generator("aggregator")
    if channel.copyright:
        document.copyright(channel.copyright)
    if channel.ttl:
        document.ttl(channel.ttl)
    if channel.image:
        document.image(url=channel.image, title=channel.title, link=channel.link)
    return document


def _make_channel_rows(channel: FeedChannel) -> tuple[Row, ...]:
    """Return the channel's rows after feedgen's own elements, in the order of the directories' documentation."""
    texts = make_text_rows(
        ("itunes:author", channel.author),
        ("itunes:explicit", "true" if channel.explicit else "false"),
        ("itunes:type", channel.type),
        ("itunes:complete", "Yes" if channel.complete else None),
        ("itunes:block", "Yes" if channel.block else None),
        ("itunes:new-feed-url", channel.new_feed_url),
    )
    shown = _make_image(channel.image) + _make_owner(channel) + _make_categories(channel)
    return texts + shown + make_rows(_make_channel_tags(channel), "channel")


def _make_image(address: str | None) -> tuple[Row, ...]:
    return (("itunes:image", None, {"href": address}, ()),) if address else ()


def _make_owner(channel: FeedChannel) -> tuple[Row, ...]:
    """Return the owner from the config; addresses of sources are never published."""
    if not channel.owner_email:
        return ()
    name: Row = ("itunes:name", channel.author or channel.title, {}, ())
    return (("itunes:owner", None, {}, (name, ("itunes:email", channel.owner_email, {}, ()))),)


def _make_categories(channel: FeedChannel) -> tuple[Row, ...]:
    """Return each top category once, with its subcategories in it."""
    tops: dict[str, list[str]] = {}
    for top, *subs in channel.categories:
        tops.setdefault(top, []).extend(subs)
    return tuple(
        ("itunes:category", None, {"text": top}, tuple(("itunes:category", None, {"text": sub}, ()) for sub in subs))
        for top, subs in tops.items()
    )


def _make_channel_tags(channel: FeedChannel) -> tuple[Tag, ...]:
    """Return our own elements first, so that a source's copy of a single element is dropped."""
    owner = (("owner", channel.owner_email),) if channel.owner_email else ()
    own = [
        Tag("podcast:guid", channel.guid),
        Tag("podcast:locked", "yes" if channel.locked else "no", owner),
        Tag("podcast:medium", channel.medium),
    ]
    if channel.block:
        own.append(Tag("podcast:block", "yes"))
    if channel.license:
        text, address = channel.license
        own.append(Tag("podcast:license", text, (("url", address),) if address else ()))
    return (*own, *(tag if channel.passes_value else _remove_value(tag) for tag in channel.tags))


def _remove_value(tag: Tag) -> Tag:
    """Return a live item without payment addresses."""
    children = tuple(child for child in tag.children if child.name != "podcast:value")
    return tag if children == tag.children else replace(tag, children=children)


def _add_item(document: FeedGenerator, item: FeedItem, channel: FeedChannel) -> None:
    entry = add_entry(document, _make_item_rows(item, channel))
    entry.title(item.title)
    entry.guid(item.guid, permalink=False)
    if item.link:
        entry.link(href=item.link, rel="alternate")
    if item.html:
        entry.content(item.html, type="html")
        entry.summary(shorten(escape_tags(item.short)) or item.placeholder, type="text")
    for category in item.categories:
        entry.category(term=category)
    if item.media:
        entry.enclosure(item.media.url, item.media.length, item.media.type)
    if item.published:
        entry.published(item.published)
    if origin := channel.find_origin(item.origin):
        entry.source(origin[1], channel.title)


def _make_item_rows(item: FeedItem, channel: FeedChannel) -> tuple[Row, ...]:
    """Return the elements that feedgen does not write."""
    explicit = channel.explicit if item.explicit is None else item.explicit
    texts = make_text_rows(
        ("itunes:duration", str(item.duration) if item.duration else None),
        ("itunes:explicit", "true" if explicit else "false"),
        ("itunes:author", item.author),
        ("itunes:season", str(item.season) if item.season else None),
        ("itunes:episode", str(item.episode) if item.episode else None),
        ("itunes:episodeType", item.episode_type),
    )
    return texts + _make_image(item.image) + make_rows(_make_numbers(item) + _make_tags(item, channel), "item")


def _make_numbers(item: FeedItem) -> tuple[Tag, ...]:
    """Return podcast:season with the season's name and podcast:episode with the displayed number."""
    given = {tag.name: dict(tag.attributes) for tag in item.tags}
    found: list[Tag] = []
    if item.season:
        name = given.get("podcast:season", {}).get("name")
        found.append(Tag("podcast:season", str(item.season), (("name", name),) if name else ()))
    if item.episode:
        display = item.number or given.get("podcast:episode", {}).get("display")
        found.append(Tag("podcast:episode", str(item.episode), (("display", display),) if display else ()))
    return tuple(found)


def _make_tags(item: FeedItem, channel: FeedChannel) -> tuple[Tag, ...]:
    """Return the elements of sources and the chapters file; persons replace the show's, so hosts are named again."""
    own = tuple(tag for tag in item.tags if _is_published(tag, item, channel))
    if chapters.find_chapters(own):
        address = channel.address(chapters.name_file(item.guid))
        own = (*own, Tag("podcast:chapters", None, (("url", address), ("type", chapters.TYPE))))
    named = {(tag.text or "").strip().lower() for tag in own if tag.name == "podcast:person"}
    if not named:
        return own
    hosts = (
        tag
        for tag in channel.tags
        if tag.name == "podcast:person" and dict(tag.attributes).get("role", "host").lower() == "host"
    )
    return own + tuple(host for host in hosts if (host.text or "").strip().lower() not in named)


def _is_published(tag: Tag, item: FeedItem, channel: FeedChannel) -> bool:
    """Return whether an element of a source is published; some are generated, and a second title must be the first's.

    A title that was repaired, or that a person has changed, is not contradicted by the short one of Apple.
    """
    if tag.name == "itunes:title":
        return f" {fold(tag.text or '')} " in f" {fold(item.title)} "
    if tag.name == "podcast:value":
        return channel.passes_value
    return tag.name not in {"podcast:season", "podcast:episode"}
