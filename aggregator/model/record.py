"""The base of all records, and what they share when they are written."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Record(Struct, frozen=True, omit_defaults=True):
    """A frozen record; fields that have their default are left out when it is written."""


def replace_surrogates(value: Any) -> Any:
    """Return builtin values with U+FFFD for each lone surrogate in a text, which UTF-8 cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list | tuple):
        return [replace_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {replace_surrogates(key): replace_surrogates(each) for key, each in value.items()}
    return value
