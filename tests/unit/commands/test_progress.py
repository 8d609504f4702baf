"""Bars are drawn from the threads that fetch and from those that compose."""

from __future__ import annotations

from rich.progress import Progress as Bars
from rich.progress import TaskID

from aggregator.commands.bars import _Board
from aggregator.result import Progress


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
