from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from aggregator.cli import COMMANDS, GROUPS
from tests.support.paths import ROOT
from tests.support.program import PROGRAM

PRESENT = [name for name, (module, _) in COMMANDS.items() if (ROOT / f"aggregator/commands/{module}.py").exists()]


@pytest.mark.parametrize("name", PRESENT)
def test_every_command_stands_where_the_table_says(name: str) -> None:
    module = importlib.import_module(f"aggregator.commands.{COMMANDS[name][0]}")
    assert module.run.__doc__


@pytest.mark.parametrize("name", PRESENT)
def test_every_command_explains_itself(name: str, helped) -> None:
    assert f" {name} [OPTIONS]" in helped(name)


def test_a_command_explains_itself_to_its_caller(run) -> None:
    answer = run("match", "--help")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "--threshold" in answer.stdout


def test_the_help_names_every_command(run) -> None:
    answer = run("--help")
    assert answer.returncode == 0
    assert all(f"\n  {name} " in answer.stdout for name in COMMANDS)


def test_the_help_groups_the_commands_and_cuts_no_line(run) -> None:
    shown = run("--help").stdout
    assert [line for line in shown.splitlines() if line.endswith(":")] == ["Options:", *(f"{name}:" for name in GROUPS)]
    words = " ".join(shown.split())
    assert all(line in words for _, line in COMMANDS.values())
    assert max(map(len, shown.splitlines())) <= 80


def test_a_mistyped_command_is_exit_2_with_the_nearest(run) -> None:
    answer = run("refrsh")
    assert answer.returncode == 2
    assert "Did you mean 'refresh'?" in answer.stderr


@pytest.mark.usefixtures("shop")
def test_the_command_may_stand_after_the_end_of_the_options(run) -> None:
    answer = run("--", "check")
    assert (answer.returncode, answer.stdout) == (0, run("check").stdout)
    assert "nothing wrong" in answer.stdout


def test_the_program_is_installed_under_its_name() -> None:
    script = Path(sys.executable).parent / "aggregator"
    answers = [
        subprocess.run((*words, "--version"), capture_output=True, text=True, check=True).stdout
        for words in (PROGRAM, (str(script),))
    ]
    assert answers[0] == answers[1]
