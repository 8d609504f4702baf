"""What a parser process writes is an answer or refused, and what was written arrives as it was."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from io import BytesIO
from tempfile import TemporaryFile

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import parse
from aggregator.model.entry import Duration, Enclosure, Entry, Listing, Moment, Note, Rhythm, Show, Span, Tag
from aggregator.model.source import Conditions, Document, Filter, Source
from aggregator.sandbox import calls
from aggregator.sandbox.calls import BugError, Returned
from aggregator.sandbox.forks import ForkError

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
    Source("s", "page", "u", filter=Filter(Conditions(show=("x",))), trust=0.25, options=(("items", "li"),)), "u",
    bytes(range(256)), "text/html", "latin-1",
)  # fmt: skip


def arrived(listing: Listing) -> Listing:
    """The listing as it comes back from a parser process."""
    return returned(written(listing))


def written(listing: Listing) -> bytes:
    """The file of a parser process that has read a listing."""
    out = BytesIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parse, "_read_listing", lambda _document: listing)
        parse.run(calls.encode("read", DOCUMENT, 9), out, lambda _: None)
    return out.getvalue()


def returned(content: bytes) -> Listing:
    """The listing of the file of a parser process."""
    file = TemporaryFile()  # noqa: SIM115 - closed by what reads it
    file.write(content)
    file.seek(0)
    with Returned(file, Listing, (ReadError,)) as found:
        every = list(found.read_parts(msgspec.msgpack.Decoder(tuple[Entry, ...])))
        return replace(found.result, entries=tuple(entry for some in every for entry in some))


def task(document: Document) -> Document:
    """The document as it comes to a parser process."""
    found: list[Document] = []

    def keep(document: Document) -> None:
        found.append(document)

    calls.answer({"keep": keep}, calls.encode("keep", document), BytesIO())
    return found[0]


def test_what_is_sent_arrives_as_it_was() -> None:
    assert arrived(FULL) == FULL
    assert task(DOCUMENT) == DOCUMENT


@given(start=st.integers(0, 10_000), piece=st.binary(max_size=6), cut=st.integers(0, 8))
def test_what_a_process_made_up_is_a_listing_or_refused(start: int, piece: bytes, cut: int) -> None:
    sent = written(FULL)
    start %= len(sent)
    try:
        found = returned(sent[:start] + piece + sent[start + cut :])
    except (ForkError, BugError, ReadError, ValueError, RecursionError):  # what makes an error of one document
        return
    assert returned(written(found)) == found


@given(data=st.binary(max_size=64))
def test_any_bytes_are_refused_or_an_answer(data: bytes) -> None:
    with suppress(ForkError, BugError, ReadError, ValueError, RecursionError):
        assert isinstance(returned(data), Listing)


def test_more_messages_than_any_listing_has_are_refused() -> None:
    with pytest.raises(ForkError, match="too many messages"):
        returned(bytes(8) * 200_000)


def test_a_nest_without_an_end_is_refused() -> None:
    deep = b"\x84\xa4name\xa1x\xa4text\xc0\xaaattributes\x90\xa8children\x91" * 100_000
    with pytest.raises((ValueError, RecursionError)):
        msgspec.msgpack.decode(deep, type=Tag)


def test_half_a_letter_arrives_as_a_replacement_character() -> None:
    document = replace(DOCUMENT, url="\ud800")
    assert task(document) == replace(document, url="\ufffd")
    assert arrived(replace(FULL, remarks=("\udc80 {",))) == replace(FULL, remarks=("\ufffd {",))
    assert arrived(replace(FULL, entries=(Entry("s", "\ud800", "t"),))).entries == (Entry("s", "\ufffd", "t"),)
