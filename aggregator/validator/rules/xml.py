"""Rules for every XML document, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from aggregator.generator.content import sanitize
from aggregator.generator.podcast import NAMESPACES, Node, format_name, make_tag
from aggregator.text.mojibake.redecode import redecode
from aggregator.validator import values
from aggregator.validator.document import ATOM, OLDER, FeedDocument
from aggregator.validator.rule import Checklist, Fault

RULES = Checklist()
_DECLARED = re.compile(rb"<\?xml\s+version=['\"]1\.0['\"]\s+encoding=['\"](?i:utf-8)['\"][^?]*\?>")
_USUAL = ("itunes", "podcast", "atom", "content")
# The W3C validator warns from here on and stops at five times as much.
_LARGE = 1_000_000
# Characters on each side that show whether letters were decoded wrongly or are of another language.
_PASSAGE = 200
_OTHER_FORMATS = {
    "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}RDF": "RSS 1.0",
    "{http://purl.org/net/rss1.1#}Channel": "RSS 1.1",
    f"{ATOM}entry": "a single Atom entry",
}
# The address as a namespace; in notes it is a link.
_OLDER = re.compile(rb"xmlns:[\w.-]+\s*=\s*[\"']" + re.escape(OLDER.encode()) + rb"[\"']")
_STYLE = re.compile(rb"<\?xml-stylesheet[^<>]*xsl")


@RULES.add("xml-declaration", "S", "The document is declared as UTF-8", "XML 1.0; Apple")
def _check_declaration(document: FeedDocument) -> Iterator[Fault]:
    if _is_xml(document) and not _DECLARED.match(document.raw.removeprefix(b"\xef\xbb\xbf")):
        yield "document", 'does not begin with <?xml version="1.0" encoding="UTF-8"?>'


@RULES.add("xml-no-bom", "S", "No byte order mark", "XML 1.0; Apple")
def _check_byte_order_mark(document: FeedDocument) -> Iterator[Fault]:
    if _is_xml(document) and document.raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        yield "document", "begins with a byte order mark"


@RULES.add("xml-no-doctype", "S", "No DOCTYPE, no entities of its own", "Apple")
def _check_doctype(document: FeedDocument) -> Iterator[Fault]:
    if _is_xml(document) and re.search(rb"<!(?:DOCTYPE|ENTITY)\b", document.raw[:100_000]):
        yield "document", "has a DOCTYPE or entities, which apps refuse or ignore"


@RULES.add("well-formed", "M", "Well-formed, of characters that XML allows", "XML 1.0; Apple; RFC 8259")
def _check_well_formed(document: FeedDocument) -> Iterator[Fault]:
    if document.broken and document.kind == "unknown":
        yield "document", f"is no RSS, Atom, JSON Feed or OPML ({document.broken})"
    elif document.broken:
        yield "document", document.broken
    elif document.kind == "unknown" and _find_other_format(document) is None:
        yield "document", "is no RSS, Atom, JSON Feed or OPML"


def _find_other_format(document: FeedDocument) -> str | None:
    """Return the name of a format that is not checked; ``None`` for a document that is no feed."""
    return None if document.root is None else _OTHER_FORMATS.get(str(document.root.tag))


@RULES.add("format", "S", "A format that podcast apps read", "RSS 2.0; RFC 4287; JSON Feed")
def _check_format(document: FeedDocument) -> Iterator[Fault]:
    if (name := _find_other_format(document)) is not None:
        yield "document", f"is {name}, which no podcast app reads; nothing else was checked"


@RULES.add("namespace-uri", "M", "Namespace addresses are exact to the byte", "PSP-1; Apple")
def _check_namespaces(document: FeedDocument) -> Iterator[Fault]:
    for prefix, uri in _list_namespaces(document):
        if prefix in _USUAL and uri != NAMESPACES[prefix]:
            yield "document", f"xmlns:{prefix} is {uri!r}, not {NAMESPACES[prefix]!r}"


@RULES.add("namespace-older", "S", "The podcast namespace by its own address", "podcast namespace")
def _check_old_namespace(document: FeedDocument) -> Iterator[Fault]:
    if _is_xml(document) and _OLDER.search(document.raw):
        yield "document", f"has {OLDER}, the first address of {NAMESPACES['podcast']}; some readers know one alone"


@RULES.add("namespace-prefix", "S", "Prefixes are literally itunes, podcast, atom, content", "PSP-1; field")
def _check_prefixes(document: FeedDocument) -> Iterator[Fault]:
    known = {uri: prefix for prefix, uri in NAMESPACES.items() if prefix in _USUAL}
    for prefix, uri in _list_namespaces(document):
        if uri in known and prefix != known[uri] and not (document.kind == "atom" and prefix is None):
            yield "document", f"{uri} has the prefix {prefix!r}, where several parsers look for {known[uri]!r}"


@RULES.add("namespace-numbered", "S", "No prefixes such as ns0", "field")
def _check_numbered(document: FeedDocument) -> Iterator[Fault]:
    for prefix, uri in _list_namespaces(document):
        if prefix and re.fullmatch(r"ns\d+", prefix):
            yield "document", f"{uri} has the prefix {prefix}, made up by a library"


@RULES.add("no-program-words", "M", "No value is None, nan, null, True or False", "field")
def _check_program_words(document: FeedDocument) -> Iterator[Fault]:
    for element in values.list_elements(document):
        text = (element.text or "").strip()
        if text in values.PROGRAM_WORDS and format_name(element) not in {"title", "atom:title", "itunes:title"}:
            yield element, f"has the value {text}"
        for name, value in element.attrib.items():
            if value in values.PROGRAM_WORDS:
                yield element, f"{name!s} has the value {value!s}"


@RULES.add("no-double-escaping", "S", "Text is escaped once", "field")
def _check_escaping(document: FeedDocument) -> Iterator[Fault]:
    for element in values.list_elements(document):
        text = element.text or ""
        marked = values.local_name(element) in values.MARKED or element.get("type") in {"html", "xhtml"}
        found = (sanitize.ESCAPED_TWICE if marked else sanitize.ENTITY).search(text)
        if found and not text.startswith(("http:", "https:")):
            yield element, f"has {found.group()} in its text: escaped once too often"


@RULES.add("no-lost-letters", "M", "No U+FFFD", "field")
def _check_lost_letters(document: FeedDocument) -> Iterator[Fault]:
    for element in values.list_elements(document):
        if "\ufffd" in (element.text or "") or any("\ufffd" in value for value in element.attrib.values()):
            yield element, "has U+FFFD: a letter was lost"


@RULES.add("trimmed", "S", "No white space around values", "PSP-1; Apple")
def _check_white_space(document: FeedDocument) -> Iterator[Fault]:
    for element in values.list_elements(document):
        text = element.text or ""
        if len(element) == 0 and text != text.strip() and text.strip() and _is_value(element):
            yield element, "has white space around its text"


def _is_value(element: Node) -> bool:
    """Return whether white space around the text is part of a value: not in markup, nor in foreign elements."""
    markup = values.local_name(element) in values.MARKED and sanitize.has_markup(element.text or "")
    name = format_name(element)
    return not markup and not name.startswith("{") and name not in {"content:encoded", "atom:content", "atom:summary"}


@RULES.add("plain-titles", "S", "No markup in titles and names", "PSP-1; Apple")
def _check_markup(document: FeedDocument) -> Iterator[Fault]:
    for element in values.list_plain_elements(document):
        if sanitize.has_markup(element.text or ""):
            yield element, f"has markup in plain text: {(element.text or '')[:60]!r}"


@RULES.add("no-mojibake", "S", "Text was decoded correctly", "Apple")
def _check_mojibake(document: FeedDocument) -> Iterator[Fault]:
    for element in values.list_elements(document):
        text = element.text or ""
        found = values.MOJIBAKE.search(text)
        if found and redecode(passage := text[max(0, found.start() - _PASSAGE) : found.end() + _PASSAGE]) != passage:
            yield element, f"was decoded wrongly: {text[max(0, found.start() - 12) : found.end() + 12]!r}"


@RULES.add("short-values", "S", "Names have at most 255 characters, summaries 4,000", "PSP-1; Apple; W3C")
def _check_lengths(document: FeedDocument) -> Iterator[Fault]:
    for element in (*values.list_plain_elements(document), *_list_summaries(document)):
        longest = sanitize.LONGEST_SUMMARY if values.local_name(element) == "summary" else sanitize.LONGEST_LINE
        if (size := len((element.text or "").strip())) > longest:
            yield element, f"has {size:,} characters of {longest:,}"


def _list_summaries(document: FeedDocument) -> Iterator[Node]:
    return iter(()) if document.root is None else document.root.iter(make_tag("itunes:summary"))


@RULES.add("no-xslt", "S", "No XSLT processing instruction", "Chrome 155, 2026")
def _check_stylesheet(document: FeedDocument) -> Iterator[Fault]:
    if _is_xml(document) and _STYLE.search(document.raw[:4000]):
        yield "document", "has an XSLT stylesheet, which browsers no longer apply"


@RULES.add("small-document", "S", "The document is smaller than 1 MB", "W3C feed validator")
def _check_size(document: FeedDocument) -> Iterator[Fault]:
    if len(document.raw) >= _LARGE:
        yield "document", f"has {len(document.raw):,} bytes; at 5 MB the W3C validator stops reading"


def _is_xml(document: FeedDocument) -> bool:
    return document.kind not in {"json", "unknown"}


def _list_namespaces(document: FeedDocument) -> list[tuple[str | None, str]]:
    """Return every prefix and its address, as declared anywhere in the document, each once."""
    if document.root is None:
        return []
    declared = (found for _, found in etree.iterwalk(document.root, events=("start-ns",)))
    return list(dict.fromkeys((prefix or None, address) for prefix, address in declared))
