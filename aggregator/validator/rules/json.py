"""Rules for JSON Feed 1.1, and for OPML 2.0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from aggregator.generator.content.links import IRI
from aggregator.generator.podcast import Node
from aggregator.validator import values
from aggregator.validator.document import FeedDocument, Spot, find_line
from aggregator.validator.rule import Checklist, Fault

RULES = Checklist()
_VERSION = "https://jsonfeed.org/version/1.1"
_FIRST = "https://jsonfeed.org/version/1"
_STRINGS = ("description", "user_comment", "language", "content_html", "content_text", "summary", "title")
_ADDRESSES = (
    *("home_page_url", "feed_url", "next_url", "icon", "favicon"),
    *("url", "external_url", "image", "banner_image"),
)
_RFC_DATES = ("dateCreated", "dateModified")


def _list_items(document: FeedDocument) -> Iterator[tuple[str, dict[str, Any]]]:
    for position, one in enumerate(document.objects):
        yield f"items[{position}] {str(one.get('id', ''))[:80]}".rstrip(), one


def _is_sound(document: FeedDocument) -> bool:
    return document.kind == "json" and not document.broken


@RULES.add("json-no-bom", "M", "No byte order mark", "RFC 8259 8.1")
def _check_byte_order_mark(document: FeedDocument) -> Iterator[Fault]:
    if document.kind == "json" and document.raw.startswith(b"\xef\xbb\xbf"):
        yield "document", "begins with a byte order mark"


@RULES.add("json-version", "M", "version is that of JSON Feed", "JSON Feed 1.1")
def _check_version(document: FeedDocument) -> Iterator[Fault]:
    if _is_sound(document) and document.data.get("version") not in (_VERSION, _FIRST):
        yield "version", f"is {document.data.get('version')!r}, not {_VERSION!r}"


@RULES.add("json-version-newest", "S", "version is that of 1.1", "JSON Feed 1.1")
def _check_version_newest(document: FeedDocument) -> Iterator[Fault]:
    if document.data.get("version") == _FIRST:
        yield "version", f"is {_FIRST!r}; {_VERSION!r} is its successor"


@RULES.add("json-required", "M", "title and items", "JSON Feed 1.1")
def _check_required(document: FeedDocument) -> Iterator[Fault]:
    if _is_sound(document):
        if not isinstance(document.data.get("title"), str) or not document.data["title"].strip():
            yield "title", "is missing or empty"
        if not isinstance(document.data.get("items"), list):
            yield "items", "is missing or no list"
        elif len(document.objects) != len(document.data["items"]):
            yield "items", "has members that are no objects"


@RULES.add("json-addresses", "S", "home_page_url and feed_url", "JSON Feed 1.1")
def _check_addresses(document: FeedDocument) -> Iterator[Fault]:
    for name in ("home_page_url", "feed_url"):
        if _is_sound(document) and not values.is_web(str(document.data.get(name, ""))):
            yield name, f"is {document.data[name]!r}" if name in document.data else "is missing"


@RULES.add("json-id", "M", "Ids are strings, not empty, unique", "JSON Feed 1.1")
def _check_ids(document: FeedDocument) -> Iterator[Fault]:
    counts = Counter(str(one.get("id")) for one in document.objects)
    for where, one in _list_items(document):
        if not isinstance(one.get("id"), str) or not one["id"].strip():
            yield where, f"id is {one.get('id')!r}, not a non-empty string"
        elif counts[one["id"]] > 1:
            yield where, "id stands more than once"


@RULES.add("json-content", "M", "content_html or content_text", "JSON Feed 1.1")
def _check_content(document: FeedDocument) -> Iterator[Fault]:
    for where, one in _list_items(document):
        if not any(isinstance(one.get(name), str) for name in ("content_html", "content_text")):
            yield where, "has neither content_html nor content_text"


@RULES.add("json-dates", "M", "Dates by RFC 3339 with their zone", "JSON Feed 1.1")
def _check_dates(document: FeedDocument) -> Iterator[Fault]:
    for where, one in _list_items(document):
        for name in ("date_published", "date_modified"):
            if name in one and not values.is_rfc3339(one[name]):
                yield where, f"{name} is {one[name]!r}, no date of RFC 3339 with its zone"


@RULES.add("json-attachments", "M", "Attachments with url and mime_type, sizes as numbers", "JSON Feed 1.1")
def _check_attachments(document: FeedDocument) -> Iterator[Fault]:
    for where, one in _list_items(document):
        given = one.get("attachments", [])
        for attachment in given if isinstance(given, list) else [given]:
            if (
                not isinstance(attachment, dict)
                or not values.is_web(attachment.get("url"))
                or "/" not in str(attachment.get("mime_type"))
            ):
                yield where, "has an attachment without url or mime_type"
                continue
            for name in ("size_in_bytes", "duration_in_seconds"):
                if name in attachment and (
                    isinstance(attachment[name], bool) or not isinstance(attachment[name], int | float)
                ):
                    yield where, f"{name} is {attachment[name]!r}, no number"


def _is_absolute(value: object) -> bool:
    return isinstance(value, str) and IRI.fullmatch(value) is not None


_KINDS: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    *((name, "no text", lambda value: isinstance(value, str)) for name in _STRINGS),
    *((name, "no absolute address", _is_absolute) for name in _ADDRESSES),
    ("expired", "neither true nor false", lambda value: isinstance(value, bool)),
    ("tags", "no list of texts", lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value)),
    (
        "hubs",
        "no list of objects with type and url",
        lambda value: (
            isinstance(value, list)
            and all(isinstance(one, dict) and one.get("type") and _is_absolute(one.get("url")) for one in value)
        ),
    ),
)


@RULES.add("json-values", "M", "Values of their type, absolute addresses", "JSON Feed 1.1")
def _check_values(document: FeedDocument) -> Iterator[Fault]:
    for where, one in (("feed", document.data), *_list_items(document)):
        for name, fault, is_sound in _KINDS:
            if one.get(name) is not None and not is_sound(one[name]):
                yield where, f"{name} is {str(one[name])[:80]!r}, {fault}"
    following = document.data.get("next_url")
    if following is not None and following == document.data.get("feed_url"):
        yield "next_url", "is the feed itself"


@RULES.add("json-authors", "S", "authors, not author", "JSON Feed 1.1")
def _check_authors(document: FeedDocument) -> Iterator[Fault]:
    for where, one in (("feed", document.data), *_list_items(document)):
        if "author" in one and document.data.get("version") == _VERSION:
            yield where, "has author, which version 1.1 calls authors"
        given = one.get("authors", [])
        if not isinstance(given, list) or any(not isinstance(author, dict) for author in given):
            yield where, "authors is no list of objects"
        elif any(not (author.get("name") or author.get("url") or author.get("avatar")) for author in given):
            yield where, "authors has one without name, url and avatar"


@RULES.add("json-extensions", "M", "Extensions are objects with an about address", "JSON Feed 1.1")
def _check_extensions(document: FeedDocument) -> Iterator[Fault]:
    for where, one in (("feed", document.data), *_list_items(document)):
        for name, value in one.items():
            if name.startswith("_") and not (isinstance(value, dict) and "about" in value):
                yield where, f"{name} is no object with an about address"


@RULES.add("json-no-program-words", "M", "No value is None, nan, null, True or False", "field")
def _check_program_words(document: FeedDocument) -> Iterator[Fault]:
    for where, one in (("feed", document.data), *_list_items(document)):
        for name, value in one.items():
            if name != "title" and (value is None or (isinstance(value, str) and value in values.PROGRAM_WORDS)):
                yield where, f"{name} has the value {value}"


@RULES.add("json-no-lost-letters", "M", "No U+FFFD", "field")
def _check_lost_letters(document: FeedDocument) -> Iterator[Fault]:
    top = {name: value for name, value in document.data.items() if name != "items"}
    for where, one in (("feed", top), *_list_items(document)):
        if "\ufffd" in str(one):
            yield where, "has U+FFFD: a letter was lost"


@RULES.add("opml-outlines", "M", "Head, body, outlines with text, type and xmlUrl", "OPML 2.0")
def _check_outlines(document: FeedDocument) -> Iterator[Fault]:
    if document.kind != "opml" or document.root is None:
        return
    yield from (("opml", f"has no {name}") for name in ("head", "body") if document.root.find(name) is None)
    for position, outline in enumerate(document.root.iter("outline"), 1):
        where = _make_place(position, outline)
        if outline.get("text") is None:
            yield where, "has no text"
        if (outline.get("xmlUrl") is not None or outline.get("type") == "rss") and not (
            values.is_web(outline.get("xmlUrl")) and outline.get("type") == "rss"
        ):
            yield where, "is a feed without type=rss or without a web address in xmlUrl"


@RULES.add("opml-details", "S", "Outlines with text, feeds with title and htmlUrl", "OPML 2.0")
def _check_outline_details(document: FeedDocument) -> Iterator[Fault]:
    if document.kind == "opml" and document.root is not None:
        for position, outline in enumerate(document.root.iter("outline"), 1):
            wanted = ("text", "title", "htmlUrl") if outline.get("xmlUrl") else ("text",)
            lacking = [name for name in wanted if not (outline.get(name) or "").strip()]
            if lacking:
                yield _make_place(position, outline), f"has no {' and no '.join(lacking)}"


def _make_place(position: int, outline: Node) -> Spot:
    return Spot(f"outline[{position}] {outline.get('text') or ''}".rstrip(), find_line(outline))


@RULES.add("opml-dates", "M", "Dates by RFC 822", "OPML 2.0")
def _check_outline_dates(document: FeedDocument) -> Iterator[Fault]:
    if document.kind == "opml" and document.root is not None:
        for name in _RFC_DATES:
            for found in document.root.iterfind(f"head/{name}"):
                if (found.text or "").strip() and (fault := values.find_date_fault(found.text or "")):
                    yield Spot(f"head/{name}", find_line(found)), fault
