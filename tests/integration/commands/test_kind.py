"""docs/kinds.md is followed word by word: its module, installed as its package says, is a kind like any other."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGE = ROOT / "docs/kinds.md"
FILE = re.compile(r"<!-- test: (?P<name>\S+) -->\n```\w+\n(?P<text>.*?)```", re.DOTALL)
SHEET = (
    "2024-05-01;Night trains;58;https://radio.example/a/17.mp3\n2024-05-08;Ferries;61;https://radio.example/a/18.mp3\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a newcomer has after the page: the module, its package as pip would have installed it, and the config."""
    for file in FILE.finditer(PAGE.read_text(encoding="utf-8")):
        (tmp_path / file["name"]).write_text(file["text"], encoding="utf-8")
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = "\n".join(
        f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in table.items())
        for group, table in project["entry-points"].items()
    )
    (installed / "entry_points.txt").write_text(points, encoding="utf-8")
    (tmp_path / "sheet.txt").write_text(SHEET, encoding="utf-8")
    return tmp_path


def program(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-m", "aggregator.cli", *words),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_kind_is_one_file_of_two_functions(folder: Path) -> None:
    assert program(folder, "check").stdout == "config.yaml: 1 feed from 1 source, nothing wrong\n"
    answer = program(folder, "refresh")
    assert (answer.returncode, answer.stderr) == (0, "")
    items = json.loads((folder / "output/night-trains/feed.json").read_text(encoding="utf-8"))["items"]
    assert [(item["title"], item["date_published"][:10]) for item in items] == [
        ("Ferries", "2024-05-08"),
        ("Night trains", "2024-05-01"),
    ]
    assert items[0]["attachments"][0]["url"] == "https://radio.example/a/18.mp3"
    assert items[0]["attachments"][0]["duration_in_seconds"] == 61 * 60


def test_what_it_does_not_understand_is_one_line(folder: Path) -> None:
    (folder / "sheet.txt").write_text("out of order\n", encoding="utf-8")
    answer = program(folder, "refresh")
    assert answer.returncode == 3
    (told,) = (line for line in answer.stderr.splitlines() if "not a sheet" in line)
    place = (folder / "sheet.txt").as_uri()
    assert told == f"aggregator:   night-trains: radio: not a sheet of four columns ({place})"
    assert "Traceback" not in answer.stderr
