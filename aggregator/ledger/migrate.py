"""The tables brought to the version this program knows, forward only, whole or not at all.

A ledger of an older version is copied beside itself first (SQLite), then every step runs in one transaction. A
newer one is refused: to write into tables one does not know is to lose what they promise.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, inspect, select, update
from sqlalchemy.exc import DBAPIError

from aggregator.errors import LedgerError
from aggregator.ledger import engine as door
from aggregator.ledger import schema
from aggregator.ledger.lock import turn

Step = Callable[[Connection], None]

LOT = 500
"""Rows written at once."""

_plain = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


def _show_items_in_rows(connection: Connection) -> None:
    """From 1 to 2: the items as subscribers saw them leave the fact "changes" for rows of their own."""
    schema.shown.create(connection)
    facts = schema.facts
    kept = connection.execute(select(facts.c.feed, facts.c.value).where(facts.c.name == "changes")).all()
    for feed, value in kept:
        state, _, news = bytes(value).partition(b"\n")
        channel, items, sources = json.loads(state)
        rows = [{"feed": feed, "guid": schema.mark(guid), "record": _plain([guid, *items[guid]])} for guid in items]
        for at in range(0, len(rows), LOT):
            connection.execute(insert(schema.shown), rows[at : at + LOT])
        left = json.dumps([channel, {}, sources], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        same = facts.c.feed == feed, facts.c.name == "changes"
        connection.execute(update(facts).where(*same).values(value=left.encode() + b"\n" + news))


def _date_what_entries_say(connection: Connection) -> None:
    """From 2 to 3: an entry has the time since when it says what it says; empty where it always said so."""
    if "changed" not in {each["name"] for each in inspect(connection).get_columns("sightings")}:
        connection.exec_driver_sql("ALTER TABLE sightings ADD COLUMN changed TEXT")


STEPS: tuple[Step, ...] = (_show_items_in_rows, _date_what_entries_say)
"""What leads from version 1 to 2, from 2 to 3, and so on; as many as ``schema.VERSION`` less one."""


def migrate(engine: Engine, steps: tuple[Step, ...] = STEPS) -> None:
    """Create the tables or bring them to this program's version; LedgerError where they are newer or not ours."""
    where, path = door.name(engine.url), door.file(engine.url)
    target = len(steps) + 1
    with door.plainly(where):
        with engine.connect().execution_options(begin="BEGIN") as connection, connection.begin():
            version = _version(connection, where)
        if version == target:
            return
        if version > target:
            raise LedgerError(
                f"{where}: was written by a newer version of this program (its tables are version {version}, "
                f"known here is {target})"
            )
        if version and path is not None:
            keep(path, path.with_name(f"{path.name}.version-{version}"))
        with (
            turn(path, seconds=door.BUSY_SECONDS),
            engine.connect().execution_options(begin="BEGIN IMMEDIATE") as connection,
            connection.begin(),
        ):
            _advance(connection, where, steps)


def _version(connection: Connection, where: str) -> int:
    """The version of the tables, 0 where there are none yet; LedgerError where the tables are not ours."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return 0
    if "meta" not in tables:
        raise LedgerError(f"{where}: is a database of another program; it is left as it is")
    found = connection.execute(select(schema.meta.c.value).where(schema.meta.c.name == "version")).scalar()
    return int(found) if found and found.isdigit() else 0


def _advance(connection: Connection, where: str, steps: tuple[Step, ...]) -> None:
    """Run what is missing; another process may have done so since we looked."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (schema.APPLICATION,))
    version = _version(connection, where)
    if version == 0:
        schema.metadata.create_all(connection)
        connection.execute(insert(schema.meta), [{"name": "version", "value": str(schema.VERSION)}])
        version = schema.VERSION
    for step in steps[version - 1 :]:
        step(connection)
    value = str(max(version, len(steps) + 1))
    connection.execute(update(schema.meta).where(schema.meta.c.name == "version").values(value=value))


def keep(path: Path, copy: Path) -> None:
    """A whole copy of the SQLite file, read back and found sound, also while the file is in use.

    It has the file's permissions and takes the place of an older copy when it is done; LedgerError where the file is
    damaged or the copy cannot be written, and an older copy still stands.
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
            found = target.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise LedgerError(f"{path}: is damaged ({' '.join(found.split())})")
        settle(partial, copy)
    except sqlite3.DatabaseError as error:
        told = door.translated(DBAPIError("", None, error), str(path))
        if "cannot be written" in str(told):
            told = LedgerError(f"{copy}: cannot be written ({error})")
        raise told from error
    except OSError as error:
        raise LedgerError(f"{copy}: cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def settle(partial: Path, path: Path) -> None:
    """Give the finished file its name, and have both on the disk before this returns."""
    for place, rename in ((partial, True), (path.parent, False)):
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if rename:
            partial.replace(path)
