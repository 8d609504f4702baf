"""kill -9 of a part of the program: a parser process, a server that publishes."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.rss import make_rss
from tests.support.tools import need_strace
from tests.support.waiting import wait_for
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
PROGRAM = b"aggregator.sandbox.template"

SHARE = 0.1
"""Seconds of processor time after which a parser process is at work, and not only begun."""


def parsers(folder: Path) -> list[int]:
    """The parser processes started from the folder that are at work on a document."""
    found = []
    for place in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if (place / "cwd").readlink() == folder and PROGRAM in (place / "cmdline").read_bytes():
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                is_fork = PROGRAM in Path("/proc", fields[1], "cmdline").read_bytes()
                if is_fork and (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > SHARE:
                    found.append(int(place.name))
    return found


@pytest.fixture
def slow(workspace: Workspace) -> Workspace:
    """A workspace with one source that takes a second or more to read, and an honest one."""
    lengthy = "".join(f"<item><guid>{number}</guid><title>a & b {number}</title></item>" for number in range(4_000))
    workspace.serve("/slow", make_rss(lengthy))
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))
    workspace.config("host", "slow")
    return workspace


def test_a_killed_parser_costs_one_document_of_one_run(slow: Workspace) -> None:
    child = slow.start(*WORDS)
    wait_for(lambda: bool(parsers(slow.folder)) or child.poll() is not None, 90)
    for number in parsers(slow.folder):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    _, said = child.communicate(timeout=180)
    slow.alone()
    assert child.returncode == 0
    told = said.splitlines()
    assert len(told) == 1, told
    assert "slow: failed (it cannot be parsed: its process was killed" in told[0]
    assert {f"https://media.example/{number}.mp3" for number in range(1, 6)} <= audio(slow)
    check_published(slow)
    check_no_leftovers(slow)
    again = slow.refresh(NOON + timedelta(days=2))
    assert (again.returncode, again.stderr) == (0, "")
    assert len(slow.items()) > 4_000


def audio(workspace: Workspace) -> set[object]:
    return {each["url"] for item in workspace.items() for each in item.get("attachments", ())}


@pytest.mark.parametrize(
    "place", [1, 3, pytest.param(2, marks=pytest.mark.heavy), pytest.param(6, marks=pytest.mark.heavy)]
)
def test_a_server_killed_while_it_publishes_goes_on_when_it_is_started(
    workspace: Workspace, free_port: int, place: int
) -> None:
    need_strace()
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))
    workspace.config("host")
    assert workspace.refresh(NOON).returncode == 0
    held = read_guids(workspace)
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(3, 9))))
    rule = f"inject=rename:signal=KILL:when={place}"
    serve = ("serve", "--port", str(free_port))
    killed = workspace.run(*serve, before=("strace", "-f", "-o", "/dev/null", "-e", "trace=rename", "-e", rule))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    check_published(workspace)
    assert held.items() <= read_guids(workspace).items()
    child = workspace.start(*serve)
    wait_for(lambda: len(read_guids(workspace)) == 8, 90)
    child.send_signal(signal.SIGTERM)
    assert (child.communicate(timeout=180)[1], child.returncode) == ("", 0)
    workspace.alone()
    check_published(workspace)
    check_no_leftovers(workspace)
    assert held.items() <= read_guids(workspace).items()
