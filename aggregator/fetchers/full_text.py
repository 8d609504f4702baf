"""Read the text of a post from its page, in a parser process: the post without menus, comments and advertising.

What is the post is found by readability-lxml, which follows the reader views of browsers. It is imported by processes
that read pages alone, and is an extra.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import IO, Final

import readability
from readability.readability import Unparseable

from aggregator.errors import ReadError
from aggregator.fetchers.parser_process import MOST_ITEMS
from aggregator.fetchers.parsing import decoding, enclosures, html_page, xml
from aggregator.fetchers.parsing.bombs import check_bombs
from aggregator.model.source import Document
from aggregator.sandbox import calls
from aggregator.text import html
from aggregator.text.fold import fold
from aggregator.translation.marks import N_

_HEADING: Final = re.compile(
    r"((?>(?:\s|<(?:div|article|section|main|header)\b[^>]*>)*))<h([12])\b[^>]*>(.*?)</h\2>", re.DOTALL
)
"""The first heading of a post, with nothing but elements that contain it before it."""

_LONGEST: Final = 200_000
"""Characters of a post with its markup: the limit of a text in a feed, too."""


def run(task: bytes, out: IO[bytes], _note: Callable[[str], None]) -> None:
    """Call the function that the task names, in a fork."""
    calls.answer({"read": read}, task, out)


def read(document: Document) -> str:
    """Return the HTML of the post on a page, with whole addresses; raise ReadError if none is found."""
    check_bombs(document.body, MOST_ITEMS)
    if decoding.detect_type(document) != "html":
        raise decoding.unexpected_type(document, N_("an HTML page"))
    page = html_page.show_lazy_images(decoding.decode(document))
    try:
        parsed = readability.Document(page)
        found = _drop_title(str(parsed.summary(html_partial=True)), str(parsed.title()))
        if not html.to_text(found):
            raise ReadError("no text of a post was found")
        base = html_page.find_base(document, xml.parse_html(page))
    except Unparseable as error:
        raise ReadError("no text of a post was found") from error
    except RecursionError as error:
        raise ReadError("it is nested too deep to be parsed") from error
    if len(found) > _LONGEST:
        raise ReadError(f"its text has more than {_LONGEST:,} characters")
    return enclosures.resolve_markup(base, found)


def _drop_title(post: str, title: str) -> str:
    """Return a post without the heading before its text that is in the title of its page: its item has it, too.

    >>> _drop_title("<div><h1>On salt</h1><p>It is old.</p></div>", "On salt – Quay")
    '<div><p>It is old.</p></div>'
    """
    heading = _HEADING.match(post)
    words = fold(html.to_text(heading[3])) if heading else ""
    return heading[1] + post[heading.end() :] if heading and words and words in fold(title) else post
