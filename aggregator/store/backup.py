"""Copy the store to one file while it is in use, and restore it.

A backup is always an SQLite store, also of a PostgreSQL one, so it also moves a store from one to the other. It is
written beside its place and takes its name when it is complete and was read back; a store that is replaced by a backup
is kept beside it.
"""

from __future__ import annotations

import glob
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select

from aggregator.errors import DamagedError, StoreError
from aggregator.store import checksums, database, examine, migrations, schema
from aggregator.store import connection as connections

_DAILY: Final = ".backup-"
"""Between the name of a store and the day of a copy that a refresh made."""


def backup(state: str, path: Path) -> int:
    """Copy the store as it is at one moment, and return the size in bytes; others may go on writing to it.

    Raises StoreError, and leaves the path as it was, if there is no store, it is damaged, the path holds anything but
    an older backup, or the copy cannot be written.
    """
    url = connections.parse_address(state)
    source = connections.sqlite_file(url)
    if path.exists():
        connections.is_store_file(path)
    if source is None:
        _export(state, path)
    elif not connections.is_store_file(source):
        raise StoreError(f"{source}: there is no store to back up")
    elif path.exists() and path.samefile(source):
        raise StoreError(f"{path}: is the store itself")
    else:
        migrations.copy_file(source, path, partial(examine.find_damage_of_file, name=str(source)))
    return path.stat().st_size


def back_up_daily(state: str, at: datetime, kept: int) -> None:
    """Copy an SQLite store beside itself once a day (UTC), and remove all such copies but the ``kept`` newest.

    Raises DamagedError if the store is damaged, StoreError if the copy cannot be written; the older copies then stay.
    """
    source = connections.sqlite_file(connections.parse_address(state))
    if source is None or not kept:
        return
    today = source.with_name(f"{source.name}{_DAILY}{at:%Y-%m-%d}")
    if today.exists():
        return
    _remove(_find_beside(source, "*.partial*"))  # left by a refresh that was killed
    migrations.copy_file(source, today, partial(examine.find_damage_of_file, name=str(source)))
    _remove([each for each in _list_daily(source) if each != today][kept - 1 :])


def _remove(files: Iterable[Path]) -> None:
    """Remove files; what cannot be removed is left for the next time."""
    for each in files:
        with suppress(OSError):
            each.unlink()


def find_newest_good(state: str) -> Path | None:
    """Return the newest daily copy of an SQLite store that can be restored, ``None`` if there is none."""
    source = connections.sqlite_file(connections.parse_address(state))
    return next(filter(_can_be_restored, _list_daily(source) if source else []), None)


def _can_be_restored(copy: Path) -> bool:
    try:
        return connections.is_store_file(copy) and examine.find_damage_of_file(copy) is None
    except StoreError:
        return False


def _list_daily(source: Path) -> list[Path]:
    """Return the daily copies of the store, the newest first."""
    return sorted(_find_beside(source, "[0-9]*[0-9]"), reverse=True)


def _find_beside(source: Path, ending: str) -> list[Path]:
    """Return the daily copies with such an ending; none if the folder cannot be read."""
    with suppress(OSError):
        return list(source.parent.glob(f"{glob.escape(source.name)}{_DAILY}{ending}"))
    return []


def restore(state: str, path: Path) -> Path | None:
    """Replace the store with the backup, in one step: it is the old one or the new one at any instant.

    Raises StoreError if the file is no backup, is damaged, or newer than this program, LockedError if a refresh is
    running; nothing is then changed. The file of the old store is kept beside the new one; return its new name,
    ``None`` if there was none.
    """
    if not path.is_file():
        raise StoreError(f"{path}: there is no such backup")
    if not connections.is_store_file(path):
        raise StoreError(f"{path}: is empty")
    target = connections.sqlite_file(connections.parse_address(state))
    with connections.refresh_lock(state, wait=False), _verified_copy(path, state) as copy:
        replaced = None
        if target is None:
            _import(state, copy)
        else:
            replaced = _replace(copy, target)
        with database.open_store(state, fence=True):
            return replaced


@contextmanager
def _verified_copy(path: Path, state: str) -> Iterator[Path]:
    """Give a copy of the backup, brought to this program's version and examined."""
    with migrations.temporary_folder("restore") as folder:
        copy = folder / "store.db"
        try:
            if damage := examine.copy_forward(path, copy, str(path)):
                raise connections.damaged(str(path), damage)
        except DamagedError as error:  # the advice is about copies of the store
            raise DamagedError(f"{error}, and was not restored", state) from error
        yield copy


def _replace(copy: Path, target: Path) -> Path | None:
    """Give the copy the store's name, and return the new name of the old store, ``None`` if there was none.

    The old one gets its second name first and takes its journal along; then the new one takes its place, with the
    permissions and the owner of the old one.
    """
    replaced, fresh = None, target.with_name(f"{target.name}.restored")
    migrations.copy_file(copy, fresh)
    try:
        _take_permissions(fresh, target)
        if target.exists():
            _close_for_good(target)
            replaced = _free_name(target)
            os.link(target, replaced)
            for tail in ("-wal", "-shm"):
                journal = target.with_name(target.name + tail)
                if journal.exists():
                    journal.replace(replaced.with_name(replaced.name + tail))
        migrations.rename_durably(fresh, target)
    except OSError as error:
        raise StoreError(f"{target}: the backup could not take its place: {error.strerror}") from error
    return replaced


def _take_permissions(fresh: Path, target: Path) -> None:
    """Give the file mode, owner and group of the old store; without one its owner alone can read it."""
    try:
        state = target.stat()
    except FileNotFoundError:
        fresh.chmod(0o600)
        return
    if os.geteuid() == 0:
        os.chown(fresh, state.st_uid, state.st_gid)
    fresh.chmod(stat.S_IMODE(state.st_mode))


def _close_for_good(target: Path) -> None:
    """Prevent any further commit to the old store, and write its journal into its file, as far as it is sound."""
    with suppress(StoreError), database.open_store(str(target), fence=True):
        pass
    with suppress(sqlite3.Error), closing(sqlite3.connect(target)) as old:
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _free_name(target: Path) -> Path:
    """Return a name beside the store that no file has."""
    number = 1
    while (name := target.with_name(f"{target.name}.replaced-{number}")).exists():
        number += 1
    return name


def _export(state: str, path: Path) -> None:
    """Write the rows of a PostgreSQL store, as they are at one moment, into an SQLite one at the path."""
    with migrations.temporary_folder("backup") as folder:
        copy = folder / "store.db"
        with (
            database.open_store(state) as source,
            database.open_store(str(copy)) as target,
            database.reading(source) as rows,
            database.writing(target) as rows_of_copy,
        ):
            _copy(rows, rows_of_copy)
        migrations.copy_file(copy, path)


def _import(state: str, path: Path) -> None:
    """Replace the rows of the PostgreSQL store with those of the SQLite one, in one transaction."""
    with (
        database.open_store(str(path)) as source,
        database.open_store(state) as target,
        database.reading(source) as rows,
        database.writing(target) as copy,
    ):
        _copy(rows, copy)
        newest = select(func.max(schema.events.c.number) + 1).scalar_subquery()
        copy.execute(select(func.setval(func.pg_get_serial_sequence("events", "number"), newest)))


def _copy(rows: Connection, copy: Connection) -> None:
    for table in schema.metadata.sorted_tables:
        copy.execute(delete(table))
        every = rows.execute(select(table).execution_options(yield_per=database.BATCH))
        for some in every.mappings().partitions():
            copy.execute(insert(table), [dict(row) for row in some])
    checksums.write_all_sums(copy)
