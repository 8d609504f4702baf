from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.origin import Site, serving
from tests.support.paths import ROOT
from tests.support.program import run_program

DATA = Path(__file__).parent / "data"

CONFIG = """\
# the shop's own words
allow_networks: [127.0.0.0/8]
feeds:
  crumb-talk:
    title: Crumb Talk
    link: https://crumb.example/
    sources:
      topic: {kind: listing, path: topic.txt} # kept
      numbered: {kind: listing, path: numbered.txt}
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The real program in a child, standing in an empty folder; answers what it printed and its exit code."""

    def go(*words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return run_program(tmp_path, *words, stdin=stdin or "")

    return go


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with a config and two listings of one show: two items agree, the newest nearly do."""
    for name in ("topic.txt", "numbered.txt"):
        shutil.copy(DATA / name, tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def helped() -> Callable[[str], str]:
    """The help of a command."""

    @cache
    def ask(name: str) -> str:
        answer = run_program(ROOT, name, "--help")
        assert answer.returncode == 0
        return answer.stdout

    return ask


@pytest.fixture(scope="session")
def baked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop after one refresh; to be copied, not used."""
    folder = tmp_path_factory.mktemp("baked")
    for name in ("topic.txt", "numbered.txt"):
        shutil.copy(DATA / name, folder)
    (folder / "config.yaml").write_text(CONFIG, encoding="utf-8")
    words = ("refresh", "--quiet", "--at", "2026-01-02T03:04:05Z")
    assert run_program(folder, *words).returncode == 0
    return folder


@pytest.fixture
def done(baked: Path, tmp_path: Path) -> Path:
    """A folder in which the shop was refreshed once."""
    shutil.copytree(baked, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A server on loopback: its address, and the folder that it serves."""
    folder = tmp_path / "origin"
    folder.mkdir()
    with serving(Site(files=folder)) as site:
        yield site.url(), folder
