"""Progress of a refresh: bars on a terminal, else plain lines with ``--verbose``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from msgspec import Struct, field
from rich.markup import escape
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from aggregator.commands.output import shorten
from aggregator.result import Listener, Progress, ignore_progress

_LONGEST = 200
"""Characters shown of a message, more than most terminals are wide."""


@contextmanager
def show_progress(*, hush: bool, verbose: bool) -> Iterator[Listener]:
    """Give the listener of a refresh; it shows nothing if ``hush``."""
    if hush:
        yield ignore_progress
    elif sys.stdout.isatty():
        with _show_bars() as tell:
            yield tell
    else:
        yield _print_step if verbose else ignore_progress


def _print_step(progress: Progress) -> None:
    """Print one step as a plain line."""
    parts = (progress.feed, progress.source, progress.stage, shorten(progress.message, _LONGEST))
    typer.echo(": ".join(part for part in parts if part))


_STEPS = {"fetch": 1, "read": 2}
"""Progress of a source after each stage; its bar is full when its feed is composed."""


_MOST_BARS = 20
"""Bars shown at once; beyond that, finished ones are hidden."""


@contextmanager
def _show_bars() -> Iterator[Listener]:
    """Give a listener that shows one bar for each source."""
    with Bars(
        TextColumn("{task.fields[feed]}", style="dim"),
        TextColumn("{task.description}", style="bold"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[stage]}", style="cyan"),
        TextColumn("{task.fields[message]}"),
        TimeElapsedColumn(),
    ) as bars:
        yield _Board(bars).tell


class _Board(Struct, frozen=True):
    """The bars of a refresh, by feed and source."""

    bars: Bars
    tasks: dict[tuple[str, str], TaskID] = field(default_factory=dict)

    def tell(self, progress: Progress) -> None:
        """Advance the bar of one source; a stage of the whole feed completes the bars of its sources."""
        if not progress.source:
            for key, task in self.tasks.items():
                if key[0] == progress.feed:
                    self.bars.update(task, completed=len(_STEPS), stage="", visible=len(self.tasks) <= _MOST_BARS)
            return
        key = (progress.feed, progress.source)
        if key not in self.tasks:
            self.tasks[key] = self.bars.add_task(
                progress.source, total=len(_STEPS), feed=progress.feed, stage="", message=""
            )
        asked = progress.stage == "fetch" and not progress.message
        step = 0 if asked else _STEPS.get(progress.stage, 0)
        message = escape(shorten(progress.message, _LONGEST)) if progress.stage == "fetch" else ""
        self.bars.update(self.tasks[key], completed=step, stage=progress.stage, message=message)
