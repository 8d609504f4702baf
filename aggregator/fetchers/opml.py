"""Read an OPML list of subscriptions (http://opml.org/spec2.opml), as feed readers export it.

Reading is tolerant, because real files misspell ``xmlUrl``, have blanks in it or leave it empty, lack ``type`` or
``title``, use HTML's entities, have bare ampersands, or are several files in one. An HTML parser reads all of that, and
expands no entity that a document declares.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from aggregator.errors import ReadError
from aggregator.fetchers.parsing.decoding import decode_bytes
from aggregator.model.subscription import Subscription
from aggregator.text import html
from aggregator.translation.marks import N_

_BARE_AMPERSAND = re.compile(r"&(?!(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);)")
# Kinds of outline whose address is another list (OPML 2.0, "include"; Liferea's "source").
_LISTS = frozenset({"include", "source"})
_FEEDS = frozenset({"rss", "rss1", "rss2", "atom", "feed", "podcast"})
# The longest title in characters beside which ``title`` is not looked at: gPodder writes the description into ``text``
# (https://github.com/gpodder/gpodder/blob/master/src/gpodder/opml.py, Exporter.create_outline).
_LONGEST_TITLE = 120
# Ends a section, a comment or a tag that the document leaves open: at each of them older Pythons search the rest of the
# document (https://github.com/python/cpython/issues/135462).
_END = "\n]]>-->"
# The largest list that is read, in bytes: ten thousand subscriptions take 3 MB.
_MOST_BYTES = 16_000_000


def read(body: bytes) -> tuple[Subscription, ...]:
    """Read the subscriptions of an OPML document in order, each URL once; raise ReadError if it is no OPML.

    Folders are flattened. The title is ``text``, else ``title``, else the address; where ``text`` is a description, as
    in exports of gPodder, ``title`` comes first. Outlines with an address that is not a feed's are given with the
    problem: another list (``include``, ``source``), a link, a page.

    >>> read(b'<opml><outline title="A" xmlURL=" https://a.example/feed "/></opml>')
    (Subscription(title='A', xml_url='https://a.example/feed', html_url=None, folder=None, problem=''),)
    """
    if len(body) > _MOST_BYTES:
        raise ReadError(f"the subscription list is larger than {_MOST_BYTES:,} bytes")
    reader = _Reader()
    reader.feed(_BARE_AMPERSAND.sub("&amp;", decode_bytes(body)[0]) + _END)
    reader.close()
    if not reader.recognised:
        raise ReadError("this is not an OPML subscription list: it has neither opml nor outline elements")
    unique = {outline.xml_url or outline.title: outline for outline in reversed(reader.found)}
    return tuple(outline for outline in reader.found if unique.get(outline.xml_url or outline.title) is outline)


class _Reader(HTMLParser):
    """Parser that finds outlines in anything that looks like markup."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Subscription] = []
        self.recognised = False
        self._in_title = False
        self._is_gpodder = False

    def handle_data(self, data: str) -> None:
        """Note a list that gPodder wrote: its head says so."""
        self._is_gpodder = self._is_gpodder or (self._in_title and "gpodder" in data.lower())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect an outline that has a feed's URL; a namespace prefix does not matter."""
        local = tag.rpartition(":")[2]
        self.recognised = self.recognised or local in ("opml", "outline")
        self._in_title = local == "title"
        if local != "outline":
            return
        given = {name.rpartition(":")[2]: " ".join((value or "").split()) for name, value in reversed(attrs)}
        kind = given.get("type", "").lower()
        feed = given.get("xmlurl") or (given.get("url", "") if kind in _FEEDS else "")
        address = feed or given.get("url") or given.get("htmlurl", "")
        problem = _find_problem(kind, feed, address) or (
            "" if address or "xmlurl" not in given else N_("it has no address")
        )
        text, title = given.get("text", ""), given.get("title", "")
        is_description = title and (self._is_gpodder or len(text) > max(_LONGEST_TITLE, len(title)))
        named = html.to_line((title if is_description else text) or title)
        if address or (problem and named):
            self.found.append(Subscription(named or address, address, given.get("htmlurl") or None, problem=problem))


def _find_problem(kind: str, feed: str, address: str) -> str:
    """Return why an outline with an address is no subscription; empty if it is one."""
    if kind in _LISTS:
        return N_("it is another list of subscriptions")
    if "html" in kind or (address and not feed and kind != "link"):
        return N_("it is a page and no feed: aggregator add finds the feed that a page names")
    return N_("it is a link, not a feed: aggregator add says what its address is") if address and not feed else ""
