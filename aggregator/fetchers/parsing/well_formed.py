"""Repair an XML document that is not well-formed, so that one mistake in one item leaves all others as they are.

A parser that recovers drops escapes of every text behind the first mistake (libxml2 2.14), and a tolerant one takes a
later element for an earlier one. So the document is repaired and read strictly: a bare "&" and "<" are escaped, an
entity that XML does not know becomes its character (HTML Living Standard, 13.5), characters that XML forbids are
dropped (XML 1.0, 2.2), and tags are balanced: an element with markup that does not close keeps it as escaped text.
What is well-formed stays byte for byte.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html.entities import html5
from urllib.parse import quote

from msgspec import Struct

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ROOT = re.compile(r"<(?:\w{1,20}:)?(?:rss|feed|rdf)[\s>]", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE\b[^\[<>]*+(?:\[[^\]]{0,5000}+\]\s*+)?>", re.IGNORECASE)
# Names of XML 1.0, section 2.3, by the characters that they do not have: `re` compiles these five times as fast.
_NOT_INSIDE = (
    r"\x00-,/:-@\[-^`{-\u00b6\u00b8-\u00bf\u00d7\u00f7\u037e\u2000-\u200b\u200e-\u203e\u2041-\u206f\u2190-\u2bff"
    r"\u2ff0-\u3000\ud800-\uf8ff\ufdd0-\ufdef\ufffe\uffff\U000f0000-\U0010ffff"
)
_LOCAL = rf"[^{_NOT_INSIDE}0-9.\-\u00b7\u0300-\u036f\u203f\u2040][^{_NOT_INSIDE}]*+"
_NAME = rf"{_LOCAL}(?::{_LOCAL})?"
# Case is ignored only where it counts: in a whole pattern it would take 100 ms to compile.
_TOKEN = re.compile(
    rf"(?P<whole><!--(?>(?:(?!--).)*)-->|(?i:<!\[CDATA\[)(?>(?:(?!\]\]>|(?i:<!\[CDATA\[)).)*)\]\]>|<\?(?!(?i:xml)[\s?]){_LOCAL}(?=[\s?])[^<>?]*+\?>)"
    rf"|(?P<type>(?i:{_DOCTYPE.pattern}))"
    rf"|</(?P<end>{_NAME})\s*+>"
    rf"|<(?P<start>{_NAME})(?P<attributes>(?>(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*))>"
    r"|(?P<half>(?i:<!\[CDATA\[))"
    r"|(?P<text>[^<]++|<)",
    re.DOTALL,
)
_REFERENCE = re.compile(
    r"&(?:#(?P<decimal>\d{1,7});|#[xX](?P<hex>[0-9a-fA-F]{1,6});|(?P<name>[A-Za-z][A-Za-z0-9]*+);)?"
)
_DECLARED = re.compile(rf"(?i:<!ENTITY)\s+({_NAME})")
_KNOWN = {"amp", "lt", "gt", "quot", "apos"}
_ATTRIBUTE = re.compile(rf"""({_NAME})\s*+(?:=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?""")
_SOUND = re.compile(rf"""(?:\s+({_LOCAL})\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'))?\s*+/?""")
_MEANT = {  # the usual prefixes
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "media": "http://search.yahoo.com/mrss/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "atom": "http://www.w3.org/2005/Atom",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}
_XHTML = re.compile("""type=(?:"xhtml"|'xhtml')""")
_PREFIX = re.compile(r"""\bxmlns:([\w.\-]++)\s*+=\s*+["']([^\s"'<>&]++)""")
_IN_ADDRESSES = "%/:?#[]@!$&'()*+,;=~"  # beside letters and digits (RFC 3986, 2.2)
_RESERVED = frozenset({"xmlns:xml", "xmlns:xmlns"})  # prefixes that no document may declare (Namespaces in XML 1.0, 3)
_PARENTS = {"item": {"channel", "rdf"}, "entry": {"feed"}, "channel": {"rss", "rdf"}}
_ITEMS = frozenset({"item", "entry"})
_ROOTS = frozenset({"rss", "feed", "rdf"})
_HOLDERS = _ITEMS | {"rss", "rdf", "channel", "feed"}
_IDS = frozenset({"guid", "id", "link", "enclosure"})
_FIELDS = _IDS | {"title", "pubdate", "published", "date", "updated", "duration", "description", "content", "encoded"}
_PLAIN = frozenset({
    "title", "link", "guid", "pubdate", "author", "category", "comments", "description", "enclosure", "source", "id",
    "updated", "published", "summary", "content", "subtitle", "rights", "contributor", "image", "language",
    "lastbuilddate", "generator", "ttl", "docs", "copyright", "item", "entry",
})  # fmt: skip
_DEEPEST = 200  # levels; libxml2 refuses 256
_HALF = "<![CDATA["  # the beginning of a section that does not end
_SECTION = re.compile(r"<!\[CDATA\[.*?\]\]>", re.DOTALL)
_NEXT_ITEM = re.compile(r"</((?:\w{1,20}:)?(?:item|entry))\s*>\s*<\1[\s>]")


class _Token(Struct):
    """A piece of the document: its ``text``, and the name of a tag with whether it opens, closes, or both."""

    text: str
    name: str = ""
    opens: bool = False
    closes: bool = False


def hides_item(text: str) -> bool:
    """Return whether a section reaches over the end of its item into the next one, which is well-formed XML.

    Its own end is lacking; that of a later section ends it. So a section begins behind an item within a section.
    """
    for section in _SECTION.finditer(text):
        begin = section[0].find(_HALF, len(_HALF))
        if begin > 0 and _NEXT_ITEM.search(section[0], 0, begin):
            return True
    return False


def make_well_formed(text: str) -> str:
    """Return the document with its mistakes repaired; it has no declaration. Linear in its length."""
    text = _FORBIDDEN.sub("", text)
    root = _ROOT.search(text)
    kind = _DOCTYPE.search(text, 0, root.start()) if root else None
    head = kind[0] if kind else ""
    if root:  # what stands before it is a program's warning
        text = head + text[root.start() :]
    escaper = _Escaper(frozenset(_DECLARED.findall(head)), text)
    tokens = list(map(escaper.read, _TOKEN.finditer(text)))
    escaper.declare(tokens)
    return "".join(_Balance(tokens).run())


class _Escaper:
    """Reads the pieces of one document; ``declared`` are the entities of its document type."""

    def __init__(self, declared: frozenset[str], text: str) -> None:
        self.known = declared | _KNOWN
        self.namespaces = _MEANT | dict(reversed(_PREFIX.findall(text)))
        self.prefixes: set[str] = set()

    def declare(self, tokens: Sequence[_Token]) -> None:
        """Declare in the first element the prefixes that it lacks: as another element does, else as usual."""
        root = next((token for token in tokens if token.opens), None)
        if root is not None:
            end = len(f"<{root.name}")
            missing = (each for each in sorted(self.prefixes) if f" xmlns:{each}=" not in root.text)
            added = (f' xmlns:{each}="{self.namespaces.get(each) or f"urn:{quote(each)}"}"' for each in missing)
            root.text = root.text[:end] + "".join(added) + root.text[end:]

    def _note_prefix(self, name: str) -> None:
        if (prefix := name.rpartition(":")[0]) not in {"", "xml", "xmlns"}:
            self.prefixes.add(prefix)

    def read(self, match: re.Match[str]) -> _Token:
        """Return one piece, its references and attributes repaired."""
        if match["whole"] or match["type"]:
            return _Token(match[0])
        if match["half"]:
            return _Token("", _HALF)
        if name := match["end"]:
            return _Token(f"</{name}>", name, closes=True)
        if name := match["start"]:
            return self._read_start(name, match["attributes"], match[0])
        return _Token("&lt;" if match[0] == "<" else self._escape(match[0].replace("]]>", "]]&gt;")))

    def _read_start(self, name: str, attributes: str, whole: str) -> _Token:
        closes = attributes.endswith("/")
        self._note_prefix(name)
        if "&" not in attributes and ":" not in attributes and _SOUND.fullmatch(attributes):
            return _Token(whole, name, opens=True, closes=closes)
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(attributes.removesuffix("/") if closes else attributes):
            value = next((value for value in match.groups()[1:] if value is not None), "")
            if match[1].startswith("xmlns:"):
                value = quote(value.strip(), safe=_IN_ADDRESSES)
                if not value or match[1] in _RESERVED:
                    continue
            self._note_prefix(match[1])
            found.setdefault(match[1], self._escape(value).replace('"', "&quot;").replace("<", "&lt;"))
        written = "".join(f' {key}="{value}"' for key, value in found.items())
        return _Token(f"<{name}{written}{'/' if closes else ''}>", name, opens=True, closes=closes)

    def _escape(self, text: str) -> str:
        return _REFERENCE.sub(self._escape_reference, text) if "&" in text else text

    def _escape_reference(self, match: re.Match[str]) -> str:
        if match["decimal"] or match["hex"]:
            code = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
            return match[0] if code <= sys.maxunicode and not _FORBIDDEN.match(chr(code)) else ""
        name = match["name"]
        if name in self.known:
            return match[0]
        character = html5.get(f"{name};") if name else None
        return character if character and character not in "&<" else f"&amp;{match[0][1:]}"


class _Balance:
    """Tags that close each other: the pieces of a document, those that are open, and end tags to insert."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.open: list[int] = []
        self.before: dict[int, str] = {}
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        for at, token in enumerate(tokens):
            self.places[token.name].append(at)
        self.damaged: set[int] = set()
        self.escaped: dict[int, int] = {}
        self._ignore_early_ends()

    def _ignore_early_ends(self) -> None:
        """Leave out the ends of the channel and the feed before the last item of the first root."""
        names = [_get_local(token.name) for token in self.tokens]
        roots = [at for at, token in enumerate(self.tokens) if token.opens and names[at] in _ROOTS]
        end = roots[1] if len(roots) > 1 else len(names)
        last = max((at for at in range(end) if names[at] in _ITEMS and self.tokens[at].opens), default=0)
        early = _ROOTS if roots and names[roots[0]] == "rdf" else _ROOTS | {"channel"}
        for at in range(last):
            if names[at] in early and not self.tokens[at].opens:
                self.tokens[at] = _Token("")

    def run(self) -> Iterator[str]:
        """Yield the pieces of the balanced document."""
        begun = False
        for at, token in enumerate(self.tokens):
            if begun and not self.open:
                del self.tokens[at:]  # behind the root
                break
            if not begun and not token.opens:
                token.text = token.text if _DOCTYPE.fullmatch(token.text) else ""
                continue
            if token.text.startswith("<!D"):
                token.text = ""
            begun = True
            if token.opens and (len(self.open) >= _DEEPEST or self._is_mentioned(at)):
                self.tokens[at] = _Token(_escape_tag(token.text))
            elif token.opens and not token.closes:
                self._close_above(at)
                self.open.append(at)
            elif token.closes and not token.opens:
                self._close(at)
            elif token.name == _HALF and self._find_child() < len(self.open):
                self.damaged.add(self.open[self._find_child()])
        self._cut_off()
        self._pop_to(len(self.tokens), 0)
        for at, token in enumerate(self.tokens):
            yield self.before.get(at, "")
            yield token.text
        yield self.before.get(len(self.tokens), "")

    def _is_mentioned(self, at: int) -> bool:
        """Return whether an item begins inside of an element that ends before it begins again: one mistake, not two."""
        child = self._find_child()
        if _get_local(self._name(at)) not in _ITEMS or not 0 < child < len(self.open):
            return False
        places = self.places[self._name(self.open[child])]
        following = bisect_right(places, at)
        return following < len(places) and not self.tokens[places[following]].opens

    def _cut_off(self) -> None:
        """Leave out the element at which the document breaks off, and its item if that lacks what others have.

        The half of a title would be the title of another item, and half of an item is not known again: it has no date,
        or no audio yet.
        """
        depth = next((d for d, place in enumerate(self.open) if _get_local(self._name(place)) in _ITEMS), None)
        if depth is None:
            return
        start = self.open[depth]
        end = self.open[depth + 1] if depth + 1 < len(self.open) else len(self.tokens)
        own, item = self._list_fields(start + 1, end), self._name(start)
        before = next((at for at in range(start - 1, -1, -1) if self._opens(at, item)), None)
        is_whole = end == len(self.tokens) if before is None else own >= self._list_fields(before, start)
        if not is_whole or own.isdisjoint(_IDS):
            end = start
            del self.open[depth:]
        del self.tokens[end:]
        del self.open[depth + 1 :]

    def _opens(self, at: int, name: str) -> bool:
        return self.tokens[at].opens and self._name(at) == name

    def _list_fields(self, start: int, end: int) -> frozenset[str]:
        """Return the names of the elements in a part of the document by which items are known."""
        names = (_get_local(token.name) for token in self.tokens[start:end] if token.opens)
        return _FIELDS.intersection(names)

    def _name(self, place: int) -> str:
        return self.tokens[place].name

    def _is_holder(self, place: int) -> bool:
        return _get_local(self._name(place)) in _HOLDERS

    def _find_child(self) -> int:
        """Return the depth of the open child of an item or channel; that of the next element if none is open."""
        return next((depth + 1 for depth in range(len(self.open) - 1, -1, -1) if self._is_holder(self.open[depth])), 0)

    def _close_above(self, at: int) -> None:
        """Close what is open where an item begins inside of another one: that one was never closed."""
        if self._is_holder(at):
            self._pop_to(at, self._find_child())
        parents = _PARENTS.get(_get_local(self._name(at)))
        if parents is None or not self.open:
            return
        names = [_get_local(self._name(place)) for place in self.open]
        parent = max((depth for depth, name in enumerate(names) if name in parents), default=None)
        if parent is not None and not _ITEMS.isdisjoint(names[parent + 1 :]):
            self._pop_to(at, parent + 1)

    def _close(self, at: int) -> None:
        """Close the element that an end tag names; a tag that closes nothing becomes text."""
        name, child = self._name(at), self._find_child()
        if self.open and self._name(self.open[-1]) == name:
            place = self.open.pop()
            if place in self.damaged:
                self._escape_inside(place, at)
            return
        if _get_local(name) in _HOLDERS:
            depth = next((d for d in range(len(self.open) - 1, -1, -1) if self._name(self.open[d]) == name), None)
            if depth is None:
                self.tokens[at] = _Token("")
                return
            self._pop_to(at, depth + 1)
            self.open.pop()
            return
        depth = next((d for d in range(len(self.open) - 1, child - 1, -1) if self._name(self.open[d]) == name), None)
        if depth is not None and depth == child:
            self._escape_inside(self.open[child], at)
            del self.open[child:]
        elif child < len(self.open):
            self._escape_inside(self.open[child], at + 1)
            self.damaged.add(self.open[child])
            del self.open[child + 1 :]
        else:
            self.tokens[at] = _Token("")

    def _pop_to(self, at: int, depth: int) -> None:
        """Close all that is open from a depth on, the child of an item before the next element of a feed."""
        while len(self.open) > depth:
            child = self._find_child()
            if child < len(self.open):
                place, where = self.open[child], at
                where = next(
                    (p for p in range(place + 1, at) if self.tokens[p].opens and _is_of_feed(self._name(p))), at
                )
                self._escape_inside(place, where)
                self.open[child:] = [each for each in self.open[child + 1 :] if each >= where]
            else:
                place, where = self.open.pop(), at
            self.before[where] = self.before.get(where, "") + f"</{self._name(place)}>"

    def _escape_inside(self, place: int, end: int) -> None:
        """Make the markup inside of an element its text: HTML, as most feeds have it."""
        begin = self.escaped.get(place, place + 1)
        self.escaped[place] = end
        inside = self.tokens[begin:end]
        marked = any("&lt;" in token.text for token in inside if not token.name)
        for at, token in enumerate(inside, begin):
            if token.name:
                self.tokens[at] = _Token(_escape_tag(token.text))
            elif not marked and not token.text.startswith("<"):
                self.tokens[at] = _Token(token.text.replace("&", "&amp;"))
        self.tokens[place].text = _XHTML.sub('type="html"', self.tokens[place].text)


def _get_local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _is_of_feed(name: str) -> bool:
    """Return whether a tag is an element of a feed, not of HTML in a text."""
    return ":" in name or name.lower() in _PLAIN


def _escape_tag(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
