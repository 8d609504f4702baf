"""Read RSS 0.9x, 1.0, 2.0 and Atom: sound feeds by the strict reader, all others by feedparser, the tolerant one.

Both give the same fields, from which entries are made here. A sound feed gives the same entries by either; if the
tolerant one was needed, a remark says why.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import repeat
from typing import Any

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import discovery
from aggregator.fetchers.feeds import known_elements, rss_atom
from aggregator.fetchers.feeds.elements import NotSoundError
from aggregator.fetchers.feeds.entry import list_records, make_entries, make_rhythm, make_show
from aggregator.fetchers.feeds.known_elements import OtherElementsError
from aggregator.fetchers.feeds.podcast import FeedXml
from aggregator.fetchers.parsing import decoding, enclosures, well_formed, xml
from aggregator.fetchers.parsing.entries import make_key
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document
from aggregator.text.urls import canonical
from aggregator.translation.marks import N_

_MISTAKE = "not well-formed"
_SHARED_BY = 3  # items under one address that is not the show's: a link to each item's own page would differ
_OLDER = ("next", "prev-archive")
_DECLARATION = re.compile(r"^\ufeff?\s*(?:<\?xml[^>]{0,200}\?>)?\s*")
_MARKS = (b"<item", b"<entry", b":item", b":entry")

discover = discovery.find_feeds


def read(document: Document) -> Listing:
    """Return the items in the feed's order; a sound feed without items gives none.

    Raises ReadError if the document is no feed, or none of its items can be read, and OtherElementsError if it is to be
    read whole. The listing of a feed with a further page (RFC 5005) is partial.
    """
    if decoding.is_only_html(document):
        raise decoding.unexpected_type(document, "a feed")
    try:
        return _read_strictly(document)
    except NotSoundError as error:
        if document.elements and document.known:
            raise OtherElementsError from error
        why = str(error)
    whole = replace(document, elements=())
    repaired, mistake = _repair(whole)
    for each in () if repaired is whole else (known_elements.leave_out(repaired), repaired):
        with suppress(OtherElementsError):
            try:
                return _read_strictly(each, [mistake] if mistake else [])
            except NotSoundError as error:
                why = str(error)
    return _read_tolerantly(repaired, mistake or N_(f"read slowly: {why}"))


def _repair(document: Document) -> tuple[Document, str]:
    """Return the document in UTF-8, made well-formed if it is not, and a remark on its first mistake, "" for none.

    If nothing was to be done it is the same one.
    """
    text, is_as_named = decoding.decode_bytes(document.body, document.charset)
    text = _DECLARATION.sub("", text, count=1)
    mistake = xml.find_mistake(text) or ("a section does not end" if well_formed.hides_item(text) else "")
    if mistake:
        text = well_formed.make_well_formed(text)
        remark = N_(f"not well-formed: {mistake}")
    else:
        remark = "" if is_as_named else N_("encoding: some bytes are in no encoding that it names")
    body = text.encode("utf-8", "replace")
    if not mistake and is_as_named and document.body.endswith(body) and document.charset in {None, "utf-8"}:
        return document, ""
    return replace(document, body=body, charset="utf-8"), remark


def _read_strictly(document: Document, remarks: Sequence[str] = ()) -> Listing:
    """Return the items of a sound feed; raises ``NotSoundError`` if the document needs the tolerant reader."""
    found_feed = rss_atom.Feed()
    found = make_entries(document, rss_atom.iterate_items(document, found_feed), found_feed.channel.values)
    return _make_listing(document, found, found_feed.channel.values, found_feed.xml, list(remarks))


def _read_tolerantly(document: Document, why: str = "") -> Listing:
    """Return the items of any feed; ``why`` is a remark on it. Raises ``ReadError`` as ``read`` does."""
    from aggregator.fetchers.feeds import tolerant  # noqa: PLC0415 - takes longer than reading most feeds

    parsed = tolerant.parse(document)
    if not parsed.version and not parsed.entries:
        raise decoding.unexpected_type(document, "a feed")
    feed_xml = parsed.feed_xml
    items_xml = feed_xml.items if feed_xml else repeat(None)
    found = make_entries(document, zip(parsed.entries, items_xml, strict=False), parsed.channel)
    if not found and feed_xml is None and any(mark in document.body for mark in _MARKS):
        raise ReadError(f"{document.source.name}: the feed's items cannot be read")
    remarks = [remark for remark in (why if why.startswith(_MISTAKE) else parsed.remark or why,) if remark]
    if found and feed_xml is None:
        remarks.append(N_("the XML counts other items than the tolerant reader: podcast elements are not read"))
    return _make_listing(document, found, parsed.channel, feed_xml or FeedXml(), remarks)


def _make_listing(
    document: Document,
    found: list[Entry | None],
    channel: dict[str, Any],
    feed_xml: FeedXml,
    remarks: list[str],
) -> Listing:
    if not found and remarks and remarks[0].startswith(_MISTAKE):
        raise ReadError(f"{document.source.name}: the feed breaks off before its first item ({remarks[0]})")
    if found and not any(found):
        raise ReadError(f"{document.source.name}: none of the feed's {len(found)} items says anything")
    if None in found:
        count = found.count(None)
        remarks.append(N_(f"{count} items say nothing and are left out"))
    show = make_show(document, channel, feed_xml)
    # RFC 5005 section 3 ("next") before section 4 ("prev-archive")
    links = {str(link.get("rel")): link.get("href") for link in reversed(list_records(channel, "links"))}
    base = channel.get("base") or enclosures.find_base(document)
    places = (enclosures.resolve_url(base, links.get(rel)) for rel in _OLDER)
    next_url = next(filter(None, places), None)
    return Listing(
        entries=_remove_shared_links([entry for entry in found if entry], show.link),
        show=show,
        rhythm=make_rhythm(feed_xml),
        partial=document.partial or next_url is not None,
        remarks=tuple(remarks),
        next_url=next_url,
        hub=enclosures.resolve_url(base, links.get("hub")),
    )


def _remove_shared_links(entries: list[Entry], home: str | None) -> tuple[Entry, ...]:
    """Remove links that lead to no item: the show's home, or one address on many items."""
    places = [canonical(entry.link) if entry.link else "" for entry in entries]
    counts = Counter(places)
    shared = {place for place, count in counts.items() if place and count >= _SHARED_BY}
    if home and counts[canonical(home)] > 1:
        shared.add(canonical(home))
    return tuple(
        _remove_link(entry) if place in shared else entry for entry, place in zip(entries, places, strict=True)
    )


def _remove_link(entry: Entry) -> Entry:
    """Return the entry without its link, and under another key if the link was its key."""
    key = make_key(entry.title, entry.published, entry.enclosure) if entry.key == entry.link else entry.key
    return replace(entry, link=None, key=key, element=None)
