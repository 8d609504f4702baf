"""A bar for each source of a refresh, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct, field
from rich.markup import escape
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from aggregator.commands.wording import line
from aggregator.outcome import Listener, Progress

STEPS = {"fetch": 1, "read": 2}
"""How far a source is, of three steps: asked, answered, read; it is done when its feed is composed."""

LONGEST = 200
"""Characters of a message that a bar shows: more than any terminal is wide."""

SCREEN = 20
"""The most bars shown at once: more than a small terminal's height, and finished ones make place for others."""


@contextmanager
def shown() -> Iterator[Listener]:
    """What a refresh tells its progress to, shown as bars as long as the body runs."""
    with _bars() as bars:
        yield _Board(bars).tell


def _bars() -> Bars:
    """The bars as they look: feed and source, how far, the stage, and what there is to say."""
    return Bars(
        TextColumn("{task.fields[feed]}", style="dim"),
        TextColumn("{task.description}", style="bold"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[stage]}", style="cyan"),
        TextColumn("{task.fields[message]}"),
        TimeElapsedColumn(),
    )


class _Board(Struct, frozen=True):
    """One bar for each source that has been heard of, by feed and source."""

    bars: Bars
    tasks: dict[tuple[str, str], TaskID] = field(default_factory=dict)

    def tell(self, progress: Progress) -> None:
        """Move the bar of the progress's source; a stage of the whole feed ends the bars of its sources."""
        if not progress.source:
            for key, task in self.tasks.items():
                if key[0] == progress.feed:
                    self.bars.update(task, completed=len(STEPS), stage="", visible=len(self.tasks) <= SCREEN)
            return
        key = (progress.feed, progress.source)
        if key not in self.tasks:
            self.tasks[key] = self.bars.add_task(
                progress.source, total=len(STEPS), feed=progress.feed, stage="", message=""
            )
        asked = progress.stage == "fetch" and not progress.message
        step = 0 if asked else STEPS.get(progress.stage, 0)
        said = escape(line(progress.message, LONGEST)) if progress.stage == "fetch" else ""
        self.bars.update(self.tasks[key], completed=step, stage=progress.stage, message=said)
