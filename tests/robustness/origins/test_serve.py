"""A server that runs on: its config changes, is broken and mended, and its origin is asked no sooner than it said."""

from __future__ import annotations

import signal
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aggregator.commands.summary import print_news, warn
from aggregator.config.load import load
from aggregator.service import scheduler
from aggregator.service.workers import Worker
from tests.support.rss import make_rss
from tests.support.tools import need_strace
from tests.support.waiting import wait_for
from tests.support.workspace import Workspace, check_no_leftovers, check_published, format_time, make_item, read_guids

WRONG = {"wrong": {"kind": "fead"}}


@contextmanager
def ticking(tick: Callable[[datetime], object]) -> Iterator[Callable[[], None]]:
    """Tick often; give a function that waits until three whole ticks have passed."""
    passed = 0

    def counted(at: datetime) -> None:
        nonlocal passed
        try:
            tick(at)
        finally:
            passed += 1

    def pass_some() -> None:
        before = passed
        wait_for(lambda: passed > before + 3)  # one may be under way

    with scheduler.ticking(counted, warn, every=timedelta(seconds=0.3)):
        yield pass_some


def test_ticks_follow_the_config_as_it_changes(workspace: Workspace, capfd: pytest.CaptureFixture[str]) -> None:
    workspace.serve("/host", make_rss(make_item(1), make_item(2)))
    workspace.serve("/late", make_rss(make_item(3), make_item(4)))
    path = workspace.config("host")
    worker = Worker(load(path), print, warn)

    def tick(at: datetime) -> None:
        print_news(worker.config, worker.tick(at), at)

    with ticking(tick) as pass_some:
        wait_for(lambda: len(read_guids(workspace)) == 2)
        workspace.config("host", more=WRONG)
        pass_some()
        assert worker.config.plans[0].sources[0].name == "host"
        workspace.config("host", "late")
        wait_for(lambda: len(read_guids(workspace)) == 4)
        path.unlink()
        pass_some()
        workspace.config("host", "late")
        pass_some()
    said = capfd.readouterr()
    assert said.err.count("unknown kind") + said.err.count("fead") >= 1
    assert said.err.count("the previous config stays in use") == 2, said.err
    assert said.out.count("read again") == 2
    assert sorted(workspace.asked) == ["/host", "/late"], "each asked once, however often the config was read"
    check_published(workspace)
    check_no_leftovers(workspace)


def test_a_server_publishes_at_its_start_what_a_killed_run_committed(workspace: Workspace, free_port: int) -> None:
    need_strace()
    workspace.serve("/host", make_rss(make_item(1), make_item(2)))
    workspace.config("host", whole={"backups": 0}, refresh="0 0 1 1 *")  # a copy is renamed, too
    now = datetime.now(UTC).replace(microsecond=0)

    def serve() -> None:
        child = workspace.start("serve", "--port", str(free_port))
        wait_for(lambda: len(read_guids(workspace)) == len(workspace.pages["/host"][2].split(b"<item>")) - 1)
        child.send_signal(signal.SIGTERM)
        assert child.communicate(timeout=180)[1] == ""
        workspace.alone()

    serve()
    workspace.serve("/host", make_rss(make_item(1), make_item(2), make_item(3)))
    kill = ("strace", "-f", "-o", "/dev/null", "-e", "trace=rename", "-e", "inject=rename:signal=KILL:when=1")
    killed = workspace.run("refresh", "--quiet", "--force", "--at", format_time(now), before=kill)
    assert (killed.returncode, len(read_guids(workspace))) == (-signal.SIGKILL, 2), "committed, not published"
    workspace.asked.clear()
    serve()
    assert workspace.asked == [], "and nobody was asked for it"
    check_published(workspace)
    check_no_leftovers(workspace)


@pytest.mark.heavy
def test_the_program_follows_its_config_while_it_serves(workspace: Workspace, free_port: int) -> None:
    workspace.serve("/host", make_rss(make_item(1), make_item(2)))
    workspace.serve("/late", make_rss(make_item(3), make_item(4)))
    workspace.config("host")
    child = workspace.start("serve", "--port", str(free_port))

    def served(text: str) -> bool:
        try:
            address = f"http://127.0.0.1:{free_port}/show/feed.json"
            with urllib.request.urlopen(address, timeout=60) as answer:
                return text in answer.read().decode()
        except OSError:
            return False

    wait_for(lambda: served("number 2"))
    workspace.config("host", more=WRONG)
    time.sleep(65)
    assert served("number 2")
    workspace.config("host", "late")
    wait_for(lambda: served("number 4"))
    child.send_signal(signal.SIGTERM)
    _, said = child.communicate(timeout=180)
    assert child.returncode == 0
    assert said.count("the previous config stays in use") == 1
    assert "Traceback" not in said
    workspace.alone()


def test_a_tick_whose_origin_is_dead_is_told_once_and_ticks_go_on(
    workspace: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    workspace.serve("/host", "", status=500)
    worker = Worker(load(workspace.config("host")), print, warn)
    with ticking(worker.tick) as pass_some:
        pass_some()
    said = capfd.readouterr().err
    assert "Traceback" not in said
    assert workspace.asked == ["/host"], "a failing origin is not stormed"
    assert said.count("nothing could be fetched") == 1, said
    assert not Path(workspace.output, "show").exists()
