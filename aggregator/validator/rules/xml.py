"""What holds for every XML document, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aggregator.generator.content import sanitize
from aggregator.generator.podcast import NAMESPACES, Node
from aggregator.text.mojibake.redecode import redecode
from aggregator.validator import values
from aggregator.validator.document import OLDER, Paper, Spot, line, shown
from aggregator.validator.rule import Fault, Rule

DECLARED = re.compile(rb"<\?xml\s+version=['\"]1\.0['\"]\s+encoding=['\"](?i:utf-8)['\"][^?]*\?>")
WORDS = frozenset({"None", "nan", "NaN", "null", "NULL", "True", "False", "undefined"})
USUAL = ("itunes", "podcast", "atom", "content")
# The W3C validator warns from here on and stops at five times as much.
LARGE = 1_000_000
# Characters on each side by which it is judged whether letters were decoded wrongly or are somebody's language.
PASSAGE = 200
STYLE = re.compile(rb"<\?xml-stylesheet[^<>]*xsl")


def _declaration(paper: Paper) -> Iterator[Fault]:
    if _xml(paper) and not DECLARED.match(paper.raw.removeprefix(b"\xef\xbb\xbf")):
        yield "document", 'does not begin with <?xml version="1.0" encoding="UTF-8"?>'


def _mark(paper: Paper) -> Iterator[Fault]:
    if paper.raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        yield "document", "begins with a byte order mark"


def _doctype(paper: Paper) -> Iterator[Fault]:
    if _xml(paper) and re.search(rb"<!(?:DOCTYPE|ENTITY)\b", paper.raw[:100_000]):
        yield "document", "has a DOCTYPE or entities, which apps refuse or ignore"


def _well_formed(paper: Paper) -> Iterator[Fault]:
    if paper.broken and paper.kind == "unknown":
        yield "document", f"is no RSS, Atom, JSON Feed or OPML ({paper.broken})"
    elif paper.broken:
        yield "document", paper.broken
    elif paper.kind == "unknown":
        old = paper.root is not None and values.local(paper.root) == "RDF"
        yield "document", "is RSS 1.0, which no podcast app reads" if old else "is no RSS, Atom, JSON Feed or OPML"


def _spaces(paper: Paper) -> Iterator[Fault]:
    for prefix, uri in _declared(paper):
        if prefix in USUAL and uri != NAMESPACES[prefix]:
            yield "document", f"xmlns:{prefix} is {uri!r}, not {NAMESPACES[prefix]!r}"


def _older(paper: Paper) -> Iterator[Fault]:
    if _xml(paper) and OLDER.encode() in paper.raw[:100_000]:
        yield "document", f"has {OLDER}, the first address of {NAMESPACES['podcast']}; some readers know one alone"


def _prefixes(paper: Paper) -> Iterator[Fault]:
    known = {uri: prefix for prefix, uri in NAMESPACES.items() if prefix in USUAL}
    for prefix, uri in _declared(paper):
        if uri in known and prefix != known[uri] and not (paper.kind == "atom" and prefix is None):
            yield "document", f"{uri} has the prefix {prefix!r}, where several parsers look for {known[uri]!r}"


def _numbered(paper: Paper) -> Iterator[Fault]:
    for prefix, uri in _declared(paper):
        if prefix and re.fullmatch(r"ns\d+", prefix):
            yield "document", f"{uri} has the prefix {prefix}, which nobody meant to write"


def _words(paper: Paper) -> Iterator[Fault]:
    for element in values.elements(paper):
        said = (element.text or "").strip()
        if said in WORDS and shown(element) not in {"title", "atom:title", "itunes:title"}:
            yield _path(element), f"says {said}"
        for name, value in element.attrib.items():
            if value in WORDS:
                yield _path(element), f"{name!s} says {value!s}"


def _twice(paper: Paper) -> Iterator[Fault]:
    for element in values.elements(paper):
        said = element.text or ""
        marked = values.local(element) in values.MARKED or element.get("type") in {"html", "xhtml"}
        found = (sanitize.ESCAPED_TWICE if marked else sanitize.ENTITY).search(said)
        if found and not said.startswith(("http:", "https:")):
            yield _path(element), f"has {found.group()} in its text: escaped once too often"


def _lost(paper: Paper) -> Iterator[Fault]:
    for element in values.elements(paper):
        if "\ufffd" in (element.text or "") or any("\ufffd" in value for value in element.attrib.values()):
            yield _path(element), "has U+FFFD: a letter was lost"


def _padded(paper: Paper) -> Iterator[Fault]:
    for element in values.elements(paper):
        said = element.text or ""
        if len(element) == 0 and said != said.strip() and said.strip() and _bare(element):
            yield _path(element), "has white space around its text"


def _bare(element: Node) -> bool:
    """Is white space around this element's text part of a value? In markup, and in what others define, it is not."""
    markup = values.local(element) in values.MARKED and sanitize.has_markup(element.text or "")
    name = shown(element)
    return not markup and not name.startswith("{") and name not in {"content:encoded", "atom:content", "atom:summary"}


def _titles(paper: Paper) -> Iterator[Fault]:
    for element in values.plain(paper):
        if sanitize.has_markup(element.text or ""):
            yield _path(element), f"has markup in plain text: {(element.text or '')[:60]!r}"


def _spoiled(paper: Paper) -> Iterator[Fault]:
    for element in values.elements(paper):
        said = element.text or ""
        found = values.MOJIBAKE.search(said)
        if found and redecode(passage := said[max(0, found.start() - PASSAGE) : found.end() + PASSAGE]) != passage:
            yield _path(element), f"was decoded wrongly: {said[max(0, found.start() - 12) : found.end() + 12]!r}"


def _long(paper: Paper) -> Iterator[Fault]:
    for element in values.plain(paper):
        if len(element.text or "") > sanitize.LONGEST_LINE:
            yield _path(element), f"has {len(element.text or '')} characters"


def _stylesheet(paper: Paper) -> Iterator[Fault]:
    if _xml(paper) and STYLE.search(paper.raw[:4000]):
        yield "document", "has an XSLT stylesheet, which browsers no longer apply"


def _size(paper: Paper) -> Iterator[Fault]:
    if len(paper.raw) >= LARGE:
        yield "document", f"has {len(paper.raw):,} bytes; at 5 MB the W3C validator stops reading"


def _xml(paper: Paper) -> bool:
    return paper.kind not in {"json", "unknown"}


def _declared(paper: Paper) -> list[tuple[str | None, str]]:
    """Every prefix and its address, as declared anywhere in the document, each once."""
    found: dict[tuple[str | None, str], None] = {}
    for element in values.elements(paper):
        found.update(dict.fromkeys(element.nsmap.items()))
    return list(found)


def _path(element: Node) -> Spot:
    """Where an element stands: its names from the item or the channel down, and the item's id."""
    names = [shown(one) for one in (element, *element.iterancestors())][::-1]
    item = next((one for one in element.iterancestors() if values.local(one) in {"item", "entry"}), None)
    said = "" if item is None else (item.findtext("guid") or item.findtext(f"{{{NAMESPACES['atom']}}}id") or "")
    return Spot(f"{'/'.join(names[1:]) or names[0]} {said.strip()[:80]}".rstrip(), line(element))


RULES = (
    Rule("xml-declaration", "M", "The document says that it is UTF-8", "XML 1.0; Apple", _declaration, "S"),
    Rule("xml-no-bom", "M", "No byte order mark", "XML 1.0; Apple", _mark, "S"),
    Rule("xml-no-doctype", "M", "No DOCTYPE, no entities of its own", "Apple", _doctype, "S"),
    Rule("well-formed", "M", "Well-formed, of characters that XML allows", "XML 1.0; Apple; RFC 8259", _well_formed),
    Rule("namespace-uri", "M", "Namespace addresses are exact to the byte", "PSP-1; Apple", _spaces),
    Rule("namespace-older", "S", "The podcast namespace by its own address", "podcast namespace", _older),
    Rule(
        "namespace-prefix", "M", "Prefixes are literally itunes, podcast, atom, content", "PSP-1; field", _prefixes, "S"
    ),
    Rule("namespace-numbered", "M", "No prefixes such as ns0", "field", _numbered),
    Rule("no-program-words", "M", "No value is None, nan, null, True or False", "field", _words),
    Rule("no-double-escaping", "M", "Text is escaped once", "field", _twice),
    Rule("no-lost-letters", "M", "No U+FFFD", "field", _lost),
    Rule("trimmed", "S", "No white space around values", "PSP-1; Apple", _padded),
    Rule("plain-titles", "S", "No markup in titles and names", "PSP-1; Apple", _titles),
    Rule("no-mojibake", "S", "Text was decoded rightly", "Apple", _spoiled),
    Rule("short-values", "S", "Titles and names have at most 255 characters", "PSP-1", _long),
    Rule("no-xslt", "S", "No XSLT processing instruction", "Chrome 155, 2026", _stylesheet),
    Rule("small-document", "S", "The document is smaller than 1 MB", "W3C feed validator", _size),
)
