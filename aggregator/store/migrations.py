"""Bring the tables to the version of this program, forward only, all steps in one transaction.

A store of an older version is copied beside itself first (SQLite). A newer one is refused, because this program does
not know its tables.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import Connection, Engine, delete, func, insert, inspect, select, update
from sqlalchemy.exc import DBAPIError

from aggregator.errors import StoreError
from aggregator.store import checksums, schema
from aggregator.store import connection as connections

_Step = Callable[[Connection], None]

_VERSION: Final = "schema"
"""The row of ``meta`` with the version of the tables."""

_VERSION_BEFORE_RELEASE: Final = "version"
"""That row before the first release, by which a PostgreSQL store of then is known."""


def _store_items(connection: Connection) -> None:
    """Store items as they were published, in place of a line about each.

    Only their guids are known yet: without a note of its last publication each feed is composed by the next refresh.
    """
    schema.items.create(connection)
    known = connection.exec_driver_sql("SELECT feed, guid FROM last_published").all()
    empty = {"digest": b"", "record": b"", "evidence": b""}
    rows = [checksums.add(schema.items, {"feed": feed, "guid": guid, **empty}) for feed, guid in known]
    if rows:
        connection.execute(insert(schema.items), rows)
    connection.exec_driver_sql("DROP TABLE last_published")
    facts = schema.facts
    outdated = facts.c.name.in_(("publication", "kept items"))
    with checksums.noting_changes(connection):
        for feed in connection.execute(select(facts.c.feed).where(outdated).distinct()).scalars().all():
            checksums.note_change(connection, facts, feed)
        connection.execute(delete(facts).where(outdated))


STEPS: tuple[_Step, ...] = (_store_items,)
"""The steps from version 1 to 2, from 2 to 3, and so on: functions named after what they change."""


def migrate(engine: Engine, *, name: str = "", keeps_old: bool = True) -> None:
    """Create the tables or bring them to this program's version; raise StoreError if they are newer or foreign.

    ``name`` is the store's in messages, if not the database's own; ``keeps_old`` is whether an older SQLite store is
    copied first.
    """
    path = connections.sqlite_file(engine.url)
    where = name or connections.printable_name(engine.url)
    with connections.translating_errors(where):
        version = read_version(engine, where)
        if version == schema.VERSION:
            return
        if version and path is not None and keeps_old:
            copy_file(path, path.with_name(f"{path.name}.version-{version}"))
        with (
            connections.write_lock(path),
            engine.connect().execution_options(begin="BEGIN IMMEDIATE") as connection,
            connection.begin(),
        ):
            _run_steps(connection, where)


def read_version(engine: Engine, where: str) -> int:
    """Return the version of the tables, 0 if there are none yet; raise StoreError if they are newer or foreign."""
    with engine.connect() as connection, connection.begin():
        return _read_version(connection, where)


def _read_version(connection: Connection, where: str) -> int:
    tables = set(inspect(connection).get_table_names())
    if not tables:
        return 0
    if not tables & schema.metadata.tables.keys():
        raise StoreError(f"{where}: is a database of another program; it is left as it is")
    if "meta" not in tables:
        raise connections.damaged(where, "it has no table meta")
    names = schema.meta.c.name.in_((_VERSION, _VERSION_BEFORE_RELEASE))
    found = {row.name: row.value for row in connection.execute(select(schema.meta).where(names))}
    if _VERSION_BEFORE_RELEASE in found:
        raise connections.written_before_release(where)
    version = str(found.get(_VERSION))
    if not version.isdecimal() or int(version) < 1:
        raise connections.damaged(where, "it has no version")
    if int(version) > schema.VERSION:
        raise StoreError(
            f"{where}: was written by a newer version of this program (its tables are version {version}, "
            f"known here is {schema.VERSION}); use that one, or restore a backup that this one made"
        )
    return int(version)


def _run_steps(connection: Connection, where: str) -> None:
    """Run the missing steps; the version is read again, as another process may have run them meanwhile."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(schema.APPLICATION)))
    version = _read_version(connection, where)
    if version == 0:
        schema.metadata.create_all(connection, checkfirst=False)
        connection.execute(insert(schema.meta), [{"name": _VERSION, "value": str(schema.VERSION)}])
        return
    for step in STEPS[version - 1 :]:
        step(connection)
    is_version = schema.meta.c.name == _VERSION
    connection.execute(update(schema.meta).where(is_version).values(value=str(schema.VERSION)))


def _find_damage_of_pages(path: Path) -> str | None:
    """Return what SQLite itself finds wrong with the file, ``None`` for nothing."""
    with closing(sqlite3.connect(path)) as connection:
        found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    return None if found == "ok" else " ".join(found.split())


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """Give a folder for temporary files, removed at the end; raise StoreError if none can be written."""
    try:
        folder = TemporaryDirectory(prefix=f"aggregator-{purpose}-")
    except OSError as error:
        raise StoreError(
            f"no folder for temporary files can be written ({error.strerror}); name one with room for a copy of the "
            "store in the environment's TMPDIR"
        ) from error
    with folder as name:
        yield Path(name)


def copy_file(
    path: Path, copy: Path, find_damage: Callable[[Path], str | None] = _find_damage_of_pages, *, name: str = ""
) -> None:
    """Copy the SQLite file whole, also while it is in use, and check that the copy can be read.

    The copy has the file's permissions and takes the place of an older copy when it is done. Raises StoreError, with an
    older copy still in place, if the file is damaged or the copy cannot be written; ``name`` is the file's in messages,
    if not its path.
    """
    partial = copy.with_name(f"{copy.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IMODE(path.stat().st_mode)))
        with (
            closing(_open_to_read(path)) as source,
            closing(sqlite3.connect(partial)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
        if damage := find_damage(partial):
            raise connections.damaged(name or str(path), damage)
        rename_durably(partial, copy)
    except sqlite3.DatabaseError as error:
        translated = connections.translate_error(DBAPIError("", None, error), name or str(path))
        if "cannot be written" in str(translated):
            translated = StoreError(f"{copy}: cannot be written ({error})")
        raise translated from error
    except OSError as error:
        raise StoreError(f"{copy}: cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open an SQLite file, also one in WAL mode in a folder that cannot be written, if it has no journal there."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    connection = sqlite3.connect(address, uri=True)
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        connection.close()
        if "unable to open" not in str(error) or path.with_name(f"{path.name}-wal").exists():
            raise
        return sqlite3.connect(f"{address}&immutable=1", uri=True)
    return connection


def rename_durably(partial: Path, path: Path) -> None:
    """Give the finished file its name; file and folder are on the disk when this returns."""
    for place, rename in ((partial, True), (path.parent, False)):
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if rename:
            partial.replace(path)
