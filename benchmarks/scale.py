"""Feeds a second and CPU a feed: one process on SQLite, and 1, 2, 4 workers on PostgreSQL and Redis.

    python benchmarks/scale.py [feeds [workers ...]]

Three rounds of a loopback origin: all feeds are new, a third has a new item, none has. CPU is of the processes of the
program (user and system, its children included), without that of PostgreSQL, Redis and the origin.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.fleet import Fleet, round_time, running_fleet
from tests.support.servers import running_postgresql, running_redis

ROUNDS = ("new", "a third changed", "unchanged")
TICKS = os.sysconf("SC_CLK_TCK")


def main(feeds: int) -> None:
    """Print the figures."""
    print(f"{feeds} feeds of two sources; feeds a second, CPU milliseconds a feed; {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder, running_fleet(Path(folder) / "lite") as fleet:
        config = fleet.config("lite", "lite.db", feeds=feeds)
        show(
            "SQLite", fleet, feeds, lambda now: run(fleet, "refresh", "-q", "-c", config.name, "--at", round_time(now))
        )
    for count in map(int, sys.argv[2:] or ("1", "2", "4")):
        with (
            tempfile.TemporaryDirectory() as folder,
            running_postgresql() as server,
            running_redis() as redis,
            running_fleet(Path(folder) / "fleet") as fleet,
        ):
            queue = f"queue: {redis.address}"
            config = fleet.config("fleet", server.make_database("scale"), queue, feeds=feeds)
            fleet.workers(config, count, 4)
            time.sleep(5 * count)
            words = ("dispatch", "--once", "-c", config.name, "--at")
            show(f"{count} workers", fleet, feeds, lambda now: run(fleet, *words, round_time(now)))  # noqa: B023


def run(fleet: Fleet, *words: str) -> None:
    """Run the program to its end."""
    assert fleet.start(*words).wait(1800) == 0, fleet.logs()


def show(name: str, fleet: Fleet, feeds: int, refresh: Callable[[int], None]) -> None:
    """Print the figures of three rounds."""
    for now, kind in enumerate(ROUNDS):
        fleet.ask(f"round/{min(now, 1)}")
        begun, before = time.monotonic(), cpu_seconds(fleet)
        refresh(now)
        taken, spent = time.monotonic() - begun, cpu_seconds(fleet) - before
        print(f"{name:10} {kind:16} {feeds / taken:7.1f} {1000 * spent / feeds:7.1f}", flush=True)


def cpu_seconds(fleet: Fleet) -> float:
    """Return the time of all that was started and of what it started; that of children which have ended is theirs."""
    own = os.times()
    living = sum(seconds_of(path) for path in Path("/proc").iterdir() if path.name.isdigit() and is_of(path, fleet))
    return living + own.children_user + own.children_system


def is_of(path: Path, fleet: Fleet) -> bool:
    """Return whether the process stands in the folder of the fleet."""
    try:
        return (path / "cwd").readlink() == fleet.folder
    except OSError:
        return False


def seconds_of(path: Path) -> float:
    """Return the time of a process and of its children that have ended."""
    try:
        fields = (path / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
