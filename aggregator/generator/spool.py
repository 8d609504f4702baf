"""Spool: many pieces of bytes kept in their order, in memory while they are few and on the disk when they are not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Final

from msgspec import Struct, field

# Bytes that stay in memory. A show of a hundred episodes fits; ten times as much would be felt beside the parsers.
SMALL: Final = 1 << 18


class Spool(Struct, frozen=True):
    """The pieces written so far; ``ends`` says where each one ends. It lasts as long as the file is open."""

    file: IO[bytes]
    ends: list[int] = field(default_factory=list)

    def add(self, piece: bytes) -> None:
        """Keep one more piece; raises OSError where the disk refuses."""
        self.ends.append((self.ends[-1] if self.ends else 0) + len(piece))
        self.file.write(piece)

    def piece(self, position: int) -> bytes:
        """The piece at this position, counted from 0."""
        start = self.ends[position - 1] if position else 0
        self.file.seek(start)
        return self.file.read(self.ends[position] - start)


@contextmanager
def spool(beside: Path | None = None) -> Iterator[Spool]:
    """An empty spool; what is too much for memory goes to an unnamed file in ``beside``, else in the system's folder.

    Nobody sees the file, and nothing of it is left when the block ends or the process is killed.
    """
    with SpooledTemporaryFile(SMALL, dir=str(beside) if beside else None) as file:
        yield Spool(file)
