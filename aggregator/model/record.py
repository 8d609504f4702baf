"""The base of all records, and what they share when they are written."""

from __future__ import annotations

from hashlib import blake2b
from threading import Lock
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")

_MAKING = Lock()


class Record(Struct, frozen=True, omit_defaults=True):
    """A frozen record; fields that have their default are left out when it is written."""


def digest_value(value: object) -> str:
    """Return the BLAKE2b digest, 16 bytes in hexadecimal, of a value as Python writes it: equal records have one."""
    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def replace_surrogates(value: Any) -> Any:
    """Return builtin values with U+FFFD for each lone surrogate in a text, which UTF-8 cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list | tuple):
        return [replace_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {replace_surrogates(key): replace_surrogates(each) for key, each in value.items()}
    return value


_encoder = msgspec.msgpack.Encoder()


def encode_msgpack(value: Any) -> bytes:
    """Return a value as MessagePack; a lone surrogate in a text, which UTF-8 cannot hold, becomes U+FFFD."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(replace_surrogates(msgspec.to_builtins(value, builtin_types=(bytes,))))


def make_json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """Return a decoder of JSON for a type; one thread makes one at a time.

    msgspec (0.22) describes a class of records when a decoder first needs it. Another thread that needs the class
    meanwhile gets the unfinished description, and the process ends by a segmentation fault.
    """
    with _MAKING:
        return msgspec.json.Decoder(kind)


def make_msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]:
    """Return a decoder of MessagePack for a type; one thread makes one at a time, as in `make_json_decoder`."""
    with _MAKING:
        return msgspec.msgpack.Decoder(kind)
