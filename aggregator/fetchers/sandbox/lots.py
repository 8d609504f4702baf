"""What a child read, as it comes from it: some hundred entries at a time. A long listing waits on the disk.

Of 20,000 items the encoded listing and the records made of it took 75 MB of the parent, beside the document. Those who
look at a listing want one entry after the other, so a long one is decoded as it is looked at, a lot at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, overload

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.sandbox import wire
from aggregator.model.entry import Entry, Listing

LOT, LETTERS = 500, 1_000_000
"""Entries that are carried at once, and characters of their texts that are as many as that: some 500 KB are usual."""

SMALL = 4 * 1024 * 1024
"""Bytes of a listing that are decoded at once and stay in memory, where they take three times as much: 1,000 to 4,000
items. Decoding 20,000 once more takes 0.1 s of processor time."""


class Heap:
    """The lots of one listing in their order, encoded: in memory while they are few, else in an unnamed file.

    The file is in the folder ``beside``, else in the system's own, and is gone with the last who knows of it.
    """

    __slots__ = ("beside", "ends", "few", "file")

    def __init__(self, beside: Path | None = None) -> None:
        """An empty one."""
        self.beside = beside
        self.ends = [0]
        self.few: list[bytearray] = []
        self.file: IO[bytes] | None = None

    def add(self, lot: bytearray) -> None:
        """Keep one more lot; ReadError where the disk refuses."""
        self.ends.append(self.ends[-1] + len(lot))
        self.few.append(lot)
        if self.ends[-1] <= SMALL:
            return
        try:
            if self.file is None:
                self.file = TemporaryFile(dir=self.beside, buffering=0)  # noqa: SIM115  # closed with the heap
            for each in self.few:
                _write(self.file, each)
        except OSError as error:
            raise ReadError(f"there is no room for what it lists: {error.strerror}") from error
        self.few.clear()

    def __iter__(self) -> Iterator[tuple[Entry, ...]]:
        """Each lot, decoded; ReadError where it is none."""
        if self.file is None:
            yield from (wire.decode(tuple[Entry, ...], lot) for lot in self.few)
            return
        for start, end in pairwise(self.ends):
            yield wire.decode(tuple[Entry, ...], os.pread(self.file.fileno(), end - start, start))

    def __del__(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()


class Lots(Sequence[Entry]):
    """The entries of a long listing; whoever goes through them decodes them anew."""

    __slots__ = ("heap", "size")

    def __init__(self, heap: Heap, size: int) -> None:
        """Those on the heap, of which there are so many."""
        self.heap = heap
        self.size = size

    def __len__(self) -> int:
        """How many there are."""
        return self.size

    def __iter__(self) -> Iterator[Entry]:
        """One after the other."""
        for lot in self.heap:
            yield from lot

    @overload
    def __getitem__(self, at: int) -> Entry: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Entry]: ...

    def __getitem__(self, at: int | slice) -> Entry | Sequence[Entry]:
        """Those of a place, for which all are decoded: nobody who is in a hurry asks."""
        return tuple(self)[at]


def prepare() -> None:
    """Make ready to decode listings; as `wire.prepare`, once before threads do."""
    wire.prepare(tuple[int, Listing], tuple[Entry, ...])


def parted(listing: Listing) -> list[bytes]:
    """The listing encoded: its lots, and at last how many entries they have and all else that it says."""
    rest = replace(listing, entries=())
    return [*map(wire.encode, _lots(listing.entries)), wire.encode((len(listing.entries), rest))]


def _lots(said: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """The entries in their order, as many at a time as are carried at once."""
    first = letters = 0
    for place, each in enumerate(said, 1):
        letters += len(each.description or "") + len(each.html or "") + len(each.summary or "")
        if place - first >= LOT or letters >= LETTERS:
            yield said[first:place]
            first, letters = place, 0
    if first < len(said):
        yield said[first:]


def whole(heap: Heap, last: bytes | bytearray) -> Listing:
    """The listing that `parted` encoded; ReadError where it did not come back whole."""
    size, listing = wire.decode(tuple[int, Listing], last)
    few = tuple(each for lot in heap for each in lot) if heap.file is None else None
    came = sum(map(len, heap)) if few is None else len(few)
    if came != size:
        raise ReadError(f"what was read did not come back whole: {came} of {size} entries")
    return replace(listing, entries=Lots(heap, size) if few is None else few)


def _write(file: IO[bytes], data: bytearray) -> None:
    """Write all of it."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]
