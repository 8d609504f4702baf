"""The pictures of the docs are what their script draws now, and a page has each of them in words, too."""

from __future__ import annotations

import re

import pytest
from lxml import etree

from tests.support.drawings import COPIES, PICTURES
from tests.support.paths import ROOT

DOCS = ROOT / "docs"


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_what_the_program_does_now(name: str) -> None:
    drawn = PICTURES[name]()
    assert (DOCS / name).read_text(encoding="utf-8") == drawn, "draw it anew: python -m tests.support.drawings docs"
    title = etree.fromstring(drawn.encode()).findtext("{*}title") or ""
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    assert re.findall(rf"!\[([^]]*)]\({re.escape(name)}\)", re.sub(r"\s+", " ", pages)) == [title]


def test_the_page_quotes_the_copies_of_the_picture() -> None:
    page = (DOCS / "text.md").read_text(encoding="utf-8")
    assert [copy.source for copy in COPIES if f"\n{copy.source:8}{copy.text}\n" not in page] == []
