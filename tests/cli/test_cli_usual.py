"""A usual line is read without typer as typer reads it; whatever else is left to typer."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from aggregator import cli
from aggregator.commands import options, refresh, usual, validate

PARTS = [
    *(("--force",), ("--strict",), ("--wait",), ("--json",), ("--quiet",), ("-q",), ("-v",), ("--verbose",)),
    *(("--feed", "one"), ("--feed", "two"), ("--config", "a b.yaml"), ("-c", "./x/../c.yaml"), ("-c", "")),
    *(
        ("--at", "2024-05-01T12:00:00Z"),
        ("--at", "2024-05-01T12:00:00.5+02:00"),
        ("--at", "noon"),
        ("--at", "2024-05-01"),
    ),
    *(
        ("--at",),
        ("--feed",),
        ("--config=c.yaml",),
        ("-cc.yaml",),
        ("-qv",),
        ("--forc",),
        ("one",),
        ("--",),
        ("--help",),
    ),
]


def by_typer(words: list[str]) -> dict[str, object] | None:
    taken: dict[str, object] = {}

    @functools.wraps(refresh.run)
    def record(**told: object) -> None:
        taken.update(told)

    program = typer.Typer()
    program.command()(record)
    answer = CliRunner().invoke(program, words)
    return taken if taken and not answer.exit_code else None


@given(st.lists(st.sampled_from(PARTS), max_size=5).map(lambda parts: [word for part in parts for word in part]))
def test_what_is_read_is_what_typer_reads(words: list[str]) -> None:
    told = usual.values(refresh.run, words)
    if told is not None:
        expected = by_typer(words)
        assert expected is not None
        unsaid = {name: value for name, value in expected.items() if name not in told}
        assert all(value in (False, None, [], (), options.CONFIG) for value in unsaid.values())
        assert {name: value for name, value in expected.items() if name in told} == told


def test_the_usual_lines_are_read() -> None:
    assert usual.values(refresh.run, []) == {}
    words = ["-c", "c.yaml", "--feed", "a", "--feed", "b", "--at", "2024-05-01T12:00:00Z", "--force", "-q", "--json"]
    at = options.moment("2024-05-01T12:00:00Z")
    told = {"config": Path("c.yaml"), "feed": ["a", "b"], "at": at, "force": True, "quiet": True, "as_json": True}
    assert usual.values(refresh.run, words) == told


@pytest.mark.parametrize(
    "line", ["--help", "--feed", "--at noon", "--config=x", "--force --force", "x", "-c -q", "--forc"]
)
def test_others_are_left_to_typer(line: str) -> None:
    assert usual.values(refresh.run, line.split()) is None


def test_a_command_with_arguments_is_left_to_typer() -> None:
    assert usual.values(validate.run, []) is None


def test_a_usual_line_loads_no_pydantic_and_a_wrong_one_is_told(run, shop) -> None:
    code = "import sys\nfrom aggregator import cli\ntry: cli.main()\nfinally: print('pydantic' in sys.modules)"
    answer = subprocess.run(
        (sys.executable, "-c", code, "refresh", "-q"), cwd=shop, capture_output=True, text=True, check=True
    )
    assert answer.stdout == "False\n"
    assert cli.USUAL in cli.COMMANDS
    wrong = run("refresh", "--at", "noon")
    assert wrong.returncode == 2
    assert '"noon" is not a time' in wrong.stderr


def test_nobody_reading_on_is_no_error_of_ours(shop) -> None:
    with subprocess.Popen(
        (sys.executable, "-c", "from aggregator import cli; cli.main()", "refresh"),
        cwd=shop,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode == 1
