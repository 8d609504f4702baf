"""Blogs: posts from the blog's feed, or from a front page as HTML or as text.

A post is known by the path of its address, which outlives what changes its guid: the reference blog went from
WordPress to Hugo with other guids, another scheme and the same paths.
"""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.fetchers import discovery
from aggregator.fetchers.blog import front_page
from aggregator.fetchers.feeds import feed, jsonfeed
from aggregator.fetchers.parsing import decoding
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document
from aggregator.text.urls import canonical
from aggregator.translation.marks import N_

discover = discovery.find_feeds


def read(document: Document) -> Listing:
    """Return the posts; ReadError if the document is neither a feed nor a page with posts."""
    name = document.source.name
    listing: Listing | None = None
    match decoding.detect_type(document):
        case "feed":
            listing = feed.read(document)
        case "json":
            listing = jsonfeed.read(document)
        case "html":
            listing = front_page.read_html(document)
        case "text":
            listing = front_page.read_text(name, decoding.decode(document))
    if listing is None:
        raise decoding.unexpected_type(document, N_("a blog's feed or front page"))
    return replace(listing, entries=tuple(_make_post(entry) for entry in listing.entries))


def _make_post(entry: Entry) -> Entry:
    """Return the entry as a post, its key the path of its address if it has one."""
    path = canonical(entry.link).partition("://")[2].partition("/")[2] if entry.link else ""
    return replace(entry, genre="post", key=f"/{path}" if path else entry.key, element=None)
