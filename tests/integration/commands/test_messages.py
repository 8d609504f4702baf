"""A message that repeats what somebody wrote breaks no line of a log and moves no cursor."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import unicodedata
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.commands.summary import _MOST_ALARMS, list_warnings
from aggregator.errors import escape_line, escape_lines
from aggregator.model.feed import SourceResult
from aggregator.model.results import Outcome
from aggregator.model.source import Source
from tests.support.program import PROGRAM, run_program


@given(st.text(max_size=20))
def test_a_message_is_shown_on_as_many_lines_as_it_has(text: str) -> None:
    shown = escape_lines(text)
    assert len(shown) == text.count("\n") + 1
    assert all([line] == line.splitlines() for line in shown if line)
    assert all(unicodedata.category(each) not in {"Cc", "Cs"} for line in shown for each in line)


def test_what_letters_are_written_with_is_shown_as_it_is() -> None:
    written = ("می\u200cخواهم", "👩\u200d💻", "C’est\u00a0ça", "a  b")
    assert written == tuple(map(escape_line, written))


def test_the_program_says_no_raw_sign(run) -> None:
    answer = run("refresh", "-c", "\x1b[31m\u2028x.yaml")
    assert answer.returncode == 2
    assert answer.stderr.startswith("aggregator: <U+001B>[31m<U+2028>x.yaml: cannot be read: ")
    assert len(answer.stderr.splitlines()) == 1


def test_a_refresh_tells_a_few_alarms_and_counts_the_rest() -> None:
    told = list_warnings(Outcome("sea", alarms=tuple(f"alarm {number}" for number in range(_MOST_ALARMS + 3))))
    assert told[:-1] == tuple(f"sea: alarm {number}" for number in range(_MOST_ALARMS))
    assert told[-1] == "sea: 3 more warnings; see aggregator events and report.json"
    assert len(list_warnings(Outcome("sea", alarms=("one",) * _MOST_ALARMS))) == _MOST_ALARMS


def test_sources_that_failed_for_one_reason_are_counted_together() -> None:
    def fail(number: int, reason: str) -> SourceResult:
        address = f"https://oven.example/{number}"
        return SourceResult(Source(f"s{number}", "feed", address), "failed", f"{address}: {reason}")

    results = (*(fail(number, "the connection broke") for number in range(40)), fail(40, "404 Not Found"))
    told = list_warnings(Outcome("sea", source_results=results))
    assert [line.partition(" (")[0] for line in told[:6]] == [f"sea: s{each}: failed" for each in (0, 1, 2, 3, 4, 40)]
    assert told[6:] == ("sea: 35 more sources: the connection broke",)
    assert len(list_warnings(Outcome("sea", source_results=results[:5]))) == 5


@pytest.mark.parametrize("streams", [(1,), (0, 1, 2)])
def test_closed_streams_stop_no_command(shop: Path, streams: tuple[int, ...]) -> None:
    closed = "; ".join(f"os.close({number})" for number in streams)
    code = f"import os, sys; {closed}; os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    for words in (["check"], ["refresh", "--at", "2026-03-01T12:00:00Z"], ["list"]):
        command = [sys.executable, "-c", code, *PROGRAM[1:], *words]
        ended = subprocess.run(command, cwd=shop, stderr=subprocess.PIPE, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")
    assert (shop / "output" / "crumb-talk" / "feed.xml").stat().st_size
    with closing(sqlite3.connect(shop / ".aggregator" / "store.db")) as store:
        assert store.execute("pragma integrity_check").fetchone() == ("ok",)


def test_a_full_device_is_one_line_and_the_work_is_done(shop: Path) -> None:
    for words in (["check"], ["refresh", "--verbose"], ["list"], ["--help"]):
        ended = run_program(shop, *words, full={1})
        assert (ended.returncode, ended.stderr) == (
            1,
            "aggregator: standard output: No space left on device; not all could be printed\n",
        )
    assert (shop / "output" / "crumb-talk" / "feed.xml").stat().st_size


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("match", {"id": 1, "source": "a", "title": "Rye"}),
        ("reconcile", {"id": "1", "field": "title", "witnesses": [{"source": "a", "text": "Rye"}]}),
    ],
)
def test_answers_on_a_full_device_are_one_line(command: str, line: dict, tmp_path: Path, run) -> None:
    (tmp_path / "in.jsonl").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    answer = run(command, "in.jsonl", "-o", "/dev/full")
    assert (answer.returncode, answer.stderr) == (
        1,
        "aggregator: in.jsonl to /dev/full: No space left on device\n",
    )
    ended = run_program(tmp_path, command, "in.jsonl", full={1})
    assert (ended.returncode, ended.stderr) == (
        1,
        "aggregator: standard output: No space left on device; not all could be printed\n",
    )


def test_messages_on_a_full_device_are_dropped_and_the_work_is_done(shop: Path) -> None:
    (shop / "topic.txt").unlink()
    assert run_program(shop, "refresh", full={2}).returncode == 1
    assert (shop / "output" / "crumb-talk" / "feed.xml").stat().st_size


@pytest.mark.parametrize("words", [("refresh", "--no-such-option"), ("check", "nothing")])
def test_an_error_on_a_full_device_keeps_its_exit_code(shop: Path, words: tuple[str, str]) -> None:
    assert run_program(shop, *words, full={2}).returncode == 2


def test_a_reader_that_leaves_is_no_message(shop: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as left:
        command = [*PROGRAM, "list"]
        ended = subprocess.run(command, cwd=shop, stdout=left, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "")


def test_a_path_that_is_no_file_is_not_waited_for(shop: Path, run) -> None:
    (shop / "topic.txt").unlink()
    os.mkfifo(shop / "topic.txt")
    answer = run("refresh")
    assert "topic.txt is not a file" in answer.stdout + answer.stderr
