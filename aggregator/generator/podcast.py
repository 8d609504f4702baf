"""The feedgen extension, and the only file that knows feedgen: what feedgen 1.0.0 leaves out or gets wrong.

feedgen has no podcast namespace, drops artwork by its address's ending, knows only yes and no for explicit, writes
one self link and no other, loses the attributes of Atom links, and formats dates by switching the whole process's
locale. So every such element is a row (name, text, attributes, rows within), and one extension writes all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TypeAlias

import feedgen.entry
import feedgen.feed
from feedgen.entry import FeedEntry
from feedgen.ext.base import BaseEntryExtension, BaseExtension
from feedgen.feed import FeedGenerator
from lxml import etree

from aggregator.generator.content.podcast_tags import Row

SPACES = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "fh": "http://purl.org/syndication/history/1.0",
}

Entry: TypeAlias = FeedEntry
Node: TypeAlias = etree._Element  # noqa: SLF001 - lxml has no public name for it

# feedgen's own formatter calls setlocale, which is not safe in a program with threads.
feedgen.feed.formatRFC2822 = feedgen.entry.formatRFC2822 = format_datetime


class Extra(BaseExtension):  # type: ignore[misc]  # feedgen has no types
    """Rows for one document or entry, written after feedgen's own elements; what extends depends on the format."""

    def __init__(self) -> None:
        """No rows yet."""
        self.rows: list[Row] = []
        self.spaces: dict[str, str] = {}

    def extend_ns(self) -> dict[str, str]:
        """The prefixes that the root declares."""
        return self.spaces

    def extend_rss(self, node: Node) -> Node:
        """``<rss>`` for a feed (the rows go into its channel), ``<item>`` for an entry."""
        emit(node[0] if node.tag == "rss" else node, self.rows)
        return node

    def extend_atom(self, node: Node) -> Node:
        """``<feed>`` or ``<entry>``: the rows carry every link and the source, so feedgen's own go."""
        for old in [child for child in node if child.tag in {"link", "source"}]:
            node.remove(old)
        emit(node, self.rows)
        return node


class ExtraEntry(Extra, BaseEntryExtension):  # type: ignore[misc]  # feedgen has no types
    """The same for one entry."""


def emit(parent: Node, rows: Sequence[Row]) -> None:
    """Writes rows into an element; a value of ``None`` is left out, never written as a word."""
    for name, text, attributes, children in rows:
        prefix, _, local = name.rpartition(":")
        element = etree.SubElement(parent, f"{{{SPACES[prefix]}}}{local}" if prefix else name)
        element.text = text
        for key, value in attributes.items():
            if value is not None:
                element.set(key, value)
        emit(element, children)


def new_feed(rows: Sequence[Row], prefixes: Sequence[str]) -> FeedGenerator:
    """A feed of feedgen's that will write these rows after its own elements."""
    feed = FeedGenerator()
    feed.register_extension("extra", Extra, ExtraEntry, atom=True, rss=True)
    feed.extra.rows = list(rows)
    feed.extra.spaces = {prefix: SPACES[prefix] for prefix in prefixes}
    return feed


def new_entry(rows: Sequence[Row]) -> Entry:
    """An entry of feedgen's that will write these rows after its own elements."""
    entry = FeedEntry()
    entry.register_extension("extra", ExtraEntry, atom=True, rss=True)
    entry.extra.rows = list(rows)
    return entry


def written(node: Node, path: Sequence[str], prefixes: Sequence[str]) -> bytes:
    """The node as it stands in a whole document, within elements of these names; the document declares the prefixes.

    A node written alone would declare its own namespaces; so it is written in its place, and the place cut away.
    """
    root = parent = etree.Element(path[0], nsmap={prefix: SPACES[prefix] for prefix in prefixes})
    for name in path[1:]:
        parent = etree.SubElement(parent, name)
    parent.append(node)
    lines = etree.tostring(root, pretty_print=True, encoding="UTF-8").split(b"\n", len(path))
    ending = sum(len(name) + len("</>\n") + 2 * depth for depth, name in enumerate(path))
    return lines[-1][:-ending]


def moment(at: datetime) -> datetime:
    """The time as feeds give it: UTC, whole seconds."""
    return at.astimezone(UTC).replace(microsecond=0)
