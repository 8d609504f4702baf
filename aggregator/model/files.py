"""Records of published files."""

from __future__ import annotations

from msgspec import Struct

from aggregator.model.record import Record


class WrittenFile(Struct, frozen=True):
    """One published file, and whether its bytes changed."""

    name: str
    changed: bool


class FileState(Record, frozen=True):
    """A published file as it was written: its name under the output folder, bytes, and time in nanoseconds."""

    name: str
    size: int
    written: int
