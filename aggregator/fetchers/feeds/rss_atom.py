"""Sound RSS 0.9x, 1.0, 2.0 and Atom feeds, read in one strict pass of libxml2, ten times as fast as feedparser.

Each item becomes the fields that ``make_entries`` takes, under the names that feedparser gives them, so that both
readers end in the same code. Elements are known by the address of their namespace and their local name, without case.
Where a document is not sound, or needs what only feedparser knows (a document type, XHTML or Base64 as text, an
encoding that is not certain, items at several places), ``NotSoundError`` is raised and feedparser reads.

An item whose element was read before is not read again. An entry is a function of its element, of how its source is
read, and of the base of its addresses; of all these and of the program's modules the digest is made. What depends on
the other entries of a listing (dates that leave the order of day and month open, links that lead to no item, repeated
keys) has no digest: such an element is read each time.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.fetchers.feeds import podcast
from aggregator.fetchers.feeds.elements import Fields, NotSoundError, read_element
from aggregator.fetchers.feeds.podcast import FeedXml, ItemXml
from aggregator.fetchers.parsing import enclosures, xml
from aggregator.fetchers.parsing.decoding import correct_declaration
from aggregator.fetchers.parsing.xml import Element
from aggregator.model.entry import Entry
from aggregator.model.record import make_json_decoder
from aggregator.model.source import Document
from aggregator.version import digest_code

_DECLARATION = re.compile(rb"<\?xml[^>]*?>")
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*+=\s*+['"]([^'">]*)['"]""")
_FIRST_ELEMENT = re.compile(rb"<\w")
_DOCTYPE = re.compile(rb"<!(?:doctype|entity)", re.IGNORECASE)
_ONE_BYTE = re.compile(r"iso8859-\d+|cp125\d|koi8-[ru]")  # encodings of one byte a character
_ADDRESSES = frozenset({"href", "url", "src", "uri"})
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_DIGEST_BYTES = 16

_DECODER = make_json_decoder(Entry)


class Feed(Struct):
    """The channel as far as the document was read, by feedparser's names and as it is written."""

    channel: Fields = field(default_factory=lambda: Fields(_Names(), is_item=False))
    xml: FeedXml = field(default_factory=FeedXml)
    parent: Element | None = None
    last: Element | None = None
    is_rdf: bool = False
    base: str = ""


_Item: TypeAlias = Entry | tuple[dict[str, Any], ItemXml]


class _Names(dict[str, str | None]):
    """The name by which an element is known, by lxml's tag, for the elements of one document."""

    def __missing__(self, tag: str) -> str | None:
        address, _, local = tag.rpartition("}")
        prefix = podcast.find_prefix(address[1:])
        self[tag] = name = None if prefix is None else prefix + local.lower()
        return name


def iterate_items(document: Document, feed: Feed) -> Iterator[_Item]:
    """Yield the items in the feed's order, and fill ``feed`` with what stands before, between and behind them.

    An item whose element is known is the entry that was read of it before.

    Raises ``NotSoundError``, maybe only behind the last item: then what was yielded does not count.
    """
    body = _to_utf8(correct_declaration(document.body), document.charset)
    if b"xml:base" in body:
        feed.base = enclosures.find_base(document)
    root: Element | None = None
    reading: bytes | None = None
    try:
        for found in xml.iterate_sound(body, "{*}item", "{*}entry"):
            if found.getparent() is None:
                root = found
            elif feed.channel.names[str(found.tag)] in {"item", "entry"}:
                _read_before(feed, found)
                if document.known is None or feed.base:
                    yield _read_item(feed, found)
                    continue
                reading = reading or _digest_reading(document, feed.channel.is_atom, feed.is_rdf)
                digest = _digest_element(reading, found)
                yield _find_entry(document, digest) or _read_item(feed, found, digest)
    except NotSoundError:
        raise
    except ValueError as error:
        raise NotSoundError(str(error)) from error
    if root is None:
        raise NotSoundError("no element of a feed")
    _read_after(feed, root)


@cache
def get_code() -> str:
    """Return the digest of the modules that read a feed; called first before the process is forked."""
    return digest_code("fetchers", "model", "text")


def _digest_reading(document: Document, *of_format: object) -> bytes:
    """Return the digest of what the entries of a document depend on beside their elements."""
    source = document.source
    read_as = (get_code(), source.name, source.kind, source.options, enclosures.find_base(document), *of_format)
    return blake2b(repr(read_as).encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def _digest_element(reading: bytes, element: Element) -> str:
    """Return the digest of an element with all that its entry depends on."""
    return blake2b(xml.write(element), digest_size=_DIGEST_BYTES, key=reading).hexdigest()


def _find_entry(document: Document, digest: str) -> Entry | None:
    """Return the entry that was read of the element, ``None`` if it is not known."""
    record = document.known.get(digest) if document.known else None
    return None if record is None else replace(_DECODER.decode(record), element=digest)


def _to_utf8(body: bytes, charset: str | None) -> bytes:
    """Return the document in UTF-8 without its declaration; the encoding by RFC 3023, as feedparser has it."""
    start = len(codecs.BOM_UTF8) if body.startswith(codecs.BOM_UTF8) else 0
    declaration, declared = _DECLARATION.match(body, start), _ENCODING.match(body, start)
    named = charset or (declared[1].decode("ascii", "replace") if declared else "") or "utf-8"
    try:
        encoding = codecs.lookup(named.strip().strip("\"'")).name
    except (LookupError, ValueError):
        raise NotSoundError("an encoding that is unknown") from None
    if encoding not in {"utf-8", "ascii"} and not _ONE_BYTE.fullmatch(encoding):
        raise NotSoundError(f"the encoding {encoding}")
    body = body[declaration.end() if declaration else start :]
    try:
        body = body if encoding == "utf-8" or body.isascii() else body.decode(encoding).encode("utf-8")
    except UnicodeError:
        raise NotSoundError(f"not in {encoding}, as it says") from None
    first = _FIRST_ELEMENT.search(body)
    if first is None or body.startswith(codecs.BOM_UTF8) or _DOCTYPE.search(body, 0, first.start()):
        raise NotSoundError("a document type, or no element")
    return body


def _read_before(feed: Feed, item: Element) -> None:
    """Read what stands between the last item and this one, and drop both."""
    parent = item.getparent()
    if parent is None or (feed.parent is not None and parent is not feed.parent):
        raise NotSoundError("items at several places")
    if feed.parent is None:
        _find_place(feed, parent)
    for child in reversed(list(item.itersiblings(preceding=True))):
        if child is not feed.last:
            _read_beside(feed, child)
        parent.remove(child)
    feed.last = item


def _read_after(feed: Feed, root: Element) -> None:
    """Read what stands behind the last item, or the whole head if there is no item."""
    parent = root
    if feed.channel.names[str(root.tag)] == "rss":
        heads = list(root.iterchildren("*"))
        if len(heads) != 1 or feed.channel.names[str(heads[0].tag)] != "channel":
            raise NotSoundError("an element beside the channel")
        parent = heads[0]
    if feed.parent is None:
        _find_place(feed, parent)
    for child in parent:
        if child is not feed.last:
            _read_beside(feed, child)
    if feed.last is None and not feed.xml.channel:
        raise NotSoundError("nothing in it")


def _find_place(feed: Feed, parent: Element) -> None:
    """Note the element that holds the items; raises ``NotSoundError`` if no format has its items there."""
    names, root = feed.channel.names, parent.getroottree().getroot()
    path = (names[str(root.tag)], names[str(parent.tag)])
    if path == ("feed", "feed"):
        feed.channel.is_atom = True
    elif path == ("rdf:rdf", "rdf:rdf"):
        feed.is_rdf = True
    elif path != ("rss", "channel") or parent.getparent() is not root:
        raise NotSoundError("no element of a feed")
    if not feed.is_rdf and (language := parent.get(_LANGUAGE) or root.get(_LANGUAGE, root.get("lang"))):
        feed.channel.values["language"] = language.replace("_", "-")
    feed.parent = parent
    if base := _find_base(feed, parent):
        feed.channel.values["base"] = base


def _read_beside(feed: Feed, child: Element) -> None:
    """Read one child of the element that holds the items: of the channel, or of what stands beside it in RSS 1.0."""
    if not isinstance(child.tag, str):
        return
    if feed.is_rdf and feed.channel.names[child.tag] == "channel":
        for inner in child.iterchildren("*"):
            _read_channel_element(feed, inner)
    elif not feed.is_rdf:
        _read_channel_element(feed, child)


def _find_base(feed: Feed, element: Element) -> str | None:
    """Return the base of the relative addresses in an element (XML Base); ``None`` for the document's own."""
    return enclosures.resolve_url(feed.base, element.base) if feed.base and element.base else None


def _resolve_own(feed: Feed, element: Element, above: str | None) -> None:
    """Resolve the addresses in an element that has a base of its own."""
    base = _find_base(feed, element)
    if base is None or base == above:
        return
    for inner in element.iter("*"):
        for name, value in inner.items():
            if name in _ADDRESSES and (url := enclosures.resolve_url(base, value)):
                inner.set(name, url)
    if element.text and not len(element):
        element.text = enclosures.resolve_markup(base, element.text)


def _read_channel_element(feed: Feed, child: Element) -> None:
    if feed.base:
        _resolve_own(feed, child, feed.channel.values.get("base"))
    read_element(feed.channel, child)
    podcast.add_channel_element(feed.xml, child)


def _read_item(feed: Feed, element: Element, digest: str | None = None) -> _Item:
    entry = Fields(feed.channel.names, is_atom=feed.channel.is_atom)
    if about := element.get(_ABOUT):
        entry.values["id"] = about
    if base := _find_base(feed, element):
        entry.values["base"] = base
    for child in element.iterchildren("*"):
        if entry.names[str(child.tag)] in {"item", "entry"}:
            raise NotSoundError("an item inside of an item")
        if feed.base:
            _resolve_own(feed, child, base)
        read_element(entry, child)
    return entry.values, podcast.read_item(element, digest)
