"""JSON written so that a person can read it, and in pieces, so that a list of 20,000 need not be held at once.

The standard library's writer takes its slow way where lines are indented: four times what this one takes, for the
same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from json.encoder import encode_basestring as quoted
from typing import Any, Final

# What ends a document whose last member is a list of objects.
CLOSE: Final = b"\n  ]\n}\n"
STEP: Final = "  "
WORDS: Final = {True: "true", False: "false", None: "null"}


def kept(said: Mapping[str, Any]) -> dict[str, Any]:
    """The members that say something: not ``None``, not empty."""
    return {key: value for key, value in said.items() if value is not None and value not in ("", [])}


def block(said: Mapping[str, Any], indent: int) -> bytes:
    """The object, indented by so many spaces; of text, numbers, lists and objects, and the three words of JSON."""
    margin = " " * indent
    return f"{margin}{_written(said, margin)}".encode()


def _written(value: Any, margin: str) -> str:
    """The value as it stands behind the margin: what is within it goes one step deeper."""
    kind = type(value)
    if kind is str:
        return quoted(value)
    if kind is dict and value:
        inner = margin + STEP
        lines = [f"{inner}{quoted(key)}: {_written(part, inner)}" for key, part in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + margin + "}"
    if kind is list and value:
        inner = margin + STEP
        return "[\n" + ",\n".join([inner + _written(part, inner) for part in value]) + "\n" + margin + "]"
    if kind is int or kind is float:
        return repr(value)
    return WORDS[value] if kind is bool or value is None else "{}" if kind is dict else "[]"


def separated(position: int, piece: bytes) -> bytes:
    """The piece at this position of a list, counted from 0, with what parts it from the one before."""
    return (b",\n" if position else b"\n") + piece
