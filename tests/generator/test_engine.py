"""What the template engine made of a template is kept as Python keeps what it made of a module."""

import re
import sys
from pathlib import Path

import pytest
from jinja2 import Environment

from aggregator.generator import engine

NAME = "index.html.j2"
OURS = re.compile(r"""["'\d)\]]\s*\|\s*(?:line|person|direction|within)\b""")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Where Python keeps what it makes."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


@pytest.fixture
def compiled(monkeypatch) -> list[str]:
    """The templates that the engine compiles."""
    names: list[str] = []
    made = Environment._compile

    def counted(self: Environment, source: str, filename: str):
        names.append(Path(filename).name)
        return made(self, source, filename)

    monkeypatch.setattr(Environment, "_compile", counted)
    return names


def kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_template_is_compiled_once(folder, compiled) -> None:
    engine.environment().get_template(NAME)
    engine.environment().get_template(NAME)
    assert compiled == [NAME]
    assert {path.suffix for path in kept(folder)} == {".pyc"}


@pytest.mark.parametrize("damage", [b"", b"\n", b"0" * 64 + b"\n", None], ids=["empty", "line", "other", "cut"])
def test_what_is_not_of_it_is_not_used(folder, compiled, damage) -> None:
    engine.environment().get_template(NAME)
    [path] = kept(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:100] if damage is None else damage)
    engine.environment().get_template(NAME)
    assert compiled == [NAME, NAME]
    assert path.read_bytes() == whole


def test_nothing_is_kept_where_python_keeps_nothing(folder, compiled, monkeypatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    engine.environment().get_template(NAME)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys.implementation, "cache_tag", None)
    engine.environment().get_template(NAME)
    assert (compiled, kept(folder)) == ([NAME, NAME], [])


def test_a_folder_that_cannot_be_written_is_no_fault(folder, compiled) -> None:
    folder.rmdir()
    folder.write_text("no folder", encoding="utf-8")
    engine.environment().get_template(NAME)
    assert compiled == [NAME]


def test_no_constant_goes_through_a_filter_of_ours() -> None:
    templates = sorted(Path(str(engine.TEMPLATES)).glob("*.j2"))
    assert templates
    assert [path.name for path in templates if OURS.search(path.read_text(encoding="utf-8"))] == []
    assert OURS.search("{{ 'a' | line }}")
