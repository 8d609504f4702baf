"""The items of each feed as they were published, a row each.

A row has the item's record and, apart from it, the evidence that joins its entries (``Item.pairs``), which is most of
an item and is read only where one is explained. Both are compressed JSON. A row of version 1 of the tables has neither
until the next publication.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Sequence
from hashlib import blake2b
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Row, delete, select, true

from aggregator.errors import DamagedError
from aggregator.model.cluster import Pair
from aggregator.model.item import Item
from aggregator.store import checksums, records
from aggregator.store.database import BATCH, Store, batches, reading, upsert, writing
from aggregator.store.schema import cache, items, mark

_ZLIB_LEVEL: Final = 1
"""Of zlib; see docs/performance.md."""

RENDERED: Final = "items/"
"""The beginning of the stages of the cache with what each item is in a format, by the mark of its guid."""

_EVIDENCE: Final = frozenset({"pairs"})
_COLUMNS: Final = checksums.columns(items)

_Row = tuple[str, bytes, bytes, bytes]
"""The mark of a guid, the digest of the item, its record and its evidence."""


class ItemPart(Struct, frozen=True, tag=True):
    """Rows to write, and the marks of guids whose rows are removed."""

    rows: Sequence[_Row] = ()
    removed: Sequence[str] = ()


class FeedItems(Struct, frozen=True):
    """The items of one feed as they were last published.

    ``keep`` receives what is to be written; without it that is written at once.
    """

    store: Store
    feed: str
    keep: Callable[[ItemPart], object] | None = None

    def write(self, published: Sequence[Item]) -> list[tuple[Item | None, Item]]:
        """Write the items that are not as they were last written; return each after what was known of it.

        That has no evidence, and is ``None`` for a new item. Items of which only the guid was known are not returned.
        """
        query = select(items.c.guid, items.c.digest).where(items.c.feed == self.feed)
        marks = [mark(item.guid) for item in published]
        with reading(self.store) as connection:
            found = [connection.execute(query.where(items.c.guid.in_(some))).all() for some in batches(marks)]
        digests = {guid: digest for some in found for guid, digest in some}
        fresh: dict[str, Item] = {}
        rows: list[_Row] = []
        for guid, item in zip(marks, published, strict=True):
            record, evidence = records.encode(item, without=_EVIDENCE).encode(), records.encode_all(item.pairs).encode()
            digest = _digest(record, evidence)
            if digests.get(guid) != digest:
                fresh[guid] = item
                rows.append((guid, digest, zlib.compress(record, _ZLIB_LEVEL), zlib.compress(evidence, _ZLIB_LEVEL)))
        before = self._read(tuple(fresh))
        self._write(ItemPart(rows))
        return [(before.get(guid), item) for guid, item in fresh.items() if guid in before or guid not in digests]

    def remove_others(self, guids: Collection[str]) -> tuple[Item, ...]:
        """Remove all items but these, and return them without evidence, sorted by guid."""
        stay = set(map(mark, guids))
        with reading(self.store) as connection:
            every = connection.execute(select(items.c.guid).where(items.c.feed == self.feed)).scalars().all()
        gone = [guid for guid in every if guid not in stay]
        found = self._read(gone).values()
        self._write(ItemPart(removed=gone))
        return tuple(sorted(found, key=lambda item: item.guid))

    def read(self) -> tuple[Item, ...]:
        """Return every item without its evidence, the newest first."""
        return tuple(sorted(self._read(None).values(), key=lambda item: (-_get_time(item), item.rank, item.guid)))

    def find(self, guid: str) -> Item | None:
        """Return an item with its evidence, ``None`` if it is not published."""
        name = mark(guid)
        item = self._read([name]).get(name)
        if item is None:
            return None
        query = select(items.c.evidence).where(items.c.feed == self.feed, items.c.guid == name)
        with reading(self.store) as connection:
            return replace(item, pairs=records.decode_all(Pair, _unpack(connection.execute(query).scalar())))

    def _write(self, part: ItemPart) -> None:
        if self.keep is None:
            write_part(self.store, self.feed, part)
        elif part.rows or part.removed:
            self.keep(part)

    def _read(self, guids: Sequence[str] | None) -> dict[str, Item]:
        """Return the items without evidence of these marks, or of all, by the mark of the guid."""
        chosen = [true()] if guids is None else [items.c.guid.in_(some) for some in batches(guids)]
        query = select(*_COLUMNS).where(items.c.feed == self.feed).execution_options(yield_per=BATCH)
        with reading(self.store) as connection:
            return {
                row.guid: records.decode(Item, _unpack(row.record))
                for where in chosen
                for row in checksums.check(items, connection.execute(query.where(where)))
                if row.record
            }


def _get_time(item: Item) -> float:
    return item.published.at.timestamp() if item.published else 0.0


def has_digest(row: Row[Any]) -> bool:
    """Return whether a row of the table has the digest of its record and its evidence."""
    try:
        return not row.record or _digest(*(_unpack(each).encode() for each in (row.record, row.evidence))) == row.digest
    except DamagedError:
        return False


def _digest(record: bytes, evidence: bytes) -> bytes:
    return blake2b(b"\n".join((record, evidence)), digest_size=16).digest()


def _unpack(packed: Any) -> str:
    try:
        return zlib.decompress(packed).decode()
    except (TypeError, ValueError, zlib.error) as error:
        raise DamagedError(f"an item cannot be read back: {error}") from error


def write_part(store: Store, feed: str, part: ItemPart) -> None:
    """Write and remove items of a feed; of those removed also what they were in each format."""
    names = ("guid", "digest", "record", "evidence")
    is_rendered = cache.c.stage.startswith(RENDERED, autoescape=True)
    with writing(store) as connection:
        upsert(connection, items, [{"feed": feed, **dict(zip(names, row, strict=True))} for row in part.rows])
        for some in batches(part.removed):
            connection.execute(delete(items).where(items.c.feed == feed, items.c.guid.in_(some)))
            connection.execute(delete(cache).where(cache.c.feed == feed, is_rendered, cache.c.key.in_(some)))
