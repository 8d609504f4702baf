"""JSON as people read it: indented, without empty members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import json

_INDENT: Final = 2
_NO_ITEMS: Final = b'\n  "items": []'
"""The empty list of items in an indented document; line breaks within its texts are escaped."""


def without_empty(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members whose value is not ``None``, an empty string or an empty list."""
    return {key: value for key, value in members.items() if value is not None and value not in ("", [])}


def to_json(document: Mapping[str, Any]) -> bytes:
    """Return the document indented, with a line break at its end."""
    return json.format(json.encode(document), indent=_INDENT) + b"\n"


def lay_out(document: Mapping[str, Any], indices: Sequence[int]) -> Sequence[bytes | int]:
    """Return the document indented as a document of `generator.kept`, with these items in its empty list ``items``."""
    whole = to_json(document)
    if not indices:
        return (whole,)
    head, tail = whole.split(_NO_ITEMS)
    between = [part for index in indices for part in (index, b",\n")]
    return (head, _NO_ITEMS[:-1], b"\n", *between[:-1], b"\n  ]", tail)


def indent_item(item: Mapping[str, Any]) -> bytes:
    r"""Return an item as it stands in the list of a document.

    >>> indent_item({"id": 1})
    b'    {\n      "id": 1\n    }'
    """
    return json.format(json.encode([[item]]), indent=_INDENT)[len("[\n  [\n") : -len("\n  ]\n]")]
