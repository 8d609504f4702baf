"""What the documentation names is there."""

import re

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


def _begins(name: str, known: set[str]) -> bool:
    return name.endswith("_") and any(each.startswith(name) for each in known)
