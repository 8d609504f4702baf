"""Apple Podcasts, the directory: lookup and search answers, and the page of a show as HTML or as a text of it.

The key of an episode is Apple's own id in all of them, so that the lookup and the page of one show agree.
"""

from __future__ import annotations

import re

from aggregator.fetchers.apple import lookup, page, page_text
from aggregator.fetchers.parsing import decoding
from aggregator.model.entry import Listing
from aggregator.model.source import Document, Request, Source
from aggregator.translation.marks import N_

_LOOKUP = "https://itunes.apple.com/lookup?id={show}&country={store}&media=podcast&entity=podcastEpisode&limit=200"
_PAGE = "https://podcasts.apple.com/{store}/podcast/id{show}"
_ADDRESS = re.compile(
    r"https?://(?:podcasts|itunes)\.apple\.com/(?:(?P<store>[a-z]{2})/)?podcast/(?:[^/?#]+/)?id(?P<show>\d+)"
)

_DEFAULT_STORE = "us"  # the store with the most shows; option "country" names another


def locate(source: Source) -> tuple[Request, ...]:
    """Return the lookup of the show, then its page, which may list an episode that the lookup does not have yet.

    The show is named by its number or by the address of its page; any other address is asked as it is.
    """
    show, store = _find_show(source)
    if show is None:
        return (Request(source.url),) if source.url else ()
    store = dict(source.options).get("country") or store or _DEFAULT_STORE
    page_url = source.url or _PAGE.format(show=show, store=store)
    return (Request(_LOOKUP.format(show=show, store=store)), Request(page_url))


def read(document: Document) -> Listing:
    """Return the episodes of a document; ReadError if it is in none of Apple's formats."""
    text, name = decoding.decode(document), document.source.name
    show, _ = _find_show(document.source)
    listing: Listing | None = None
    match decoding.detect_type(document):
        case "json":
            value = decoding.load_json(text)
            listing = lookup.read(name, value, show) or page.read_catalogue(name, value, show)
        case "html":
            listing = page.read_page(name, text, show)
        case "text":
            listing = page_text.read(name, text)
    if listing is None:
        raise decoding.unexpected_type(document, N_("an Apple Podcasts page or lookup"))
    return listing


def _find_show(source: Source) -> tuple[str | None, str | None]:
    """Return the number of the show, and the store in the address of its page; each ``None`` if there is none."""
    named = _ADDRESS.match(source.url or "")
    show, store = (named["show"], named["store"]) if named else (None, None)
    return source.show or show, store
