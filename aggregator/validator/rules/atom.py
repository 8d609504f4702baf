"""Rules for Atom, and for links of Atom in any XML feed: paging and push."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aggregator.generator.content import sanitize
from aggregator.generator.content.links import IRI
from aggregator.generator.podcast import Node, make_tag
from aggregator.validator import values
from aggregator.validator.document import ATOM, FeedDocument, Spot, find_line, get_text
from aggregator.validator.rule import Checklist, Fault

RULES = Checklist()
_TEXTS = ("title", "summary", "content", "subtitle", "rights")
_NO_SPACE = ("id", "icon", "logo", "uri", "updated", "published")
_TYPES = frozenset({"text", "html", "xhtml"})
_PAGING = frozenset({"next", "prev", "previous", "first", "last", "prev-archive", "next-archive", "current"})


def _list_elements(document: FeedDocument) -> Iterator[tuple[Spot, Node]]:
    if document.kind == "atom" and document.root is not None:
        yield Spot("feed", find_line(document.root)), document.root
        yield from document.items


@RULES.add("atom-title", "S", "Titles say something", "W3C")
def _check_title(document: FeedDocument) -> Iterator[Fault]:
    for where, element in _list_elements(document):
        if not _read_text(found := element.find(f"{ATOM}title")) and found is not None:
            yield where, "has an empty title"


def _read_text(element: Node | None) -> str:
    """Return the text of an element and its children; a title may be XHTML."""
    return "" if element is None else "".join(map(str, element.itertext())).strip()


@RULES.add("atom-id", "M", "Ids are absolute IRIs", "RFC 4287 4.2.6")
def _check_ids(document: FeedDocument) -> Iterator[Fault]:
    for where, element in _list_elements(document):
        text = get_text(element, "atom:id")
        if text and not IRI.fullmatch(text):
            yield where, f"id {text[:80]!r} is no absolute IRI"


@RULES.add("atom-id-unique", "S", "No two entries with one id", "RFC 4287 4.1.1")
def _check_unique(document: FeedDocument) -> Iterator[Fault]:
    counts = Counter(get_text(entry, "atom:id") for _, entry in document.items) if document.kind == "atom" else {}
    yield from (("feed", f"{count} entries have the id {text[:80]!r}") for text, count in counts.items() if count > 1)


@RULES.add("atom-dates", "M", "Dates by RFC 3339 with their zone", "RFC 4287 3.3")
def _check_dates(document: FeedDocument) -> Iterator[Fault]:
    for where, element in _list_elements(document):
        for name in ("updated", "published"):
            for found in element.iterfind(ATOM + name):
                if not values.is_rfc3339(found.text):
                    yield where, f"{name} is {found.text!r}, no date of RFC 3339 with its zone"


@RULES.add("atom-future", "S", "No entry is published in the future", "AntennaPod")
def _check_future(document: FeedDocument) -> Iterator[Fault]:
    for where, element in _list_elements(document):
        at = values.parse_date(get_text(element, "atom:published"))
        if at and values.is_future(at, document.now):
            yield where, f"published {at.isoformat()} is in the future"


@RULES.add("atom-author", "M", "An author of the feed or of each entry", "RFC 4287 4.1.1")
def _check_author(document: FeedDocument) -> Iterator[Fault]:
    if document.kind == "atom" and document.root is not None and document.root.find(f"{ATOM}author/{ATOM}name") is None:
        for where, entry in document.items:
            if entry.find(f"{ATOM}author/{ATOM}name") is None:
                yield where, "has no author, nor has the feed"


@RULES.add("atom-enclosure", "S", "Enclosures with address, type and length", "RFC 4287 4.2.7")
def _check_enclosures(document: FeedDocument) -> Iterator[Fault]:
    for where, entry in document.items:
        for link in _find_links(entry, "enclosure"):
            lacking = [name for name in ("href", "type", "length") if not link.get(name)]
            if lacking or not IRI.fullmatch(link.get("href") or ""):
                yield where, f"enclosure {link.get('href')!r} lacks {', '.join(lacking) or 'a web address'}"


@RULES.add("atom-alternate", "M", "One alternate for each type; content or an alternate", "RFC 4287 4.1.1, 4.1.2")
def _check_alternates(document: FeedDocument) -> Iterator[Fault]:
    sources = ((where, source) for where, entry in document.items for source in entry.iterfind(f"{ATOM}source"))
    for where, element in (*_list_elements(document), *sources):
        counts = Counter((link.get("type"), link.get("hreflang")) for link in _find_links(element, "alternate"))
        yield from (
            (where, f"has {count} alternate links of type {key[0]}") for key, count in counts.items() if count > 1
        )
        if element.tag == f"{ATOM}entry" and not counts and element.find(f"{ATOM}content") is None:
            yield where, "has neither content nor an alternate link"


@RULES.add("atom-self", "S", "One link rel=self", "RFC 4287 4.1.1")
def _check_self_link(document: FeedDocument) -> Iterator[Fault]:
    if document.kind == "atom" and document.root is not None and len(_find_links(document.root, "self")) != 1:
        yield "feed", f"has {len(_find_links(document.root, 'self'))} links rel=self instead of one"


@RULES.add("atom-links-first", "S", "Links of the feed before its entries", "W3C")
def _check_before_entries(document: FeedDocument) -> Iterator[Fault]:
    if document.kind == "atom" and document.root is not None:
        names = [str(child.tag) for child in document.root]
        if f"{ATOM}entry" in names and f"{ATOM}link" in names[names.index(f"{ATOM}entry") :]:
            yield "feed", "has links after the first entry"


@RULES.add("atom-text-type", "M", "Texts are text, html or xhtml", "RFC 4287 3.1.1, 4.1.3.1")
def _check_types(document: FeedDocument) -> Iterator[Fault]:
    for where, element in _list_elements(document):
        for name in _TEXTS:
            for found in element.iterfind(ATOM + name):
                kind = found.get("type", "text")
                if kind not in _TYPES and not (name == "content" and "/" in kind):
                    yield where, f"{name} has type {kind!r}"


@RULES.add("atom-markup", "S", "Text with markup has its type", "RFC 4287 3.1.1")
def _check_markup(document: FeedDocument) -> Iterator[Fault]:
    for where, element in _list_elements(document):
        for name in _TEXTS:
            for found in element.iterfind(ATOM + name):
                if "type" not in found.attrib and sanitize.has_markup(found.text or ""):
                    yield where, f"{name} holds markup and does not say type=html"


@RULES.add("atom-white-space", "M", "No white space in dates and IRIs", "RFC 4287 2, 3.3")
def _check_white_space(document: FeedDocument) -> Iterator[Fault]:
    if document.kind == "atom" and document.root is not None:
        for element in document.root.iter(*(ATOM + name for name in _NO_SPACE)):
            if (text := element.text or "") != text.strip():
                yield element, "has white space around its text"


@RULES.add("atom-source", "S", "A source has id, title and updated", "RFC 4287 4.2.11")
def _check_source(document: FeedDocument) -> Iterator[Fault]:
    for where, entry in document.items:
        for source in entry.iterfind(f"{ATOM}source"):
            lacking = [name for name in ("id", "title", "updated") if source.find(ATOM + name) is None]
            if lacking:
                yield where, f"source lacks {', '.join(lacking)}"


def _find_links(element: Node, rel: str) -> list[Node]:
    return [link for link in element.iterfind(f"{ATOM}link") if link.get("rel", "alternate") == rel]


@RULES.add("paging-place", "S", "Links for paging stand in the feed, not in items", "RFC 5005")
def _check_paging(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        for link in item.iterfind(f"{ATOM}link"):
            if link.get("rel") in _PAGING:
                yield where, f"has a link rel={link.get('rel')}, which belongs to the feed"


@RULES.add("paging-archive", "S", "Archives name the current feed; links have addresses", "RFC 5005; WebSub")
def _check_archive(document: FeedDocument) -> Iterator[Fault]:
    top = document.root if document.kind == "atom" else document.channel
    if top is None:
        return
    archived = top.find(make_tag("fh:archive")) is not None
    if archived and not _find_links(top, "current"):
        yield "feed", "is an archive (fh:archive) without a link rel=current"
    for rel in ("prev-archive", "next", "hub"):
        for link in _find_links(top, rel):
            if not values.is_web(link.get("href")):
                yield "feed", f"link rel={rel} has href {link.get('href')!r}"
