"""The way into a database: an SQLite file by its path, PostgreSQL by its address; what is not ours is left alone.

SQLite is asked for what survives a power cut (WAL, synchronous FULL) and for one writer at a time: a transaction
that writes takes the write lock when it begins, so that it cannot fail half way for another one's sake.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, Pool, QueuePool

from aggregator.errors import AggregatorError, LockedError, StoreError
from aggregator.store import schema

BUSY_SECONDS = 30
"""How long a writer waits for another: many times the longest measured refresh of one feed (docs/store.md)."""

PRAGMAS = (
    f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
)


def address(state: str) -> URL:
    """The database that the config's ``state`` names; StoreError where it names none we know."""
    if "://" not in state:
        return URL.create("sqlite", database=state)
    try:
        url = make_url(state)
    except ArgumentError as error:
        raise StoreError("store: the address of the database cannot be read") from error
    if url.get_backend_name() in {"postgresql", "postgres"}:
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite" and url.database:
        return url
    raise StoreError(f"store: {url.get_backend_name()} is not SQLite and not PostgreSQL")


def file(url: URL) -> Path | None:
    """The SQLite file, ``None`` where the database is a server's."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def name(url: URL) -> str:
    """The database as messages name it, without its password."""
    return str(file(url) or url.set(drivername="postgresql").render_as_string(hide_password=True))


def connect(url: URL) -> Engine:
    """The engine; an SQLite file is created with its folder where there is none. Nothing foreign is touched."""
    path = file(url)
    if path is None:
        return server(url)
    claim(path)
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def server(url: URL, *, pool: type[Pool] = QueuePool) -> Engine:
    """The engine of a PostgreSQL server; StoreError where its driver is not installed."""
    try:
        return create_engine(url, poolclass=pool, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise StoreError("store: PostgreSQL needs its driver: pip install 'aggregator[postgresql]'") from error


def claim(path: Path) -> None:
    """Make sure that the file is a store, or make it an empty one; StoreError where it is anything else.

    A file of no bytes is what a run leaves that was killed while it began. Where it was killed a moment later, the
    header is already ours but SQLite will take it back: so what was begun is taken back first.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: cannot be opened: {error.strerror}") from error
    if path.with_name(f"{path.name}-journal").exists() and examine(path):
        _alone(path, "BEGIN IMMEDIATE")
    if not examine(path):
        _alone(path, f"PRAGMA application_id={schema.APPLICATION}")


def examine(path: Path) -> bool:
    """Does the file hold a store? False where it is empty or not there; StoreError where it holds anything else.

    The header is read without SQLite: to open a foreign file in WAL mode would already change it.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(100)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"{path}: cannot be opened: {error.strerror}") from error
    if head and not head.startswith(b"SQLite format 3\x00"):
        raise StoreError(f"{path}: is not a store; it is left as it is")
    if head and int.from_bytes(head[68:72]) == schema.BEFORE:
        raise StoreError(
            f"{path}: was written before the first release and cannot be read; move it away, and the next refresh "
            "makes a new one from the sources"
        )
    if head and int.from_bytes(head[68:72]) != schema.APPLICATION:
        raise StoreError(f"{path}: is a database of another program; it is left as it is")
    return bool(head)


def _alone(path: Path, statement: str) -> None:
    """Run one statement before the file is opened in WAL mode, and leave the file to whoever comes next."""
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.execute(statement)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StoreError(f"{path}: cannot be created: {error}") from error


def _prepare(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    """Set what every connection to SQLite needs, and take its transactions into our own hands."""
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    """Begin as the connection was asked to: at once with the write lock, or for reading."""
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


@contextmanager
def plainly(where: str) -> Iterator[None]:
    """Whatever the database says against the work inside is one line for a person."""
    try:
        yield
    except SQLAlchemyError as error:
        raise translated(error, where) from error


def translated(error: SQLAlchemyError, where: str) -> AggregatorError:
    """The database's complaint in a line that says what it means for the store."""
    said = str(error.orig if isinstance(error, DBAPIError) else error).strip().splitlines() or [""]
    text = said[0]
    if "is full" in text or "No space" in text or "I/O error" in text:
        return StoreError(f"{where}: cannot be written ({text}); what was committed before still stands")
    if "database is locked" in text or "database table is locked" in text:
        return LockedError(f"{where}: another program has been writing to it for {BUSY_SECONDS} s")
    if "malformed" in text or "not a database" in text:
        return StoreError(f"{where}: is damaged ({text}); restore it from a backup")
    return StoreError(f"{where}: {text}")
