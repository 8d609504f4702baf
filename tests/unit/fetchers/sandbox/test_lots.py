"""A listing comes in lots: a long one waits on the disk, and one that is half told is none."""

from __future__ import annotations

import os
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from aggregator.errors import ReadError
from aggregator.fetchers.sandbox import lots, wire
from aggregator.fetchers.sandbox import pool as sandbox
from aggregator.fetchers.sandbox.lots import Heap, Lots
from aggregator.fetchers.sandbox.worker import Limits
from aggregator.model.entry import Entry, Listing, Show
from aggregator.model.source import Document, Source

SAID = tuple(
    Entry("host", str(number), "\ud800 lone" if number == 700 else f"Item {number}", description="word " * 40)
    for number in range(1_300)
)
LISTING = Listing(SAID, Show("A show"), partial=True, remarks=("as told",))


def carried(listing: Listing, beside: Path | None = None) -> Listing:
    """The listing as it comes back from a child."""
    heap = Heap(beside)
    *parts, last = lots.parted(listing)
    for part in parts:
        heap.add(bytearray(part))
    return lots.whole(heap, last)


def test_a_short_listing_comes_back_as_it_was() -> None:
    for said in (SAID, SAID[:1], ()):
        listing = Listing(said, Show("A show"), remarks=("as told",))
        assert carried(listing) == listing


def test_a_long_listing_says_the_same_as_often_as_it_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lots, "SMALL", 100_000)
    listing = carried(LISTING, tmp_path)
    assert isinstance(listing.entries, Lots)
    assert [tuple(listing.entries), tuple(listing.entries)] == [SAID, SAID]
    assert (len(listing.entries), listing.entries[-1], listing.entries[3:5]) == (1_300, SAID[-1], SAID[3:5])
    assert (listing.show, listing.partial, listing.remarks) == (Show("A show"), True, ("as told",))
    assert list(tmp_path.iterdir()) == []  # the file has no name


def test_its_file_is_closed_with_the_last_who_knows_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lots, "SMALL", 0)
    before = len(list(Path("/proc/self/fd").iterdir()))
    listing = carried(LISTING)
    assert len(list(Path("/proc/self/fd").iterdir())) == before + 1
    del listing
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_lots_are_of_so_many_entries_or_so_much_text() -> None:
    assert len(lots.parted(LISTING)) == 4
    long = tuple(Entry("host", str(number), "t", html="x" * 400_000) for number in range(7))
    assert [len(wire.decode(tuple[Entry, ...], part)) for part in lots.parted(Listing(long))[:-1]] == [3, 3, 1]


@pytest.mark.parametrize("small", [0, lots.SMALL])
def test_what_does_not_come_whole_is_refused(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(lots, "SMALL", small)
    *parts, last = lots.parted(LISTING)
    for some in (parts[:-1], [*parts, parts[0]], [*parts[:-1], b"\x91\xc0"], [*parts[:-1], parts[-1][:-9]]):
        heap = Heap()
        for part in some:
            heap.add(bytearray(part))
        with pytest.raises(ReadError, match="did not come back whole"):
            lots.whole(heap, last)


@pytest.fixture(scope="module")
def rogues() -> Iterator[None]:
    sys.path.insert(0, str(Path(__file__).parent / "data" / "rogue"))
    yield
    sys.path.pop(0)


def told(body: str) -> Document:
    return Document(Source("rogue", "rogue"), "https://example.org/feed", body.encode())


@pytest.mark.usefixtures("rogues")
def test_a_child_that_tells_less_than_it_says_is_not_believed() -> None:
    with sandbox.pool(Limits(), 1) as pool:
        assert [each.key for each in pool.read(told("half 2")).entries] == ["1", "2"]
        with pytest.raises(ReadError, match="2 of 3 entries"):
            pool.read(told("half 3"))
        assert len(pool.read(told("many 3")).entries) == 3


@pytest.mark.usefixtures("rogues")
def test_a_long_listing_is_never_whole_in_memory() -> None:
    with sandbox.pool(Limits(), 1) as pool:
        pool.read(told("many 3"))
        tracemalloc.start()
        try:
            listing = pool.read(told("long 1000"))
            assert sum(len(each.description or "") for each in listing.entries) == 39_000_000
            assert tracemalloc.get_traced_memory()[1] < 12_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.usefixtures("rogues")
def test_a_disk_without_room_costs_the_document_only(tmp_path: Path) -> None:
    with sandbox.pool(Limits(), 1) as pool:
        pool.beside = tmp_path / "nowhere"
        with pytest.raises(ReadError, match="there is no room for what it lists: No such file"):
            pool.read(told("long 1000"))
        number = pool.read(told("fine")).entries[0].key
        assert int(number) != os.getpid()
