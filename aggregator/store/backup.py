"""A whole copy of the store in one file, taken while it is in use, and the way back.

A backup is always an SQLite store, also of a PostgreSQL one: so it is at the same time the way from one to the
other. It is written beside its place and takes its name when it is whole and was read back; a store that is
restored over is kept beside.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from sqlalchemy import Connection, delete, insert, select

from aggregator.errors import StoreError
from aggregator.store import connection as door
from aggregator.store import database, migrations, schema
from aggregator.store.lock import lock

ROWS = 500
"""Rows copied at once from one database to another; more only takes more memory."""


class Copy(Struct, frozen=True):
    """What a backup or a restore came to: the file, its size in bytes, and what the old store is now called."""

    path: Path
    size: int
    kept: Path | None = None


def backup(state: str, path: Path) -> Copy:
    """A copy of the store as it is at one moment; others may go on writing to it.

    StoreError where there is no store, it is damaged, the path holds anything but an older backup, or the copy
    cannot be written whole: what stood at the path then still does.
    """
    url = door.address(state)
    source = door.file(url)
    if path.exists():
        door.examine(path)
    if source is None:
        _export(state, path)
    elif not source.exists():
        raise StoreError(f"{source}: there is no store to back up")
    elif path.exists() and path.samefile(source):
        raise StoreError(f"{path}: is the store itself")
    else:
        door.examine(source)
        migrations.keep(source, path)
    return Copy(path, path.stat().st_size)


def restore(state: str, path: Path) -> Copy:
    """Put the backup in the place of the store, as one step: it is the old one or the new one at any instant.

    StoreError where the file is no backup, is damaged, or newer than this program, LockedError where a refresh is
    at work; nothing is then changed. A store file that is replaced stands beside under the name that is answered.
    """
    if not path.is_file():
        raise StoreError(f"{path}: there is no such backup")
    if not door.examine(path):
        raise StoreError(f"{path}: is empty")
    target = door.file(door.address(state))
    with lock(state, wait=False), _rehearsed(path) as copy:
        kept = None
        if target is None:
            _import(state, copy)
        else:
            kept = _replace(copy, target)
        with database.open(state, fence=True):
            return Copy(path, path.stat().st_size, kept)


@contextmanager
def _rehearsed(path: Path) -> Iterator[Path]:
    """A copy of the backup that was read back and opened, and so brought to this program's version."""
    with TemporaryDirectory(prefix="aggregator-restore-") as folder:
        copy = Path(folder) / "store.db"
        migrations.keep(path, copy)
        with database.open(str(copy)):
            pass
        yield copy


def _replace(copy: Path, target: Path) -> Path | None:
    """Give the copy the store's name; the name that the old store has now, ``None`` where there was none.

    The old one gets its second name first and takes its journal along; then the new one takes its place.
    """
    kept = None
    try:
        if target.exists():
            _still(target)
            kept = _free(target)
            os.link(target, kept)
            for tail in ("-wal", "-shm"):
                journal = target.with_name(target.name + tail)
                if journal.exists():
                    journal.replace(kept.with_name(kept.name + tail))
        migrations.keep(copy, target)
    except OSError as error:
        raise StoreError(f"{target}: the backup could not take its place: {error.strerror}") from error
    return kept


def _still(target: Path) -> None:
    """Let nobody commit to the old store any more, and put its journal into its file, as far as it is sound."""
    with suppress(StoreError), database.open(str(target), fence=True):
        pass
    with suppress(sqlite3.Error), closing(sqlite3.connect(target)) as old:
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _free(target: Path) -> Path:
    """A name beside the store that no file has."""
    number = 1
    while (kept := target.with_name(f"{target.name}.replaced-{number}")).exists():
        number += 1
    return kept


def _export(state: str, path: Path) -> None:
    """Write the rows of a PostgreSQL store, as they are at one moment, into an SQLite one at the path."""
    with TemporaryDirectory(prefix="aggregator-backup-") as folder:
        partial = Path(folder) / "store.db"
        with (
            database.open(state) as source,
            database.open(str(partial)) as target,
            database.reading(source) as rows,
            database.writing(target) as copy,
        ):
            _copy(rows, copy)
        migrations.keep(partial, path)


def _import(state: str, path: Path) -> None:
    """Put the rows of the SQLite store in the place of those of the PostgreSQL one, in one transaction."""
    with (
        database.open(str(path)) as source,
        database.open(state) as target,
        database.reading(source) as rows,
        database.writing(target) as copy,
    ):
        _copy(rows, copy)
        number = "SELECT setval(pg_get_serial_sequence('events', 'number'), (SELECT max(number) + 1 FROM events))"
        copy.exec_driver_sql(number)


def _copy(rows: Connection, copy: Connection) -> None:
    """Every row of every table, in place of what is there."""
    for table in schema.metadata.sorted_tables:
        copy.execute(delete(table))
        for some in rows.execute(select(table)).mappings().partitions(ROWS):
            copy.execute(insert(table), [dict(row) for row in some])
