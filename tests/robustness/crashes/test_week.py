"""Hourly refreshes of many feeds with random faults end with the same bytes as refreshes without."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.config import make_feed, make_source, write_config
from tests.support.rss import make_rss
from tests.support.tools import need_strace
from tests.support.workspace import (
    LISTED,
    NOON,
    Workspace,
    check_published,
    format_time,
    kill,
    make_item,
    make_title,
    open_workspace,
)

ERRORS = ("pwrite64:error=ENOSPC", "pwrite64:error=EIO", "fsync:error=EIO", "rename:error=EROFS", "write:error=ENOSPC")


def serve(workspace: Workspace, feed: int, hour: int) -> None:
    """The documents of a feed in that hour: every eighth hour or so an item, sometimes a new title or a dead source."""
    dice = random.Random(feed)
    newest = 3 + sum(dice.random() < 1 / 8 for _ in range(hour + 1))
    listed = range(newest, max(0, newest - LISTED), -1)
    for name, every in (("host", listed), ("directory", listed[1:])):
        titles = {each: make_title(each, (each * 7 + newest) % 11 == 0) for each in every}
        items = (make_item(each, source=name, name=titles[each]) for each in every)
        dead = random.Random(f"{feed} {hour} {name}").random() < 0.05
        workspace.serve(f"/{name}-{feed}", "" if dead else make_rss(*items), status=500 if dead else 200)


def find_url(workspace: Workspace, source: str, feed: int) -> str:
    """The URL of a source: every fourth feed is on a host of its own, so that few wait for one another."""
    return workspace.url(f"/{source}-{feed}").replace("0.0.0.0", f"127.0.1.{1 + feed // 4}")  # noqa: S104


def configure(workspace: Workspace, feeds: int) -> None:
    shows = {}
    for feed in range(feeds):
        directory = make_source(find_url(workspace, "directory", feed), trust=0.8)
        shows[f"show-{feed}"] = make_feed(sources={"host": find_url(workspace, "host", feed), "directory": directory})
    write_config(workspace.folder, shows, backups=2)


def disturb(workspace: Workspace, words: tuple[str, ...], dice: random.Random, lasts: float) -> str:
    """A refresh that is killed at some instant, or in which a system call fails; what was done to it."""
    if dice.random() < 0.5:
        child = workspace.start(*words)
        time.sleep(dice.uniform(0, lasts))
        kill(child)
        workspace.alone()
        return "kill"
    fault = f"{dice.choice(ERRORS)}:when={dice.randrange(1, 60)}{dice.choice(['', '+'])}"
    call = fault.partition(":")[0]
    done = workspace.run(
        *words, before=("strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={fault}")
    )
    assert "Traceback" not in done.stderr, (fault, done.stderr)
    return fault


def read_all(workspace: Workspace) -> dict[str, bytes]:
    every = (path for path in workspace.output.rglob("*") if path.is_file())
    return {str(path.relative_to(workspace.output)): path.read_bytes() for path in every}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace whose sources answer on every loopback address."""
    with open_workspace(tmp_path, "0.0.0.0") as opened:  # noqa: S104
        yield opened


def refresh_hourly(workspace: Workspace, feeds: int, hours: int) -> None:
    need_strace()
    dice, lasts = random.Random(hours), 1.0
    calm, rough = (replace(workspace, folder=workspace.folder / name) for name in ("calm", "rough"))
    for each in (calm, rough):
        each.folder.mkdir()
        configure(each, feeds)
    faults = []
    for hour in range(hours):
        for feed in range(feeds):
            serve(workspace, feed, hour)
        words = ("refresh", "--quiet", "--force", "--at", format_time(NOON + timedelta(hours=hour)))
        if dice.random() < 0.7:
            faults.append(disturb(rough, words, dice, lasts))
        begun = time.monotonic()
        results = {name: each.run(*words) for name, each in (("calm", calm), ("rough", rough))}
        lasts = (time.monotonic() - begun) / 2
        assert {done.returncode for done in results.values()} == {0}, [done.stderr for done in results.values()]
    check_published(rough)
    mine, theirs = read_all(calm), read_all(rough)
    assert mine.keys() == theirs.keys()
    assert [name for name in mine if mine[name] != theirs[name]] == []
    assert rough.run("check", "--store").returncode == 0
    print(len(faults), "faults in", hours, "hours of", feeds, "feeds:", faults[:20])  # noqa: T201 - for the table of runs


def test_refreshes_with_faults_end_with_the_same_bytes(workspace: Workspace) -> None:
    refresh_hourly(workspace, 2, 3)


@pytest.mark.heavy
def test_a_week_of_refreshes_with_faults_ends_with_the_same_bytes(workspace: Workspace) -> None:
    refresh_hourly(workspace, int(os.environ.get("FEEDS", "200")), int(os.environ.get("HOURS", "168")))
