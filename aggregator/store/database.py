"""Open the store, and read and write in transactions.

    with connection.refresh_lock(config.state, wait=False), database.open_store(config.state, fence=True) as store:
        with database.transaction(store) as tx:
            listings.write_listings(tx, "show", source, listings, at)
            guids.write_guids(tx, "show", published)

Every function of this package takes a Store. Given the one of a transaction it works inside of it; given the open one
it is a transaction of its own.

The store has a single writer. A process that composes a feed reads a :func:`snapshot` of it, and gives what is to
be written to the process of the refresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, Engine, Table, delete, insert, select

from aggregator.errors import LockedError, StoreError
from aggregator.store import checksums, migrations, schema
from aggregator.store import connection as connections

T = TypeVar("T")
_Combine = Callable[[ColumnElement[Any], ColumnElement[Any]], ColumnElement[Any]]

BATCH = 500
"""Rows read or written, or keys of one query: SQLite before 3.32 takes 999 parameters, PostgreSQL 65,535."""

_GENERATION = select(schema.meta.c.value).where(schema.meta.c.name == "generation").with_for_update(read=True)


class Claim(Struct, frozen=True):
    """Feeds that are leased together: no other refreshes them while their rows in ``leases`` have the token."""

    token: str
    feeds: tuple[str, ...]


class Store(Struct, frozen=True):
    """An open store, or one within a transaction.

    ``name`` has no secrets. ``generation`` is the one it may write in, ``None`` if it was opened without ``fence``;
    ``claim`` are the leases without which it commits nothing, ``None`` if it needs none; ``connection`` is ``None``
    outside of a transaction. ``assumed`` are facts, by feed and name, that are read in place of the stored ones, for a
    preview of a decision.
    """

    name: str
    engine: Engine
    generation: int | None = None
    claim: Claim | None = None
    connection: Connection | None = None
    assumed: Mapping[tuple[str, str], bytes] = {}


@contextmanager
def open_store(state: str, *, fence: bool = False, is_checked: bool = False) -> Iterator[Store]:
    """Open the store that ``state`` names (a path, or a PostgreSQL address); create it if it is missing.

    With ``fence`` a new generation begins: a store opened with ``fence`` before can commit nothing any more. A store
    that this run has open elsewhere ``is_checked``: it is opened as it is. Raises StoreError, and changes nothing, if
    it is foreign, damaged, newer than this program, or cannot be written.
    """
    url = connections.parse_address(state)
    where = connections.printable_name(url)
    with connections.translating_errors(where):
        engine = connections.create_store_engine(url, is_checked=is_checked)
    try:
        store = Store(where, engine)
        if not is_checked:
            migrations.migrate(engine)
            with reading(store) as connection:
                checksums.check_small_sums(connection)
        yield replace(store, generation=_begin_generation(store)) if fence else store
    finally:
        engine.dispose()


@contextmanager
def open_existing(state: str | None) -> Iterator[Store | None]:
    """Open the store if there is one; give ``None``, and create nothing, if there is none. Raises as `open_store`."""
    if state is None or not connections.has_content(state):
        yield None
        return
    with open_store(state) as store:
        yield store


@contextmanager
def transaction(store: Store) -> Iterator[Store]:
    """Give the store within one writing transaction: committed at the end of the body, undone if it raises.

    A transaction within a transaction is the outer one. Raises LockedError if a later generation has begun
    since, or a lease was lost.
    """
    if store.connection is not None:
        yield store
        return
    with (
        connections.translating_errors(store.name),
        connections.write_lock(connections.sqlite_file(store.engine.url)),
        store.engine.connect().execution_options(begin="BEGIN IMMEDIATE") as connection,
        connection.begin(),
    ):
        _check_claim(store, connection)
        with checksums.noting_changes(connection):
            yield replace(store, connection=connection)
        if store.generation is not None and _read_generation(connection) != store.generation:
            raise LockedError(f"{store.name}: another refresh has taken over; nothing of this one was written")


@contextmanager
def writing(store: Store) -> Iterator[Connection]:
    """Give the connection of the store's transaction, or of a new one that writes."""
    with transaction(store) as tx:
        if tx.connection is None:
            raise StoreError(f"{store.name}: the transaction has ended")
        yield tx.connection


@contextmanager
def reading(store: Store) -> Iterator[Connection]:
    """Give a connection that reads the store as of one moment; within a transaction its own connection."""
    if store.connection is not None:
        yield store.connection
        return
    options = {"isolation_level": "REPEATABLE READ"} if store.engine.dialect.name == "postgresql" else {}
    with (
        connections.translating_errors(store.name),
        store.engine.connect().execution_options(**options) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def snapshot(store: Store) -> Iterator[Store]:
    """Give the store as of one moment, to be read only: the database refuses any write."""
    with reading(store) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            yield replace(store, connection=connection)
            return
        connection.exec_driver_sql("PRAGMA query_only=ON")
        try:
            yield replace(store, connection=connection)
        finally:  # a connection to SQLite is used again
            connection.exec_driver_sql("PRAGMA query_only=OFF")


def _begin_generation(store: Store) -> int:
    """Write a generation one higher than the last, and return it."""
    is_generation = schema.meta.c.name == "generation"
    with writing(store) as connection:
        generation = _read_generation(connection) + 1
        connection.execute(delete(schema.meta).where(is_generation))
        connection.execute(insert(schema.meta), [{"name": "generation", "value": str(generation)}])
    return generation


def _read_generation(connection: Connection) -> int:
    found = connection.execute(_GENERATION).scalar()
    return int(str(found)) if str(found).isdecimal() else 0


def _check_claim(store: Store, connection: Connection) -> None:
    """Raise LockedError if a lease of the claim was lost or a restore is running.

    Checked as a transaction begins: the rows stay locked until it commits, so no other worker can take the leases
    meanwhile, and a restore waits.
    """
    if store.claim is None:
        return
    table, feeds = schema.leases, store.claim.feeds
    ours = select(table.c.feed, connections.shared_lock(connection))
    ours = ours.where(table.c.feed.in_(feeds), table.c.token == store.claim.token)
    found = connection.execute(ours.order_by(table.c.feed).with_for_update(read=True)).all()
    if len(found) != len(feeds):
        raise LockedError(f"{store.name}: another worker has taken over; nothing of this one was written")
    if not all(is_shared for _, is_shared in found):
        raise LockedError(f"{store.name}: is being restored; nothing was written")


def select_rows(connection: Connection, table: Table, *where: ColumnElement[bool]) -> Iterator[Any]:
    """Yield the rows of a table with checksums; raise DamagedError at the first that is damaged."""
    return checksums.check(table, connection.execute(select(table).where(*where)).yield_per(BATCH))


def find_row(connection: Connection, table: Table, *where: ColumnElement[bool]) -> Any:
    """Return the only row of a table with checksums that fits, ``None`` if there is none; raise DamagedError."""
    return next(checksums.check(table, connection.execute(select(table).where(*where)).all()), None)


def make_insert(dialect: str, table: Table) -> Any:
    """Return the INSERT of the database's own dialect, which has ON CONFLICT."""
    return import_module(f"sqlalchemy.dialects.{dialect}").insert(table)  # the other one takes long to import


def upsert(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, object]], combine: _Combine | None = None
) -> None:
    """Write rows of the same columns, each in place of the one with the same primary key, and with its checksum.

    ``combine`` makes the value of a column from that of the row that is there and that of the new one.
    """
    if not rows:
        return
    if "checksum" in table.c:
        for group in {checksums.group_of(table, row) for row in rows}:
            checksums.note_change(connection, table, *group)
        rows = [checksums.add(table, row) for row in rows]
    statement = _make_upsert(connection.dialect.name, table, tuple(rows[0]), combine)
    for batch in batches(rows):
        connection.execute(statement, batch)


@cache
def _make_upsert(dialect: str, table: Table, columns: tuple[str, ...], combine: _Combine | None) -> Any:
    statement = make_insert(dialect, table)
    keys = [column.name for column in table.primary_key]
    values = {name: statement.excluded[name] for name in columns if name not in keys}
    if combine is not None:
        values = {name: combine(table.c[name], new) for name, new in values.items()}
    return statement.on_conflict_do_update(index_elements=keys, set_=values)


def remove(connection: Connection, table: Table, feed: str, *where: ColumnElement[bool]) -> bool:
    """Delete rows of a feed, and return whether there were any."""
    checksums.note_change(connection, table, feed)
    return connection.execute(delete(table).where(table.c.feed == feed, *where)).rowcount > 0


def batches(values: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """Yield the values in lists of at most ``size``."""
    rest = iter(values)
    while batch := list(islice(rest, size)):
        yield batch
