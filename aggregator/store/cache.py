"""The cache: what a stage made of an input, by feed, stage and key. Emptying it changes nothing that is published.

A key names all that its value depends on, the version of the stage's code included.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from sqlalchemy import delete, select, update

from aggregator.store.database import Store, batches, reading, upsert, writing
from aggregator.store.facts import read_feed_state
from aggregator.store.schema import cache

KEPT_RUNS: Final = 50
"""Runs of its feed after which an unused value is dropped: some days of hourly refreshes, so that a source that was
down over a weekend is not repaired again. Twice as many double the rest of the table, not the part in use."""


def read_cached(store: Store, feed: str, stage: str, keys: Iterable[str]) -> dict[str, bytes]:
    """Return the values of those of the keys that have one."""
    same = (cache.c.feed == feed, cache.c.stage == stage)
    found: dict[str, bytes] = {}
    with reading(store) as connection:
        for some in batches(sorted(set(keys))):
            query = select(cache.c.key, cache.c.value).where(*same, cache.c.key.in_(some))
            found.update((row.key, row.value) for row in connection.execute(query))
    return found


def write_cached(store: Store, feed: str, stage: str, values: Mapping[str, bytes]) -> None:
    """Write the value of each key."""
    same = {"feed": feed, "stage": stage, "used": read_feed_state(store, feed).runs}
    with writing(store) as connection:
        upsert(connection, cache, [{**same, "key": key, "value": values[key]} for key in sorted(values)])


def drop_unused(store: Store, feed: str, stage: str, used: Collection[str]) -> int:
    """Drop values that were unused for :data:`KEPT_RUNS`, and return how many. ``used`` are the keys of this run.

    Use is noted only after half of that time, so that a run that changes nothing writes next to nothing.
    """
    run = read_feed_state(store, feed).runs
    same = (cache.c.feed == feed, cache.c.stage == stage)
    aging = select(cache.c.key).where(*same, cache.c.used < run - KEPT_RUNS // 2)
    with writing(store) as connection:
        for some in batches(sorted(set(connection.execute(aging).scalars()) & set(used))):
            connection.execute(update(cache).where(*same, cache.c.key.in_(some)).values(used=run))
        return connection.execute(delete(cache).where(*same, cache.c.used < run - KEPT_RUNS)).rowcount
