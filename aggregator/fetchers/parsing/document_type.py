"""What a document is, whatever its media type claims: origins say ``text/javascript`` for JSON and HTML for feeds."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.parsing.decoding import decoded
from aggregator.model.source import Document

Shape = Literal["json", "feed", "html", "text"]

HEAD = 65536  # characters looked at; feeds behind long comments and style sheets are seen up to 9,000
FEED = re.compile(r"<(?:\w+:)?(?:rss|feed|rdf|channel)(?:\s|>)", re.IGNORECASE)
PLAINLY_FEED = re.compile(FEED.pattern.encode(), FEED.flags & re.IGNORECASE)  # in nearly all encodings the same bytes
HALF = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
HTML = re.compile(
    r"<(?:!doctype\s+html|html|head|body|div|table|article|section|main|p|ul|h[1-6])(?:\s|>|/)", re.IGNORECASE
)


def of(document: Document) -> Shape:
    """What the first bytes say: JSON that parses, a feed's root element, HTML elements, else text."""
    text = decoded(document).lstrip()
    if text[:1] in {"{", "["} and loaded(text) is not None:
        return "json"
    head = text[:HEAD]
    feed, html = FEED.search(head), HTML.search(head)
    if feed and (html is None or feed.start() < html.start()):
        return "feed"
    return "html" if html else "text"


def is_only_html(document: Document) -> bool:
    """Whether the document begins as an HTML page and no feed's element follows: a cheap look before a dear parser."""
    if PLAINLY_FEED.search(document.body, 0, HEAD):
        return False
    head = decoded(replace(document, body=document.body[: HEAD * 4]))[:HEAD]
    return FEED.search(head) is None and HTML.search(head) is not None


def loaded(text: str) -> Any | None:
    """The JSON value of the text; ``None`` where it is none, or nested deeper than Python goes.

    Halves of surrogate pairs become U+FFFD: they are no characters, and could not be written again.
    """
    try:
        return json.loads(HALF.sub(r"\\ufffd", text), parse_constant=_refused)
    except (ValueError, RecursionError):
        return None


def described(document: Document, wanted: str) -> ReadError:
    """The error that says what was found where something else was expected, in one line."""
    found = {"json": "JSON", "feed": "a feed", "html": "an HTML page", "text": "text"}[of(document)]
    return ReadError(f"{document.source.name}: {found} where {wanted} was expected ({document.url})")


def _refused(name: str) -> float:
    raise ValueError(name)
