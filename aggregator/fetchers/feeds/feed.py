"""RSS 0.9x, 1.0, 2.0 and Atom: sound feeds by the strict reader, all others by feedparser, the tolerant one.

Both tell the same things in the same shapes, so that what becomes of them is decided here once. Which of them read
is said where the feed was not sound, and never changes what is read of one that is.
"""

from __future__ import annotations

import gc
import importlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from aggregator.errors import ReadError
from aggregator.fetchers import discovery
from aggregator.fetchers.feeds import entry as feed_item
from aggregator.fetchers.feeds import rss_atom
from aggregator.fetchers.feeds import show as feed_show
from aggregator.fetchers.feeds.podcast import Beside
from aggregator.fetchers.feeds.rss_atom import NotSoundError
from aggregator.fetchers.parsing import document_type
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document
from aggregator.text.urls import canonical

TOLERANT = "aggregator.fetchers.feeds.tolerant"  # by name: importing feedparser takes longer than reading most feeds
SHARED_BY = 3  # items under one address that is not the show's: a link to each item's own page would differ
SITE = re.compile(r"https?://[^/]+/")
MARKS = (b"<item", b"<entry", b":item", b":entry")


def discover(document: Document) -> tuple[str, ...]:
    """The feeds that a page names where a feed was expected, best first; none where the document is one."""
    return discovery.feeds(document) if document_type.of(document) == "html" else ()


def read(document: Document) -> Listing:
    """The items in the feed's order; a sound feed without items gives none.

    Raises ``ReadError`` where the document is no feed, or a feed whose items could not be read. A later page of a
    paged feed (RFC 5005) exists: the listing is partial.
    """
    if document_type.is_only_html(document):
        raise document_type.described(document, "a feed")
    try:
        return strictly(document)
    except NotSoundError as error:
        return tolerantly(document, f"read slowly: {error}")


def strictly(document: Document) -> Listing:
    """Return the items of a sound feed; raises ``NotSoundError`` if the document needs the tolerant reader."""
    found_feed = rss_atom.Feed()
    with uncollected():
        found = [
            feed_item.entry(document, entry, said, at)
            for at, (entry, said) in enumerate(rss_atom.entries(document, found_feed))
        ]
    return _listing(document, found, found_feed.channel.values, found_feed.account, [])


@contextmanager
def uncollected() -> Iterator[None]:
    """Let Python not look for garbage meanwhile: all that is made here is kept, and it would be looked at every time.

    A sixth of the time of a feed of 1,000 items.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def tolerantly(document: Document, why: str = "") -> Listing:
    """Return the items of any feed; ``why`` is a remark on it. Raises ``ReadError`` as ``read`` does."""
    parsed = importlib.import_module(TOLERANT).parsed(document)
    if not parsed.version and not parsed.entries:
        raise document_type.described(document, "a feed")
    sound: Beside | None = parsed.sound
    found = [
        feed_item.entry(document, entry, sound.items[at] if sound else None, at)
        for at, entry in enumerate(parsed.entries)
    ]
    if not found and parsed.fault:
        raise ReadError(f"{document.source.name}: the feed breaks off before its first item ({parsed.fault})")
    if not found and sound is None and any(mark in document.body for mark in MARKS):
        raise ReadError(f"{document.source.name}: the feed's items cannot be read")
    remarks = [remark for remark in (parsed.remark or why,) if remark]
    if found and sound is None:
        remarks.append("the XML counts other items than the tolerant reader: podcast elements are not read")
    return _listing(document, found, parsed.channel, sound, remarks)


def _listing(
    document: Document,
    found: list[Entry | None],
    channel: Mapping[str, Any],
    sound: Beside | None,
    remarks: list[str],
) -> Listing:
    if found and not any(found):
        raise ReadError(f"{document.source.name}: none of the feed's {len(found)} items says anything")
    if None in found:
        remarks.append(f"{found.count(None)} items say nothing and are left out")
    show = feed_show.show(document, channel, sound)
    return Listing(
        entries=_linked([entry for entry in found if entry], show.link),
        show=show,
        rhythm=feed_show.rhythm(sound),
        partial=document.partial or _is_paged(channel),
        remarks=tuple(remarks),
    )


def _linked(entries: list[Entry], home: str | None) -> tuple[Entry, ...]:
    """The entries without links that lead to no item: the show's home, or one address on many items."""
    if stand_apart([entry.link or "" for entry in entries]):
        return tuple(entries)
    places = [canonical(entry.link) if entry.link else "" for entry in entries]
    counts = Counter(places)
    shared = {place for place, count in counts.items() if place and count >= SHARED_BY}
    if home and counts[canonical(home)] > 1:
        shared.add(canonical(home))
    return tuple(
        feed_item.unlinked(entry) if place in shared else entry for entry, place in zip(entries, places, strict=True)
    )


def stand_apart(links: list[str]) -> bool:
    """Whether it is seen at once that no two links lead to one place: paths of one site, none like another.

    What else could lead to one place are other schemes and hosts, queries, fragments, escapes and final slashes.
    """
    head = SITE.match(links[0]) if links else None
    if head is None or len(set(links)) < len(links):
        return False
    said = "\n".join(("", *links, ""))
    return said.count(f"\n{head[0]}") == len(links) and not any(sign in said for sign in ("?", "#", "%", "/\n"))


def _is_paged(channel: Mapping[str, Any]) -> bool:
    """Whether older items stand on another page: RFC 5005 section 3 ("next") or 4 ("prev-archive")."""
    return any(link.get("rel") in {"next", "prev-archive"} for link in channel.get("links", ()))
