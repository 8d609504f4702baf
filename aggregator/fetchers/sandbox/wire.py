"""Records as MessagePack between the parent and the children that read: a hostile child can lie, but not run code.

What comes back is checked against the records' types as it is read. Tried and dropped: pickle (a child taken over by
its document would own the parent), marshal (not made for untrusted bytes), and JSON by our own code, which took six
times as long as msgspec and more than reading the document.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, TypeVar

import msgspec

from aggregator.errors import ReadError

R = TypeVar("R")

_write = msgspec.msgpack.Encoder().encode


def encode(record: object) -> bytes:
    r"""The record as MessagePack, a map of its fields; as JSON where a text has half a letter, a lone surrogate.

    >>> from aggregator.model.entry import Duration
    >>> encode(Duration(90, 60))
    b'\x82\xa7secondsZ\xa4step<'
    """
    try:
        return _write(record)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(record)).encode("ascii")


def decode(kind: type[R], data: bytes | bytearray) -> R:
    """The record that :func:`encode` wrote; ReadError where the bytes are none.

    >>> from aggregator.model.entry import Duration
    >>> decode(Duration, encode(Duration(90)))
    Duration(seconds=90, step=1)
    """
    known: Any = kind
    try:
        record: R = msgspec.convert(json.loads(data), kind) if data[:1] in (b"{", b"[") else _reader(known).decode(data)
    except (ValueError, OverflowError, RecursionError) as error:  # msgspec's own errors are ValueErrors
        raise ReadError(f"what was read did not come back whole: {error}") from error
    return record


def prepare(*kinds: Any) -> None:
    """Make the decoders of these records, in one thread before others read.

    Two threads that make decoders of one type at a time crash the process (msgspec 0.22, seen in one of ten runs).
    """
    for kind in kinds:
        _reader(kind)


@cache
def _reader(kind: type[Any]) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind)
