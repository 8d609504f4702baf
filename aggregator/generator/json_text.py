"""JSON as people read it: indented, without empty members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import json

_INDENT: Final = 2


def without_empty(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members whose value is not ``None``, an empty string or an empty list."""
    return {key: value for key, value in members.items() if value is not None and value not in ("", [])}


def to_json(document: Mapping[str, Any]) -> bytes:
    """Return the document indented, with a line break at its end."""
    return json.format(json.encode(document), indent=_INDENT) + b"\n"
