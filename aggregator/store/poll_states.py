"""What is remembered of each address between two polls, and which hosts have asked to be left alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from sqlalchemy import func, select

from aggregator.model.source import Memory
from aggregator.store import records
from aggregator.store.database import Store, among, each, reading, writing
from aggregator.store.schema import mark, stamp, time
from aggregator.store.schema import memories as memories_table
from aggregator.text.urls import find_host


def memories(store: Store, feed: str, source: str) -> tuple[Memory, ...]:
    """What is remembered of the addresses of the source, sorted by address; empty before the first poll."""
    table = memories_table
    query = select(table.c.record).where(table.c.feed == feed, table.c.source == source)
    with reading(store) as connection:
        found = [records.decode(Memory, record) for record in connection.execute(query).scalars()]
    return tuple(sorted(found, key=lambda memory: memory.url))


def of_feeds(store: Store, feeds: Collection[str]) -> dict[tuple[str, str], tuple[Memory, ...]]:
    """The same for every source of the feeds that was ever asked, by (feed, source): in one question for all."""
    found: dict[tuple[str, str], list[Memory]] = {}
    with reading(store) as connection:
        for feed, source, record in among(connection, _OF_FEEDS, sorted(feeds)):
            found.setdefault((feed, source), []).append(records.decode(Memory, record))
    return {of: tuple(sorted(known, key=lambda memory: memory.url)) for of, known in found.items()}


def keep_memory(store: Store, feed: str, source: str, memory: Memory) -> None:
    """Remember it in place of what was remembered of the same address of the same source."""
    keep_memories(store, [(feed, source, memory)])


def keep_memories(store: Store, kept: Iterable[tuple[str, str, Memory]]) -> None:
    """The same for many, each with its feed and source; of two of one address the last stands."""
    rows = {(feed, source, mark(memory.url)): memory for feed, source, memory in kept}
    with writing(store) as connection:
        each(connection, _KEEP, [(*of, *_row(memory)) for of, memory in rows.items()])


def _row(memory: Memory) -> tuple[str, str | None, str]:
    """What is written of one address: who may ask for silence, until when somebody did, and all there is."""
    held = stamp(memory.hold_until) if memory.hold_until else None
    return mark(memory.hold_host or find_host(memory.url)), held, records.encode(memory)


def holds(store: Store, now: datetime) -> Mapping[str, datetime]:
    """Until when each host, as ``text.hosts`` names it, has asked to be left alone; only those that still do.

    A Retry-After speaks for the host: no feed and no source may ask it sooner.
    """
    table = memories_table
    query = select(table.c.host, func.max(table.c.hold_until)).where(table.c.hold_until > stamp(now))
    with reading(store) as connection:
        return {name: time(until) for name, until in connection.execute(query.group_by(table.c.host))}


_OF_FEEDS = "SELECT feed, source, record FROM memories WHERE feed IN {}"

_KEEP = (
    "INSERT INTO memories (feed, source, url, host, hold_until, record) VALUES {} ON CONFLICT (feed, source, url)"
    " DO UPDATE SET host = excluded.host, hold_until = excluded.hold_until, record = excluded.record"
)
"""One statement for what is new and for what is known, the same on SQLite (since 3.24) and on PostgreSQL."""
