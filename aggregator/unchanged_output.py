"""What stands in the output and from what it was made: what is as it was is not made again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from aggregator.model.record import Record
from aggregator.store import facts, records
from aggregator.store.database import Store

STANDING: Final = "standing"
"""The fact that says it of a feed; without a feed's name, of the files that list every feed."""


class FileState(Record, frozen=True):
    """A published file as it stood when it was written: its name under the output folder, bytes, and time in ns."""

    name: str
    size: int
    written: int


class Standing(Record, frozen=True):
    """What stands in the output for one feed: from what it was made, what the summary says of it, and its files.

    ``held`` is one line for each source whose new items are held. ``until`` is when time alone makes it another feed,
    ``None`` for never.
    """

    basis: str
    remembered: int = 0
    items: int = 0
    episodes: int = 0
    posts: int = 0
    repaired: int = 0
    near_misses: int = 0
    alarms: tuple[str, ...] = ()
    files: tuple[FileState, ...] = ()
    held: tuple[str, ...] = ()
    until: datetime | None = None


def standing(store: Store, feed: str, basis: str) -> Standing | None:
    """What was made for the feed from this basis, ``None`` where it must be made anew."""
    kept = facts.read_fact(store, feed, STANDING)
    found = records.decode(Standing, kept.decode()) if kept else None
    return found if found and found.basis == basis else None


def alarms(store: Store) -> dict[str, tuple[str, ...]]:
    """What a person should look at in each feed, as it was last published."""
    kept = facts.read_fact_of_feeds(store, STANDING)
    return {feed: records.decode(Standing, value.decode()).alarms for feed, value in kept.items() if feed}


def keep_standing(store: Store, feed: str, stands: Standing | None) -> None:
    """Note what was published, once it stands; ``None`` says that it is to be made anew."""
    facts.write_fact(store, feed, STANDING, records.encode(stands).encode() if stands else None)


def states(output: Path, names: Iterable[str]) -> tuple[FileState, ...]:
    """How the files under the output folder stand now."""
    found = ((name, (output / name).stat()) for name in names)
    return tuple(FileState(name, stat.st_size, stat.st_mtime_ns) for name, stat in found)


def stand(output: Path, known: Sequence[FileState]) -> bool:
    """Do all the files still stand as they were written? False where none is known."""
    folder = str(output)
    try:
        return bool(known) and all(_stands(f"{folder}/{each.name}", each) for each in known)
    except OSError:
        return False


def _stands(path: str, known: FileState) -> bool:
    stat = os.stat(path)  # noqa: PTH116 -- of some ten files a feed: a Path takes four times as long
    return (stat.st_size, stat.st_mtime_ns) == (known.size, known.written)
