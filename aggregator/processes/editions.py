"""Editions: feeds composed and rendered in forks (`composer`), written to the store and published by this process."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import IO, Final, Self

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.enclosure_probe import Incomplete
from aggregator.errors import DamagedError, PublishError, StoreError
from aggregator.fetchers.http.target import make_printable
from aggregator.generator.files import Staged, WrittenFile
from aggregator.generator.json_text import to_json
from aggregator.generator.storage.output import Output
from aggregator.model.feed import Cover, Plan
from aggregator.model.record import make_msgpack_decoder
from aggregator.result import ChangedTitles, Publication
from aggregator.sandbox import forks
from aggregator.sandbox.forks import ForkError
from aggregator.sandbox.limits import make_limits
from aggregator.store import cache, decisions, entries, facts, guids, items
from aggregator.store.database import Store, write_deferred

PROCESSES: Final = min(os.cpu_count() or 1, 8)
"""Feeds that are composed at once: one for each processor; more than some would only take memory."""

_REPORT: Final = "report.json"

_WRITERS: Final = (cache, decisions, facts, guids, items)
"""The modules whose writes a fork may defer: they are loaded before its writes are decoded."""


class Task(Struct, frozen=True, tag=True):
    """Compose a feed from the store and write its files under temporary names; or those that list every feed.

    ``output`` is the folder in which they are written, packed copies beside them if ``packed``.
    ``environment`` is that of this process: it may have the password of the store.
    """

    state: str
    at: datetime
    plan: Plan | None = None
    covers: tuple[Cover, ...] = ()
    output: str = ""
    packed: bool = True
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


class Edition(Struct, frozen=True):
    """A composed feed: its publication, messages and files; its writes to the store are separate messages (Composed).

    ``staged`` is ``None`` if there is nothing to publish. ``incomplete`` are addresses of media whose length or type no
    source gave, each with its source, and ``rivals`` those of audio that another source could replace. ``error`` says
    why it failed, ``traceback`` is that of a bug, and ``of_store`` says whether it is the store's fault, ``damaged``
    which store is damaged.
    """

    publication: Publication = Publication("")
    new: int = 0
    changed: int = 0
    titles: ChangedTitles = ChangedTitles()
    events: tuple[str, ...] = ()
    cover: Cover | None = None
    staged: Staged | None = None
    incomplete: tuple[Incomplete, ...] = ()
    rivals: tuple[Incomplete, ...] = ()
    error: str = ""
    traceback: str = ""
    of_store: bool = False
    damaged: str = ""


_DECODER = make_msgpack_decoder(Edition)


class Composed:
    """An edition, and the file with the writes that it needs of the store."""

    def __init__(self, file: IO[bytes]) -> None:
        """Read the edition, which is the last message; raise ForkError if it is none."""
        self._file = file
        try:
            *self._writes, last = forks.find_messages(file)
            self.edition = _DECODER.decode(self._read(*last))
        except (ValueError, RecursionError) as error:
            file.close()
            raise ForkError(f"what its process returned cannot be read ({error})") from error

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def write(self, tx: Store) -> None:
        """Do the writes in a transaction."""
        for each in self._writes:
            write_deferred(tx, self._read(*each))

    def _read(self, place: int, length: int) -> bytes:
        self._file.seek(place)
        return self._file.read(length)


def fork_template() -> None:
    """Fork the template of the compose processes from this process, which has one thread and no open store."""
    forks.composers.fork_template()


def start() -> None:
    """Have the template import its modules, so that it is ready when the first feed is composed."""
    forks.composers.load()


def compose(store: Store, output: Output, task: Task) -> Composed:
    """Do a task in a fork; raise PublishError if that fails or costs too much, StoreError if the store is at fault."""
    plan = task.plan
    name, folder = (plan.name, plan.channel.folder) if plan is not None else ("", "")
    task = replace(task, output=str(output.staging), packed=output.bucket is None)
    try:
        limits = make_limits(entries.count_entries(store, name))
        composed = Composed(forks.composers.run(msgspec.msgpack.encode(task), limits))
    except ForkError as error:
        output.clear(folder)
        at = f" (it was at {make_printable(error.at)})" if error.at else ""
        subject = f"{name}: cannot be composed" if name else f"{output}: the list of all feeds cannot be made"
        message = f"{subject}: {error}{at}; what was published before stands"
        _report_failure(output, folder, message)
        raise PublishError(message) from error
    if composed.edition.error:
        composed.close()
        forks.log_traceback(composed.edition.traceback)
        if composed.edition.damaged:
            raise DamagedError(composed.edition.error, composed.edition.damaged)
        raise (StoreError if composed.edition.of_store else PublishError)(composed.edition.error)
    return composed


def place(output: Output, folder: str, staged: Staged) -> tuple[WrittenFile, ...]:
    """Publish the files of a folder, and return them by their names under the output; raise PublishError."""
    written = output.place(folder, staged)
    return tuple(WrittenFile(f"{folder}/{each.name}", changed=each.changed) for each in written) if folder else written


def _report_failure(output: Output, folder: str, why: str) -> None:
    """Put into the report of the standing edition, if there is one, why there is no newer one."""
    with suppress(OSError, ValueError, PublishError):
        report = json.loads(output.read(folder, _REPORT))
        output.replace(folder, _REPORT, to_json({**report, "failure": why}))
