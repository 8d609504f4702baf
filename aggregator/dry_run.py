"""Refresh a copy of the store and of the published files, and compare the published files before and after.

What differs is what the next refresh would change, whatever the reason: new documents of the sources, an edit of the
config, a decision, another version of this program.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from aggregator.config.load import Config
from aggregator.generator.changes.published import Difference, find_difference, read_published
from aggregator.generator.storage.output import Output
from aggregator.refresh import refresh
from aggregator.result import Outcome
from aggregator.store import backup, connection


class DryRun(Struct, frozen=True):
    """The outcomes of a refresh that was not done, and what would differ of the files of each feed, by its name."""

    outcomes: tuple[Outcome, ...]
    differences: Mapping[str, Difference]


def dry_run(config: Config, feeds: Sequence[str], *, at: datetime, force: bool = False) -> DryRun:
    """Return what a refresh of these feeds would change; sources that are due are fetched, nothing is changed.

    Raises the errors of a refresh.
    """
    folders = {name: config.plan(name).channel.folder for name in feeds}
    with _copy_of_state(config, folders.values()) as copied:
        before = {name: read_published(copied.output.path / folders[name]) for name in feeds}
        outcomes = refresh(copied, at=at, feeds=feeds, force=force, new=True)
        after = {name: read_published(copied.output.path / folders[name]) for name in feeds}
    return DryRun(outcomes, {name: find_difference(before[name], after[name]) for name in feeds})


@contextmanager
def _copy_of_state(config: Config, folders: Iterable[str]) -> Iterator[Config]:
    """Yield the config with a copy of the store and of the output, or of these folders if it is in a bucket.

    The copies are deleted afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="aggregator-dry-run-") as folder:
        state, output = Path(folder) / "store.db", Path(folder) / "output"
        if connection.has_content(config.state):
            backup.backup(config.state, state)
        config.output.copy(folders, output)
        yield replace(config, state=str(state), output=Output(output), backups=0, notify=())
