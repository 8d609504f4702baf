"""Blogs: posts, from the blog's feed or from a front page as text."""

from __future__ import annotations

from aggregator.fetchers import blog_text, shape
from aggregator.fetchers.letters import decoded
from aggregator.model.sighting import Listing
from aggregator.model.source import Document, Source


def locate(source: Source) -> tuple[str, ...]:
    """The blog's own address."""
    return (source.url,) if source.url else ()


def read(document: Document) -> Listing:
    """The posts; raises ``ReadError`` where the document is neither a feed nor a front page."""
    listing = blog_text.read(document.source.name, decoded(document))
    if listing is None:
        raise shape.described(document, "a blog's feed or front page")
    return listing
