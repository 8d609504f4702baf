"""Bars are drawn from the threads that fetch and from those that compose."""

from __future__ import annotations

import logging

from rich.progress import Progress as Bars
from rich.progress import TaskID

from aggregator.commands.bars import _Board
from aggregator.commands.progress import show_progress
from aggregator.model.results import Progress


class BarsOfTwoThreads(Bars):
    """While a bar is changed, another thread reports the first step of a further source."""

    def update(self, task_id: TaskID, **values: object) -> None:
        super().update(task_id, **values)
        if values.get("stage") == "[green]done":
            board.update(Progress("sea", f"source {len(board.tasks)}", "fetch"))


board = _Board(BarsOfTwoThreads(disable=True))


def test_a_source_may_begin_while_a_feed_is_composed() -> None:
    for source in ("host", "mirror"):
        board.update(Progress("coast", source, "fetch"))
    board.update(Progress("coast", "", "compose"))
    assert len(board.tasks) == 4
    assert [task.completed for task in board.bars.tasks if task.fields["feed"] == "coast"] == [2, 2]


def test_tracebacks_are_shown_while_a_refresh_is_shown_and_not_afterwards(capsys) -> None:
    logger = logging.getLogger("aggregator")
    for _ in range(2):
        with show_progress(hush=True, verbose=True):
            logger.debug("a line")
    logger.debug("later")
    assert capsys.readouterr().err == "a line\n" * 2
