"""Keep what the store knows under another name: of a feed that was renamed, of a source that goes to another feed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace
from sqlalchemy import Table, delete, select

from aggregator.model.entry import Entry
from aggregator.model.source import Source
from aggregator.store import checksums, records, schema
from aggregator.store.database import Store, find_row, remove, upsert, writing
from aggregator.store.entries import PLACE_FIELDS

_LEFT_OUT: Final = (schema.leases, schema.cache)
"""Tables that are not renamed: a new feed has a lease already, and the keys of the cache depend on the feed's name."""

_OF_SOURCE: Final = (schema.sources, schema.shows, schema.entries, schema.poll_states)
"""Tables with what a source has listed, and when it is polled again."""


def copy_source(store: Store, feed: str, source: str, to: str, name: str) -> None:
    """Copy what a source has ever listed into another feed, under that name, beside what it listed there before."""
    with writing(store) as connection:
        table = schema.sources
        before = find_row(connection, table, table.c.feed == to, table.c.source == name)
        for table in _OF_SOURCE:
            query = select(table).where(table.c.feed == feed, table.c.source == source)
            rows = checksums.check(table, connection.execute(query))
            values = [_put_under(table, dict(zip(table.c.keys(), row, strict=True)), to, name) for row in rows]
            if table is schema.sources and before is not None:
                values = [each | {"listings": max(each["listings"], before.listings)} for each in values]
            for group in {checksums.group_of(table, each) for each in values}:
                checksums.note_change(connection, table, *group)
            upsert(connection, table, values)


def _put_under(table: Table, row: Mapping[str, Any], feed: str, name: str) -> dict[str, Any]:
    """Return a row of a source as one of a feed under a name, which stands in the records of sources and entries."""
    after = {**row, "feed": feed, "source": name}
    if table is schema.sources:
        return after | {"record": records.encode(replace(records.decode(Source, row["record"]), name=name))}
    if table is schema.entries:
        entry = replace(records.decode(Entry, row["record"]), source=name)
        record = records.encode(entry, without=PLACE_FIELDS)
        return after | {"record": record, "digest": records.digest(record)}
    return after


def rename_feed(store: Store, old: str, new: str) -> None:
    """Give all rows of a feed another name, which no feed of the store has."""
    tables = [each for each in schema.metadata.sorted_tables if "feed" in each.c and each not in _LEFT_OUT]
    with writing(store) as connection:
        for table in tables:
            found = connection.execute(select(table).where(table.c.feed == old))
            rows = checksums.check(table, found) if "checksum" in table.c else found
            values = [dict(zip(table.c.keys(), row, strict=True)) | {"feed": new} for row in rows]
            for group in {checksums.group_of(table, {**each, "feed": old}) for each in values}:
                checksums.note_change(connection, table, *group)
            connection.execute(delete(table).where(table.c.feed == old))
            upsert(connection, table, values)
        remove(connection, schema.cache, old)
