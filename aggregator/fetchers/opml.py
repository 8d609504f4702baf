"""Read an OPML list of subscriptions (http://opml.org/spec2.opml), as feed readers export it.

Reading is tolerant, because real files misspell ``xmlUrl``, have blanks in it or leave it empty, lack ``type`` or
``title``, use HTML's entities, have bare ampersands, or are several files in one. An HTML parser reads all of that, and
expands no entity that a document declares.
"""

from __future__ import annotations

import codecs
import re
from html.parser import HTMLParser

from aggregator.errors import ReadError
from aggregator.model.subscription import Subscription

_BARE_AMPERSAND = re.compile(r"&(?!(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);)")
_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
# Kinds of outline whose address is another list or a page, not a feed (OPML 2.0, "include" and "link"; Liferea's
# "source").
_LISTS = frozenset({"include", "link", "source"})
# Ends a section, a comment or a tag that the document leaves open: at each of them older Pythons search the rest of the
# document (https://github.com/python/cpython/issues/135462).
_END = "\n]]>-->"
# The largest list that is read, in bytes: ten thousand subscriptions take 3 MB.
_MOST_BYTES = 16_000_000


def read(body: bytes) -> tuple[Subscription, ...]:
    """Read the subscriptions of an OPML document in order, each URL once; raise ReadError if it is no OPML.

    Folders are flattened. The title is ``text``, else ``title``, else the address. Outlines that name another list
    (``include``, ``link``, ``source``) or no address are left out.

    >>> read(b'<opml><outline title="A" xmlURL=" https://a.example/feed "/></opml>')
    (Subscription(title='A', xml_url='https://a.example/feed', html_url=None, folder=None),)
    """
    if len(body) > _MOST_BYTES:
        raise ReadError(f"the subscription list is larger than {_MOST_BYTES:,} bytes")
    reader = _Reader()
    reader.feed(_BARE_AMPERSAND.sub("&amp;", _decode(body)) + _END)
    reader.close()
    if not reader.recognised:
        raise ReadError("this is not an OPML subscription list: it has neither <opml> nor <outline>")
    unique = {outline.xml_url: outline for outline in reversed(reader.found)}
    return tuple(outline for outline in reader.found if unique.get(outline.xml_url) is outline)


def _decode(body: bytes) -> str:
    """Decode a document by its byte order mark, else its declaration, else as UTF-8; wrong bytes are replaced."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    declared = None if body.startswith(codecs.BOM_UTF8) else _DECLARED.match(body)
    try:
        return body.decode(declared[1].decode("ascii") if declared else "utf-8-sig", "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


class _Reader(HTMLParser):
    """Parser that finds outlines in anything that looks like markup."""

    def __init__(self) -> None:
        """Start without outlines."""
        super().__init__(convert_charrefs=True)
        self.found: list[Subscription] = []
        self.recognised = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect an outline that has a feed's URL; a namespace prefix does not matter."""
        local = tag.rpartition(":")[2]
        self.recognised = self.recognised or local in ("opml", "outline")
        if local != "outline":
            return
        given = {name.rpartition(":")[2]: " ".join((value or "").split()) for name, value in reversed(attrs)}
        kind = given.get("type", "").lower()
        address = given.get("xmlurl") or (given.get("url", "") if kind in ("rss", "atom", "feed") else "")
        if address and kind not in _LISTS:
            title = given.get("text") or given.get("title") or address
            self.found.append(Subscription(title, address, given.get("htmlurl") or None))
