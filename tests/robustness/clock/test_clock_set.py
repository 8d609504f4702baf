"""A clock that is set while the program serves, back, forth, over summer time and a leap day: its ticks go on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from pathlib import Path

import pytest

from aggregator.service import scheduler
from tests.support.config import make_source
from tests.support.rss import make_rss
from tests.support.tools import need
from tests.support.workspace import Workspace, check_no_leftovers, check_published, make_item, make_title, read_guids

TICKS = """
import sys
from datetime import timedelta
from aggregator.service import scheduler
scheduler.run(lambda now: print(now.isoformat(), flush=True), print, every=timedelta(seconds=0.3))
"""


@dataclass
class Clock:
    """The clock of the programs that are started in its environment; ours goes on as it is."""

    file: Path
    library: Path

    def set(self, moment: str) -> None:
        """Have it show that time now. The file is replaced whole, as programs may read it at any instant."""
        partial = self.file.with_name("offset.new")
        partial.write_text(str(int(datetime.fromisoformat(moment).timestamp() - time.time())))
        partial.replace(self.file)

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "CLOCK_OFFSET_FILE": str(self.file), "TZ": "Europe/Berlin"}


@pytest.fixture
def clock(tmp_path_factory: pytest.TempPathFactory) -> Clock:
    folder = tmp_path_factory.mktemp("clock")
    made = Clock(folder / "offset", folder / "clock.so")
    source = Path(__file__).parent / "clock.c"
    need("cc")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", made.library, source, "-ldl"], check=True)
    return made


def test_ticks_go_on_whatever_the_clock_is_set_to(clock: Clock) -> None:
    clock.set("2024-03-31T00:59:00+00:00")
    with subprocess.Popen(
        [sys.executable, "-c", TICKS],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **clock.environment},
    ) as child:
        assert child.stdout is not None
        late = threading.Timer(200, child.kill)
        late.start()
        try:
            for day in ("2024-03-31", "2024-03-30", "2023-03-31", "2024-10-27", "2028-02-29", "2024-02-29"):
                clock.set(f"{day}T00:59:00+00:00")
                begun = time.monotonic()
                while not (line := child.stdout.readline()).startswith(day):
                    assert line, "it ended"
                assert time.monotonic() - begun < 60, "no tick for long"
                assert datetime.fromisoformat(line.strip()).tzinfo is not None
            child.send_signal(signal.SIGTERM)
            child.communicate(timeout=180)
        finally:
            late.cancel()
            child.kill()
    assert child.returncode == 0


STEPS = (
    ("2024-03-30T02:40:00", 1),  # the first question
    ("2024-03-31T00:59:30", 1),  # Berlin, before the switch to summer time
    ("2024-03-31T05:30:00", 2),  # after it: the slot of that day
    ("2024-03-01T00:00:00", 3),  # a month back: one question sets right what is remembered
    ("2024-03-02T06:00:00", 4),
    ("2024-10-27T00:59:30", 5),  # Berlin, before the hour that comes twice
    ("2024-10-27T01:30:00", 5),
    ("2024-10-28T06:00:00", 6),
    ("2028-02-29T06:00:00", 7),
    ("2028-03-01T06:00:00", 8),
)
"""What the clock is set to, in UTC, and how often the origin has been asked in all soon after. One slot a day."""


@pytest.mark.heavy
def test_a_server_asks_once_a_day_whatever_its_clock_is_set_to(
    workspace: Workspace, clock: Clock, free_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 4))))
    workspace.config("host", refresh="30 2 * * *")
    for name, value in clock.environment.items():
        monkeypatch.setenv(name, value)
    clock.set(f"{STEPS[0][0]}+00:00")
    child = workspace.start("serve", "--port", str(free_port))
    asked = []
    for moment, wanted in STEPS:
        clock.set(f"{moment}+00:00")
        end = time.monotonic() + 180
        while len(workspace.asked) < wanted and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(1.3 * scheduler.TICK.total_seconds())  # and no further one
        asked.append((moment, len(workspace.asked)))
    child.send_signal(signal.SIGTERM)
    assert (child.wait(180), child.stderr and child.stderr.read()) == (0, "")
    assert asked == list(STEPS)
    assert len(read_guids(workspace)) == 3
    check_published(workspace)
    check_no_leftovers(workspace)


def undated(number: int) -> str:
    return f"<item><guid isPermaLink='false'>undated-{number}</guid><title>{make_title(number)}</title></item>"


def refreshed(workspace: Workspace, clock: Clock, shown: str | None) -> list[str]:
    """Refresh with the clock at that time, or at the right one; the lines on stderr."""
    workspace.fields["/host"] = {"Date": formatdate(usegmt=True)}
    before: tuple[str, ...] = ()
    if shown:
        clock.set(shown)
        before = ("env", *(f"{name}={value}" for name, value in clock.environment.items()))
    done = workspace.run("refresh", "--quiet", "--force", before=before)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def age(workspace: Workspace, number: int) -> timedelta:
    [date] = [str(each["date_published"]) for each in workspace.items() if each["title"] == make_title(number)]
    return abs(datetime.now(UTC) - datetime.fromisoformat(date))


def test_nothing_is_dated_by_a_clock_that_is_behind(clock: Clock, workspace: Workspace) -> None:
    workspace.serve("/host", make_rss(undated(8_001), make_item(1)))
    local = workspace.folder / "local.xml"
    local.write_text(make_rss(undated(9_001)))
    workspace.config("host", more={"local": make_source("local.xml", trust=0.8)})
    assert refreshed(workspace, clock, None) == []
    for turn, shown in enumerate(("1970-01-02T00:00:00+00:00", "2014-05-01T12:00:00+00:00"), start=2):
        fresh = f"{datetime.now(UTC) - timedelta(minutes=5):%a, %d %b %Y %H:%M:%S} GMT"
        dated = re.sub(r"<pubDate>.*</pubDate>", f"<pubDate>{fresh}</pubDate>", make_item(turn))
        workspace.serve("/host", make_rss(*(undated(8_000 + each) for each in range(turn, 0, -1)), dated))
        local.write_text(make_rss(*(undated(9_000 + each) for each in range(turn, 0, -1))))
        [line] = refreshed(workspace, clock, shown)
        assert line.startswith(f"aggregator: show: the clock is behind: it shows {shown[:10]} ")
        assert max(age(workspace, number) for number in (turn, 8_000 + turn, 9_000 + turn)) < timedelta(hours=1)
    before = {each["id"]: each["date_published"] for each in workspace.items()}
    workspace.serve("/host", make_rss(*(undated(8_000 + each) for each in range(5, 0, -1))))
    assert refreshed(workspace, clock, None) == [], "the clock was set"
    assert before.items() <= {each["id"]: each["date_published"] for each in workspace.items()}.items()


def test_a_clock_that_was_ahead_is_corrected_by_what_hosts_say(clock: Clock, workspace: Workspace) -> None:
    workspace.serve("/host", make_rss(make_item(1)))
    workspace.config("host")
    refreshed(workspace, clock, "2044-05-01T12:00:00+00:00")
    workspace.serve("/host", make_rss(undated(8_001), make_item(1)))
    assert refreshed(workspace, clock, None) == []
    assert age(workspace, 8_001) < timedelta(hours=1)
    (workspace.folder / "local.xml").write_text(make_rss(undated(9_001)))
    workspace.config("host", more={"local": make_source("local.xml", trust=0.8)})
    assert refreshed(workspace, clock, None) == []
    (workspace.folder / "local.xml").write_text(make_rss(undated(9_002), undated(9_001)))
    assert refreshed(workspace, clock, None) == []
    assert age(workspace, 9_002) < timedelta(hours=1)
