"""What a feed is known by, and named values learned of it: match table, boilerplate, whatever a stage must keep.

A channel's guid is given once and for ever; its fingerprint and the time of its last change move together.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct
from sqlalchemy import delete, select

from aggregator.errors import StoreError
from aggregator.store.database import Store, among, put, reading, transaction, writing
from aggregator.store.schema import facts as facts_table
from aggregator.store.schema import feeds, stamp, time

STATE = "SELECT guid, fingerprint, updated, runs FROM feeds WHERE feed IN {}"


class State(Struct, frozen=True):
    """What a feed is known by.

    ``guid`` is the podcast:guid, ``None`` until it is assigned; ``fingerprint`` is of the content last published and
    ``updated`` is when that content changed; ``runs`` counts the refreshes that were written.
    """

    guid: str | None = None
    fingerprint: str | None = None
    updated: datetime | None = None
    runs: int = 0


def state(store: Store, feed: str) -> State:
    """What the feed is known by; an empty one before its first refresh."""
    with reading(store) as connection:
        rows = among(connection, STATE, [feed])
    for guid, fingerprint, updated, runs in rows:
        return State(guid, fingerprint, time(updated) if updated else None, runs)
    return State()


def keep_feed(store: Store, feed: str, *, fingerprint: str, updated: datetime, guid: str | None = None) -> State:
    """Count one more run, and keep what was published; StoreError where it would change the channel's guid.

    ``updated`` is kept only where the fingerprint is another: the answer's ``updated`` is what to publish.
    """
    with transaction(store) as tx, writing(tx) as connection:
        before = state(tx, feed)
        if before.guid is not None and guid not in (None, before.guid):
            raise StoreError(f"store: {feed}: the channel's guid is {before.guid} for ever, not {guid}")
        same = before.fingerprint == fingerprint and before.updated is not None
        after = State(guid or before.guid, fingerprint, before.updated if same else updated, before.runs + 1)
        values: dict[str, object] = {
            "guid": after.guid,
            "fingerprint": after.fingerprint,
            "updated": stamp(after.updated) if after.updated else None,
            "runs": after.runs,
        }
        put(connection, feeds, {"feed": feed}, values)
    return after


def facts(store: Store, feed: str, name: str) -> bytes | None:
    """The value kept under the name, ``None`` where there is none. The empty feed name holds what is of no feed."""
    if (feed, name) in store.assumed:
        return store.assumed[feed, name]
    table = facts_table
    query = select(table.c.value).where(table.c.feed == feed, table.c.name == name)
    with reading(store) as connection:
        return connection.execute(query).scalar()


def keep_fact(store: Store, feed: str, name: str, value: bytes | None) -> None:
    """Keep the value under the name; ``None`` forgets it."""
    table = facts_table
    with writing(store) as connection:
        if value is None:
            connection.execute(delete(table).where(table.c.feed == feed, table.c.name == name))
        else:
            put(connection, table, {"feed": feed, "name": name}, {"value": value})


def everywhere(store: Store, name: str) -> dict[str, bytes]:
    """The value that each feed has under the name, by feed."""
    table = facts_table
    query = select(table.c.feed, table.c.value).where(table.c.name == name)
    with reading(store) as connection:
        return {row.feed: row.value for row in connection.execute(query)}
