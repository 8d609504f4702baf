"""Rules for a feed served over HTTP; a local file breaks none of them."""

from __future__ import annotations

from collections.abc import Iterator

from aggregator.generator.podcast import make_tag
from aggregator.validator import artwork
from aggregator.validator.document import FeedDocument, Kind
from aggregator.validator.rule import Checklist, Fault

RULES = Checklist()
# The registered type of each format first, then those that apps take for it too.
_TYPES: dict[Kind, tuple[str, ...]] = {
    "rss": ("application/rss+xml", "application/xml", "text/xml"),
    "atom": ("application/atom+xml", "application/xml", "text/xml"),
    "json": ("application/feed+json", "application/json"),
    "opml": ("text/x-opml", "application/xml", "text/xml", "text/x-opml+xml"),
}


@RULES.add("served-place", "M", "rel=self and feed_url are where the feed is served", "PSP-1; W3C")
def _check_address(document: FeedDocument) -> Iterator[Fault]:
    for text in _list_own_urls(document):
        if document.served and text != document.served.address:
            yield "document", f"names {text} as its URL, but was served at {document.served.address}"


def _list_own_urls(document: FeedDocument) -> list[str]:
    if document.kind == "json":
        text = document.data.get("feed_url")
        return [text] if isinstance(text, str) else []
    top = document.root if document.kind == "atom" else document.channel
    links = [] if top is None else top.iterfind(make_tag("atom:link"))
    return [link.get("href") or "" for link in links if link.get("rel") == "self"]


@RULES.add("served-type", "M", "Served as a type that apps take for a feed", "RFC 9110; field")
def _check_type(document: FeedDocument) -> Iterator[Fault]:
    if document.served and document.kind in _TYPES and document.served.media_type not in _TYPES[document.kind]:
        yield "document", f"is served as {document.served.media_type}, not as {_TYPES[document.kind][0]}"


@RULES.add("served-own-type", "S", "Served as the format's own type", "RFC 4287; JSON Feed 1.1; field")
def _check_own_type(document: FeedDocument) -> Iterator[Fault]:
    if document.served and document.served.media_type in _TYPES.get(document.kind, ())[1:]:
        yield "document", f"is served as {document.served.media_type}; its own type is {_TYPES[document.kind][0]}"


@RULES.add("served-charset", "S", "Served with charset=utf-8", "RFC 9110")
def _check_charset(document: FeedDocument) -> Iterator[Fault]:
    if document.served and document.kind != "json" and (document.served.charset or "").lower() != "utf-8":
        yield "document", f"is served with the charset {document.served.charset}, not utf-8"


@RULES.add("served-validators", "S", "Served with an ETag or Last-Modified", "RFC 9110")
def _check_validators(document: FeedDocument) -> Iterator[Fault]:
    if document.served and not document.served.validators:
        yield "document", "has neither ETag nor Last-Modified: every app fetches all of it every time"


@RULES.add("served-artwork", "S", "Artwork is square, of 1,400 to 3,000 pixels, RGB", "Apple; PSP-1")
def _check_artwork(document: FeedDocument) -> Iterator[Fault]:
    if document.picture is not None:
        yield from (("channel/itunes:image", fault) for fault in artwork.find_faults(document.picture))
