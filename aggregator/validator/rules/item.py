"""Rules for the items of an RSS feed."""

from __future__ import annotations

from collections.abc import Iterator

from aggregator.generator.content import sanitize
from aggregator.generator.podcast import Node, make_tag
from aggregator.text.media_types import SPELLINGS, media_type_by_extension
from aggregator.validator import values
from aggregator.validator.document import FeedDocument, Spot, get_text, has_media
from aggregator.validator.rule import Checklist, Fault

RULES = Checklist()
_USUAL = frozenset(
    {
        "audio/mpeg", "audio/x-m4a", "audio/mp4", "audio/aac", "audio/x-m4b", "video/mp4", "video/x-m4v",
        "video/quicktime", "application/pdf", "audio/ogg", "audio/opus", "audio/wav", "audio/flac", "video/webm",
    }
)  # fmt: skip
# AntennaPod takes an enclosure of less for a mistake and shows no size.
_SMALLEST = 16_384


def _list_items(document: FeedDocument) -> tuple[tuple[Spot, Node], ...]:
    return document.items if document.kind == "rss" else ()


@RULES.add("item-title-or-description", "M", "A title or a description", "RSS 2.0; AntennaPod")
def _check_title_or_text(document: FeedDocument) -> Iterator[Fault]:
    for where, item in _list_items(document):
        if item.find("title") is None and item.find("description") is None:
            yield where, "has neither title nor description: AntennaPod rejects the whole feed"


@RULES.add("item-title", "S", "A title", "PSP-1; Apple")
def _check_title(document: FeedDocument) -> Iterator[Fault]:
    for where, item in _list_items(document):
        if not get_text(item, "title"):
            yield where, "has no title"


@RULES.add("item-title-number", "i", "No season or episode number in the title", "PSP-1; Apple")
def _check_title_number(document: FeedDocument) -> Iterator[Fault]:
    for where, item in _list_items(document):
        if values.NUMBERED.match(text := get_text(item, "title")):
            yield where, f"{text[:60]!r} begins with a season or episode number"


@RULES.add("item-enclosure", "S", "An enclosure, in a podcast", "PSP-1; Apple")
def _check_enclosure(document: FeedDocument) -> Iterator[Fault]:
    if document.podcast:
        yield from ((where, "has no enclosure") for where, item in document.items if item.find("enclosure") is None)


def _list_enclosures(document: FeedDocument) -> Iterator[tuple[Spot, Node, Node]]:
    for where, item in document.items:
        yield from ((where, item, found) for found in item.iterfind("enclosure"))


@RULES.add("item-enclosure-parts", "M", "ASCII web address, length in digits, type", "RSS 2.0; Apple")
def _check_enclosure_parts(document: FeedDocument) -> Iterator[Fault]:
    for where, _, found in _list_enclosures(document):
        if not values.is_web(found.get("url")):
            yield where, _describe_value("url", found.get("url"), "which is no web address in ASCII")
        if not (found.get("length") or "").isdecimal() or not (found.get("length") or "").isascii():
            yield where, _describe_value("length", found.get("length"), "which is no number of bytes")
        if "/" not in (found.get("type") or ""):
            yield where, _describe_value("type", found.get("type"), "which is no media type")


def _describe_value(name: str, value: str | None, fault: str) -> str:
    return f"enclosure has {name} {value!r}, {fault}" if value else f"enclosure has no {name}"


@RULES.add("item-enclosure-alone", "S", "One enclosure", "RSS Advisory Board, RSS Best Practices")
def _check_enclosure_alone(document: FeedDocument) -> Iterator[Fault]:
    for where, item in _list_items(document):
        if (count := len(item.findall("enclosure"))) > 1:
            yield where, f"has {count} enclosures, of which most apps read one"


@RULES.add("item-enclosure-length", "S", "The enclosure's real length", "AntennaPod; Apple")
def _check_length(document: FeedDocument) -> Iterator[Fault]:
    for where, _, found in _list_enclosures(document):
        length = found.get("length") or ""
        if length.isdecimal() and (size := float(length)) < _SMALLEST:
            yield where, f"enclosure has {size:.0f} bytes: the real length is not known"


@RULES.add("item-enclosure-type", "S", "A type that apps know", "Apple")
def _check_media_type(document: FeedDocument) -> Iterator[Fault]:
    for where, item, found in _list_enclosures(document):
        given = found.get("type") or ""
        if has_media(item) and given and given not in _USUAL:
            usual = SPELLINGS.get(given.lower()) or media_type_by_extension(found.get("url") or "")
            yield where, f"enclosure has the unusual type {given!r}{f': write {usual!r}' if usual else ''}"


@RULES.add("item-enclosure-extension", "S", "An extension that apps know", "Apple")
def _check_extension(document: FeedDocument) -> Iterator[Fault]:
    for where, item, found in _list_enclosures(document):
        if has_media(item) and media_type_by_extension(found.get("url") or "") is None:
            yield where, "enclosure's path has no extension that apps know"


@RULES.add("item-guid", "S", "A guid, not empty", "RSS 2.0; PSP-1")
def _check_guid(document: FeedDocument) -> Iterator[Fault]:
    for where, item in _list_items(document):
        if not get_text(item, "guid"):
            yield where, "has no guid"


@RULES.add("item-guid-once", "M", "No two items with one guid", "RSS 2.0; PSP-1")
def _check_guid_once(document: FeedDocument) -> Iterator[Fault]:
    seen: dict[str, Spot] = {}
    for where, item in document.items:
        text = get_text(item, "guid")
        if text and text in seen:
            yield where, f"has the guid of {seen[text]}"
        seen.setdefault(text, where)


@RULES.add("item-guid-permalink", "M", "isPermaLink=false unless the guid is a page", "RSS 2.0; PSP-1")
def _check_permalink(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        for found in item.iterfind("guid"):
            if found.get("isPermaLink", "true") != "false" and not values.is_web((found.text or "").strip()):
                yield where, "guid is no address of a page, yet isPermaLink is not false"


@RULES.add("item-enclosure-once", "S", "No two items with one enclosure", "Apple")
def _check_enclosure_once(document: FeedDocument) -> Iterator[Fault]:
    seen: dict[str, Spot] = {}
    for where, _, found in _list_enclosures(document):
        if (url := found.get("url") or "") in seen:
            yield where, f"has the enclosure of {seen[url]}: Apple ignores the later one"
        seen.setdefault(url, where)


@RULES.add("item-date", "M", "pubDate by RFC 822 with the right weekday and zone", "RSS 2.0; RFC 822 5")
def _check_date(document: FeedDocument) -> Iterator[Fault]:
    for where, item in _list_items(document):
        text = get_text(item, "pubDate")
        if text and (fault := values.find_date_fault(text)):
            yield where, fault


@RULES.add("item-date-form", "S", "pubDate with weekday, whole year and zone in digits", "W3C; field")
def _check_date_form(document: FeedDocument) -> Iterator[Fault]:
    """Yield dates that RSS 2.0 allows and some apps do not read."""
    for where, item in _list_items(document):
        text = get_text(item, "pubDate")
        if not text:
            yield where, "has no pubDate: readers show when they saw it first"
        elif fault := values.find_old_form(text):
            yield where, fault


@RULES.add("item-date-future", "S", "pubDate is not in the future", "AntennaPod")
def _check_future(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        at = values.parse_date(get_text(item, "pubDate"))
        if at is not None and values.is_future(at, document.now):
            yield where, f"pubDate {at.isoformat()} is in the future"


@RULES.add("item-present", "S", "Link, description, duration and explicit", "PSP-1")
def _check_recommended(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        for name in ("link", "description", "itunes:duration", "itunes:explicit"):
            if document.podcast and item.find(make_tag(name)) is None:
                yield where, f"has no {name}"


@RULES.add("item-description", "S", "The description has at most 4,000 bytes", "Apple")
def _check_description(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        if document.podcast and (size := len((item.findtext("description") or "").encode())) > sanitize.LONGEST_SUMMARY:
            yield where, f"description has {size:,} bytes of 4,000; the long text belongs into content:encoded"


@RULES.add("item-content-after", "S", "content:encoded stands after description", "W3C")
def _check_content_after(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        names = [str(child.tag) for child in item]
        content = make_tag("content:encoded")
        if content in names and "description" in names and names.index(content) < names.index("description"):
            yield where, "content:encoded stands before description"


@RULES.add("item-once", "M", "content:encoded stands once", "RSS content module")
def _check_once(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        if (count := len(item.findall(make_tag("content:encoded")))) > 1:
            yield where, f"content:encoded stands {count} times"


@RULES.add("item-order", "S", "Newest first", "field")
def _check_order(document: FeedDocument) -> Iterator[Fault]:
    before = None
    for where, item in document.items:
        at = values.parse_date(get_text(item, "pubDate"))
        if at and before and at > before:
            yield where, "is newer than the item before it"
        before = at or before


@RULES.add("item-links", "S", "Links and sources are web addresses", "RSS 2.0")
def _check_links(document: FeedDocument) -> Iterator[Fault]:
    """Yield links that are addresses, as rss-values asks, and none that every app can open."""
    for where, item in _list_items(document):
        for found in item.iterfind("link"):
            text = (found.text or "").strip()
            if values.is_address(text) and not values.is_web(text):
                yield where, f"link {text[:80]!r} is no web address in ASCII"
        for found in item.iterfind("source"):
            text = found.get("url") or ""
            if values.is_address(text) and not values.is_web(text):
                yield where, f"source has url {text[:80]!r}"


@RULES.add("item-alike", "S", "No two items that AntennaPod takes for one", "AntennaPod")
def _check_similar_items(document: FeedDocument) -> Iterator[Fault]:
    """Apply AntennaPod's rule: same title, same day, durations within ten minutes or unknown, one kind of media."""
    seen: dict[tuple[str, str, str], list[tuple[int, Spot]]] = {}
    for where, item in document.items:
        at = values.parse_date(get_text(item, "pubDate"))
        enclosure = item.find("enclosure")
        if at is None or enclosure is None:
            continue
        key = (
            sanitize.fold_title(get_text(item, "title")),
            at.date().isoformat(),
            (enclosure.get("type") or "").partition("/")[0],
        )
        length = values.parse_seconds(get_text(item, "itunes:duration"))
        for other, place in seen.setdefault(key, []):
            if not length or not other or abs(length - other) < 600:  # noqa: PLR2004 # ten minutes
                yield where, f"looks to AntennaPod like {place}: one of the two is never shown"
                break
        seen[key].append((length, where))
