"""One refresh at a time: a lock that the kernel lets go of when its holder dies, by whatever signal.

Beside an SQLite file it is ``flock`` on ``<file>.lock`` (flock(2)); on PostgreSQL it is an advisory lock of one
session. The lock file is never removed: to remove it is to let two processes hold two files of one name.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from sqlalchemy.pool import NullPool

from aggregator.errors import LockedError, StoreError
from aggregator.store import connection as door

PATIENCE = 0.2
"""Seconds between two looks at a lock that another refresh holds: to wait in ``flock`` itself is to miss a signal that
comes just before."""

_held: set[int] = set()
"""The lock files this process holds. A forked child closes its copies, or it would hold the lock past our death."""


def _forget() -> None:
    """Close, in a child, what its parent holds."""
    for handle in _held:
        os.close(handle)
    _held.clear()


os.register_at_fork(after_in_child=_forget)


@contextmanager
def lock(state: str, *, wait: bool, name: str = "") -> Iterator[None]:
    """Hold the store's lock while the body runs; LockedError at once where another holds it, unless ``wait``.

    ``name`` is a lock of its own, such as one feed's.
    """
    url = door.address(state)
    path = door.file(url)
    if path is not None:
        suffix = f".{name}.lock" if name else ".lock"
        with _file_lock(path.with_name(path.name + suffix), wait=wait):
            yield
        return
    where = door.name(url)
    key = int.from_bytes(blake2b(f"aggregator/{name}".encode(), digest_size=8).digest(), signed=True)
    engine = door.server(url, pool=NullPool).execution_options(isolation_level="AUTOCOMMIT")
    with door.plainly(where), engine.connect() as connection:
        asked = "SELECT pg_advisory_lock(%s)" if wait else "SELECT pg_try_advisory_lock(%s)"
        if connection.exec_driver_sql(asked, (key,)).scalar() is False:
            raise LockedError(f"{where}: another refresh holds the lock")
        yield


@contextmanager
def _file_lock(path: Path, *, wait: bool) -> Iterator[None]:
    """Hold ``flock`` on the file."""
    handle = _open(path)
    _held.add(handle)
    try:
        while not _taken(handle):
            if not wait:
                holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
                said = f" (process {holder})" if holder.isdigit() else ""
                raise LockedError(f"{path}: another refresh{said} holds the lock")
            time.sleep(PATIENCE)
        _sign(handle)
        yield
    finally:
        _held.discard(handle)
        os.close(handle)


@contextmanager
def turn(path: Path | None, *, seconds: float) -> Iterator[None]:
    """Be the only one who writes to the SQLite file while the body runs; LockedError where it takes too long.

    SQLite itself lets one connection write while another one copies the journal into the file, and in the versions
    3.7.0 to 3.51.2 that can, in rare moments, damage the file (the WAL-reset bug, fixed in 3.51.3; Debian 12 has
    3.40.1). A turn covers both. ``None`` is a server, which needs none.
    """
    if path is None:
        yield
        return
    handle = _open(path.with_name(f"{path.name}.turn"))
    _held.add(handle)
    try:
        _take(handle, path, seconds)
        yield
    finally:
        _held.discard(handle)
        os.close(handle)


def _take(handle: int, path: Path, seconds: float) -> None:
    """Hold ``flock`` on the file as soon as it is free: flock(2) itself knows no end of waiting."""
    end = time.monotonic() + seconds
    while not _taken(handle):
        if time.monotonic() > end:
            raise LockedError(f"{path}: another program has been writing to it for {seconds:.0f} s")
        time.sleep(0.02)


def _taken(handle: int) -> bool:
    """Whether ``flock`` on the file is ours now."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(path: Path) -> int:
    """The lock file, created with its folder where there is none; StoreError where it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"{path}: cannot be opened: {error.strerror}") from error


def _sign(handle: int) -> None:
    """Write who holds the lock, for the message of whoever finds it held; on a full disk it goes unsigned."""
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    except OSError:
        return
