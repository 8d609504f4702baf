"""Examine a whole store: its pages, every row with its checksum, and whether rows are missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, inspect, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from aggregator.errors import DamagedError, StoreError
from aggregator.store import cache, checksums, database, items, migrations, records, schema
from aggregator.store import connection as connections
from aggregator.store.database import BATCH

_MOST_PAGES = 20
"""Most lines of SQLite's own check."""


def find_damage(engine: Engine) -> Iterator[str]:
    """Yield a line for each thing that is not as it was written; none for a file that has no tables yet.

    The cache is left out: a copy is good without it (`count_damaged_cache`).
    """
    with suppress(SQLAlchemyError):
        if not inspect(engine).get_table_names():
            return
    for look in (_look_at_pages, _look_at_rows, checksums.find_missing, _look_at_leases):
        try:
            with engine.connect() as connection:
                yield from look(connection)
        except (SQLAlchemyError, DamagedError) as error:
            yield _describe(error)


def find_damage_of_file(path: Path, name: str = "") -> str | None:
    """Return the first damage of an SQLite store of this or an older version, ``None`` if it is sound.

    Raises StoreError if it is newer, DamagedError if it is older and its pages are damaged; ``name`` is the store's in
    these messages, if not the path.
    """
    engine, where = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool), name or str(path)
    if not _is_older(engine, where):
        return next(find_damage(engine), None)
    with migrations.temporary_folder("examine") as folder:
        return copy_forward(path, folder / "store.db", where)


def copy_forward(path: Path, copy: Path, name: str) -> str | None:
    """Copy an SQLite store, bring the copy to this program's version, and return its first damage, ``None`` for none.

    So also a store of an older version is examined, whose tables are not those that are known here. Raises
    DamagedError if its pages are damaged, StoreError if it is newer; ``name`` is the store's in these messages.
    """
    migrations.copy_file(path, copy, name=name)
    engine = connections.create_store_engine(URL.create("sqlite", database=str(copy)))
    try:
        migrations.migrate(engine, name=name, keeps_old=False)
        return next(find_damage(engine), None)
    finally:
        engine.dispose()


def find_damage_of_store(state: str) -> Iterator[str]:
    """Yield the lines of :func:`find_damage` for the store that ``state`` names.

    Raises StoreError if it is foreign, newer, or of an older version on a server, DamagedError if it is of an older
    version and its pages are damaged.
    """
    url = connections.parse_address(state)
    where, path = connections.printable_name(url), connections.sqlite_file(url)
    with connections.translating_errors(where):
        engine = connections.create_store_engine(url)
    try:
        if not _is_older(engine, where):
            yield from find_damage(engine)
        elif path is None:
            raise StoreError(f"{where}: has tables of an older version; the next refresh migrates them, check it then")
        elif damage := find_damage_of_file(path):
            yield damage
    finally:
        engine.dispose()


def _is_older(engine: Engine, where: str) -> bool:
    """Return whether the tables are of an older version, false if damage hides it; raise StoreError if newer."""
    try:
        return 0 < migrations.read_version(engine, where) < schema.VERSION
    except (SQLAlchemyError, DamagedError, UnicodeDecodeError):
        return False


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
                    if not (checksums.is_sound(table, row) and _has_digest(table, row)):
                        yield f"row: {checksums.describe(table, row)}"
            except SQLAlchemyError as error:
                yield f"rows of {table.name}: {_describe(error)}"


def _has_digest(table: Table, row: Any) -> bool:
    """Return whether the row has the digest of what its checksum leaves out."""
    if table is schema.items:
        return items.has_digest(row)
    return table is not schema.entries or (isinstance(row.record, str) and records.digest(row.record) == row.digest)


def _look_at_leases(connection: Connection) -> Iterator[str]:
    for row in connection.execute(select(schema.leases).execution_options(yield_per=BATCH)):
        if not isinstance(row.again, int):
            yield f"leases: {row.feed}"
        schema.parse_stamp(row.due_at)


def count_damaged_cache(state: str) -> int:
    """Return how many values of the cache are damaged: they count as missing, and are computed again."""
    with database.open_store(state) as store, database.reading(store) as connection:
        return cache.count_damaged(connection)
