"""Rules for the channel of an RSS feed, and for what directories ask of a podcast's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

from aggregator.generator.content import sanitize
from aggregator.generator.podcast import Node, make_tag
from aggregator.model.categories import CATEGORIES, FORMER, find_category
from aggregator.validator import values
from aggregator.validator.document import FeedDocument, Spot, find_line, get_text
from aggregator.validator.rule import Check, Checklist, Fault

RULES = Checklist()
_NEEDED = ("title", "link", "description")
_DATES = ("pubDate", "lastBuildDate")
_ONCE = (*("itunes:author", "itunes:type", "itunes:explicit", "itunes:image", "itunes:owner", "itunes:new-feed-url"),)
_PICTURE = re.compile(r"(?i)\.(?:jpe?g|png)$")


def _get_text(document: FeedDocument, name: str) -> str:
    return "" if document.channel is None else get_text(document.channel, name)


def _find_all(document: FeedDocument, name: str) -> list[Node]:
    return [] if document.channel is None else document.channel.findall(make_tag(name))


def _require(name: str) -> Check:

    def check(document: FeedDocument) -> Iterator[Fault]:
        if document.podcast and not _find_all(document, name):
            yield "channel", f"has no {name}"

    return check


@RULES.add("channel-self", "S", "One atom:link rel=self, of the right type", "PSP-1; RSS; W3C")
def _check_self_link(document: FeedDocument) -> Iterator[Fault]:
    if document.channel is None:
        return
    found = [link for link in _find_all(document, "atom:link") if link.get("rel") == "self"]
    if len(found) != 1:
        yield "channel", f"has {len(found)} atom:link rel=self instead of one"
    for link in found:
        if link.get("type") != "application/rss+xml" or not values.is_web(link.get("href")):
            yield "channel/atom:link", f"has type {link.get('type')!r} and href {link.get('href')!r}"


@RULES.add("channel-required", "M", "Title, link and description", "RSS 2.0")
def _check_required(document: FeedDocument) -> Iterator[Fault]:
    if document.kind == "rss" and document.root is not None and document.channel is None:
        foreign = [str(one.tag).partition("}")[0][1:] for one in document.root if values.local_name(one) == "channel"]
        yield "rss", f"has its elements in {foreign[0]}; RSS has no namespace" if foreign else "has no channel"
    elif document.channel is not None:
        yield from (("channel", f"has no {name}") for name in _NEEDED if not _find_all(document, name))


@RULES.add("channel-empty", "S", "Title, link and description are not empty", "W3C")
def _check_empty(document: FeedDocument) -> Iterator[Fault]:
    """Yield elements that are there, as RSS 2.0 asks, and hold nothing."""
    for name in _NEEDED:
        if _find_all(document, name) and not _get_text(document, name):
            yield f"channel/{name}", "is empty"
    for image in _find_all(document, "image"):
        if image.find("title") is not None and not get_text(image, "title"):
            yield "channel/image", "has an empty title"


@RULES.add("channel-description", "S", "The description has at most 4,000 bytes", "PSP-1; Apple")
def _check_description(document: FeedDocument) -> Iterator[Fault]:
    if (size := len(_get_text(document, "description").encode())) > sanitize.LONGEST_SUMMARY:
        yield "channel/description", f"has {size:,} bytes of 4,000"


@RULES.add("channel-link", "S", "The link is the show's page, never the feed", "PSP-1; RSS 2.0")
def _check_link(document: FeedDocument) -> Iterator[Fault]:
    link = _get_text(document, "link")
    own = {one.get("href") for one in _find_all(document, "atom:link") if one.get("rel") == "self"}
    if link in own - {None, ""} or (values.is_address(link) and not values.is_web(link)):
        yield "channel/link", f"{link!r} is not the address of a page of the show"


RULES.add("channel-language", "S", "A language", "PSP-1; Apple")(_require("language"))
RULES.add("channel-category", "S", "At least one itunes:category", "PSP-1; Apple")(_require("itunes:category"))


def _check_category_names(*, former: bool) -> Check:
    """Return the check for categories that are not in Apple's list; ``former`` for those that were once."""

    def check(document: FeedDocument) -> Iterator[Fault]:
        place = "channel/itunes:category"
        for top in _find_all(document, "itunes:category"):
            text = top.get("text") or ""
            if text not in CATEGORIES and (text in FORMER) == former:
                yield Spot(place, find_line(top)), f"{text!r} is not in Apple's list{_suggest_category(text)}"
            for sub in top.findall(make_tag("itunes:category")):
                name = sub.get("text") or ""
                if name not in CATEGORIES.get(text, ()) and (name in FORMER.get(text, ())) == former:
                    yield Spot(place, find_line(sub)), f"{name!r} is not under {text!r}{_suggest_category(name)}"

    return check


RULES.add("channel-category-names", "M", "Categories as Apple spells and nests them", "Apple; W3C")(
    _check_category_names(former=False)
)
RULES.add("channel-category-former", "S", "Categories of today's list of Apple's", "Apple; W3C")(
    _check_category_names(former=True)
)
RULES.add("channel-explicit", "S", "itunes:explicit is given", "PSP-1; Apple")(_require("itunes:explicit"))
RULES.add("channel-image", "S", "itunes:image is given", "PSP-1; Apple")(_require("itunes:image"))


def _suggest_category(text: str) -> str:
    """Return what to write instead of a category, empty if nothing is like it."""
    meant = find_category((text,))
    return f": write {' > '.join(meant)!r}" if meant else ""


@RULES.add("channel-image-kind", "S", "Artwork is JPEG or PNG by its extension", "Apple; PSP-1")
def _check_artwork_kind(document: FeedDocument) -> Iterator[Fault]:
    """Judge by the path; where that has no extension (files named by hashes), by the end of the address."""
    for image in _find_all(document, "itunes:image"):
        address = image.get("href") or ""
        path = re.split("[?#]", address, maxsplit=1)[0]
        named = path if "." in path.rpartition("/")[2] else address
        if path and not _PICTURE.search(named):
            yield "channel/itunes:image", f"{path!r} does not end in .jpg, .jpeg or .png"


@RULES.add("channel-guid", "M", "podcast:guid is a UUID", "PSP-1; podcast namespace")
def _check_guid(document: FeedDocument) -> Iterator[Fault]:
    for found in _find_all(document, "podcast:guid"):
        try:
            UUID((found.text or "").strip())
        except ValueError:
            yield "channel/podcast:guid", f"{found.text!r} is no UUID"


RULES.add("channel-guid-given", "S", "podcast:guid is given", "PSP-1; podcast namespace")(_require("podcast:guid"))
RULES.add("channel-locked", "S", "podcast:locked is given", "PSP-1")(_require("podcast:locked"))


@RULES.add("channel-locked-owner", "i", "podcast:locked names an owner", "field")
def _check_owner_of_lock(document: FeedDocument) -> Iterator[Fault]:
    if any(not found.get("owner") for found in _find_all(document, "podcast:locked")):
        yield "channel/podcast:locked", "has no owner: indexers built on partytime ignore it"


@RULES.add("channel-author", "S", "itunes:author is given", "PSP-1")
def _check_author(document: FeedDocument) -> Iterator[Fault]:
    if document.podcast and not _get_text(document, "itunes:author"):
        yield "channel", "has no itunes:author"


@RULES.add("channel-serial", "S", "Serial shows number their episodes", "Apple")
def _check_serial(document: FeedDocument) -> Iterator[Fault]:
    if _get_text(document, "itunes:type") == "serial":
        for where, item in document.items:
            whole = get_text(item, "itunes:episodeType") in {"", "full"}
            if whole and item.find("enclosure") is not None and not get_text(item, "itunes:episode"):
                yield where, "has no itunes:episode, which a serial show must have"


@RULES.add("channel-dates", "M", "Dates by RFC 822 with the right weekday and zone", "RSS 2.0; RFC 822 5")
def _check_dates(document: FeedDocument) -> Iterator[Fault]:
    for name in _DATES:
        for found in _find_all(document, name):
            if fault := values.find_date_fault(found.text or ""):
                yield f"channel/{name}", fault


@RULES.add("channel-date-form", "S", "Dates with weekday, whole year and zone in digits", "W3C")
def _check_date_form(document: FeedDocument) -> Iterator[Fault]:
    """Yield dates that RSS 2.0 allows and some apps do not read."""
    for name in _DATES:
        text = _get_text(document, name)
        if text and (fault := values.find_old_form(text)):
            yield f"channel/{name}", fault


@RULES.add("channel-once", "M", "Elements of Apple that may stand once do", "Apple")
def _check_repeated(document: FeedDocument) -> Iterator[Fault]:
    for name in _ONCE:
        if (count := len(_find_all(document, name))) > 1:
            yield f"channel/{name}", f"stands {count} times"


@RULES.add("channel-owner-mail", "M", "The owner's address is a mail address", "Apple; W3C")
def _check_owner_mail(document: FeedDocument) -> Iterator[Fault]:
    for found in _find_all(document, "itunes:owner"):
        email = get_text(found, "itunes:email")
        if email and values.MAIL.fullmatch(email) is None:
            yield "channel/itunes:owner", f"itunes:email {email[:80]!r} is no mail address"


@RULES.add("channel-owner", "i", "The owner's address is public", "privacy")
def _check_owner(document: FeedDocument) -> Iterator[Fault]:
    for found in _find_all(document, "itunes:owner"):
        yield "channel/itunes:owner", f"publishes {get_text(found, 'itunes:email') or 'a name'}"


@RULES.add("channel-copyright", "i", "Copyright without the word, the sign or a year", "PSP-1")
def _check_copyright(document: FeedDocument) -> Iterator[Fault]:
    if re.search(r"(?i)copyright|©|\b(?:19|20)\d\d\b", text := _get_text(document, "copyright")):
        yield "channel/copyright", f"{text[:60]!r} has the word, the sign or a year"


@RULES.add("channel-flags", "S", "block and complete are Yes or absent", "Apple")
def _check_flags(document: FeedDocument) -> Iterator[Fault]:
    for name in ("itunes:block", "itunes:complete"):
        if (text := _get_text(document, name)) and text != "Yes":
            yield f"channel/{name}", f"is {text!r}; only 'Yes' has a meaning"


@RULES.add("channel-moved", "M", "new-feed-url is an address", "Apple")
def _check_new_feed_url(document: FeedDocument) -> Iterator[Fault]:
    for found in _find_all(document, "itunes:new-feed-url"):
        if not values.is_web((found.text or "").strip()):
            yield "channel/itunes:new-feed-url", f"{found.text!r} is no address"
