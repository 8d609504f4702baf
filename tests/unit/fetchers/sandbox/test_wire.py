"""Whatever comes back from a child is the record it says or a ReadError, and what was sent arrives as it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.sandbox import wire
from aggregator.model.entry import Duration, Enclosure, Entry, Listing, Moment, Note, Rhythm, Show, Span, Tag
from aggregator.model.source import Document, Only, Source, Validators

TAG = Tag("podcast:value", None, (("type", "x"),), (Tag("podcast:valueRecipient", "é\0", (("split", "1"),)),))
FULL = Listing(
    entries=(
        Entry(
            source="s", key="k", title="\ufffe T", genre="post", position=3, guid="g", ids=(("apple", "1"),), cut=True,
            published=Moment(datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC), "day", zoned=False),
            updated=Moment(datetime(1971, 1, 2, tzinfo=timezone(timedelta(hours=-3)))), duration=Duration(60, 60),
            enclosure=Enclosure("https://example.org/1.mp3", "audio/mpeg", 2**53), season=0, episode=999_999,
            episode_type="bonus", explicit=False, categories=("a", ""), tags=(TAG,), notes=(Note("f", "c", "b", "a"),),
            span=Span(2, 7),
        ),
        Entry("s", "k2", "T2"),
    ),
    show=Show("S", type="serial", categories=(("a", "b"), ("c",)), total=3, tags=(TAG,)),
    rhythm=Rhythm(timedelta(minutes=7, milliseconds=1), frozenset({1, 23}), frozenset({0})),
    partial=True,
    remarks=("one", "two"),
)  # fmt: skip
DOCUMENT = Document(
    Source("s", "page", "u", only=Only(title="(?i)x"), trust=0.25, options=(("items", "li"),)), "u", bytes(range(256)),
    "text/html", "latin-1", Validators('"e"', None), recorded=True,
)  # fmt: skip


def arrived(listing: Listing) -> Listing:
    """The listing as it arrives, its entries in a tuple, as `lots.whole` makes one of those that come in lots."""
    found = wire.decode(Listing, wire.encode(listing))
    return replace(found, entries=tuple(found.entries))


def test_what_is_sent_arrives_as_it_was() -> None:
    assert arrived(FULL) == FULL
    assert wire.decode(tuple[Entry, ...], wire.encode(FULL.entries)) == FULL.entries
    assert wire.decode(Document, wire.encode(DOCUMENT)) == DOCUMENT


@given(start=st.integers(0, 10_000), piece=st.binary(max_size=6), cut=st.integers(0, 8))
def test_what_a_child_made_up_is_a_listing_or_refused(start: int, piece: bytes, cut: int) -> None:
    sent = wire.encode(FULL)
    start %= len(sent)
    try:
        found = wire.decode(Listing, sent[:start] + piece + sent[start + cut :])
    except ReadError:
        return
    assert wire.decode(Listing, wire.encode(found)) == found


@given(data=st.binary(max_size=64))
def test_any_bytes_are_refused_or_a_listing(data: bytes) -> None:
    try:
        found = wire.decode(Listing, data)
    except ReadError:
        return
    assert isinstance(found, Listing)


def test_a_nest_without_an_end_is_refused() -> None:
    deep = b"\x84\xa4name\xa1x\xa4text\xc0\xaaattributes\x90\xa8children\x91" * 100_000
    with pytest.raises(ReadError):
        wire.decode(Tag, deep)


def test_half_a_letter_arrives() -> None:
    document, listing = replace(DOCUMENT, url="\ud800"), replace(FULL, remarks=("\udc80 {",))
    assert wire.decode(Document, wire.encode(document)) == document
    assert arrived(listing) == listing
    said = (Entry("s", "\ud800", "t"),)
    assert wire.decode(tuple[Entry, ...], wire.encode(said)) == said
