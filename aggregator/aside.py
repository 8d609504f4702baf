"""Texts laid aside: the long texts of many sightings and items wait on the disk while only the rest is looked at.

Of 20,000 items the texts are most of what a refresh would hold, and hardly anything looks at them all at once: what is
compared are words, what is settled are guids and dates. A record whose texts lie aside has none of them; ``whole``
gives it with them, and whoever reads or writes a text asks for that, one record at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Final, Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from aggregator.errors import LedgerError
from aggregator.ledger import records
from aggregator.model.cluster import Cluster
from aggregator.model.item import Item
from aggregator.model.record import Record
from aggregator.model.sighting import Sighting

SMALL: Final = 1 << 18  # bytes that stay in memory

STAYING = 1000
"""Records whose texts stay where they are: 3 MB; of ten times as many half a refresh's memory would be texts."""

R = TypeVar("R", Sighting, Item)


class Spool(Record, frozen=True):
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


class Texts(Record, frozen=True):
    """The long texts of one record, as both sightings and items have them."""

    description: str | None = None
    html: str | None = None
    summary: str | None = None


class Shelf(Struct, Generic[R]):
    """Where the texts of some records lie: in the file, by the name of the record; without a file none lies there.

    All are laid there before the first is looked at again. ``staying`` is how many more are left as they are.
    """

    file: Spool | None = None
    staying: int = 0
    places: dict[str, int] = field(default_factory=dict)

    def lay(self, record: R) -> R:
        """The same record, which must be nobody else's yet, without its texts where they lie aside now."""
        if self.file is None or not _told(record):
            return record
        if self.staying > 0:
            self.staying -= 1
            return record
        texts = Texts(record.description, record.html, record.summary)
        self.places[_name(record)] = len(self.file.ends)
        try:
            self.file.add(records.encode(texts).encode())
        except OSError as error:
            raise LedgerError(f"ledger: no room to lay texts aside: {error.strerror}") from error
        for name in Texts.__struct_fields__:
            force_setattr(record, name, None)
        return record

    def whole(self, record: R) -> R:
        """The record with its texts; one that has any is whole."""
        place = None if self.file is None or _told(record) else self.places.get(_name(record))
        if self.file is None or place is None:
            return record
        texts = records.decode(Texts, self.file.piece(place).decode())
        return replace(record, description=texts.description, html=texts.html, summary=texts.summary)

    def clear(self) -> None:
        """Forget where the texts lie: nobody looks at them again."""
        self.places.clear()
        if self.file is not None:
            self.file.ends.clear()


class Aside(Record, frozen=True):
    """Where the texts of a feed's sightings lie, and those of its items."""

    sightings: Shelf[Sighting] = field(default_factory=Shelf)
    items: Shelf[Item] = field(default_factory=Shelf)

    def cluster(self, cluster: Cluster) -> Cluster:
        """The cluster with its sightings whole."""
        return replace(cluster, sightings=tuple(map(self.sightings.whole, cluster.sightings)))


NOTHING = Aside()
"""Nothing is laid aside: every record is whole."""


@contextmanager
def room(beside: Path | None, staying: int = STAYING) -> Iterator[Aside]:
    """Room for texts as long as the body lasts, on the disk of the folder ``beside``, else of the system's own."""
    with spool(beside) as sightings, spool(beside) as items:
        yield Aside(Shelf(sightings, staying), Shelf(items, staying))


def _told(record: Sighting | Item) -> bool:
    """Whether the record has any text."""
    return record.description is not None or record.html is not None or record.summary is not None


def _name(record: Sighting | Item) -> str:
    """What a record is found by: no two items share a sighting."""
    return record.id if isinstance(record, Sighting) else record.sightings[0]
