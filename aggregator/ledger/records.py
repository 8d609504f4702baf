"""Records of the model as compact JSON and back: the same bytes for the same record, in any process.

A codec is built once for each record class from its annotations, so that a field added to the model is kept without
a line here. Fields are written in the order of their names and left out where they have their default: a digest of
the text stays when the model gains a field. Reading leaves out what it does not know (a newer program wrote it) and
gives what is missing its default. The text is ASCII, so that no character of a hostile source can upset a database.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime, timedelta
from functools import cache
from hashlib import blake2b
from operator import attrgetter
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from aggregator.errors import LedgerError

Plain = str | int | float | bool | list[Any] | tuple[Any, ...] | dict[str, Any] | None
Turn = Callable[[Any], Any]
R = TypeVar("R")

DIGEST_BYTES = 16
"""128 bits: no two of a billion records share a digest by accident; more only makes the rows longer."""

_write = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_UNSET = object()


def encode(record: Any, *, without: frozenset[str] = frozenset()) -> str:
    """The record as JSON, without the fields named.

    >>> from aggregator.model.sighting import Duration
    >>> encode(Duration(90, 60)), encode(Duration(90))
    ('{"seconds":90,"step":60}', '{"seconds":90}')
    """
    kind: Any = type(record)
    return _write(_writer(kind, without)(record))


def encode_all(records: Iterable[Any]) -> str:
    """Several records of one class as a JSON list."""
    return _write([_nested(type(record))(record) for record in records])


def decode(kind: type[R], text: str, **given: object) -> R:
    """The record that :func:`encode` wrote, with the fields ``given`` in place of what stands there.

    LedgerError where the text is not such a record.
    """
    known: Any = kind
    try:
        record: R = _reader(known)(json.loads(text), given)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise LedgerError(f"ledger: a {kind.__name__.lower()} cannot be read back: {error}") from error
    return record


def decode_all(kind: type[R], text: str) -> tuple[R, ...]:
    """The records that :func:`encode_all` wrote."""
    known: Any = kind
    try:
        read = _reader(known)
        return tuple(read(part, {}) for part in json.loads(text))
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise LedgerError(f"ledger: a {kind.__name__.lower()} cannot be read back: {error}") from error


def digest(text: str) -> str:
    """The name of a content: 32 hexadecimal digits."""
    return blake2b(text.encode("ascii"), digest_size=DIGEST_BYTES).hexdigest()


@cache
def _writer(kind: type[Any], without: frozenset[str]) -> Turn:
    """What turns a record of the class into a dict of plain values."""
    hints = get_type_hints(kind)
    kept = sorted((each for each in fields(kind) if each.name not in without), key=lambda each: each.name)
    names = tuple(each.name for each in kept)
    get = attrgetter(*names)
    plans = tuple((each.name, _default(each), _encoder(hints[each.name])) for each in kept)

    def write(record: object) -> dict[str, Plain]:
        values = get(record) if len(plans) > 1 else (get(record),)
        return {
            name: value if turn is None else turn(value)
            for value, (name, default, turn) in zip(values, plans, strict=True)
            if value is not default and value != default
        }

    return write


def _default(each: Any) -> object:
    """The field's default, or something that equals nothing."""
    if each.default is not MISSING:
        return each.default
    return each.default_factory() if each.default_factory is not MISSING else _UNSET


def _encoder(hint: Any) -> Turn | None:
    """What makes a value of the type plain, ``None`` where JSON writes it as it is."""
    inner = _optional(hint)
    if inner is datetime:
        return datetime.isoformat
    if inner is timedelta:
        return timedelta.total_seconds
    if is_dataclass(inner):
        return _nested(inner)
    if get_origin(inner) is frozenset:
        return sorted
    if get_origin(inner) is tuple and (turn := _encoder(get_args(inner)[0])) is not None:
        return lambda values: [turn(value) for value in values]
    return None


def _nested(kind: Any) -> Turn:
    """The writer of a class met inside another, found when first used: a class may hold itself."""

    def write(record: object) -> Any:
        return _writer(kind, frozenset())(record)

    return write


@cache
def _reader(kind: type[Any]) -> Callable[[dict[str, Any], dict[str, object]], Any]:
    """What makes a record of the class from a dict of plain values."""
    hints = get_type_hints(kind)
    turns = {each.name: _decoder(hints[each.name]) for each in fields(kind)}

    def read(plain: dict[str, Any], given: dict[str, object]) -> Any:
        known = {}
        for name, value in plain.items():
            if name in turns:
                turn = turns[name]
                known[name] = value if turn is None or value is None else turn(value)
        known.update(given)
        return kind(**known)

    return read


def _decoder(hint: Any) -> Turn | None:
    """What makes a value of the type from its plain form, ``None`` where it is the same."""
    inner = _optional(hint)
    if inner is datetime:
        return datetime.fromisoformat
    if inner is timedelta:
        return lambda seconds: timedelta(seconds=seconds)
    if is_dataclass(inner):
        known: Any = inner
        return lambda plain: _reader(known)(plain, {})
    if get_origin(inner) is frozenset:
        return frozenset
    if get_origin(inner) is tuple:
        turn = _decoder(get_args(inner)[0])
        return tuple if turn is None else lambda values: tuple([turn(value) for value in values])
    return None


def _optional(hint: Any) -> Any:
    """The type without its ``None``; a closed set is the type of its words."""
    if get_origin(hint) in {Union, UnionType}:
        hint = next(each for each in get_args(hint) if each is not type(None))
    return str if get_origin(hint) is Literal else hint
