"""Encode records of the model as compact JSON, the same bytes for the same record in any process, and decode them.

Fields are written in the order of their names and left out where they have their default: a digest of the text stays
when the model gains a field. Reading ignores fields that it does not know (a newer program wrote them) and gives what
is missing its default.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import fields, replace

from aggregator.errors import StoreError
from aggregator.model.record import make_json_decoder, replace_surrogates

R = TypeVar("R", bound=Struct)

_DIGEST_BYTES = 16
"""128 bits: no two of a billion records share a digest by accident; more only makes the rows longer."""

_ENCODER = msgspec.json.Encoder(order="sorted")


def encode(record: Any, *, without: frozenset[str] = frozenset()) -> str:
    """Return the record as JSON, without the fields named, which must have defaults.

    Lone surrogates, which a source's escapes can hold and UTF-8 cannot, are written as U+FFFD.

    >>> from aggregator.model.entry import Duration
    >>> encode(Duration(90, 60)), encode(Duration(90))
    ('{"seconds":90,"step":60}', '{"seconds":90}')
    """
    kind: Any = type(record)
    return _encode(replace(record, **_defaults(kind, without)) if without else record)


def encode_all(records: Iterable[Any]) -> str:
    """Return several records as a JSON list."""
    return _encode(list(records))


def _encode(value: Any) -> str:
    try:
        return _ENCODER.encode(value).decode()
    except UnicodeEncodeError:
        return _ENCODER.encode(replace_surrogates(msgspec.to_builtins(value))).decode()


@cache
def _defaults(kind: Any, names: frozenset[str]) -> dict[str, Any]:
    """Return the default of each named field of a class of records."""
    return {each.name: each.default for each in fields(kind) if each.name in names}


def decode(kind: type[R], text: str, **given: object) -> R:
    """Return the record that :func:`encode` wrote, with the fields ``given`` in place of what it holds.

    Raises StoreError where the text is not such a record.
    """
    record: R = decode_value(kind, kind.__name__, text)
    return replace(record, **given) if given else record


def decode_all(kind: type[R], text: str) -> tuple[R, ...]:
    """Return the records that :func:`encode_all` wrote. Raises StoreError where the text is no list of such."""
    several: Any = tuple[kind, ...]  # type: ignore[valid-type]  # a type that is made as the program runs
    records: tuple[R, ...] = decode_value(several, kind.__name__, text)
    return records


def decode_value(kind: Any, name: str, text: str) -> Any:
    """Return a value of this type from JSON; raise StoreError, with the name, where it is none."""
    try:
        return _decoder(kind).decode(text)
    except (ValueError, RecursionError) as error:  # msgspec's own are ValueErrors
        raise StoreError(f"store: a record ({name}) cannot be read back: {error}") from error


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return make_json_decoder(kind)


def digest(text: str) -> str:
    """Return the name of a content: 32 hexadecimal digits."""
    return blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()
