"""Keep what each item is in each format: an item that did not change is not rendered again.

A format renders each item from the item and the channel alone, and lays out its files as bytes with places of items in
between.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from aggregator.generator.content.prepared import DIGEST_BYTES, PreparedFeed

Document: TypeAlias = Sequence[bytes | int]
"""A file: its bytes, and where an item stands, the item's index in the feed."""

Render: TypeAlias = Callable[[PreparedFeed, Sequence[int]], Sequence[bytes]]
"""Returns what the items of these indices are in one format."""

Read: TypeAlias = Callable[[str, Sequence[str]], Mapping[str, bytes]]
"""Returns what was written of a format for these guids; those without anything are left out."""

Write: TypeAlias = Callable[[str, Mapping[str, bytes]], object]
"""Writes new values of a format, by guid."""

_ZLIB_LEVEL: Final = 1
"""Of zlib; see docs/performance.md."""


class KeptItems:
    """The items of a feed as each format has them, from one publication to the next."""

    def __init__(self, read: Read | None = None, write: Write | None = None) -> None:
        """Keep it with these functions; without them every item is rendered."""
        self._read, self._write = read, write

    def render(
        self, feed: PreparedFeed, format_name: str, render: Render, documents: Iterable[tuple[str, Document]]
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the content of each file of one format."""
        guids = [item.guid for item in feed.source.items]
        texts = self.find(format_name, guids, dict(zip(guids, feed.digests, strict=True)))
        fresh: dict[str, bytes] = {}
        for name, document in documents:
            missing = [each for each in document if isinstance(each, int) and guids[each] not in texts]
            for each, text in zip(missing, render(feed, missing) if missing else (), strict=True):
                texts[guids[each]] = text
                if self._write is not None:
                    fresh[guids[each]] = feed.digests[each] + zlib.compress(text, _ZLIB_LEVEL)
            yield name, b"".join(texts[guids[each]] if isinstance(each, int) else each for each in document)
        if self._write is not None and fresh:
            self._write(format_name, fresh)

    def find(
        self, format_name: str, guids: Sequence[str], digests: Mapping[str, bytes] | None = None
    ) -> dict[str, bytes]:
        """Return what is kept of these items, by guid; with ``digests`` only of those that were rendered for them."""
        kept = self._read(format_name, guids) if self._read is not None else {}
        return {
            guid: zlib.decompress(value[DIGEST_BYTES:])
            for guid, value in kept.items()
            if digests is None or value.startswith(digests[guid])
        }
