"""The state of each feed, and named values of other modules.

A channel's guid is given once and for ever; its fingerprint and the time of its last change move together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, Generic, TypeVar

from msgspec import Struct
from sqlalchemy import bindparam, select

from aggregator.errors import StoreError
from aggregator.model.feed import SourceResult
from aggregator.model.feed_model import FeedModel
from aggregator.store import checksums, records
from aggregator.store.database import (
    Store,
    batches,
    find_row,
    reading,
    remove,
    select_rows,
    transaction,
    upsert,
    writing,
)
from aggregator.store.schema import facts as facts_table
from aggregator.store.schema import feeds, parse_stamp, stamp

R = TypeVar("R")

HELD_AUDIO: Final = "held audio"
"""The fact with audio that is still published though its source moved all of its own at once."""

HISTORY: Final = "changes"
"""The fact with the history of a feed for its changes page."""

_FACT = select(facts_table).where(facts_table.c.feed == bindparam("feed"), facts_table.c.name == bindparam("name"))
_FACT_OF_FEEDS = select(facts_table).where(facts_table.c.name == bindparam("name"))
"""Made once: a refresh reads ten facts of each feed, and to make the query takes longer than to run it."""


class FeedFacts(Struct, frozen=True):
    """The channel's guid, and what was last published.

    ``guid`` is the podcast:guid, ``None`` until it is assigned; ``fingerprint`` is of the content last published and
    ``updated`` is when that content changed; ``runs`` counts the refreshes that were written.
    """

    guid: str | None = None
    fingerprint: str | None = None
    updated: datetime | None = None
    runs: int = 0


def read_feed_state(store: Store, feed: str) -> FeedFacts:
    """Return the state of the feed; an empty one before its first refresh."""
    with reading(store) as connection:
        row = find_row(connection, feeds, feeds.c.feed == feed)
    if row is None:
        return FeedFacts()
    return FeedFacts(row.guid, row.fingerprint, parse_stamp(row.updated) if row.updated else None, row.runs)


def read_feeds(store: Store, names: Collection[str]) -> frozenset[str]:
    """Return those of the feeds that were ever composed."""
    with reading(store) as connection:
        found = (select_rows(connection, feeds, feeds.c.feed.in_(some)) for some in batches(sorted(names)))
        return frozenset(row.feed for rows in found for row in rows)


def write_feed_state(store: Store, feed: str, *, fingerprint: str, updated: datetime, guid: str | None = None) -> None:
    """Count one more run; raise StoreError if it would change the channel's guid.

    ``updated`` is written only with another fingerprint.
    """
    with transaction(store) as tx, writing(tx) as connection:
        before = read_feed_state(tx, feed)
        if before.guid is not None and guid not in (None, before.guid):
            raise StoreError(f"store: {feed}: the channel's guid is {before.guid} for ever, not {guid}")
        if before.fingerprint == fingerprint and before.updated is not None:
            updated = before.updated
        row = {
            "feed": feed,
            "guid": guid or before.guid,
            "fingerprint": fingerprint,
            "updated": stamp(updated),
            "runs": before.runs + 1,
        }
        upsert(connection, feeds, [row])


def read_fact(store: Store, feed: str, name: str) -> bytes | None:
    """Return the value of the name, ``None`` if there is none. The empty feed name has what belongs to no feed."""
    if (feed, name) in store.assumed:
        return store.assumed[feed, name]
    with reading(store) as connection:
        rows = checksums.check(facts_table, connection.execute(_FACT, {"feed": feed, "name": name}).all())
        row = next(rows, None)
    return row.value if row else None


def read_named(store: Store, feed: str, names: Sequence[str]) -> list[bytes | None]:
    """Return the value of each name, ``None`` if there is none."""
    table = facts_table
    with reading(store) as connection:
        rows = select_rows(connection, table, table.c.feed == feed, table.c.name.in_(names))
        found = {(feed, row.name): row.value for row in rows} | dict(store.assumed)
    return [found.get((feed, name)) for name in names]


def write_fact(store: Store, feed: str, name: str, value: bytes | None) -> None:
    """Write the value of the name; ``None`` deletes it."""
    with writing(store) as connection:
        if value is None:
            remove(connection, facts_table, feed, facts_table.c.name == name)
        else:
            upsert(connection, facts_table, [{"feed": feed, "name": name, "value": value}])


def read_facts(store: Store, feeds: Sequence[str], prefix: str) -> dict[tuple[str, str], bytes]:
    """Return the values of all names of some feeds that begin so, by feed and name."""
    fits = facts_table.c.feed.in_(feeds), facts_table.c.name.startswith(prefix, autoescape=True)
    with reading(store) as connection:
        return {(row.feed, row.name): row.value for row in select_rows(connection, facts_table, *fits)}


def read_fact_of_feeds(store: Store, name: str) -> dict[str, bytes]:
    """Return the value that each feed has for the name, by feed."""
    with reading(store) as connection:
        rows = checksums.check(facts_table, connection.execute(_FACT_OF_FEEDS, {"name": name}))
        return {row.feed: row.value for row in rows}


class Fact(Struct, Generic[R], frozen=True):
    """A value of each feed under a name: a record, or a tuple of records."""

    name: str
    kind: type[R]

    def read(self, store: Store, feed: str) -> R | None:
        """Return the value of a feed, ``None`` if there is none."""
        kept = read_fact(store, feed, self.name)
        return self._decode(kept) if kept else None

    def read_of_feeds(self, store: Store) -> dict[str, R]:
        """Return the value of each feed that has one."""
        return {feed: self._decode(kept) for feed, kept in read_fact_of_feeds(store, self.name).items()}

    def write(self, store: Store, feed: str, value: R | None) -> None:
        """Write the value of a feed; ``None`` deletes it."""
        write_fact(store, feed, self.name, None if value is None else records.encode(value).encode())

    def _decode(self, kept: bytes) -> R:
        value: R = records.decode_value(self.kind, self.name, kept.decode())
        return value


MODEL: Final = Fact("model", FeedModel)
"""What was learned of a feed."""

SOURCE_RESULTS: Final = Fact("source results", tuple[SourceResult, ...])
"""The result of each source when it was last polled."""
