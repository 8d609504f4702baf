"""kill -9 at any instant, failing system calls, a full disk: what was acknowledged is there, nothing by halves."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NoReturn

import pytest

from aggregator.errors import AggregatorError, StoreError
from aggregator.model.entry import Entry, Listing, Moment
from aggregator.model.item import PublishedItem
from aggregator.model.source import Source
from aggregator.store import database
from aggregator.store.backup import backup
from aggregator.store.connection import refresh_lock
from aggregator.store.decisions import Event, read_events, write_event
from aggregator.store.entries import read_entries
from aggregator.store.facts import read_fact, write_fact, write_feed_state
from aggregator.store.facts import read_feed_state as feed_state
from aggregator.store.guids import read_guids, write_guids
from aggregator.store.listings import write_listings
from tests.support.paths import ROOT
from tests.support.tools import mounted, need_strace

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
HOST = Source("host", "feed")


def listed(number: int) -> list[str]:
    """What the source lists in the round of that number: always a new key, some old ones, never all."""
    dice = random.Random(number)
    return [f"key {number}", *(f"key {each}" for each in range(max(1, number - 30), number) if dice.random() < 0.8)]


def refresh(state: str, number: int) -> None:
    """One refresh, as the pipeline writes it: all of it in one transaction."""
    at = NOON + timedelta(hours=number)
    said = tuple(
        Entry("host", key, f"{key} {'long ' * 4000}", position=place) for place, key in enumerate(listed(number))
    )
    with (
        refresh_lock(state, wait=False),
        database.open_store(state, fence=True) as store,
        database.transaction(store) as tx,
    ):
        write_listings(tx, "show", HOST, [Listing(said)], at)
        write_guids(tx, "show", [PublishedItem(f"guid {number}", at, Moment(at), (f"host/key {number}",), "T")])
        write_event(tx, "show", Event(at, "round", str(number)))
        write_fact(tx, "show", "bulk", random.Random(number).randbytes(30_000))
        write_feed_state(tx, "show", fingerprint=str(number), updated=at)


def check(state: str, acknowledged: int) -> int:
    """How many rounds the store holds: at least those acknowledged, each whole, and nothing of any other."""
    with refresh_lock(state, wait=False), database.open_store(state) as store:
        with database.reading(store) as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        done = feed_state(store, "show").runs
        assert done >= acknowledged
        rounds = range(1, done + 1)
        assert {each.entry.key for each in read_entries(store, "show")} == {f"key {each}" for each in rounds}
        promised = {each.guid: each.published.at for each in read_guids(store, "show")}
        assert promised == {f"guid {each}": NOON + timedelta(hours=each) for each in rounds}
        assert [each.text for each in read_events(store, "show")] == [str(each) for each in rounds][-1000:]
        bulk = read_fact(store, "show", "bulk")
        assert bulk == (random.Random(done).randbytes(30_000) if done else None)
        last = {key: number for number in rounds for key in listed(number)}
        assert {each.entry.key: each.entry.span.last for each in read_entries(store, "show")} == last
    return done


def refreshing(state: str, begin: int, pipe: int) -> NoReturn:
    """In a child: round after round, each acknowledged when it is committed."""
    try:
        for number in range(begin, begin + 10_000):
            refresh(state, number)
            os.write(pipe, b".")
    finally:
        os._exit(1)


def killed_after(state: str, done: int, acknowledged: int, seconds: float) -> int:
    """How many further rounds a child acknowledged before it was killed, so long after the given one."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        refreshing(state, done + 1, theirs)
    os.close(theirs)
    heard = 0
    while heard < acknowledged:
        heard += len(os.read(ours, 1))
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    while some := os.read(ours, 4096):
        heard += len(some)
    os.close(ours)
    return heard


def kill_loop(state: str, rounds: int) -> None:
    """Kill at random: while it begins, and at any point of a later round."""
    dice = random.Random(rounds)
    done = 0
    for _ in range(rounds):
        acknowledged = killed_after(state, done, dice.choice([0, 0, 1, 2, 3]), dice.uniform(0, 0.06))
        done = check(state, done + acknowledged)
    assert done > rounds / 2


def test_kill_9_loses_nothing_that_was_acknowledged(state: str) -> None:
    kill_loop(state, 12)


@pytest.mark.heavy
def test_kill_9_loses_nothing_in_200_rounds(state: str) -> None:
    kill_loop(state, 200)


def limited(state: str, done: int, bytes_more: int) -> None:
    """In a child whose files may grow by so much: refresh until it is told that it cannot write."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            size = max(Path(state).stat().st_size, 4096) + bytes_more
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            for number in range(done + 1, done + 500):
                refresh(state, number)
        except StoreError as error:
            status = 0 if "cannot be written" in str(error) and "\n" not in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_file_that_cannot_grow_is_told_and_nothing_is_lost(state: str) -> None:
    refresh(state, 1)
    done = 1
    for bytes_more in (0, 5_000, 100_000, 700_000):
        limited(state, done, bytes_more)
        done = check(state, done)
    refresh(state, done + 1)
    check(state, done + 1)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    with mounted(tmp_path / "disk", "1m") as place:
        yield place


def test_a_full_disk_is_told_and_nothing_is_lost(small_disk: Path, tmp_path: Path) -> None:
    state, done = str(small_disk / "store.db"), 0
    with pytest.raises(StoreError, match=r"cannot be written \([^\n]+$"):  # noqa: PT012 - it comes some time
        for number in range(1, 1000):
            refresh(state, number)
            done = number
    assert check(state, done) == done > 0
    with pytest.raises(StoreError, match=r"cannot be written|full"):
        backup(state, small_disk / "copy.db")
    backup(state, tmp_path / "copy.db")
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    refresh(state, done + 1)
    check(state, done + 1)


def traced(state: str, rule: str) -> subprocess.CompletedProcess[str]:
    """One refresh in a process to whose system calls the rule of strace happens."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[3]); from tests.integration.store import test_faults as faults;"
        "sys.exit(faults.told(sys.argv[1], int(sys.argv[2])))"
    )
    number = check(state, 0) + 1 if Path(state).exists() else 1
    tool = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={rule.split(':', maxsplit=1)[0]}", "-e", f"inject={rule}"]
    command = [*tool, sys.executable, "-c", program, state, str(number), str(ROOT)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def told(state: str, number: int) -> int:
    """0 where the refresh was written, 3 where a person was told in one line that it was not."""
    try:
        refresh(state, number)
    except AggregatorError as error:
        return 3 if "\n" not in str(error) else 4
    return 0


@pytest.fixture(scope="module")
def strace() -> None:
    need_strace()


def fail_each(state: str, cases: list[tuple[str, str, int]]) -> set[int]:
    """Have each call fail from the given one on, over one store; the exit codes."""
    refresh(state, 1)
    done, codes = 1, set()
    for call, error, when in cases:
        ended = traced(state, f"{call}:error={error}:when={when}+")
        assert "Traceback" not in ended.stderr, ended.stderr
        assert ended.returncode in {0, 3}, (call, error, when)
        done = check(state, done + (ended.returncode == 0))
        codes.add(ended.returncode)
    refresh(state, done + 1)
    check(state, done + 1)
    return codes


def kill_at_each(folder: Path, calls: tuple[str, ...], most: int) -> int:
    """Kill the first refresh of a new store at each call of each name until it comes through; how many kills."""
    kills = 0
    for call in calls:
        for when in range(1, most + 1):
            state = str(folder / f"{call}-{when}" / "store.db")
            ended = traced(state, f"{call}:signal=KILL:when={when}")
            assert ended.returncode in {0, -signal.SIGKILL, 128 + signal.SIGKILL}, ended.stderr
            done = check(state, 0)
            refresh(state, done + 1)
            assert check(state, done + 1) == done + 1
            if ended.returncode == 0:
                break
            kills += 1
    return kills


@pytest.mark.usefixtures("strace")
def test_a_store_killed_while_it_begins_is_begun_again(tmp_path: Path) -> None:
    """At the second removal of a journal the header is ours and not yet committed."""
    assert kill_at_each(tmp_path, ("unlink",), 3) > 0


@pytest.mark.heavy
@pytest.mark.usefixtures("strace")
def test_a_store_is_begun_again_wherever_it_was_killed(tmp_path: Path) -> None:
    calls = ("unlink", "pwrite64", "fdatasync", "fsync", "ftruncate")
    assert kill_at_each(tmp_path, calls, 40) > 20


@pytest.mark.usefixtures("strace")
def test_a_failing_system_call_is_told_and_nothing_is_lost(state: str) -> None:
    cases = [("pwrite64", "ENOSPC", 1), ("pwrite64", "ENOSPC", 9), ("fdatasync", "EIO", 2), ("fdatasync", "EIO", 900)]
    assert fail_each(state, cases) == {0, 3}


@pytest.mark.heavy
@pytest.mark.usefixtures("strace")
def test_every_system_call_may_fail(state: str) -> None:
    calls = (("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fdatasync", "EIO"), ("fsync", "EIO"), ("ftruncate", "EIO"))
    cases = [(call, error, when) for call, error in calls for when in range(1, 41)]
    assert fail_each(state, cases) == {0, 3}
