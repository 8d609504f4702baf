"""Memory of ``serve`` over many refreshes: the same scheduler's tick, under a clock that jumps by an hour each time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.config import make_source
from tests.support.paths import ROOT
from tests.support.rss import make_rss
from tests.support.workspace import Workspace, make_item

TICKS = int(os.environ.get("TICKS", "1000"))
EVERY = TICKS // 20
GROWTH = 8
"""Kilobytes a refresh. The memory that malloc keeps grows by 0.5 on average after the first hundred refreshes."""

SERVED = """
import gc, os, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aggregator.commands.serve import _tick
from aggregator.config.load import load
from aggregator.refresh import GC_THRESHOLDS
from aggregator.service import metrics
from aggregator.service.workers import Worker

def read_memory():
    # Without the pages of files, which are counted by halves as soon as another program has them, too
    tasks, kilobytes = [str(os.getpid())], 0
    while tasks:
        task = tasks.pop()
        lines = open(f"/proc/{task}/smaps_rollup")
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss_Anon:"))
        for thread in os.listdir(f"/proc/{task}/task"):
            tasks += open(f"/proc/{task}/task/{thread}/children").read().split()
    return kilobytes

gc.set_threshold(*GC_THRESHOLDS)
worker, meter = Worker(load(Path(sys.argv[1])), print, print), metrics.make_meter()
feed, at = Path("changing.xml"), datetime(2024, 6, 1, tzinfo=UTC)
text, ticks, every = feed.read_text(), int(sys.argv[2]), int(sys.argv[3])
for turn in range(1, ticks + 1):
    feed.write_text(text.replace("TURN", f"turn {turn}"))
    _tick(worker, meter, at + timedelta(hours=turn, minutes=30))
    if turn % every == 0:
        print("memory", turn, read_memory(), file=sys.stderr, flush=True)
"""


@pytest.mark.heavy
def test_the_memory_of_a_server_stays_flat(workspace: Workspace) -> None:
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 9))))
    (workspace.folder / "changing.xml").write_text(
        make_rss(*(make_item(number, text="TURN") for number in range(4, 12)))
    )
    other = make_source("changing.xml", trust=0.9)
    config = workspace.config(more={"host": workspace.source("/host", trust=0.3), "other": other}, refresh="0 * * * *")
    seen, place = [], os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    command = [sys.executable, "-c", SERVED, str(config), str(TICKS), str(EVERY)]
    with subprocess.Popen(
        command,
        cwd=workspace.folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": place},
    ) as child:
        for line in child.stderr or ():
            print(line, end="")  # noqa: T201 -- with -s
            if line.startswith("memory "):
                seen.append(int(line.split()[2]))
    assert child.returncode == 0
    assert len(seen) == TICKS // EVERY
    assert f"turn {TICKS}" in Path(workspace.output / "show" / "podcast.xml").read_text("utf-8")
    early, late = seen[5], max(seen[-4:])  # after 300 of 1,000: malloc and SQLite have what they keep
    assert late <= 1.1 * early, seen
    assert late - early <= GROWTH * EVERY * 14, seen
