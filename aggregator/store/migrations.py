"""Bring the tables to the version of this program, forward only, all steps in one transaction.

A store of an older version is copied beside itself first (SQLite). A newer one is refused, because this program does
not know its tables.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, Table, func, insert, inspect, select, update
from sqlalchemy.exc import DBAPIError

from aggregator.errors import StoreError
from aggregator.store import connection as connections
from aggregator.store import schema

_Step = Callable[[Connection], None]


def _create_polls(connection: Connection) -> None:
    schema.polls.create(connection)


def _replace_due_times(connection: Connection) -> None:
    """Replace the due times of sources by leases of feeds: all are due once, and poll states decide what is fetched."""
    schema.leases.create(connection)
    schema.hosts.create(connection)
    Table("due_times", MetaData()).drop(connection)


def _create_poll_days(connection: Connection) -> None:
    schema.poll_days.create(connection)


STEPS: tuple[_Step, ...] = (_create_polls, _replace_due_times, _create_poll_days)
"""The steps from version 1 to 2, from 2 to 3, and so on; ``schema.VERSION`` less one of them."""


def migrate(engine: Engine, steps: tuple[_Step, ...] = STEPS) -> None:
    """Create the tables or bring them to this program's version; raise StoreError if they are newer or foreign."""
    where, path = connections.printable_name(engine.url), connections.sqlite_file(engine.url)
    target = len(steps) + 1
    with connections.translating_errors(where):
        with engine.connect() as connection, connection.begin():
            version = _read_version(connection, where)
        if version == target:
            return
        if version > target:
            raise StoreError(
                f"{where}: was written by a newer version of this program (its tables are version {version}, "
                f"known here is {target})"
            )
        if version and path is not None:
            copy_file(path, path.with_name(f"{path.name}.version-{version}"))
        with (
            connections.write_lock(path),
            engine.connect().execution_options(begin="BEGIN IMMEDIATE") as connection,
            connection.begin(),
        ):
            _run_steps(connection, where, steps)


def _read_version(connection: Connection, where: str) -> int:
    """Return the version of the tables, 0 if there are none yet; raise StoreError if they are foreign."""
    tables = set(inspect(connection).get_table_names())
    if not tables:
        return 0
    if not tables & schema.metadata.tables.keys():
        raise StoreError(f"{where}: is a database of another program; it is left as it is")
    if "meta" not in tables:
        raise connections.damaged(where, "it has no table meta")
    found = connection.execute(select(schema.meta.c.value).where(schema.meta.c.name == "version")).scalar()
    if not str(found).isdecimal() or int(found or 0) < 1:
        raise connections.damaged(where, "it has no version")
    return int(str(found))


def _run_steps(connection: Connection, where: str, steps: tuple[_Step, ...]) -> None:
    """Run the missing steps; the version is read again, as another process may have run them meanwhile."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(schema.APPLICATION)))
    version = _read_version(connection, where)
    if version == 0:
        schema.metadata.create_all(connection)
        connection.execute(insert(schema.meta), [{"name": "version", "value": str(schema.VERSION)}])
        version = schema.VERSION
    for step in steps[version - 1 :]:
        step(connection)
    value = str(max(version, len(steps) + 1))
    connection.execute(update(schema.meta).where(schema.meta.c.name == "version").values(value=value))


def _find_damage_of_pages(path: Path) -> str | None:
    """Return what SQLite itself finds wrong with the file, ``None`` for nothing."""
    with closing(sqlite3.connect(path)) as connection:
        found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    return None if found == "ok" else " ".join(found.split())


def copy_file(path: Path, copy: Path, find_damage: Callable[[Path], str | None] = _find_damage_of_pages) -> None:
    """Copy the SQLite file whole, also while it is in use, and check that the copy can be read.

    The copy has the file's permissions and takes the place of an older copy when it is done. Raises StoreError, with an
    older copy still in place, if the file is damaged or the copy cannot be written.
    """
    partial = copy.with_name(f"{copy.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IMODE(path.stat().st_mode)))
        with (
            closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(partial)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
        if damage := find_damage(partial):
            raise connections.damaged(str(path), damage)
        _rename_durably(partial, copy)
    except sqlite3.DatabaseError as error:
        translated = connections.translate_error(DBAPIError("", None, error), str(path))
        if "cannot be written" in str(translated):
            translated = StoreError(f"{copy}: cannot be written ({error})")
        raise translated from error
    except OSError as error:
        raise StoreError(f"{copy}: cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _rename_durably(partial: Path, path: Path) -> None:
    """Give the finished file its name; file and folder are on the disk when this returns."""
    for place, rename in ((partial, True), (path.parent, False)):
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if rename:
            partial.replace(path)
