"""Which of several workers asks a source that is due: a table of leases, the truth on one machine and on many.

A worker claims sources for a time; one that dies loses them when the time has gone, and one that comes too late can no
longer finish them. When a source is due is decided by fetchers/http/polling.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import bindparam, delete, insert, select, update

from aggregator.store.database import Store, reading, writing
from aggregator.store.schema import sources, stamp, time


class Claim(Struct, frozen=True):
    """A source that is ours to ask until ``until``; ``generation`` is what a later claim would have raised."""

    feed: str
    source: str
    generation: int
    until: datetime


def enrol(store: Store, wanted: Collection[tuple[str, str]], now: datetime) -> None:
    """Have exactly the wanted sources, each as (feed, source), in the table; new ones are due at once."""
    with writing(store) as connection:
        known = {(feed, source) for feed, source in connection.execute(select(sources.c.feed, sources.c.source))}
        fresh = [
            {"feed": feed, "source": source, "due_at": stamp(now), "lease_gen": 0}
            for feed, source in sorted(set(wanted) - known)
        ]
        if fresh:
            connection.execute(insert(sources), fresh)
        for feed, source in sorted(known - set(wanted)):
            connection.execute(delete(sources).where(sources.c.feed == feed, sources.c.source == source))


def claim(store: Store, now: datetime, *, most: int, lease: timedelta, owner: str) -> tuple[Claim, ...]:
    """The sources that are due, the longest waiting first, now ours until the lease ends; empty where none is.

    Two workers never hold the same source: on PostgreSQL the second passes over what the first is claiming.
    """
    table, until = sources, now + lease
    free = table.c.lease_until.is_(None) | (table.c.lease_until < stamp(now))
    query = (
        select(table.c.feed, table.c.source, table.c.lease_gen)
        .where(table.c.due_at <= stamp(now), free)
        .order_by(table.c.due_at, table.c.feed, table.c.source)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    with writing(store) as connection:
        claims = tuple(Claim(feed, source, gen + 1, until) for feed, source, gen in connection.execute(query))
        if claims:
            same = (table.c.feed == bindparam("feed_"), table.c.source == bindparam("source_"))
            taken = update(table).where(*same).values(lease_until=stamp(until), lease_gen=bindparam("gen"), owner=owner)
            rows = [{"feed_": each.feed, "source_": each.source, "gen": each.generation} for each in claims]
            connection.execute(taken, rows)
    return claims


def finish(store: Store, held: Claim, due: datetime) -> bool:
    """Let go of the source until it is due; false where the lease was lost, and its result must be thrown away."""
    table = sources
    same = (table.c.feed == held.feed, table.c.source == held.source, table.c.lease_gen == held.generation)
    values = {"due_at": stamp(due), "lease_until": None, "owner": None}
    with writing(store) as connection:
        return connection.execute(update(table).where(*same).values(**values)).rowcount > 0


def advance(store: Store, latest: Mapping[tuple[str, str], datetime], lease: timedelta, now: datetime) -> None:
    """Make each source due no later than given, and end leases longer than ``lease``: by a clock that went back.

    What was written by a clock that was ahead would else silence a source for as long as it was ahead.
    """
    table = sources
    with writing(store) as connection:
        for (feed, source), due in latest.items():
            same = (table.c.feed == feed, table.c.source == source)
            connection.execute(update(table).where(*same, table.c.due_at > stamp(due)).values(due_at=stamp(due)))
        endless = table.c.lease_until > stamp(now + lease)
        connection.execute(update(table).where(endless).values(lease_until=None, owner=None))


def waiting(store: Store) -> dict[tuple[str, str], datetime]:
    """When each source of the table is due, by (feed, source)."""
    query = select(sources.c.feed, sources.c.source, sources.c.due_at)
    with reading(store) as connection:
        return {(feed, source): time(due) for feed, source, due in connection.execute(query)}
