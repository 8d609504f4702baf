"""Apple Podcasts, the directory: lookup and search answers, and the page of a show as HTML or as a text of it.

The key of an episode is Apple's own id in all of them, so that the lookup and the page of one show agree.
"""

from __future__ import annotations

import re

from aggregator.fetchers.apple import catalogue, lookup, page_text
from aggregator.fetchers.apple import page as apple_page
from aggregator.fetchers.parsing import document_type
from aggregator.fetchers.parsing.decoding import decoded
from aggregator.model.entry import Listing
from aggregator.model.source import Document, Request, Source

LOOKUP = "https://itunes.apple.com/lookup?id={show}&country={store}&media=podcast&entity=podcastEpisode&limit=200"
PAGE = "https://podcasts.apple.com/{store}/podcast/id{show}"
ADDRESS = re.compile(
    r"https?://(?:podcasts|itunes)\.apple\.com/(?:(?P<store>[a-z]{2})/)?podcast/(?:[^/?#]+/)?id(?P<show>\d+)"
)
DEFAULT_STORE = "us"  # the store with the most shows; option "country" names another


def locate(source: Source) -> tuple[Request, ...]:
    """Return the lookup of the show, then its page, which may list an episode that the lookup does not have yet.

    The show is named by its number or by the address of its page; any other address is asked as it is.
    """
    page = ADDRESS.match(source.url or "")
    show = source.show or (page["show"] if page else None)
    if show is None:
        return (Request(source.url),) if source.url else ()
    store = dict(source.options).get("country") or (page and page["store"]) or DEFAULT_STORE
    page_url = source.url or PAGE.format(show=show, store=store)
    return (Request(LOOKUP.format(show=show, store=store)), Request(page_url))


def read(document: Document) -> Listing:
    """The episodes that the document names; raises ``ReadError`` where it is none of Apple's."""
    text, name = decoded(document), document.source.name
    page = ADDRESS.match(document.source.url or "")
    show = document.source.show or (page["show"] if page else None)
    listing: Listing | None = None
    match document_type.of(document):
        case "json":
            value = document_type.loaded(text)
            listing = lookup.read(name, value, show) or catalogue.read(name, value, show)
        case "html":
            listing = apple_page.read(name, text, show)
        case "text":
            listing = page_text.read(name, text)
    if listing is None:
        raise document_type.described(document, "an Apple Podcasts page or lookup")
    return listing
