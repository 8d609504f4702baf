"""What the documentation names is there."""

import ast
import importlib
import re
import shutil
import subprocess
from pathlib import Path

from aggregator.cli import COMMANDS
from aggregator.fetchers import registry
from tests.support.man_page import make_page
from tests.support.paths import ROOT, TESTS

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_test_that_a_page_names_is_there() -> None:
    """A name that ends in an underscore stands for all tests that begin with it."""
    files = sorted(TESTS.rglob("test_*.py"))
    known = {path.name for path in files}
    for path in files:
        known.update(re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE))
    missing = []
    for page in PAGES:
        named = re.findall(r"(?:`|/|::)(test_\w+(?:\.py)?)", page.read_text("utf-8"))
        missing += [f"{page.name}: {name}" for name in named if name not in known and not _begins(name, known)]
    assert missing == []


def test_every_path_of_tests_that_a_page_names_is_there() -> None:
    missing = []
    for page in PAGES:
        named = re.findall(r"`(tests/[\w./-]+)`", page.read_text("utf-8"))
        missing += [f"{page.name}: {path}" for path in named if not path.endswith("/") and not (ROOT / path).exists()]
    assert missing == []


def test_the_man_page_is_that_of_the_commands(tmp_path: Path) -> None:
    page = make_page()
    wanted = "write it anew: python -m tests.support.man_page docs/aggregator.1"
    assert (ROOT / "docs/aggregator.1").read_text("utf-8") == page, wanted
    assert all(f"aggregator {name}" in page.replace("\\-", "-") for name in COMMANDS)
    if groff := shutil.which("groff"):
        file = tmp_path / "page.1"
        file.write_text(page, encoding="utf-8")
        done = subprocess.run([groff, "-man", "-Tutf8", "-ww", "-z", file], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def _begins(name: str, known: set[str]) -> bool:
    return name.endswith("_") and any(each.startswith(name) for each in known)


MODULES = [path.relative_to(ROOT).with_suffix("").parts for path in sorted((ROOT / "aggregator").rglob("*.py"))]
OURS = {part.removesuffix("__init__") for parts in MODULES for part in parts}
NAME = re.compile(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)`")
FILES = {"atom", "css", "gz", "html", "json", "opml", "txt", "xml", "yaml"}


def test_every_dotted_name_in_a_docstring_is_there() -> None:
    """A name that begins with a module or a folder of ours; endings of files are none."""
    missing = []
    for parts in MODULES:
        for node in ast.walk(ast.parse(ROOT.joinpath(*parts).with_suffix(".py").read_text("utf-8"))):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            for name in NAME.findall(text):
                first, *_, last = name.split(".")
                if (
                    first in OURS
                    and last not in FILES
                    and name != registry.ENTRY_POINTS
                    and not _is_ours(name.split("."))
                ):
                    missing.append(f"{'/'.join(parts)}: {name}")
    assert missing == []


def _is_ours(name: list[str]) -> bool:
    """Whether it is a module, or what a module has."""
    for end in range(len(name), 0, -1):
        for parts in MODULES:
            whole = [part for part in parts if part != "__init__"]
            if whole[-end:] == name[:end] and _has(importlib.import_module(".".join(whole)), name[end:]):
                return True
    return False


def _has(thing: object, names: list[str]) -> bool:
    return not names or (hasattr(thing, names[0]) and _has(getattr(thing, names[0]), names[1:]))
