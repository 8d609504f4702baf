"""Rename a feed: all that the store knows of it is kept under another name."""

from __future__ import annotations

from typing import Final

from sqlalchemy import delete, select

from aggregator.store import checksums, schema
from aggregator.store.database import Store, remove, upsert, writing

_LEFT_OUT: Final = (schema.leases, schema.cache)
"""Tables that are not renamed: a new feed has a lease already, and the keys of the cache depend on the feed's name."""


def rename_feed(store: Store, old: str, new: str) -> None:
    """Give all rows of a feed another feed's name, of which the store has nothing."""
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
