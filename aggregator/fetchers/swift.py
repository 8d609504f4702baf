"""The fast reader: one strict pass over a sound feed, which tells what feedparser would tell, or nothing at all.

feedparser takes 3 ms for an item; this takes a fiftieth. What it answers goes through the same code as feedparser's
answer, so that the two agree by construction; where anything is irregular (not well-formed, a document type, XHTML or
Base64 inside, ``xml:base``, an encoding that is not certain, elements at unusual places) it steps back, and feedparser
reads. The known differences, all of libxml2 and expat, stand in ``tests/fetchers/data/swift.tsv``.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from msgspec import Struct, field

from aggregator.fetchers import swift_channel, swift_cut, swift_item, tree
from aggregator.fetchers.feed_xml import Beside, Said
from aggregator.fetchers.letters import honest
from aggregator.fetchers.swift_context import Context
from aggregator.fetchers.swift_cut import Cut, Plainly
from aggregator.fetchers.swift_names import IrregularError, MisplacedError, Names, declare, name
from aggregator.fetchers.swift_stencil import Plain
from aggregator.fetchers.swift_words import attributes
from aggregator.fetchers.tree import Element
from aggregator.model.source import Document

DECLARATION = re.compile(rb"<\?xml[^>]*?>")  # this and the next are feedparser's, whose rules for encodings are kept
ENCODING = re.compile(rb"""<\?.*encoding=['"](.*?)['"].*\?>""")
FIRST_ELEMENT = re.compile(rb"<\w")
DOCTYPE = re.compile(rb"<!(?:doctype|entity)", re.IGNORECASE)
BASES = (  # two, for a literal is found faster; what is behind it says that no letter stands before
    re.compile(rb"base(?<=[\s:]base)\s*=\s*[\"']"), re.compile(rb"BASE(?<=[\s:]BASE)\s*=\s*[\"']"),
)  # fmt: skip
LATIN = re.compile(r"iso8859-\d+|cp125\d|koi8-[ru]")  # one byte, one letter: they decode or they do not
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
RSS10 = {"http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"}
ATOM = "http://www.w3.org/2005/atom"
ATOM03 = "http://purl.org/atom/ns#"
Item: TypeAlias = tuple[dict[str, Any], Said]
"""What feedparser would tell of an item, and the XML's own account of it."""


class Channel(Struct):
    """Where the reader is: the channel so far by both accounts, whether it is Atom's, and the last item taken."""

    context: Context = field(default_factory=lambda: Context(Names(), is_entry=False))
    account: Beside = field(default_factory=Beside)
    parent: Element | None = None
    last: Element | None = None
    is_atom: bool = False
    is_rdf: bool = False


def entries(document: Document, channel: Channel, plain: Plainly) -> Iterator[Item | Plain]:
    """The items in the feed's order while the channel is filled: the plain ones as texts, the others by both accounts.

    ``plain`` decides which are plain. Raises ``IrregularError`` where feedparser must read, maybe only behind the last
    item: what was told does not count. ``MisplacedError`` where the same is to be asked with none taken for plain.
    """
    cut = swift_cut.cut(*utf8(honest(document.body), document.charset), plain)
    if any(base.search(cut.rest) for base in BASES):
        raise IrregularError("an address of its own for links")
    names, runs = channel.context.names, iter(cut.runs)
    plans: dict[str, swift_item.Plan] = {}
    root: Element | None = None
    try:
        for found in tree.sound(cut.rest, "{*}item", "{*}entry"):
            if isinstance(found, tuple):
                if found[1]:
                    declare(names, found[0] or "", found[1])
            elif name(names, str(found.tag)) in {"item", "entry"}:
                _before(channel, found)
                if found.get(swift_cut.MARK):
                    _passed(channel, found, cut)
                    yield from next(runs)
                else:
                    yield _entry(channel, found, plans)
            else:
                root = found
    except ValueError as error:
        raise error if isinstance(error, IrregularError) else _unsound(str(error), cut) from error
    if root is None:
        raise IrregularError("no element of a feed")
    if next(runs, None):
        raise MisplacedError("items where none can stand")
    _end(channel, root)


def _unsound(why: str, cut: Cut) -> IrregularError:
    """What a rest that is not well-formed means: the document is not, or an item was cut out of a section's middle."""
    return MisplacedError(why) if cut.runs else IrregularError(why)


def _passed(channel: Channel, place: Element, cut: Cut) -> None:
    """Do to the channel what items do that were cut out there; ``MisplacedError`` where they do not fit in."""
    context, spaces = channel.context, place.nsmap
    if channel.is_atom or channel.is_rdf or context.has_content or context.names.declared != cut.names.declared:
        raise MisplacedError("items that stand otherwise than they seemed to")
    if any(spaces.get(prefix or None, "") != cut.spaces.get(prefix, "") for prefix in cut.prefixes):
        raise MisplacedError("a namespace that is another than it seemed to be")
    context.title_depth = 1


def _entry(channel: Channel, item: Element, plans: dict[str, swift_item.Plan]) -> Item:
    """One item by both accounts; two of feedparser's states pass from the channel to it and back."""
    above = channel.context
    context = Context(above.names, is_entry=True, has_content=above.has_content)
    values, said = swift_item.read(item, above.names, plans, context)
    swift_item.check(values, said, is_atom=channel.is_atom)
    above.has_content = False
    above.title_depth = context.title_depth + (context.title_depth >= 0 and not channel.is_rdf)
    return values, said


def utf8(body: bytes, charset: str | None) -> tuple[bytes, int]:
    """The document in UTF-8 and where it begins behind its declaration; the encoding by feedparser's rules (RFC 3023).

    Raises ``IrregularError`` where these would have to guess, or where a document type stands in it.
    """
    start = len(codecs.BOM_UTF8) if body.startswith(codecs.BOM_UTF8) else 0
    said = ENCODING.match(body, start)
    declaration = DECLARATION.match(body, start)
    encoding = _codec(charset or (said and said[1].decode("utf-8", "replace")) or "utf-8")
    if declaration and not declaration[0].isascii():
        raise IrregularError("a declaration with letters beyond ASCII")
    start = declaration.end() if declaration else start
    if encoding != "utf-8" and not body.isascii():
        try:
            body, start = body[start:].decode(encoding).encode("utf-8"), 0
        except UnicodeError:
            raise IrregularError(f"not in {encoding}, as it says") from None
    first = FIRST_ELEMENT.search(body, start)
    if first is None or body.startswith(codecs.BOM_UTF8, start) or DOCTYPE.search(body, start, first.start()):
        raise IrregularError("a document type, or no element")
    return body, start


def _codec(named: str) -> str:
    """The encoding's name in Python; ``IrregularError`` for one that is unknown or wide."""
    try:
        found = codecs.lookup(named.strip().strip("\"'")).name
    except (LookupError, ValueError):
        raise IrregularError("an encoding that is unknown") from None
    if found not in {"utf-8", "ascii"} and not LATIN.fullmatch(found):
        raise IrregularError(f"the encoding {found}")
    return found


def _before(channel: Channel, item: Element) -> None:
    """Take what stands between the last item and this one, and let go of both."""
    parent = item.getparent()
    if parent is None or (parent is not channel.parent and channel.parent is not None):
        raise IrregularError("items at several places")
    if channel.parent is None:
        _place(channel, parent)
    for child in reversed(list(item.itersiblings(preceding=True))):
        if child is not channel.last:
            _take(channel, child)
        parent.remove(child)
    channel.last = item


def _end(channel: Channel, root: Element) -> None:
    """Take what stands behind the last item; the head where there is none."""
    names = channel.context.names
    if name(names, str(root.tag)) == "rss":
        heads = list(root.iterchildren("*"))
        if len(heads) != 1 or name(names, str(heads[0].tag)) != "channel":
            raise IrregularError("an element beside the channel")
        parent = heads[0]
    else:
        parent = root
    if channel.parent is None:
        _place(channel, parent)
    for child in parent:
        if child is not channel.last:
            _take(channel, child)
    if channel.last is None and not channel.account.channel:
        raise IrregularError("nothing in it")


def _take(channel: Channel, child: Element) -> None:
    """One child of the element that holds the items: of the channel, or beside it in RSS 1.0."""
    names = channel.context.names
    if not channel.is_rdf:
        swift_channel.take(channel.context, channel.account, child)
    elif isinstance(child.tag, str) and name(names, child.tag) == "channel":
        if attributes(child).keys() & {"lastmod", "href"}:
            raise IrregularError("attributes of the Channel Definition Format")
        for inner in child:
            swift_channel.take(channel.context, channel.account, inner)
    else:
        swift_channel.aside(channel.context, child)


def _place(channel: Channel, parent: Element) -> None:
    """Note the element that holds the items; ``IrregularError`` where it is not where the formats have it."""
    names, root = channel.context.names, parent.getroottree().getroot()
    path = (name(names, str(root.tag)), name(names, str(parent.tag)))
    known = {address.lower() for address in names.declared.values()}
    if path == ("feed", "feed") and known & {ATOM, ATOM03} and not known & RSS10:
        channel.is_atom = True
    elif path == ("rdf_rdf", "rdf_rdf"):
        if RSS10.isdisjoint(known) or ATOM in known:
            raise IrregularError("RDF of an unknown version")
        channel.is_rdf = True
    elif path != ("rss", "channel") or parent.getparent() is not root:
        raise IrregularError("no element of a feed")
    about = attributes(root)
    if attributes(parent).keys() & {"lastmod", "href"}:
        raise IrregularError("attributes of the Channel Definition Format")
    language = root.get(LANGUAGE, about.get("lang"))
    if language and path[0] != "rdf_rdf":
        channel.context.values["language"] = language.replace("_", "-")
    channel.parent = parent
