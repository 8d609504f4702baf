"""The base of all records: frozen, and without its defaults where it is written as JSON."""

from __future__ import annotations

from msgspec import Struct


class Record(Struct, frozen=True, omit_defaults=True):
    """A frozen record; fields that have their default are left out when it is written."""
