"""Measure full texts: ``python -m evaluation.full_text`` prints how much of each post is read, and how much else.

With ``trafilatura`` installed, that library is measured, too.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final, NamedTuple

from lxml import etree

from aggregator.fetchers.parsing import xml
from aggregator.model.source import Document, Source
from aggregator.text import html, tokens
from evaluation.full_text.pages import BASE, Page, make_pages

LEAST_F1: Final = 0.95
"""Mean F1 of the words that must hold."""

_STRUCTURE: Final = ("h2", "pre", "li", "td", "blockquote", "figcaption", "img", "a")
_SAME: Final = {"h3": "h2", "h1": "h2", "th": "td"}


class Score(NamedTuple):
    """Precision and recall of the words of a post, and the share of its elements that are kept."""

    precision: float
    recall: float
    structure: float

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def score(article: str, found: str) -> Score:
    """Compare the markup that was read with that of the post."""
    wanted, got = _count_words(article), _count_words(found)
    shared = (wanted & got).total()
    elements, kept = _count_elements(article), _count_elements(found)
    here = (elements & kept).total() / elements.total() if elements else 1.0
    return Score(shared / got.total() if got else 0.0, shared / wanted.total(), here)


def _count_words(markup: str) -> Counter[str]:
    return Counter(each.key for each in tokens.tokenise(html.to_text(markup)) if each.key)


def _count_elements(markup: str) -> Counter[str]:
    root = xml.parse_html(markup) if markup else None
    names = [] if root is None else [str(each.tag) for each in root.iter(etree.Element) if _is_shown(each)]
    return Counter(_SAME.get(name, name) for name in names if _SAME.get(name, name) in _STRUCTURE)


def _is_shown(element: xml.Element) -> bool:
    """Return whether an element counts; a picture only with its own address."""
    return element.tag != "img" or (element.get("src") or "").startswith("https:")


def read_ours(page: Page) -> str:
    """Return the HTML of the post as the program reads it."""
    from aggregator.fetchers import full_text  # noqa: PLC0415 - what it needs may not be installed

    return full_text.read(Document(Source("page", "blog", url=BASE), BASE, page.body.encode()))


def _read_with_trafilatura(page: Page) -> str:
    import trafilatura  # noqa: PLC0415 - may not be installed

    found = trafilatura.extract(
        page.body, url=BASE, output_format="html", include_comments=False, include_images=True, include_links=True
    )
    return found or ""


def measure(read: Callable[[Page], str]) -> list[tuple[Page, Score]]:
    """Return the score of each page."""
    return [(page, score(page.article, read(page))) for page in make_pages()]


def main() -> int:
    """Print the scores of each page and their means; 1 if ours are lower than they must be."""
    readers, means = {"readability": read_ours, "trafilatura": _read_with_trafilatura}, dict[str, float]()
    for name, read in readers.items():
        if not find_spec(name):
            continue
        begun = time.process_time()
        found = measure(read)
        each = 1000 * (time.process_time() - begun) / len(found)
        for page, one in found:
            print(
                f"{name}  {page.engine:12} {page.kind:7} {page.language}  P {one.precision:.3f}  R {one.recall:.3f}  "
                f"elements {one.structure:.2f}"
            )
        rows = [(*one, one.f1) for _, one in found]
        p, r, s, means[name] = (sum(column) / len(found) for column in zip(*rows, strict=True))
        print(f"{name}: P {p:.3f}, R {r:.3f}, F1 {means[name]:.3f}, elements {s:.3f}, {each:.0f} ms a page")
    return 0 if means["readability"] >= LEAST_F1 else 1


if __name__ == "__main__":
    sys.exit(main())
