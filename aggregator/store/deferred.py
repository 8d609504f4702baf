"""Writes that one process decides on and another does: the store has a single writer.

A process that composes a feed reads the store as of one moment (:func:`deferring`). The writes it calls are packed,
each with the function's name and its arguments, and the process of the refresh does them in its transaction
(:func:`write_deferred`): decoded into the types that the functions declare, and checked by them as any others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, Union, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from aggregator.errors import StoreError
from aggregator.model.record import replace_surrogates
from aggregator.store.database import Store, reading

P = ParamSpec("P")
R = TypeVar("R")

_writes: dict[str, tuple[type[Struct], Callable[..., object]]] = {}
"""The functions that can be deferred, by name, each with the record of its arguments."""

_encoder = msgspec.msgpack.Encoder()


def deferrable(write: Callable[Concatenate[Store, P], R]) -> Callable[Concatenate[Store, P], R | None]:
    """Let a function write later if the store it is given defers its writes; it then returns ``None``."""
    hints, signature = get_type_hints(write), inspect.signature(write)
    names = [name for name in signature.parameters if name != "store"]
    name = f"{write.__module__.rpartition('.')[2]}.{write.__name__}"
    record = msgspec.defstruct(name, [(each, hints[each]) for each in names], tag=name)
    _writes[name] = record, write

    @wraps(write)
    def wrapper(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> R | None:
        if store.defer is None:
            return write(store, *args, **kwargs)
        bound = signature.bind(store, *args, **kwargs)
        bound.apply_defaults()
        store.defer(_encode(record(**{each: bound.arguments[each] for each in names})))
        return None

    return wrapper


@contextmanager
def deferring(store: Store, defer: Callable[[bytes], object]) -> Iterator[Store]:
    """Give the store as of one moment; what is written to it is packed and handed to ``defer``."""
    with reading(store) as connection, _read_only(connection):
        yield replace(store, connection=connection, defer=defer)


def write_deferred(store: Store, packed: bytes) -> None:
    """Do a write that was deferred; raise StoreError if it is none, and what its function raises."""
    try:
        record = _decoder().decode(packed)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{store.name}: what is to be written cannot be read: {error}") from error
    _, write = _writes[type(record).__name__]
    write(store, **{name: getattr(record, name) for name in record.__struct_fields__})


@cache
def _decoder() -> msgspec.msgpack.Decoder[Any]:
    """Return the decoder of every deferred write; the modules of the store are loaded by now."""
    return msgspec.msgpack.Decoder(Union[tuple(record for record, _ in _writes.values())])  # noqa: UP007 - of a list


def _encode(record: Struct) -> bytes:
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:
        return _encoder.encode(replace_surrogates(msgspec.to_builtins(record, builtin_types=(bytes,))))


@contextmanager
def _read_only(connection: Connection) -> Iterator[None]:
    """Let the database refuse any write; a connection to SQLite is used again afterwards."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        yield
        return
    connection.exec_driver_sql("PRAGMA query_only=ON")
    try:
        yield
    finally:
        connection.exec_driver_sql("PRAGMA query_only=OFF")
