"""Checksums: one for each row over its keys and values, and for each feed the sum of those of its rows in a table.

A row's checksum tells a changed value or key; a sum tells a row that is no longer found, because its key is damaged in
an index. Sums stand in ``meta``, are written with the last rows of a transaction, and compared before the first. They
are kept in SQLite files only: PostgreSQL has checksums of its own pages (``initdb --data-checksums``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from typing import Any, Final

import msgspec
from sqlalchemy import Column, Connection, Select, Table, bindparam, delete, func, insert, or_, select

from aggregator.errors import DamagedError
from aggregator.store import schema

_SMALL = (schema.feeds, schema.sources, schema.shows, schema.decisions, schema.overrides, schema.facts)
"""Tables whose sums are compared when the store is opened."""

_SUMMED = (*_SMALL, schema.guids, schema.entries)
"""Tables in which a row that is missing would change what is published."""

_CHANGED: Final = "changed groups"
"""The groups that a connection's transaction has changed, in ``Connection.info``."""

_KEPT_SUM = select(schema.meta.c.name, schema.meta.c.value).where(schema.meta.c.name == bindparam("of"))
_KEPT_SUMS = select(schema.meta.c.name, schema.meta.c.value).where(
    or_(
        schema.meta.c.name == bindparam("of"),
        func.substr(schema.meta.c.name, 1, bindparam("length")) == bindparam("prefix"),
    )
)
"""Made once: to make these queries takes longer than to run them."""

_ENCODER = msgspec.msgpack.Encoder()
_BYTES = 5
"""Bytes of a checksum: the sum of eight million rows fits in the 63 bits of SQLite's integers."""


def compute(values: Sequence[object]) -> int:
    """Return the checksum of the values of a row."""
    return int.from_bytes(blake2b(_ENCODER.encode(values), digest_size=_BYTES).digest())


def columns(table: Table) -> tuple[Column[Any], ...]:
    """Return the columns that :func:`check` needs, in its order: the checksum, then those that it covers."""
    left_out = {"number", "evidence", "record" if table is schema.entries else ""}  # there is a digest of these
    return tuple(column for column in table.columns if column.name not in left_out)


_COVERED = {name: columns(table)[1:] for name, table in schema.metadata.tables.items() if "checksum" in table.c}


def add(table: Table, row: Mapping[str, object]) -> dict[str, object]:
    """Return the row with its checksum."""
    return {**row, "checksum": compute([row.get(column.name) for column in _COVERED[table.name]])}


def is_sound(table: Table, row: Sequence[Any]) -> bool:
    """Return whether a row, which begins with :func:`columns`, has the checksum of its values."""
    try:
        return bool(row[0] == compute(row[1 : len(_COVERED[table.name]) + 1]))
    except OverflowError:  # an integer that was never written
        return False


def check(table: Table, rows: Iterable[Sequence[Any]]) -> Iterator[Any]:
    """Yield the rows, each of which begins with :func:`columns`; raise DamagedError at the first that is damaged."""
    for row in rows:
        if not is_sound(table, row):
            raise DamagedError(f"a row does not have its checksum: {describe(table, row)}")
        yield row


def describe(table: Table, row: Sequence[Any]) -> str:
    """Return the table and the key of a row, which may be damaged itself."""
    keys = (str(row[place])[:80] for place, column in enumerate(columns(table)) if column.primary_key)
    return f"{table.name} {' '.join(keys)}"


def note_change(connection: Connection, table: Table, *group: str) -> None:
    """Note that rows of the group (feed, and source for entries) are about to change in this transaction.

    Raises DamagedError if rows of a large table are missing; those of small tables were looked at as it was opened.
    """
    if table not in _SUMMED or connection.dialect.name != "sqlite":
        return
    changed = connection.info.setdefault(_CHANGED, {})
    name = _name(table, *group)
    if name not in changed:
        if table not in _SMALL:
            _compare(table, _sums(connection, table, *group), _kept_sums(connection, name))
        changed[name] = (table, group)


def group_of(table: Table, row: Mapping[str, object]) -> tuple[str, ...]:
    """Return the group of a row."""
    return tuple(str(row[column.name]) for column in _group_columns(table))


@contextmanager
def noting_changes(connection: Connection) -> Iterator[None]:
    """Note which groups the transaction of the body changes, and write their sums at its end."""
    changed = connection.info[_CHANGED] = {}
    try:
        yield
        _write_sums(connection)
    finally:
        changed.clear()  # the connection is used again


def _write_sums(connection: Connection) -> None:
    """Write the sums of all groups that the transaction has changed so far."""
    meta, changed = schema.meta, connection.info.get(_CHANGED, {})
    if not changed:
        return
    connection.execute(delete(meta).where(meta.c.name == bindparam("of")), [{"of": name} for name in changed])
    sums = [each for table, group in changed.values() for each in _sums(connection, table, *group).items()]
    if sums:
        connection.execute(insert(meta), [{"name": name, "value": value} for name, value in sums])
    changed.clear()


def write_all_sums(connection: Connection) -> None:
    """Write the sums of all groups anew, of an SQLite file."""
    meta = schema.meta
    connection.execute(delete(meta).where(meta.c.name.like("sum/%")))
    if connection.dialect.name != "sqlite":
        return
    sums = {name: value for table in _SUMMED for name, value in _sums(connection, table).items()}
    if sums:
        connection.execute(insert(meta), [{"name": name, "value": value} for name, value in sums.items()])


def check_sums(connection: Connection, table: Table, feed: str) -> None:
    """Raise DamagedError if rows of the feed are missing from the table."""
    if connection.dialect.name == "sqlite":
        _write_sums(connection)
        prefix = _name(table, feed)
        _compare(table, _sums(connection, table, feed), _kept_sums(connection, prefix, f"{prefix}/"))


def check_small_sums(connection: Connection) -> None:
    """Raise DamagedError if rows are missing from a small table."""
    for problem in find_missing(connection, _SMALL):
        raise DamagedError(problem)


def find_missing(connection: Connection, tables: Sequence[Table] = _SUMMED) -> Iterator[str]:
    """Yield a line for each group with rows that are missing, or are there without having been written."""
    if connection.dialect.name != "sqlite":
        return
    kept = _kept_sums(connection, "", "sum/")
    for table in tables:
        prefix = f"{_name(table)}/"
        mine = {name: value for name, value in kept.items() if name.startswith(prefix)}
        yield from _differences(table, _sums(connection, table), mine)


def _compare(table: Table, found: Mapping[str, str], kept: Mapping[str, str]) -> None:
    for problem in _differences(table, found, kept):
        raise DamagedError(problem)


def _differences(table: Table, found: Mapping[str, str], kept: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(found.keys() | kept.keys()):
        if found.get(name) != kept.get(name):
            yield f"rows of {table.name} are missing or changed: {name.split('/', 2)[-1]}"


def _group_columns(table: Table) -> tuple[Column[Any], ...]:
    return (table.c.feed, table.c.source) if table is schema.entries else (table.c.feed,)


def _name(table: Table, *group: str) -> str:
    return "/".join(("sum", table.name, *group))


def _sums(connection: Connection, table: Table, *group: str) -> dict[str, str]:
    """Return the sum of each group of the table, or of one; by its name in ``meta``."""
    found = connection.execute(_make_sums_query(table, len(group)), {f"key_{n}": key for n, key in enumerate(group)})
    return {_name(table, *map(str, key)): str(value) for *key, value in found}


@cache
def _make_sums_query(table: Table, keys: int) -> Select[Any]:
    """Return the query of sums in which so many columns of the group are given."""
    by = _group_columns(table)
    same = [column == bindparam(f"key_{n}") for n, column in enumerate(by[:keys])]
    return select(*by, func.sum(table.c.checksum)).where(*same).group_by(*by)


def _kept_sums(connection: Connection, name: str, prefix: str | None = None) -> dict[str, str]:
    """Return the sums in ``meta`` of this name, and those whose names begin with ``prefix``."""
    query, values = _KEPT_SUM, dict[str, object](of=name)
    if prefix is not None:  # the name of a feed may have what LIKE takes for a pattern
        query = _KEPT_SUMS
        values |= {"prefix": prefix, "length": len(prefix)}
    return {row.name: row.value for row in connection.execute(query, values)}
