"""Connect to a database (an SQLite file by its path, PostgreSQL by its address), and lock it.

SQLite is set up to survive a power cut (WAL, synchronous FULL) and has one writer at a time: a transaction that writes
takes the write lock when it begins, so that it cannot fail half way. A lock ends with its process: for an SQLite file
it is ``flock`` on ``<file>.lock`` (flock(2)), on PostgreSQL an advisory lock of a session. A lock file is never
removed, because two processes could then lock two files of one name.
"""

from __future__ import annotations

import fcntl
import math
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Dialect, Engine, create_engine, event, func, select, true
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool, Pool, QueuePool
from sqlalchemy.util import LRUCache

from aggregator.errors import AggregatorError, DamagedError, LockedError, StoreError
from aggregator.store import schema
from aggregator.translation.marks import N_
from aggregator.version import name_install

BUSY_SECONDS = 30
"""How long a writer waits for another: many times the longest measured refresh of one feed (docs/store.md)."""

_PRAGMAS = (
    f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
)

_LOCK_POLL_SECONDS = 0.2
"""Between two tries to take the lock of another refresh: a process that waits in ``flock`` itself misses a signal that
comes just before."""

_DAMAGE = ("malformed", "not a database", "Could not decode", "no such", "integer overflow", "constraint failed")
"""Parts of the messages of SQLite about a damaged file."""

_LOCK_KEY = int.from_bytes(blake2b(b"aggregator/", digest_size=8).digest(), signed=True)
"""The advisory lock of refreshes on PostgreSQL."""

_FORBIDDEN = N_("permission denied: run as its owner, or let this user read and write it")
_USED = "used"
"""In the ``info`` of a pooled connection: when it was last used."""

_IDLE_SECONDS = 1
"""After which a connection is tested before it is used; the server takes longer to start again."""

_COMPILED: LRUCache[Any, Any] = LRUCache(500)  # as many as SQLAlchemy keeps for one engine
"""The compiled statements of all files: a run, and each page of the desk, opens its store anew."""

_lock_files: set[int] = set()
"""The lock files this process holds. A forked child closes its copies, or it would hold the locks longer."""


def parse_address(state: str) -> URL:
    """Return the database that the config's ``state`` names; raise StoreError if it is of no known kind."""
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


def sqlite_file(url: URL) -> Path | None:
    """Return the path of the SQLite file, ``None`` for a database of a server."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def has_content(state: str) -> bool:
    """Return whether there is a database: false for an SQLite file that is missing or has no bytes."""
    path = sqlite_file(parse_address(state))
    try:
        return path is None or path.stat().st_size > 0
    except OSError:
        return False


def printable_name(url: URL) -> str:
    """Return the database as messages name it, without its password."""
    if path := sqlite_file(url):
        return str(path)
    hidden = url.update_query_dict({name: "***" for name in url.query if "password" in name})
    return hidden.set(drivername="postgresql").render_as_string(hide_password=True)


def create_store_engine(url: URL, *, is_checked: bool = False) -> Engine:
    """Return the engine; an SQLite file that is missing is created, with its folder. Foreign files are left alone.

    With ``is_checked`` the file is known to be a store.
    """
    path = sqlite_file(url)
    if path is None:
        return _create_server_engine(url)
    if not is_checked:
        _claim_file(path)
    options = {"compiled_cache": _COMPILED}
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS}, execution_options=options)
    engine.dialect = _load_dialect()
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


@cache
def _load_dialect() -> Dialect:
    """Return the dialect of every engine for a file, initialized: statements are compiled for one of them."""
    engine = create_engine("sqlite://")
    engine.connect().close()
    engine.dispose()
    return engine.dialect


def load_driver(state: str) -> None:
    """Import what PostgreSQL needs, so that processes forked from this one have it; nothing for an SQLite file."""
    url = parse_address(state)
    if sqlite_file(url) is None:
        _create_server_engine(url).dispose()


def _create_server_engine(url: URL, *, pool: type[Pool] = QueuePool) -> Engine:
    try:
        engine = create_engine(url, poolclass=pool)
    except ModuleNotFoundError as error:
        raise StoreError(f"store: PostgreSQL needs its driver: {name_install('postgresql')}") from error
    event.listen(engine, "checkout", partial(_check_idle, engine.dialect))
    event.listen(engine, "checkin", _note_use)
    return engine


def _check_idle(dialect: Dialect, connection: DBAPIConnection, entry: ConnectionPoolEntry, _of: object) -> None:
    """Have a connection that was idle and was closed by the server replaced by a new one.

    ``pool_pre_ping`` would test it each time, which is a tenth of the statements of a worker.
    """
    if time.monotonic() - entry.info.get(_USED, math.inf) > _IDLE_SECONDS:
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error


def _note_use(_connection: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
    entry.info[_USED] = time.monotonic()


def _claim_file(path: Path) -> None:
    """Check that the file is a store, or make it an empty one; raise StoreError if it is anything else.

    A run killed while it creates the file leaves an empty one. A run killed a moment later leaves this program's header
    and a journal by which SQLite undoes it: so the journal is applied first.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: cannot be opened: {error.strerror}") from error
    if path.with_name(f"{path.name}-journal").exists() and is_store_file(path):
        _execute_alone(path, "BEGIN IMMEDIATE")
    if not is_store_file(path):
        with suppress(OSError):  # SQLite would make it readable by all; what fails here fails there, too
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _execute_alone(path, f"PRAGMA application_id={schema.APPLICATION}")


def is_store_file(path: Path) -> bool:
    """Return whether the file is a store, false if it is empty or missing; raise StoreError if it is anything else."""
    try:
        if path.stat().st_size == 0:
            return False
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"{path}: cannot be opened: {error.strerror}") from error
    application = _read_application(path)
    if application in schema.APPLICATIONS_BEFORE_RELEASE:
        raise written_before_release(str(path))
    if application != schema.APPLICATION:
        raise StoreError(f"{path}: is a database of another program; it is left as it is")
    return True


def _read_application(path: Path) -> int:
    """Return the application id in the file's header; nothing is changed or locked.

    SQLite itself reads it, because a process that closes any handle of a file loses its locks (POSIX, fcntl), and
    another process could then remove the journal while it is in use; SQLite closes the file only when no other
    connection of this process has locks on it. ``immutable``, because a foreign file in WAL mode would be changed by
    being opened; ``writable_schema``, because pages may be missing that are in the journal.
    """
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.execute("PRAGMA writable_schema=ON")
            return int(connection.execute("PRAGMA application_id").fetchone()[0])
    except sqlite3.OperationalError as error:
        permitted = os.access(path, os.R_OK, effective_ids=True)  # SQLite does not say why it cannot
        why = str(error) if permitted else _FORBIDDEN
        raise StoreError(f"{path}: cannot be opened: {why}") from error
    except sqlite3.Error as error:
        raise DamagedError(f"{path}: is not a store, or damaged ({error}); it is left as it is", str(path)) from error


def _execute_alone(path: Path, statement: str) -> None:
    """Execute one statement on a connection of its own, before the file is opened in WAL mode."""
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            connection.execute(statement)
    except sqlite3.Error as error:
        raise StoreError(f"{path}: cannot be created: {error}") from error


def _prepare(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    """Set up a new SQLite connection; transactions are begun by :func:`_begin` only."""
    connection.isolation_level = None
    try:
        for pragma in _PRAGMAS:
            connection.execute(pragma)
    except UnicodeDecodeError as error:  # the sqlite3 module cannot read SQLite's message about a damaged schema
        raise sqlite3.DatabaseError("malformed database schema") from error


def _begin(connection: Connection) -> None:
    """Begin a transaction by the connection's option ``begin``: with the write lock, or (default) for reading."""
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


@contextmanager
def translating_errors(where: str) -> Iterator[None]:
    """Raise any database error of the body as an error of one line that a person can act on."""
    try:
        yield
    except SQLAlchemyError as error:
        raise translate_error(error, where) from error
    except UnicodeDecodeError as error:
        raise damaged(where, "a text in it cannot be read") from error
    except DamagedError as error:
        if error.store:
            raise
        raise damaged(where, str(error)) from error


def damaged(where: str, what: str) -> DamagedError:
    """Return the error of a damaged store; the command line, which knows the config, adds how to restore it."""
    return DamagedError(f"{where}: is damaged ({what})", where)


def written_before_release(where: str) -> StoreError:
    """Return the error of a store with tables of before the first release."""
    return StoreError(
        f"{where}: was written before the first release and cannot be read; move it away (or name another in state), "
        "and aggregator refresh --new makes a new one from the sources"
    )


def translate_error(error: SQLAlchemyError, where: str) -> AggregatorError:
    """Return the error of the program for an error of the database; ``where`` names the store."""
    text = (str(error.orig if isinstance(error, DBAPIError) else error).strip().splitlines() or [""])[0]
    if "is full" in text or "No space" in text or "I/O error" in text:
        return StoreError(f"{where}: cannot be written ({text}); what was committed before still stands")
    if "database is locked" in text or "database table is locked" in text:
        return LockedError(f"{where}: another program has been writing to it for {BUSY_SECONDS} s")
    if any(each in text for each in _DAMAGE):
        return damaged(where, text)
    return StoreError(f"{where}: {text}")


@contextmanager
def refresh_lock(state: str, *, wait: bool) -> Iterator[None]:
    """Hold the lock of refreshes while the body runs; raise LockedError if another holds it, or ``wait`` for it."""
    url = parse_address(state)
    path = sqlite_file(url)
    if path is not None:
        with _file_lock(path.with_name(f"{path.name}.lock"), wait=wait):
            yield
        return
    where = printable_name(url)
    engine = _create_server_engine(url, pool=NullPool).execution_options(isolation_level="AUTOCOMMIT")
    with translating_errors(where), engine.connect() as connection:
        lock = func.pg_advisory_lock if wait else func.pg_try_advisory_lock
        if connection.execute(select(lock(_LOCK_KEY))).scalar() is False:
            raise LockedError(f"{where}: another refresh holds the lock")
        try:
            yield
        finally:  # the server frees what a closed connection held a moment later
            with suppress(DBAPIError):  # that it was lost has freed it
                connection.exec_driver_sql("SELECT pg_advisory_unlock(%s)", (_LOCK_KEY,))


def shared_lock(connection: Connection) -> ColumnElement[bool]:
    """Return the column that shares the lock of refreshes until the transaction ends; false if a restore holds it.

    SQLite needs none: its file is locked by one refresh as a whole.
    """
    if connection.dialect.name != "postgresql":
        return true()
    return func.pg_try_advisory_xact_lock_shared(_LOCK_KEY)


@contextmanager
def write_lock(path: Path | None) -> Iterator[None]:
    """Be the only writer of the SQLite file while the body runs; raise LockedError if that takes too long.

    SQLite itself lets one connection write while another one copies the journal into the file, and in the versions
    3.7.0 to 3.51.2 that can, in rare moments, damage the file (the WAL-reset bug, fixed in 3.51.3; Debian 12 has
    3.40.1). This lock covers both. ``None`` is a server, which needs none.
    """
    if path is None:
        yield
        return
    with _opened_lock_file(path.with_name(f"{path.name}.turn")) as handle:
        end = time.monotonic() + BUSY_SECONDS
        while not _try_flock(handle):  # flock(2) itself has no time limit
            if time.monotonic() > end:
                raise LockedError(f"{path}: another program has been writing to it for {BUSY_SECONDS} s")
            time.sleep(0.02)
        yield


@contextmanager
def _file_lock(path: Path, *, wait: bool) -> Iterator[None]:
    """Hold ``flock`` on the file, which names the process that holds it."""
    with _opened_lock_file(path) as handle:
        while not _try_flock(handle):
            if not wait:
                holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
                if holder.isdigit():
                    raise LockedError(f"{path}: another refresh (process {holder}) holds the lock")
                raise LockedError(f"{path}: another refresh holds the lock")
            time.sleep(_LOCK_POLL_SECONDS)
        _write_holder(handle)
        yield


@contextmanager
def _opened_lock_file(path: Path) -> Iterator[int]:
    """Open the lock file, created with its folder if it is missing; raise StoreError if it cannot be.

    Its owner alone can read it: who can read a file can also lock it (flock(2)).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"{path}: cannot be opened: {error.strerror}") from error
    _lock_files.add(handle)
    try:
        yield handle
    finally:
        _lock_files.discard(handle)
        os.close(handle)


def _try_flock(handle: int) -> bool:
    """Take ``flock`` on the file if it is free, and return whether this process has it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_holder(handle: int) -> None:
    """Write this process's id into the lock file, for the message of the next; on a full disk it stays empty."""
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    except OSError:
        return


def _close_lock_files() -> None:
    """Close, in a forked child, what its parent holds."""
    for handle in _lock_files:
        os.close(handle)
    _lock_files.clear()


os.register_at_fork(after_in_child=_close_lock_files)
