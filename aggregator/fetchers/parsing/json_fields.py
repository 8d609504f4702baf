"""Fields of JSON from outside: asked for by name and type, so that a surprise is a missing field and not a defect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Record: TypeAlias = Mapping[str, object]

_LONGEST_ID = 400  # characters
_LARGEST = 2**53


def get_text(record: Record, *names: str) -> str | None:
    """Return the first of the fields that is text and not blank, stripped."""
    values = (record.get(name) for name in names)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), None)


def get_id(record: Record, *names: str) -> str | None:
    """Return the first of the fields that is text or a whole number, as text."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST:
            return str(value)
        if isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_ID:
            return value.strip()
    return None


def get_number(record: Record, *names: str) -> float | None:
    """Return the first of the fields that is a number, not less than 0."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _LARGEST:
            return value
    return None


def get_int(record: Record, *names: str) -> int | None:
    """Return the first of the fields that is a whole number or the text of one, not less than 0."""
    for name in names:
        found = get_id(record, name)
        if found and found.isascii() and found.isdecimal() and len(found) < len(str(_LARGEST)):
            return int(found)
    return None


def get_bool(record: Record, *names: str) -> bool | None:
    """Return the first of the fields that is true or false."""
    values = (record.get(name) for name in names)
    return next((value for value in values if isinstance(value, bool)), None)


def get_record(value: object, *path: str) -> Record:
    """Return the object at the end of the path, an empty one if there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def get_records(value: object, *path: str) -> tuple[Record, ...]:
    """Return the objects in the list at the end of the path, none if there is no list."""
    if path:
        value = get_record(value, *path[:-1]).get(path[-1])
    return tuple(one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()


def get_texts(value: object) -> tuple[str, ...]:
    """Return the texts in a list, each once; of objects their ``name``."""
    items = value if isinstance(value, list) else []
    named = (get_text(one, "name") if isinstance(one, Mapping) else one for one in items)
    return tuple(dict.fromkeys(one.strip() for one in named if isinstance(one, str) and one.strip()))
