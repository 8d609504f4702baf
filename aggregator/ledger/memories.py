"""What is remembered of each address between two polls, and which hosts have asked to be left alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import func, select

from aggregator.ledger import records
from aggregator.ledger.ledger import Ledger, put, reading, writing
from aggregator.ledger.schema import mark, stamp, time
from aggregator.ledger.schema import memories as memories_table
from aggregator.model.source import Memory
from aggregator.text.hosts import host


def memories(ledger: Ledger, feed: str, source: str) -> tuple[Memory, ...]:
    """What is remembered of the addresses of the source, sorted by address; empty before the first poll."""
    table = memories_table
    query = select(table.c.record).where(table.c.feed == feed, table.c.source == source)
    with reading(ledger) as connection:
        found = [records.decode(Memory, text) for text in connection.execute(query).scalars()]
    return tuple(sorted(found, key=lambda memory: memory.url))


def keep_memory(ledger: Ledger, feed: str, source: str, memory: Memory) -> None:
    """Remember it in place of what was remembered of the same address of the same source."""
    keys: dict[str, object] = {"feed": feed, "source": source, "url": mark(memory.url)}
    values: dict[str, object] = {
        "host": mark(memory.hold_host or host(memory.url)),
        "hold_until": stamp(memory.hold_until) if memory.hold_until else None,
        "record": records.encode(memory),
    }
    with writing(ledger) as connection:
        put(connection, memories_table, keys, values)


def holds(ledger: Ledger, now: datetime) -> Mapping[str, datetime]:
    """Until when each host, as ``text.hosts`` names it, has asked to be left alone; only those that still do.

    A Retry-After speaks for the host: no feed and no source may ask it sooner.
    """
    table = memories_table
    query = select(table.c.host, func.max(table.c.hold_until)).where(table.c.hold_until > stamp(now))
    with reading(ledger) as connection:
        return {name: time(until) for name, until in connection.execute(query.group_by(table.c.host))}
