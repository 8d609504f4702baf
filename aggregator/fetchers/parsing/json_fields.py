"""Fields of JSON from outside: asked for by name and type, so that a surprise is a missing field and not a defect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Record: TypeAlias = Mapping[str, object]

LONGEST_ID = 400  # characters
LARGEST = 2**53


def text(record: Record, *names: str) -> str | None:
    """The first of the fields that is text and not blank, stripped."""
    values = (record.get(name) for name in names)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), None)


def identifier(record: Record, *names: str) -> str | None:
    """The first of the fields that is text or a whole number, as text."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST:
            return str(value)
        if isinstance(value, str) and 0 < len(value.strip()) <= LONGEST_ID:
            return value.strip()
    return None


def number(record: Record, *names: str) -> float | None:
    """The first of the fields that is a number, not less than 0."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < LARGEST:
            return value
    return None


def whole(record: Record, *names: str) -> int | None:
    """The first of the fields that is a whole number, or text that writes one, not less than 0."""
    for name in names:
        found = identifier(record, name)
        if found and found.isascii() and found.isdecimal() and len(found) < len(str(LARGEST)):
            return int(found)
    return None


def flag(record: Record, *names: str) -> bool | None:
    """The first of the fields that is true or false."""
    values = (record.get(name) for name in names)
    return next((value for value in values if isinstance(value, bool)), None)


def record(value: object, *path: str) -> Record:
    """The object that stands at the end of the path; an empty one where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def records(value: object, *path: str) -> tuple[Record, ...]:
    """The objects in the list at the end of the path; none where there is no list."""
    if path:
        value = record(value, *path[:-1]).get(path[-1])
    return tuple(one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()


def texts(value: object) -> tuple[str, ...]:
    """The texts in a list, each once; objects with a name give their name."""
    items = value if isinstance(value, list) else []
    named = (text(one, "name") if isinstance(one, Mapping) else one for one in items)
    return tuple(dict.fromkeys(one.strip() for one in named if isinstance(one, str) and one.strip()))
