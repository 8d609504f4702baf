"""Blogs: posts from the blog's feed, or from a front page as HTML or as text.

A post is known by the path of its address, which outlives what changes its guid: the reference blog went from
WordPress to Hugo with other guids, another scheme and the same paths (`shared/knowledge/sources.md` 4).
"""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.fetchers import blog_page, blog_text, feed, jsonfeed, media, shape
from aggregator.fetchers.letters import decoded
from aggregator.model.sighting import Listing, Sighting
from aggregator.model.source import Document, Source
from aggregator.text.urls import canonical


def locate(source: Source) -> tuple[str, ...]:
    """The address of the blog's feed, or of a page of it."""
    return (source.url,) if source.url else ()


def discover(document: Document) -> tuple[str, ...]:
    """The feeds that the page names, best first; none where the document is the feed itself."""
    return feed.discover(document)


def read(document: Document) -> Listing:
    """The posts; raises ``ReadError`` where the document is neither a feed nor a page with posts."""
    name = document.source.name
    listing: Listing | None = None
    match shape.of(document):
        case "feed":
            listing = feed.read(document)
        case "json":
            listing = jsonfeed.read(document)
        case "html":
            listing = blog_page.read(name, decoded(document), media.base(document))
        case "text":
            listing = blog_text.read(name, decoded(document))
    if listing is None:
        raise shape.described(document, "a blog's feed or front page")
    return replace(listing, sightings=tuple(_post(sighting) for sighting in listing.sightings))


def _post(sighting: Sighting) -> Sighting:
    """The sighting as a post, known by the path of its address where that says more than the site."""
    path = canonical(sighting.link).partition("://")[2].partition("/")[2] if sighting.link else ""
    return replace(sighting, genre="post", key=f"/{path}" if path else sighting.key)
