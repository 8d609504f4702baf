"""Examine a whole store: its pages, every row with its checksum, and whether rows are missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, inspect, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from aggregator.errors import DamagedError
from aggregator.store import cache, checksums, records, schema
from aggregator.store import connection as connections
from aggregator.store.database import BATCH

_MOST_PAGES = 20
"""Most lines of SQLite's own check."""


def find_damage(engine: Engine) -> Iterator[str]:
    """Yield a line for each thing that is not as it was written; none for a file that has no tables yet."""
    with suppress(SQLAlchemyError):
        if not inspect(engine).get_table_names():
            return
    for look in (_look_at_pages, _look_at_rows, checksums.find_missing, _look_at_leases, _look_at_cache):
        try:
            with engine.connect() as connection:
                yield from look(connection)
        except (SQLAlchemyError, DamagedError) as error:
            yield _describe(error)


def find_damage_of_file(path: Path) -> str | None:
    """Return the first damage of an SQLite store, ``None`` if it is sound."""
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)
    return next(find_damage(engine), None)


def find_damage_of_store(state: str) -> Iterator[str]:
    """Yield the lines of :func:`find_damage` for the store that ``state`` names; raise StoreError if it is foreign."""
    url = connections.parse_address(state)
    with connections.translating_errors(connections.printable_name(url)):
        engine = connections.create_store_engine(url)
    try:
        yield from find_damage(engine)
    finally:
        engine.dispose()


def _describe(error: Exception) -> str:
    text = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    return " ".join(text.split())


def _look_at_pages(connection: Connection) -> Iterator[str]:
    if connection.dialect.name == "sqlite":
        found = connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST_PAGES})").scalars()
        yield from (f"pages: {' '.join(str(line).split())}" for line in found if line != "ok")


def _look_at_rows(connection: Connection) -> Iterator[str]:
    for table in schema.metadata.sorted_tables:
        if "checksum" in table.c:
            try:
                for row in connection.execute(select(table).execution_options(yield_per=BATCH)):
                    if not checksums.is_sound(table, row) or (table is schema.entries and not _has_digest(row)):
                        yield f"row: {checksums.describe(table, row)}"
            except SQLAlchemyError as error:
                yield f"rows of {table.name}: {_describe(error)}"


def _has_digest(row: Any) -> bool:
    return isinstance(row.record, str) and records.digest(row.record) == row.digest


def _look_at_leases(connection: Connection) -> Iterator[str]:
    for row in connection.execute(select(schema.leases).execution_options(yield_per=BATCH)):
        if not isinstance(row.again, int):
            yield f"leases: {row.feed}"
        schema.parse_stamp(row.due_at)


def _look_at_cache(connection: Connection) -> Iterator[str]:
    if damaged := cache.count_damaged(connection):
        yield f"cache: {damaged} damaged value{'s, which count' if damaged > 1 else ', which counts'} as missing"
