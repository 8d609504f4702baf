"""The service ticks, one at a time, tells what went wrong, and ends when it is asked to."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.errors import AggregatorError, LockedError
from aggregator.service.scheduler import ticking
from aggregator.service.workers import refresh_due
from aggregator.store import database
from aggregator.store.connection import refresh_lock
from tests.support.config import make_feed, write_config
from tests.support.due_times import read_due_times

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
QUICK = timedelta(milliseconds=50)
SERVE = """
import sys, time
from datetime import timedelta
from aggregator.service import scheduler
def tick(now):
    print("begun", flush=True)
    time.sleep(float(sys.argv[1]))
    print("ended", flush=True)
scheduler.run(tick, print, every=timedelta(hours=1))
print("left", flush=True)
"""
ASIDE = """
import signal, threading, time
from datetime import timedelta
from aggregator.service import scheduler
def tick(now):
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
scheduler.run(tick, print, every=timedelta(hours=1))
print("left", flush=True)
"""
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>A show</title><link>https://a.example/</link>
<item><guid isPermaLink="false">one</guid><title>The first one</title><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate>
<enclosure url="https://a.example/1.mp3" type="audio/mpeg" length="1"/></item></channel></rss>"""


Bounded = Callable[..., "subprocess.Popen[str]"]


def until(true: threading.Event) -> None:
    assert true.wait(180)


def test_ticks_come_one_at_a_time_and_the_first_at_once() -> None:
    begun, overlap, third, busy = [0], [0], threading.Event(), threading.Lock()

    def tick(now: datetime) -> None:
        assert now.tzinfo is UTC
        begun[0] += 1
        overlap[0] += not busy.acquire(blocking=False)
        time.sleep(0.12)
        busy.release()
        if begun[0] == 3:
            third.set()

    with ticking(tick, print, every=QUICK):
        until(third)
    stopped = begun[0]
    time.sleep(0.2)
    assert (overlap[0], begun[0]) == (0, stopped)


def test_a_tick_at_work_is_finished() -> None:
    begun, ended = threading.Event(), threading.Event()

    def tick(_now: datetime) -> None:
        begun.set()
        time.sleep(0.3)
        ended.set()

    with ticking(tick, print):
        until(begun)
    assert ended.is_set()


def test_what_a_person_can_act_on_is_told_and_it_goes_on() -> None:
    told: list[str] = []
    second = threading.Event()

    def tick(_now: datetime) -> None:
        if told:
            second.set()
        raise AggregatorError("one\ntwo")

    with ticking(tick, told.append, every=QUICK):
        until(second)
    assert told[:2] == ["one", "two"]


def test_a_defect_shows_its_traceback_and_it_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    second = threading.Event()
    seen: list[datetime] = []

    def tick(now: datetime) -> None:
        seen.append(now)
        if len(seen) == 2:
            second.set()
        raise ZeroDivisionError

    with ticking(tick, print, every=QUICK):
        until(second)
    assert any(record.exc_info and record.exc_info[0] is ZeroDivisionError for record in caplog.records)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_ends_it_after_the_tick(number: signal.Signals, bounded: Bounded) -> None:
    with bounded(subprocess.Popen([sys.executable, "-c", SERVE, "0.5"], stdout=subprocess.PIPE, text=True)) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        child.send_signal(number)
        assert child.stdout.read() == "ended\nleft\n"
    assert child.returncode == 0


def test_a_signal_that_does_not_wake_the_main_thread_ends_it_too() -> None:
    """As one does that another thread was given, or that came in the instant before the main thread slept."""
    done = subprocess.run([sys.executable, "-c", ASIDE], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "left\n"


def test_a_second_signal_ends_it_at_once(bounded: Bounded) -> None:
    with bounded(subprocess.Popen([sys.executable, "-c", SERVE, "300"], stdout=subprocess.PIPE, text=True)) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        while child.poll() is None:  # two that come before the first is seen are one
            child.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        assert child.stdout.read() == ""
    assert child.returncode == -signal.SIGTERM


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "feed.xml").write_text(FEED)
    feeds = {name: make_feed(name, {"host": "feed.xml"}, refresh="17 * * * *") for name in ("one", "two")}
    return load(write_config(tmp_path, feeds, state="state/store.db"))


def test_who_is_due_is_refreshed_and_then_waits_for_its_slot(config: Config) -> None:
    assert [outcome.feed for outcome in refresh_due(config, NOON)] == ["one", "two"]
    assert (config.output.path / "one" / "podcast.xml").exists()
    assert refresh_due(config, NOON + timedelta(minutes=1)) == ()
    with database.open_store(config.state) as store:
        due_times = read_due_times(store)
    slot = NOON + timedelta(minutes=17)
    assert all(slot <= at < slot + timedelta(minutes=6) for at in due_times.values())
    assert refresh_due(config, slot - timedelta(seconds=1)) == ()
    assert [outcome.feed for outcome in refresh_due(config, slot + timedelta(minutes=6))] == ["one", "two"]


def test_where_another_refresh_is_at_work_the_sources_stay_due(config: Config) -> None:
    with refresh_lock(config.state, wait=False), pytest.raises(LockedError):
        refresh_due(config, NOON)
    assert len(refresh_due(config, NOON)) == 2


def test_a_restart_asks_nobody_sooner(config: Config) -> None:
    refresh_due(config, NOON)
    assert refresh_due(load(config.path), NOON + timedelta(minutes=2)) == ()


def test_a_source_that_fails_waits_for_its_slot_too(config: Config, tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_text("<html>no</html>")
    with pytest.raises(AggregatorError):
        refresh_due(config, NOON)
    assert refresh_due(config, NOON + timedelta(minutes=1)) == ()
