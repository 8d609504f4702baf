"""The name under which the program is installed is one, on every page and in every message."""

import re
import tomllib

from aggregator.version import name_install
from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"].keys()
NAMED = re.compile(r"\b([a-zA-Z][\w.-]*)\[([a-z0-9]+(?:,[a-z0-9]+)*)\](?!\()")
"""A distribution with extras, as pip takes it."""


def list_texts():
    yield from (ROOT / name for name in ("README.md", "CHANGELOG.md", "Makefile", "config.yaml"))
    yield from (path for path in (ROOT / "docs").rglob("*") if path.suffix not in {".png", ".txt"} and path.is_file())
    yield from (ROOT / "aggregator").rglob("*.py")


def test_extras_are_those_of_the_distribution() -> None:
    found = [
        (path, *named)
        for path in list_texts()
        for named in NAMED.findall(path.read_text("utf-8"))
        if set(named[1].split(",")) & EXTRAS
    ]
    assert len(found) > 8
    assert [each for each in found if each[1] != PROJECT["name"] or not set(each[2].split(",")) <= EXTRAS] == []


def test_messages_name_the_distribution() -> None:
    assert {name_install(extra) for extra in EXTRAS} == {f"pip install '{PROJECT['name']}[{each}]'" for each in EXTRAS}


def test_nothing_is_installed_from_an_index_under_the_name_of_the_folder() -> None:
    install = r"(?:pipx?|uv pip|uv tool)\s+install\s+(?:-\S+\s+)*['\"]?aggregator\b"
    bare = re.compile(rf"{install}|(?:uvx|pipx run)\s+aggregator\b")
    assert [str(path) for path in list_texts() if bare.search(path.read_text("utf-8"))] == []
