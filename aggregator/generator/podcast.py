"""The feedgen extension: elements that feedgen 1.0.0 leaves out or cannot write.

feedgen has no podcast namespace, drops artwork whose address does not end in .jpg or .png, knows only yes and no for
explicit, writes one self link and no other, and loses the attributes of Atom links. Each such element is a row (name,
text, attributes, rows within), and one extension writes all rows after feedgen's own elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from feedgen.entry import FeedEntry
from feedgen.ext.base import BaseEntryExtension, BaseExtension
from feedgen.feed import FeedGenerator
from lxml import etree

from aggregator.generator.content.passed_tags import Row
from aggregator.generator.kept import Document

NAMESPACES = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "media": "http://search.yahoo.com/mrss/",
    "psc": "http://podlove.org/simple-chapters",
    "fh": "http://purl.org/syndication/history/1.0",
}

_PREFIXES = {address: prefix for prefix, address in NAMESPACES.items()}

Node: TypeAlias = etree._Element  # noqa: SLF001 - lxml has no public name for it


def make_tag(name: str) -> str:
    """Return the lxml tag of a prefixed name.

    >>> make_tag("podcast:guid")
    '{https://podcastindex.org/namespace/1.0}guid'
    """
    prefix, _, local = name.rpartition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}" if prefix else name


def format_name(element: Node) -> str:
    """Return an element's name with the usual prefix; the lxml tag if its namespace is not one of these.

    >>> format_name(etree.Element(make_tag("itunes:image")))
    'itunes:image'
    """
    address, _, local = str(element.tag).rpartition("}")
    prefix = _PREFIXES.get(address[1:])
    return f"{prefix}:{local}" if prefix else str(element.tag)


class _Rows(BaseExtension):  # type: ignore[misc]  # feedgen has no types
    """Rows of one document, written after feedgen's own elements."""

    rows: Sequence[Row] = ()
    prefixes: Sequence[str] = ()
    stylesheet: str | None = None

    def extend_ns(self) -> dict[str, str]:
        """Return the namespaces that the root declares, by prefix."""
        return {prefix: NAMESPACES[prefix] for prefix in self.prefixes}

    def extend_rss(self, root: Node) -> Node:
        if self.stylesheet:
            root.addprevious(etree.PI("xml-stylesheet", f'type="text/css" href="{self.stylesheet}"'))
        _write_rows(root[0], self.rows)
        return root

    def extend_atom(self, root: Node) -> Node:
        _write_rows(root, self.rows)
        return root


class _EntryRows(BaseEntryExtension):  # type: ignore[misc]  # feedgen has no types
    """Rows of one entry, written after feedgen's own elements."""

    rows: Sequence[Row] = ()

    def extend_rss(self, item: Node) -> Node:
        _write_rows(item, self.rows)
        return item

    extend_atom = extend_rss


def _write_rows(parent: Node, rows: Sequence[Row]) -> None:
    """Write rows into an element; attributes whose value is ``None`` are left out."""
    for name, text, attributes, children in rows:
        element = etree.SubElement(parent, make_tag(name))
        element.text = text
        for key, value in attributes.items():
            if value is not None:
                element.set(key, value)
        _write_rows(element, children)


def new_feed(rows: Sequence[Row], prefixes: Sequence[str], *, stylesheet: str | None = None) -> FeedGenerator:
    """Return a feed that writes these rows after its own elements.

    ``prefixes`` are the namespaces that its root declares, ``stylesheet`` the address of the CSS file with which a
    browser shows it as a page (https://www.w3.org/TR/xml-stylesheet/).
    """
    feed = FeedGenerator()
    feed.register_extension("rows", _Rows, _EntryRows, atom=True, rss=True)
    feed.rows.rows = rows
    feed.rows.prefixes = prefixes
    feed.rows.stylesheet = stylesheet
    return feed


def add_entry(feed: FeedGenerator, rows: Sequence[Row]) -> FeedEntry:
    """Add an entry after the ones that the feed has and return it; it writes these rows after its own elements."""
    entry = feed.add_entry(order="append")
    entry.rows.rows = rows
    return entry


def insert_items(written: bytes, end: bytes, indices: Sequence[int]) -> Document:
    """Return a document that was written without items with these before the last ``end``."""
    at = written.rindex(end)
    return (written[:at], *indices, written[at:])


def split_items(written: bytes, start: bytes, end: bytes) -> list[bytes]:
    """Return the items of a document; each begins with ``start``, and ``end`` follows the last.

    Both are lines with a tag, which no text can hold: it has its angle brackets escaped.
    """
    items = written[: written.rindex(end)].split(start)[1:]
    return [start + item for item in items]
