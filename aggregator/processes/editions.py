"""Editions: feeds composed and rendered in forks (`composer`), written to the store and published by this process."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.msgpack import Decoder

from aggregator.config.settings import Config
from aggregator.enclosure_probe import Incomplete
from aggregator.errors import PublishError
from aggregator.fetchers.http.target import make_printable
from aggregator.generator.files import Staged
from aggregator.generator.json_text import to_json
from aggregator.generator.storage.output import Output
from aggregator.model.belonging import Belonging, Comparison
from aggregator.model.feed import Cover, Plan
from aggregator.model.files import WrittenFile
from aggregator.model.record import make_msgpack_decoder
from aggregator.model.results import Announcement, ChangedTitles, Composition, Publication
from aggregator.sandbox import calls, forks
from aggregator.sandbox.calls import BugError, Returned
from aggregator.sandbox.forks import ForkError
from aggregator.sandbox.limits import make_limits
from aggregator.store import cache, connection, database, entries, items
from aggregator.store.cache import CachePart
from aggregator.store.database import Store
from aggregator.store.items import ItemPart

PROCESSES: Final = min(os.cpu_count() or 1, 8)
"""Feeds that are composed at once: one for each processor; more than some would only take memory."""

_REPORT: Final = "report.json"

Part: TypeAlias = CachePart | ItemPart
"""What a fork gives in pieces, as it is large: values for the cache, and items."""

_KIND: Any = Part
_PARTS: Final[Decoder[Part]] = make_msgpack_decoder(_KIND)


class Task(Struct, frozen=True):
    """Compose a feed from the store ``state``, and write its files under temporary names into the folder ``output``.

    Packed copies are beside them if ``packed``.
    """

    state: str
    at: datetime
    plan: Plan
    output: str
    packed: bool


class Edition(Struct, frozen=True):
    """A composed feed: what is stored of it beside its parts (`write_parts`), its publication, messages and files.

    ``composition`` has no items; it is ``None``, as are ``cover`` and ``staged``, if there is nothing to publish.
    ``history`` is the fact of that name, ``None`` if nothing changed; ``waiting`` is all that is to be told then, empty
    if nothing is new. ``incomplete`` are addresses of media whose length or type no source gave, each with its source,
    and ``rivals`` those of audio that another source could replace.
    """

    publication: Publication = Publication("")
    composition: Composition | None = None
    history: bytes | None = None
    waiting: tuple[Announcement, ...] = ()
    titles: ChangedTitles = ChangedTitles()
    cover: Cover | None = None
    staged: Staged | None = None
    incomplete: tuple[Incomplete, ...] = ()
    rivals: tuple[Incomplete, ...] = ()


def fork_template() -> None:
    """Fork the template of the compose processes from this process, which has one thread and no open store."""
    forks.composers.fork_template()


def start() -> None:
    """Have the template import its modules, so that it is ready when the first feed is composed."""
    forks.composers.load()


def compose(config: Config, store: Store, plan: Plan, at: datetime) -> Returned[Edition]:
    """Compose a feed in a fork; raise PublishError if it fails or costs too much, StoreError of the store."""
    output, folder = config.output, plan.channel.folder
    task = Task(config.state, at, plan, str(output.staging), output.bucket is None)
    limits = make_limits(*entries.measure_entries(store, plan.name))
    with _describing_errors(output, folder, f"{plan.name}: cannot be composed"):
        return calls.call_for_parts(forks.composers, "compose", task, kind=Edition, limits=limits)


def write_parts(tx: Store, output: Output, plan: Plan, composed: Returned[Edition]) -> None:
    """Write the parts of a composed feed in a transaction; raise PublishError if one cannot be read."""
    with _describing_errors(output, plan.channel.folder, f"{plan.name}: cannot be composed"):
        for part in composed.read_parts(_PARTS):
            if isinstance(part, CachePart):
                cache.write_part(tx, plan.name, part)
            else:
                items.write_part(tx, plan.name, part)


def list_feeds(output: Output, covers: tuple[Cover, ...]) -> Staged:
    """Return the files that list every feed, under temporary names; raise PublishError as `compose`."""
    with _describing_errors(output, "", f"{output}: the list of all feeds cannot be made"):
        words = str(output.staging), covers, output.bucket is None
        return calls.call(forks.composers, "list", *words, kind=Staged, limits=make_limits(0))


def compare(given: Comparison) -> tuple[Belonging, ...]:
    """Compare a listing with feeds in a fork; raise PublishError if it costs too much, StoreError of the store."""
    count = len(given.listing.entries)
    if connection.has_content(given.state):
        with database.open_store(given.state) as store:
            count += sum(entries.measure_entries(store, plan.name)[0] for plan in given.plans)
    try:
        return calls.call(forks.composers, "compare", given, kind=tuple[Belonging, ...], limits=make_limits(count))
    except (ForkError, BugError) as error:
        raise PublishError(f"the listing cannot be compared with the feeds: {error}") from error


@contextmanager
def _describing_errors(output: Output, folder: str, subject: str) -> Iterator[None]:
    """Raise what became of a fork as PublishError; what it left in the folder is removed, and the report says why."""
    try:
        yield
    except BugError as error:
        why = f"which is a bug in the aggregator; what was published before stands: {error}"
        raise PublishError(f"{subject}, {why}") from error
    except ForkError as error:
        output.clear(folder)
        at = f" (it was at {make_printable(error.at)})" if error.at else ""
        message = f"{subject}: {error}{at}; what was published before stands"
        _report_failure(output, folder, message)
        raise PublishError(message) from error


def place(output: Output, folder: str, staged: Staged) -> tuple[WrittenFile, ...]:
    """Publish the files of a folder, and return them by their names under the output; raise PublishError."""
    written = output.place(folder, staged)
    return tuple(WrittenFile(f"{folder}/{each.name}", changed=each.changed) for each in written) if folder else written


def _report_failure(output: Output, folder: str, why: str) -> None:
    """Put into the report of the standing edition, if there is one, why there is no newer one."""
    with suppress(OSError, ValueError, PublishError):
        report = json.loads(output.read(folder, _REPORT))
        output.replace(folder, _REPORT, to_json({**report, "failure": why}))
