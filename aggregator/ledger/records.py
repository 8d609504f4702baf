"""Records of the model as compact JSON and back: the same bytes for the same record, in any process.

A codec is written once for each record class from its annotations (``codec``), so that a field added to the model is
kept without a line here. Fields are written in the order of their names and left out where they have their default:
a digest of the text stays when the model gains a field. Reading leaves out what it does not know (a newer program
wrote it) and gives what is missing its default. The text is ASCII, so that no character of a hostile source can
upset a database.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import force_setattr

from aggregator.errors import LedgerError
from aggregator.ledger.codec import reader, writer

R = TypeVar("R", bound=Struct)

DIGEST_BYTES = 16
"""128 bits: no two of a billion records share a digest by accident; more only makes the rows longer."""

BROKEN = (ValueError, TypeError, AttributeError, KeyError, RecursionError)
"""What reading a text raises that is no such record."""


def encode(record: Any, *, without: frozenset[str] = frozenset()) -> str:
    """The record as JSON, without the fields named.

    >>> from aggregator.model.sighting import Duration
    >>> encode(Duration(90, 60)), encode(Duration(90))
    ('{"seconds":90,"step":60}', '{"seconds":90}')
    """
    return writer(type(record), without)(record)


def encode_all(records: Iterable[Any]) -> str:
    """Several records as a JSON list."""
    return f"[{','.join([encode(record) for record in records])}]"


def decode(kind: type[R], text: str, **given: object) -> R:
    """The record that :func:`encode` wrote, with the fields ``given`` in place of what stands there.

    LedgerError where the text is not such a record.
    """
    try:
        record: R = reader(kind, tuple(given))(json.loads(text), *given.values())
    except BROKEN as error:
        raise LedgerError(f"ledger: a {kind.__name__.lower()} cannot be read back: {error}") from error
    return record


def decode_each(kind: type[R], text: str, **given: object) -> R:
    """The same for records that come by the thousand: msgspec reads them in half the time.

    It knows the records by their annotations and refuses what is not quite as these say; that is read by our own code.
    """
    try:
        known: Any = kind
        record: R = _typed(known)(text)
    except (*BROKEN, OverflowError):  # a newer program's words, half a surrogate pair
        return decode(kind, text, **given)
    for name, value in given.items():
        force_setattr(record, name, value)  # frozen, and nobody else's yet
    return record


@cache
def _typed(kind: type[Any]) -> Callable[[str], Any]:
    """What makes a record of the class from its JSON, where that is as the annotations say; else a ValueError."""
    return msgspec.json.Decoder(kind).decode


def packed(record: object) -> bytes:
    """The whole record as bytes that are equal where the record is.

    UnicodeEncodeError for half a letter, OverflowError for a number of more than 64 bits.
    """
    return msgspec.msgpack.encode(record)


def name(record: Any) -> str:
    """The name of all that the record says: equal for equal records, another for others."""
    try:
        said = packed(record)
    except (UnicodeEncodeError, OverflowError):
        said = encode(record).encode("ascii")
    return blake2b(said, digest_size=DIGEST_BYTES).hexdigest()


def decode_all(kind: type[R], text: str) -> tuple[R, ...]:
    """The records that :func:`encode_all` wrote. LedgerError where the text is no list of such records."""
    several: Any = tuple[kind, ...]  # type: ignore[valid-type]  # a type that is made as the program runs
    with suppress(*BROKEN, OverflowError):  # as in decode_each
        found: tuple[R, ...] = _typed(several)(text)
        return found
    read = reader(kind, ())
    try:
        return tuple([read(part) for part in json.loads(text)])
    except BROKEN as error:
        raise LedgerError(f"ledger: a {kind.__name__.lower()} cannot be read back: {error}") from error


def tells(name: str, value: str, text: str) -> bool:
    """Does some part of the record that was written end in a field of this name and value?

    >>> from aggregator.model.sighting import Enclosure
    >>> tells("url", "https://a.example/1", encode(Enclosure("https://a.example/1")))
    True
    """
    return f"{json.dumps(name)}:{json.dumps(value)}}}" in text


def digest(text: str) -> str:
    """The name of a content: 32 hexadecimal digits."""
    return blake2b(text.encode("ascii"), digest_size=DIGEST_BYTES).hexdigest()
