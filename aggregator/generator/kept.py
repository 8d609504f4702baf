"""Keep what each item is in each format: an item that did not change is not rendered again.

A format renders each item from the item and the channel alone, and lays out its files as bytes with places of items in
between. What an item is stands in the published files; beside them is kept which items each has, and where. A file that
was not written by this program since, as its checksum shows, is not read.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct

from aggregator.generator.content.prepared import PreparedFeed
from aggregator.model.record import make_msgpack_decoder

Document: TypeAlias = Sequence[bytes | int]
"""A file: its bytes, and where an item stands, the item's index in the feed."""

Render: TypeAlias = Callable[[PreparedFeed, Sequence[int]], Sequence[bytes]]
"""Returns what the items of these indices are in one format."""


class _KeptFile(Struct, frozen=True, array_like=True):
    """A published file: its CRC-32, and of items that it has the digest, start and end."""

    format: str
    name: str
    checksum: int
    items: tuple[tuple[bytes, int, int], ...]


_DECODER = make_msgpack_decoder(tuple[_KeptFile, ...])


class KeptItems:
    """The items in the published files of a ``folder``, by what :meth:`pack` returned when these were made."""

    def __init__(self, folder: Path | None = None, packed: bytes | None = None) -> None:
        """Read what was packed; without it, or if another version packed it, every item is rendered."""
        self._folder = folder
        self._published: tuple[_KeptFile, ...] = ()
        with suppress(msgspec.DecodeError):
            self._published = _DECODER.decode(packed or b"")
        self._made: list[_KeptFile] = []

    def render(
        self, feed: PreparedFeed, format_name: str, render: Render, documents: Iterable[tuple[str, Document]]
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the content of each file of one format."""
        kept = self._read(format_name)
        texts: dict[int, bytes | memoryview] = {
            at: kept[digest] for at, digest in enumerate(feed.digests) if digest in kept
        }
        noted: set[int] = set()
        for name, document in documents:
            missing = [each for each in document if isinstance(each, int) and each not in texts]
            texts.update(zip(missing, render(feed, missing) if missing else (), strict=True))
            content = b"".join(texts[each] if isinstance(each, int) else each for each in document)
            found, end = list[tuple[bytes, int, int]](), 0
            for each in document:
                start, end = end, end + len(texts[each] if isinstance(each, int) else each)
                if isinstance(each, int) and each not in noted:
                    noted.add(each)
                    found.append((feed.digests[each], start, end))
            self._made.append(_KeptFile(format_name, name, zlib.crc32(content), tuple(found)))
            yield name, content

    def pack(self) -> bytes:
        """Return where the items are in the files that were made."""
        return msgspec.msgpack.encode([each for each in self._made if each.items])

    def _read(self, format_name: str) -> dict[bytes, memoryview]:
        """Return what items are in the published files of a format, by digest."""
        found: dict[bytes, memoryview] = {}
        for file in self._published:
            if self._folder is None or file.format != format_name:
                continue
            try:
                content = (self._folder / file.name).read_bytes()
            except OSError:
                continue
            if zlib.crc32(content) == file.checksum:
                view = memoryview(content)
                found.update((digest, view[start:end]) for digest, start, end in file.items)
        return found
