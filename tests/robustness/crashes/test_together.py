"""Two refreshes at once, and signals: one waits or is told, and whoever is ended leaves nothing torn and nobody."""

from __future__ import annotations

import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import timedelta

import pytest

from aggregator import refresh
from aggregator.config.load import load
from aggregator.store.leases import lock_feeds
from tests.support.config import make_feed, write_config
from tests.support.program import PROGRAM
from tests.support.rss import make_rss
from tests.support.workspace import (
    NOON,
    Workspace,
    check_no_leftovers,
    check_published,
    format_time,
    make_item,
    read_guids,
)

WORDS = ("refresh", "--quiet", "--force", "--at", format_time(NOON))


@pytest.fixture
def shut(workspace: Workspace) -> Workspace:
    """A workspace whose one source is asked and does not answer until the door opens."""
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))
    workspace.config("host")
    workspace.door.clear()
    return workspace


def asking(workspace: Workspace, *words: str) -> subprocess.Popen[str]:
    """The program, once it has asked its source."""
    workspace.came.clear()
    child = workspace.start(*(words or WORDS))
    assert workspace.came.wait(180)
    return child


def test_a_second_refresh_exits_4_at_once_and_the_first_goes_on(shut: Workspace) -> None:
    first = asking(shut)
    second = subprocess.run(
        first.args, cwd=shut.folder, capture_output=True, text=True, timeout=180, check=False
    )  # the folder is not left alone while the first is at work
    assert second.returncode == 4
    assert f"another refresh (process {first.pid}) holds the lock" in second.stderr
    assert second.stderr.count("\n") == 1
    shut.door.set()
    _, said = first.communicate(timeout=180)
    assert (first.returncode, said) == (0, "")
    assert len(read_guids(shut)) == 5
    shut.alone()


def test_a_second_refresh_waits_where_it_is_asked_to(shut: Workspace) -> None:
    first = asking(shut)
    second = shut.start(*WORDS[:-1], format_time(NOON + timedelta(days=2)), "--wait")
    with pytest.raises(subprocess.TimeoutExpired):
        second.communicate(timeout=3)
    assert shut.asked == ["/host"]
    shut.serve("/host", make_rss(*(make_item(number) for number in range(1, 8))))
    shut.door.set()
    ends = [child.communicate(timeout=180) and child.returncode for child in (first, second)]
    assert ends == [0, 0]
    assert len(shut.asked) == 2
    assert len(read_guids(shut)) == 7
    shut.alone()


@pytest.fixture
def listening() -> Iterator[None]:
    """SIGHUP ends what is started here, also where the tests themselves run under ``nohup``."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_a_refresh_and_leaves_nothing_behind(shut: Workspace, number: signal.Signals) -> None:
    child = asking(shut)
    child.send_signal(number)
    out, said = child.communicate(timeout=180)
    assert (child.returncode, out, said) == (-number, "", "")
    shut.alone()
    check_published(shut)
    shut.door.set()
    assert shut.refresh(NOON + timedelta(days=2)).returncode == 0
    assert len(read_guids(shut)) == 5
    check_no_leftovers(shut)


def answered(port: int, path: str, seconds: float = 180) -> bytes:
    """What the server gives, as soon as it gives it."""
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            error.close()
            if path == "/healthz" or time.monotonic() > end:
                raise
            time.sleep(0.1)
        except OSError:
            assert time.monotonic() < end, path
            time.sleep(0.1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_server_in_the_middle_of_a_refresh(
    shut: Workspace, free_port: int, number: signal.Signals
) -> None:
    child = asking(shut, "serve", "--port", str(free_port))
    with pytest.raises(urllib.error.HTTPError, match="503"):
        answered(free_port, "/healthz")  # nothing is published yet, and it answers
    child.send_signal(number)
    time.sleep(1)
    shut.door.set()
    _, said = child.communicate(timeout=180)
    assert (child.returncode, said) == (0, "")
    shut.alone()
    check_published(shut)
    check_no_leftovers(shut)
    assert len(read_guids(shut)) == 5, "what was under way was finished"


def test_a_second_signal_ends_a_server_at_once(shut: Workspace, free_port: int) -> None:
    child = asking(shut, "serve", "--port", str(free_port))
    with pytest.raises(urllib.error.HTTPError, match="503"):
        answered(free_port, "/healthz")
    end = time.monotonic() + 30
    while child.poll() is None:
        assert time.monotonic() < end
        child.send_signal(signal.SIGTERM)
        time.sleep(0.3)
    assert child.returncode == -signal.SIGTERM
    shut.alone()
    check_published(shut)


def test_a_signal_ends_a_refresh_that_waits_for_another(shut: Workspace) -> None:
    first = asking(shut)
    second = shut.start(*WORDS, "--wait")
    with pytest.raises(subprocess.TimeoutExpired):
        second.communicate(timeout=3)
    second.send_signal(signal.SIGTERM)
    assert second.communicate(timeout=180) == ("", "")
    assert second.returncode == -signal.SIGTERM
    shut.door.set()
    assert first.communicate(timeout=180)[1] == ""
    assert (first.returncode, shut.asked) == (0, ["/host"])


def test_a_run_that_ends_early_asks_nobody_any_more(workspace: Workspace) -> None:
    workspace.serve("/early", make_rss(make_item(1)))
    late = {f"s{number}": workspace.source(f"/{number}") for number in range(60)}
    feeds = {"early": make_feed("Early", {"a": workspace.source("/early")}), "late": make_feed("Late", late)}
    config = load(write_config(workspace.folder, feeds))
    with lock_feeds(config.state, ()) as store, refresh.open_run(config, store, NOON, config.plans) as begun:
        lots = refresh.fetch(begun)
        assert [plan.name for plan, _ in next(lots)] == ["early"]
        lots.close()
    assert len(workspace.asked) < 40


def test_a_refresh_beside_a_server_takes_turns(workspace: Workspace, free_port: int) -> None:
    workspace.serve("/host", make_rss(make_item(1)))
    workspace.config("host")
    server = workspace.start("serve", "--port", str(free_port))
    assert b"number 1" in answered(free_port, "/show/feed.json")
    workspace.serve("/host", make_rss(make_item(1), make_item(2)))
    other = subprocess.run(
        [*PROGRAM, "refresh", "--force", "--wait", "--quiet", "--at", format_time(NOON + timedelta(days=3000))],
        cwd=workspace.folder,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert (other.returncode, other.stderr) == (0, "")
    assert b"number 2" in answered(free_port, "/show/feed.json")
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=180)
    assert server.returncode == 0
    workspace.alone()


def test_a_restore_beside_a_refresh_is_told_in_one_line_and_changes_nothing(shut: Workspace) -> None:
    shut.door.set()
    assert shut.refresh(NOON).returncode == 0
    assert shut.run("backup", "copy.db").returncode == 0
    shut.serve("/host", make_rss(*(make_item(number) for number in range(1, 9))))
    shut.door.clear()
    first = asking(shut, *WORDS[:-1], format_time(NOON + timedelta(days=2)))
    second = subprocess.run(
        [*PROGRAM, "restore", "copy.db"], cwd=shut.folder, capture_output=True, text=True, timeout=180, check=False
    )
    assert (second.returncode, second.stdout) == (4, "")
    assert (
        second.stderr
        == f"aggregator: {shut.folder}/store.db.lock: another refresh (process {first.pid}) holds the lock\n"
    )
    shut.door.set()
    assert first.communicate(timeout=180) == ("", "")
    published = read_guids(shut)
    assert (first.returncode, len(published)) == (0, 8)
    assert shut.run("restore", "copy.db").returncode == 0
    check_published(shut)
    assert shut.refresh(NOON + timedelta(days=4)).returncode == 0
    assert read_guids(shut) == published, "what the copy does not know has its guids again"
    assert shut.run("check", "--store").returncode == 0


@pytest.mark.heavy
def test_a_restore_beside_a_server_that_rests_is_used_by_its_next_refresh(workspace: Workspace, free_port: int) -> None:
    workspace.serve("/host", make_rss(make_item(1), make_item(2)))
    workspace.config("host")
    server = workspace.start("serve", "--port", str(free_port))
    assert b"number 2" in answered(free_port, "/show/feed.json")
    published = read_guids(workspace)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        end = time.monotonic() + 180
        while True:  # the refresh that published may hold the lock a little longer
            done = subprocess.run(
                [*PROGRAM, *words], cwd=workspace.folder, capture_output=True, text=True, timeout=180, check=False
            )
            if done.returncode != 4 or time.monotonic() > end:
                return done

    assert run("backup", "copy.db").returncode == 0
    done = run("restore", "copy.db")
    assert (done.returncode, done.stderr) == (0, "")
    workspace.config("host", title="Another show")
    end = time.monotonic() + 90
    while b"Another show" not in answered(free_port, "/show/feed.json"):
        assert time.monotonic() < end
        time.sleep(0.5)
    server.send_signal(signal.SIGTERM)
    _, warned = server.communicate(timeout=180)
    assert (server.returncode, warned) == (0, "")
    assert read_guids(workspace) == published
    assert workspace.run("check", "--store").returncode == 0
    check_published(workspace)
