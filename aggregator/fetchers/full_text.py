"""Read the text of a post from its page, in a parser process: the post without menus, comments and advertising.

What is the post is found by readability-lxml, which follows the reader views of browsers. It is imported by processes
that read pages alone, and is an extra.
"""

from __future__ import annotations

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
from aggregator.translation.locale import N_

_LONGEST: Final = 200_000
"""Characters of a post with its markup, as many as of a text in a feed."""


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
        found = str(readability.Document(page).summary(html_partial=True))
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
