"""docs/kinds.md is followed word by word: its modules, installed as their package says, are kinds like any other."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aggregator.errors import ReadError
from aggregator.model.source import Document, Source
from tests.support.origin import Origin, Request, answer, playing
from tests.support.paths import ROOT

PAGE = ROOT / "docs/kinds.md"
FILE = re.compile(r"<!-- test: (?P<name>\S+) -->\n```\w+\n(?P<text>.*?)```", re.DOTALL)
TOKEN = "s3cret-t0ken"  # noqa: S105  # of no one
SHOW = b"""<!doctype html><html><body><h1>Night Trains</h1><ul>
<li><time>2024-05-01</time> <a href="/a/17.mp3">Night trains</a> <i>58 min</i></li>
<li><time>2024-05-08</time> <a href="/a/18.mp3">Ferries</a> <i>61 min</i></li></ul></body></html>"""
EPISODES = b"""{"episodes": [{"id": 18, "title": "Ferries", "date": "2024-05-08", "about": "On the water."},
{"id": 19, "title": "Funiculars", "date": "2024-05-15", "audio": "https://archive.example/19.mp3"}]}"""

Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def radio() -> Iterator[Origin]:
    with playing(lambda _: answer(200, SHOW, ("Content-Type", "text/html"))) as origin:
        yield origin


@pytest.fixture
def archive() -> Iterator[Origin]:
    def play(request: Request) -> bytes:
        known = request.get("Authorization") == f"Bearer {TOKEN}"
        return answer(200, EPISODES, ("Content-Type", "application/json")) if known else answer(401)

    with playing(play) as origin:
        yield origin


@pytest.fixture
def folder(tmp_path: Path, radio: Origin, archive: Origin) -> Path:
    """What a newcomer has after the page: the modules, their package as pip would have installed it, and the config.

    The hosts of the page are origins on loopback.
    """
    for file in FILE.finditer(PAGE.read_text(encoding="utf-8")):
        text = (
            file["text"]
            .replace("https://radio.example", radio.url(""))
            .replace("https://archive.example", archive.url(""))
        )
        (tmp_path / file["name"]).write_text(text, encoding="utf-8")
    with (tmp_path / "config.yaml").open("a", encoding="utf-8") as config:
        config.write("allow_networks: [127.0.0.0/8]\n")
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
    return tmp_path


@pytest.fixture
def program(folder: Path) -> Program:
    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (sys.executable, "-m", "aggregator.cli", *words),
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), *sys.path)), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run


def items(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((folder / "output/night-trains/feed.json").read_text(encoding="utf-8"))[
        "items"
    ]
    return found


def test_a_kind_is_one_module_and_an_entry_point(folder: Path, program: Program, archive: Origin) -> None:
    assert program("check").stdout == "config.yaml: 1 feed from 2 sources, nothing wrong\n"
    done = program("refresh", ARCHIVE_TOKEN=TOKEN)
    assert (done.returncode, done.stderr) == (0, "")
    assert [(item["title"], str(item["date_published"])[:10]) for item in items(folder)] == [
        ("Funiculars", "2024-05-15"),
        ("Ferries", "2024-05-08"),
        ("Night trains", "2024-05-01"),
    ]
    assert {request.get("Authorization") for request in archive.requests} == {f"Bearer {TOKEN}"}
    published = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert not any(TOKEN.encode() in each for each in published)
    assert TOKEN not in done.stdout + done.stderr
    sources = {
        each["name"]: each["trust"]
        for each in json.loads((folder / "output/night-trains/report.json").read_bytes())["sources"]
    }
    assert sources == {"radio": 0.6, "archive": 0.7}


def test_a_source_without_its_token_is_one_line_and_the_others_publish(folder: Path, program: Program) -> None:
    done = program("refresh")
    assert done.returncode == 0
    (told,) = done.stderr.splitlines()
    assert "archive: " in told
    assert "the environment variable ARCHIVE_TOKEN is not set" in told
    assert len(items(folder)) == 2


def test_what_a_kind_does_not_understand_is_one_line(folder: Path, program: Program, radio: Origin) -> None:
    radio.play = lambda _: answer(200, b"<html>out of order</html>")
    done = program("refresh", ARCHIVE_TOKEN=TOKEN)
    (told,) = done.stderr.splitlines()
    assert f"not a page of a show ({radio.url('/shows/night-trains')})" in told
    assert len(items(folder)) == 2


def load(name: str) -> ModuleType:
    """Return a module as the page has it."""
    texts = {file["name"]: file["text"] for file in FILE.finditer(PAGE.read_text(encoding="utf-8"))}
    module = ModuleType(name)
    exec(compile(texts[f"{name}.py"], name, "exec"), module.__dict__)  # noqa: S102
    return module


@example(0, 0, b"<li>about us</li>")
@example(0, 0, b"<li><a>soon</a></li>")
@given(
    start=st.integers(0, len(SHOW)),
    length=st.integers(0, 60),
    piece=st.sampled_from([b"", b"<", b"&", b"\xff", b"<li>"]),
)
def test_the_modules_keep_the_rules_of_the_page(start: int, length: int, piece: bytes) -> None:
    for name, body in (("community_radio", SHOW), ("radio_archive", EPISODES)):
        damaged = body[:start] + piece + body[start + length :]
        document = Document(Source("x", name), "https://radio.example/shows/x", damaged)
        try:
            entries = load(name).read(document).entries
        except ReadError:
            continue
        assert all(entry.key and entry.title for entry in entries)


def insert(folder: Path, line: str) -> None:
    """Put a line at the beginning of what the kind reads with."""
    module = folder / "radio_archive.py"
    doc = '    """Return the episodes of the answer; ReadError if it is none of the API\'s."""\n'
    before, found, after = module.read_text("utf-8").partition(doc)
    assert found
    module.write_text(f"{before}{doc}    {line}\n{after}", "utf-8")


def test_the_traceback_of_a_bug_is_printed_where_every_step_is(folder: Path, program: Program) -> None:
    insert(folder, "raise KeyError('lanterns')")
    told = program("refresh", "-v", ARCHIVE_TOKEN=TOKEN).stderr
    assert "Traceback (most recent call last):" in told
    assert re.search(r'radio_archive.py", line \d+, in read\n', told)
    assert "Traceback" not in program("refresh", "--force", ARCHIVE_TOKEN=TOKEN).stderr


def test_what_a_kind_prints_is_seen_in_one_process(folder: Path, program: Program, archive: Origin) -> None:
    insert(folder, "print('a lantern')")
    assert "a lantern" not in program("refresh", ARCHIVE_TOKEN=TOKEN).stdout
    archive.play = lambda _: answer(200, EPISODES + b" ")  # a document that is known is not parsed again
    done = program("refresh", "--force", ARCHIVE_TOKEN=TOKEN, AGGREGATOR_IN_PROCESS="1")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "AGGREGATOR_IN_PROCESS: documents are parsed in this process, without limits" in done.stderr
    assert "a lantern" in done.stdout
    assert len(items(folder)) == 3


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_server_parses_nothing_in_its_own_process(program: Program, command: str) -> None:
    done = program(command, AGGREGATOR_IN_PROCESS="1")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "AGGREGATOR_IN_PROCESS is for debugging one refresh" in done.stderr


def test_the_config_knows_the_places_and_options_of_a_kind(folder: Path, program: Program) -> None:
    config = folder / "config.yaml"
    right = config.read_text(encoding="utf-8")
    config.write_text(right.replace("show: night-trains}", "url: 'https://radio.example/'}"), encoding="utf-8")
    assert "kind radio takes no url; known: show" in program("check").stderr
    config.write_text(right.replace("show: night-trains}", "show: x, options: {workspace: y}}"), encoding="utf-8")
    assert 'kind radio has no option "workspace"; known: genre' in program("check").stderr


def test_add_knows_the_addresses_of_a_kind(program: Program, radio: Origin) -> None:
    done = program("add", "https://radio.example/shows/ferries", "--feed", "ferries")
    assert (done.returncode, done.stderr) == (0, "")
    assert "feeds.ferries.sources.radio: kind radio, 2 items now of Night Trains" in done.stdout
    assert [request.path for request in radio.requests] == ["/shows/ferries"]


def test_a_module_that_cannot_be_imported_is_one_line(folder: Path, program: Program) -> None:
    (folder / "community_radio.py").write_text("import no_such_module\n", encoding="utf-8")
    done = program("check")
    assert done.returncode == 2
    assert 'kind "radio": its module community_radio cannot be imported: No module named' in done.stderr
    assert "Traceback" not in done.stderr
