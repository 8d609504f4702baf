"""The store opened, and its transactions: all of them or nothing of them.

    with lock.lock(config.state, wait=False), store.open(config.state, fence=True) as store:
        with store.transaction(store) as page:
            change = entries.remember(page, "show", source, listings, at)
            promises.keep_promises(page, "show", kept)

Every function of this room takes a Store. Given the one of a transaction it works inside it; given the open one
it is a transaction of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, CursorResult, Engine, Table, delete, insert, select

from aggregator.errors import LockedError, StoreError
from aggregator.store import connection as door
from aggregator.store import migrations, schema
from aggregator.store.lock import turn

_GENERATION = select(schema.meta.c.value).where(schema.meta.c.name == "generation").with_for_update(read=True)


class Store(Struct, frozen=True):
    """An open store: its name without secrets, the way in, the generation it may write in, the transaction it is.

    ``generation`` is ``None`` where nothing fences it; ``connection`` is ``None`` outside a transaction. ``assumed``
    are facts, by feed and name, that are read in place of those kept: for a preview of what a decision would change.
    """

    name: str
    engine: Engine
    generation: int | None = None
    connection: Connection | None = None
    assumed: Mapping[tuple[str, str], bytes] = {}


@contextmanager
def open(state: str, *, fence: bool = False) -> Iterator[Store]:  # noqa: A001 - reads as store.open where it is called
    """The store that ``state`` names (a path, or a PostgreSQL address), created where there is none.

    With ``fence`` it begins a new generation: whoever opened it so before can commit nothing any more. StoreError
    in one line where it is foreign, damaged, newer than this program, or cannot be written; it is then unchanged.
    """
    url = door.address(state)
    where = door.name(url)
    with door.plainly(where):
        engine = door.connect(url)
    try:
        migrations.migrate(engine)
        store = Store(where, engine)
        yield replace(store, generation=_next_generation(store)) if fence else store
    finally:
        engine.dispose()


def folder(store: Store) -> Path | None:
    """The folder of the store's file, ``None`` where a server has it."""
    path = door.file(store.engine.url)
    return path.parent if path else None


@contextmanager
def transaction(store: Store) -> Iterator[Store]:
    """The store within one transaction that writes: committed where the body ends, undone where it raises.

    A transaction within a transaction is the outer one. LockedError where another refresh has taken over since.
    """
    if store.connection is not None:
        yield store
        return
    with (
        door.plainly(store.name),
        turn(door.file(store.engine.url), seconds=door.BUSY_SECONDS),
        store.engine.connect().execution_options(begin="BEGIN IMMEDIATE") as connection,
        connection.begin(),
    ):
        yield replace(store, connection=connection)
        _check_generation(store, connection)


@contextmanager
def writing(store: Store) -> Iterator[Connection]:
    """The connection of the store's transaction, or of a new one."""
    with transaction(store) as tx:
        if tx.connection is None:
            raise StoreError(f"{store.name}: the transaction has ended")
        yield tx.connection


@contextmanager
def reading(store: Store) -> Iterator[Connection]:
    """A connection that sees one moment of the store, and its own transaction's work where it is in one."""
    if store.connection is not None:
        yield store.connection
        return
    options = {"isolation_level": "REPEATABLE READ"} if store.engine.dialect.name == "postgresql" else {}
    with (
        door.plainly(store.name),
        store.engine.connect().execution_options(**options) as connection,
        connection.begin(),
    ):
        yield connection


def _next_generation(store: Store) -> int:
    """One more than the generation before, written down."""
    kept = schema.meta.c.name == "generation"
    with writing(store) as connection:
        found = connection.execute(select(schema.meta.c.value).where(kept)).scalar()
        generation = int(found or 0) + 1
        connection.execute(delete(schema.meta).where(kept))
        connection.execute(insert(schema.meta), [{"name": "generation", "value": str(generation)}])
    return generation


def _check_generation(store: Store, connection: Connection) -> None:
    """LockedError where a later generation than the store's has begun."""
    if store.generation is None:
        return
    found = connection.execute(_GENERATION).scalar()
    if int(found or 0) != store.generation:
        raise LockedError(f"{store.name}: another refresh has taken over; nothing of this one was written")


def put(connection: Connection, table: Table, keys: dict[str, object], values: dict[str, object]) -> None:
    """Write one row: over the one that has the same keys, which are the table's own, else a new one."""
    columns = ", ".join(f'"{name}"' for name in (*keys, *values))
    same = ", ".join(f'"{name}"' for name in keys)
    new = ", ".join(f'"{name}" = excluded."{name}"' for name in values)
    words = f"INSERT INTO {table.name} ({columns}) VALUES {{}} ON CONFLICT ({same}) DO UPDATE SET {new}"  # noqa: S608 - our own names
    each(connection, words, [(*keys.values(), *values.values())])


def among(connection: Connection, words: str, *lists: Sequence[object]) -> Sequence[Any]:
    """The rows of a question in SQL whose ``{}`` are the lists, of what a column may be; none where one is empty.

    Written out, because expressions take as long as the question itself, and with many values in them twice as long.
    """
    return done(connection, words, *lists).all() if all(lists) else []


def done(connection: Connection, words: str, *lists: Sequence[object]) -> CursorResult[Any]:
    """What came of a statement in SQL whose ``{}`` are the lists."""
    places = [_places(connection, len(values)) for values in lists]
    return connection.exec_driver_sql(words.format(*places), tuple(chain.from_iterable(lists)))


def each(connection: Connection, words: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Do what is said in SQL for each of the rows, whose values stand where its ``{}`` is."""
    if rows:
        connection.exec_driver_sql(words.format(_places(connection, len(rows[0]))), list(rows))


def _places(connection: Connection, number: int) -> str:
    """So many values in brackets, as the database's driver marks their places."""
    mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
    return f"({', '.join([mark] * number)})"
