"""Bars on a terminal: one for each source of a refresh."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct, field
from rich.markup import escape
from rich.progress import BarColumn, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.progress_bar import ProgressBar

from aggregator.commands.output import shorten
from aggregator.model.results import Listener, Progress

_STEPS = {"fetch": 1, "read": 2}
"""Progress of a source after each stage; its bar is full when its feed is composed."""

_MOST_BARS = 20
"""Bars shown at once; beyond that, finished ones are hidden."""

_BAR, _STAGE, _TIME, _SPACES = 20, 9, 7, 4
"""Columns of a line besides its names."""


@contextmanager
def show_bars() -> Iterator[Listener]:
    """Give a listener that shows one bar for each source."""
    with Bars(
        TextColumn("{task.fields[feed]}", style="dim"),
        TextColumn("{task.description}", style="bold"),
        _SourceBar(bar_width=_BAR),
        TextColumn("{task.fields[stage]}"),
        TimeElapsedColumn(),
    ) as bars:
        yield _Board(bars).update


class _SourceBar(BarColumn):
    """The bar of a source, red if it failed."""

    def render(self, task: Task) -> ProgressBar:
        bar = super().render(task)
        if task.fields["failed"]:
            bar.complete_style = bar.finished_style = "red"
        return bar


class _Board(Struct, frozen=True):
    """The bars of a refresh, by feed and source; for use in several threads."""

    bars: Bars
    tasks: dict[tuple[str, str], TaskID] = field(default_factory=dict)

    def update(self, progress: Progress) -> None:
        """Advance the bar of one source; a stage of the whole feed completes the bars of its sources."""
        if not progress.source:
            for key, task in tuple(self.tasks.items()):  # other threads add to it
                if key[0] == progress.feed:
                    self._complete(task)
            return
        key = (progress.feed, progress.source)
        if key not in self.tasks:
            room = max(6, (self.bars.console.width - _BAR - _STAGE - _TIME - _SPACES) // 2)
            feed, source = (escape(shorten(name, room)) for name in key)
            self.tasks[key] = self.bars.add_task(source, total=len(_STEPS), feed=feed, stage="", failed=False)
        failed = progress.stage == "failed"
        is_begun = progress.stage == "fetch" and not progress.message
        step = len(_STEPS) if failed else 0 if is_begun else _STEPS.get(progress.stage, 0)
        stage = "[red]failed" if failed else f"[cyan]{progress.stage}"
        self.bars.update(self.tasks[key], completed=step, stage=stage, failed=failed)

    def _complete(self, task: TaskID) -> None:
        failed = self.bars.tasks[task].fields["failed"]
        stage = "[red]failed" if failed else "[green]done"
        self.bars.update(task, completed=len(_STEPS), stage=stage, visible=failed or len(self.tasks) <= _MOST_BARS)
