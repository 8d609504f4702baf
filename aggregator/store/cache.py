"""The cache: what a stage made of an input, by feed, stage and key. Emptying it changes nothing that is published.

A key names all that its value depends on, the version of the stage's code included.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Final

from sqlalchemy import Connection, LargeBinary, cast, delete, select, update

from aggregator.store.database import BATCH, Store, batches, deferrable, reading, upsert, writing
from aggregator.store.facts import read_feed_state
from aggregator.store.schema import cache

KEPT_RUNS: Final = 50
"""Runs of its feed after which an unused value is dropped: some days of hourly refreshes, so that a source that was
down over a weekend is not repaired again. Twice as many double the rest of the table, not the part in use."""


_DIGEST_BYTES: Final = 8

_COLUMNS = cast(cache.c.key, LargeBinary), cast(cache.c.value, LargeBinary)
"""Key and value as bytes, whatever damage has made of them."""


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


@deferrable
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


@deferrable
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
