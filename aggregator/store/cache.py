"""The cache: what a stage made of an input, by feed, stage and key. Emptying it changes nothing that is published.

A key names all that its value depends on, the version of the stage's code included.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Final

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, LargeBinary, cast, delete, select, update

from aggregator.model.record import make_msgpack_decoder
from aggregator.store import records, schema
from aggregator.store.database import BATCH, Store, batches, reading, upsert, writing
from aggregator.store.facts import read_feed_state
from aggregator.store.schema import cache

KEPT_RUNS: Final = 50
"""Runs of its feed after which an unused value is dropped: some days of hourly refreshes, so that a source that was
down over a weekend is not repaired again. Twice as many double the rest of the table, not the part in use."""


_DIGEST_BYTES: Final = 8

_ELEMENTS: Final = "elements"
"""The stage whose values are, for each document of a source, the digests of the contents of its entries, by those of
the elements from which they were read. Without them every element is read again."""

_LARGEST: Final = 24_000_000
"""Characters of records that a parser process is given, of whose 200 MB they take a part: 8,000 full entries."""

_ELEMENTS_DECODER = make_msgpack_decoder(dict[str, str])

_COLUMNS = cast(cache.c.key, LargeBinary), cast(cache.c.value, LargeBinary)
"""Key and value as bytes, whatever damage has made of them."""


class CachePart(Struct, frozen=True, tag=True):
    """Values of a stage to write, by key; ``used`` are the keys of a whole run, ``None`` until they are known."""

    stage: str
    values: Mapping[str, bytes] = {}
    used: Collection[str] | None = None


def read_cached(store: Store, feed: str, stage: str, keys: Iterable[str]) -> dict[str, bytes]:
    """Return the values of those of the keys that have one; one that is damaged counts as missing."""
    same = (cache.c.feed == feed, cache.c.stage == stage)
    found: dict[str, bytes] = {}
    with reading(store) as connection:
        for some in batches(sorted(set(keys))):
            for key, value in connection.execute(select(*_COLUMNS).where(*same, cache.c.key.in_(some))):
                if _is_sound(feed.encode(), stage.encode(), key, value):
                    found[key.decode()] = value[_DIGEST_BYTES:]
    return found


def write_part(store: Store, feed: str, part: CachePart) -> None:
    """Write a part of the cache of a feed."""
    if part.values:
        write_cached(store, feed, part.stage, part.values)
    if part.used is not None:
        drop_unused(store, feed, part.stage, part.used)


def write_cached(store: Store, feed: str, stage: str, values: Mapping[str, bytes]) -> None:
    """Write the value of each key."""
    same = {"feed": feed, "stage": stage, "used": read_feed_state(store, feed).runs}
    rows = [
        {**same, "key": key, "value": _digest(feed.encode(), stage.encode(), key.encode(), value) + value}
        for key, value in sorted(values.items())
    ]
    with writing(store) as connection:
        upsert(connection, cache, rows)


def count_damaged(connection: Connection) -> int:
    """Return how many values :func:`read_cached` takes for missing."""
    every = select(cast(cache.c.feed, LargeBinary), cast(cache.c.stage, LargeBinary), *_COLUMNS)
    rows = connection.execute(every.execution_options(yield_per=BATCH))
    return sum(not _is_sound(feed, stage, key, value) for feed, stage, key, value in rows)


def _is_sound(feed: bytes | None, stage: bytes | None, key: bytes | None, value: bytes | None) -> bool:
    if feed is None or stage is None or key is None or value is None:
        return False
    return value[:_DIGEST_BYTES] == _digest(feed, stage, key, value[_DIGEST_BYTES:])


def _digest(*parts: bytes) -> bytes:
    """Return the digest before a value, by which damage of it or of its keys is noticed."""
    return blake2b(b"\0".join(parts), digest_size=_DIGEST_BYTES).digest()


def drop_unused(store: Store, feed: str, stage: str, used: Collection[str]) -> None:
    """Drop values that were unused for :data:`KEPT_RUNS`; ``used`` are the keys of this run.

    Use is noted only after half of that time, so that a run that changes nothing writes next to nothing.
    """
    run = read_feed_state(store, feed).runs
    same = (cache.c.feed == feed, cache.c.stage == stage)
    aging = cache.c.used < run - KEPT_RUNS // 2
    with writing(store) as connection:
        if connection.execute(select(cache.c.used).where(*same, aging).limit(1)).first():
            for some in batches(sorted(set(used))):
                connection.execute(update(cache).where(*same, aging, cache.c.key.in_(some)).values(used=run))
        connection.execute(delete(cache).where(*same, cache.c.used < run - KEPT_RUNS))


def write_elements(store: Store, feed: str, source: str, elements: Mapping[int, Mapping[str, str]]) -> None:
    """Write for each document the digests of contents by those of the elements from which they were read."""
    values = {_name_document(source, number): msgspec.msgpack.encode(each) for number, each in elements.items() if each}
    if values:
        write_part(store, feed, CachePart(_ELEMENTS, values, values))


def read_elements(store: Store, feed: str, source: str) -> dict[str, str]:
    """Return the digests of contents of the source's entries by those of the elements from which they were read."""
    shows = schema.shows.c
    with reading(store) as connection:
        numbers = connection.scalars(select(shows.document).where(shows.feed == feed, shows.source == source)).all()
    cached = read_cached(store, feed, _ELEMENTS, [_name_document(source, number) for number in numbers])
    return {element: digest for each in cached.values() for element, digest in _ELEMENTS_DECODER.decode(each).items()}


def read_known(store: Store, feed: str, source: str) -> dict[str, str]:
    """Return the records of the source's entries by the digest of the element from which each was read.

    It takes one connection at a time: all threads that fetch call it, and the pool has fewer than two for each.
    """
    entries = schema.entries.c
    elements = {digest: element for element, digest in read_elements(store, feed, source).items()}
    with reading(store) as connection:
        query = select(entries.digest, entries.record).where(entries.feed == feed, entries.source == source)
        found: dict[str, str] = {}
        left = _LARGEST
        for digest, record in connection.execute(query) if elements else ():
            if digest in elements and isinstance(record, str) and records.digest(record) == digest:
                found[elements[digest]] = record
                left -= len(record)
                if left < 0:
                    break
        return found


def _name_document(source: str, document: int) -> str:
    return f"{source}/{document}"
