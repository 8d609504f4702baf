"""RSS 0.9x, 1.0, 2.0 and Atom by feedparser, the tolerant reader, with what it drops read from the XML beside it.

feedparser is given bytes in a stream (text it would open as a file or an address), and is told neither to sanitize
nor to resolve addresses inside of HTML: both are done once, at output, on what survives (half its time otherwise). It
is not told where the feed came from: it would make an address of every guid that is not marked as none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from io import BytesIO
from typing import Any, NamedTuple
from xml.sax import SAXException

import feedparser

from aggregator.errors import ReadError
from aggregator.fetchers import discovery, feed_item, feed_show, shape
from aggregator.fetchers.feed_xml import Beside, beside
from aggregator.fetchers.letters import honest
from aggregator.model.sighting import Listing, Sighting
from aggregator.model.source import Document, Source
from aggregator.text.urls import canonical

FAILURES = (  # what feedparser 6.0.14 was seen to raise on mutated feeds; all mean that it cannot go on
    SAXException, ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError, OverflowError,
)  # fmt: skip
MILD = (feedparser.CharacterEncodingOverride, feedparser.NonXMLContentType)  # the bytes were read all the same
LONGEST_REASON = 200  # characters of a parser's own words
SHARED_BY = 3  # items under one address that is not the show's: a link to each item's own page would differ
MARKS = (b"<item", b"<entry", b":item", b":entry")


class Parsed(NamedTuple):
    """What feedparser answered: format, channel, entries, the true encoding, and what is wrong with the bytes."""

    version: str
    channel: Mapping[str, Any]
    entries: tuple[Mapping[str, Any], ...]
    encoding: str
    fault: str | None
    remark: str | None


def locate(source: Source) -> tuple[str, ...]:
    """The feed's own address."""
    return (source.url,) if source.url else ()


def discover(document: Document) -> tuple[str, ...]:
    """The feeds that a page names where a feed was expected, best first; none where the document is one."""
    return discovery.feeds(document) if shape.of(document) == "html" else ()


def read(document: Document) -> Listing:
    """The items in the feed's order; a sound feed without items gives none.

    Raises ``ReadError`` where the document is no feed, or a feed whose items could not be read. A later page of a
    paged feed (RFC 5005) exists: the listing is partial.
    """
    if shape.is_only_html(document):
        raise shape.described(document, "a feed")
    parsed = _parsed(document)
    if not parsed.version and not parsed.entries:
        raise shape.described(document, "a feed")
    sound = beside(honest(document.body), parsed.encoding, len(parsed.entries))
    found = [
        feed_item.sighting(document, entry, sound.items[at] if sound else None, at)
        for at, entry in enumerate(parsed.entries)
    ]
    if not any(found) and (why := _unread(document, parsed, sound)):
        raise ReadError(f"{document.source.name}: {why}")
    show = feed_show.show(document, parsed.channel, sound)
    return Listing(
        sightings=_linked([sighting for sighting in found if sighting], show.link),
        show=show,
        rhythm=feed_show.rhythm(sound),
        partial=document.partial or _is_paged(parsed.channel),
        remarks=tuple(_remarks(parsed, sound, found.count(None))),
    )


def _unread(document: Document, parsed: Parsed, sound: Beside | None) -> str | None:
    """Why nothing was read, where that is not because a sound feed has no items."""
    if parsed.entries:
        return f"none of the feed's {len(parsed.entries)} items says anything"
    if parsed.fault:
        return f"the feed breaks off before its first item ({parsed.fault})"
    if sound is None and any(mark in document.body for mark in MARKS):
        return "the feed's items cannot be read"
    return None


def _parsed(document: Document) -> Parsed:
    charset = f"; charset={document.charset}" if document.charset else ""
    headers = {"content-type": f"application/xml{charset}"}
    try:
        answer = feedparser.parse(
            BytesIO(honest(document.body)), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
    except FAILURES as error:
        raise ReadError(f"{document.source.name}: the feed cannot be parsed ({type(error).__name__})") from error
    fault = answer.get("bozo_exception") if answer.get("bozo") else None
    said = " ".join(str(fault).removeprefix("<unknown>:").split())[:LONGEST_REASON]
    mild = fault is None or isinstance(fault, MILD)
    kind = "encoding" if mild else "not well-formed"
    return Parsed(
        version=str(answer.get("version") or ""),
        channel=answer.feed,
        entries=tuple(answer.entries),
        encoding=str(answer.get("encoding") or ""),
        fault=None if mild else said,
        remark=f"{kind}: {said}" if fault else None,
    )


def _linked(sightings: list[Sighting], home: str | None) -> tuple[Sighting, ...]:
    """The sightings without links that lead to no item: the show's home, or one address on many items."""
    places = [canonical(sighting.link) if sighting.link else "" for sighting in sightings]
    counts = Counter(places)
    shared = {place for place, count in counts.items() if place and count >= SHARED_BY}
    if home and counts[canonical(home)] > 1:
        shared.add(canonical(home))
    return tuple(
        feed_item.unlinked(sighting) if place in shared else sighting
        for sighting, place in zip(sightings, places, strict=True)
    )


def _is_paged(channel: Mapping[str, Any]) -> bool:
    """Whether older items stand on another page: RFC 5005 section 3 ("next") or 4 ("prev-archive")."""
    return any(link.get("rel") in {"next", "prev-archive"} for link in channel.get("links", ()))


def _remarks(parsed: Parsed, sound: Beside | None, empty: int) -> list[str]:
    remarks = [parsed.remark] if parsed.remark else []
    if parsed.entries and sound is None:
        remarks.append("the XML counts other items than the tolerant reader: podcast elements are not read")
    if empty:
        remarks.append(f"{empty} items say nothing and are left out")
    return remarks
