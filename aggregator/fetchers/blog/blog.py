"""Blogs: posts from the blog's feed, or from a front page as HTML or as text.

A post is known by the path of its address, which outlives what changes its guid: the reference blog went from
WordPress to Hugo with other guids, another scheme and the same paths (`shared/knowledge/sources.md` 4).
"""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.fetchers.blog import front_page, front_page_text
from aggregator.fetchers.feeds import feed, jsonfeed
from aggregator.fetchers.parsing import document_type, enclosures
from aggregator.fetchers.parsing.decoding import decoded
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document
from aggregator.text.urls import canonical


def discover(document: Document) -> tuple[str, ...]:
    """The feeds that the page names, best first; none where the document is the feed itself."""
    return feed.discover(document)


def read(document: Document) -> Listing:
    """The posts; raises ``ReadError`` where the document is neither a feed nor a page with posts."""
    name = document.source.name
    listing: Listing | None = None
    match document_type.of(document):
        case "feed":
            listing = feed.read(document)
        case "json":
            listing = jsonfeed.read(document)
        case "html":
            listing = front_page.read(name, decoded(document), enclosures.base(document))
        case "text":
            listing = front_page_text.read(name, decoded(document))
    if listing is None:
        raise document_type.described(document, "a blog's feed or front page")
    return replace(listing, entries=tuple(_post(entry) for entry in listing.entries))


def _post(entry: Entry) -> Entry:
    """The entry as a post, known by the path of its address where that says more than the site."""
    path = canonical(entry.link).partition("://")[2].partition("/")[2] if entry.link else ""
    return replace(entry, genre="post", key=f"/{path}" if path else entry.key)
