"""JSON written so that a person can read it, and in pieces, so that a list of 20,000 need not be held at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

# What ends a document whose last member is a list of objects.
CLOSE: Final = b"\n  ]\n}\n"


def kept(said: Mapping[str, Any]) -> dict[str, Any]:
    """The members that say something: not ``None``, not empty."""
    return {key: value for key, value in said.items() if value is not None and value not in ("", [])}


def block(said: Mapping[str, Any], indent: int) -> bytes:
    """The object, indented by so many spaces."""
    lines = json.dumps(said, ensure_ascii=False, indent=2).split("\n")
    return "\n".join(" " * indent + line for line in lines).encode()


def separated(position: int, piece: bytes) -> bytes:
    """The piece at this position of a list, counted from 0, with what parts it from the one before."""
    return (b",\n" if position else b"\n") + piece
