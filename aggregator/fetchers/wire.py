"""Records as JSON between the parent and the children that read: a hostile child can lie, but not run code.

Tried and dropped: pickle (a child taken over by its document would own the parent) and marshal (not made for
untrusted bytes). Fields that have their default are left out, which halves a listing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime, timedelta
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from aggregator.errors import ReadError

Turn = Callable[[Any], Any]
R = TypeVar("R")

_write = json.JSONEncoder(check_circular=False, ensure_ascii=False, separators=(",", ":")).encode
_UNSET = object()
_PLAIN: dict[Any, tuple[Turn, Turn]] = {
    datetime: (datetime.isoformat, datetime.fromisoformat),
    timedelta: (timedelta.total_seconds, lambda seconds: timedelta(seconds=seconds)),
    bytes: (lambda value: value.decode("latin-1"), lambda value: value.encode("latin-1")),
}


def encode(record: object) -> bytes:
    """The record as UTF-8 JSON; lone surrogates pass as they are.

    >>> from aggregator.model.sighting import Duration
    >>> encode(Duration(90, 60))
    b'{"seconds":90,"step":60}'
    """
    kind: Any = type(record)
    return _write(_writer(kind)(record)).encode("utf-8", "surrogatepass")


def decode(kind: type[R], data: bytes | bytearray) -> R:
    """The record that :func:`encode` wrote; ReadError where the bytes are none.

    >>> from aggregator.model.sighting import Duration
    >>> decode(Duration, b'{"seconds":90}')
    Duration(seconds=90, step=1)
    """
    known: Any = kind
    try:
        record: R = _reader(known)(json.loads(data.decode("utf-8", "surrogatepass")))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise ReadError(f"what was read did not come back whole: {error}") from error
    return record


@cache
def _writer(kind: type[Any]) -> Turn:
    hints = get_type_hints(kind)
    plans = tuple((each.name, _default(each), _encoder(hints[each.name])) for each in fields(kind))
    names = [name for name, _, _ in plans]
    get = attrgetter(*names) if len(names) > 1 else lambda record: (getattr(record, names[0]),)

    def write(record: object) -> dict[str, Any]:
        return {
            name: value if turn is None else turn(value)
            for value, (name, default, turn) in zip(get(record), plans, strict=True)
            if value is not default and value != default
        }

    return write


def _default(each: Field[Any]) -> object:
    if each.default is not MISSING:
        return each.default
    return each.default_factory() if each.default_factory is not MISSING else _UNSET


def _encoder(hint: Any) -> Turn | None:
    """What makes a value of the type plain, ``None`` where JSON writes it as it is."""
    inner: Any = _inner(hint)
    if inner in _PLAIN:
        return _PLAIN[inner][0]
    if get_origin(inner) is frozenset:
        return sorted
    if _is_record(inner):
        return lambda record: _writer(inner)(record)  # noqa: PLW0108  # built late: a Tag holds Tags
    if get_origin(inner) is tuple and (turn := _encoder(get_args(inner)[0])) is not None:
        return lambda values: [turn(value) for value in values]
    return None


@cache
def _reader(kind: type[Any]) -> Turn:
    hints = get_type_hints(kind)
    turns = {each.name: turn for each in fields(kind) if (turn := _decoder(hints[each.name])) is not None}

    def read(plain: dict[str, Any]) -> Any:
        for name in plain.keys() & turns.keys():
            if (value := plain[name]) is not None:
                plain[name] = turns[name](value)
        return kind(**plain)

    return read


def _decoder(hint: Any) -> Turn | None:
    """What makes a value of the type from its plain form, ``None`` where it is the same."""
    inner: Any = _inner(hint)
    if inner in _PLAIN:
        return _PLAIN[inner][1]
    if get_origin(inner) is frozenset:
        return frozenset
    if _is_record(inner):
        return lambda plain: _reader(inner)(plain)  # noqa: PLW0108  # the same
    if get_origin(inner) is tuple:
        turn = _decoder(get_args(inner)[0])
        return tuple if turn is None else lambda values: tuple([turn(value) for value in values])
    return None


def _is_record(kind: Any) -> bool:
    return is_dataclass(kind)


def _inner(hint: Any) -> Any:
    """The type without its ``None``; a closed set is the type of its words."""
    if get_origin(hint) in {Union, UnionType}:
        hint = next(each for each in get_args(hint) if each is not type(None))
    return str if get_origin(hint) is Literal else hint
