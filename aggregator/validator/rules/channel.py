"""What holds for the channel of an RSS feed, and what directories ask of a podcast's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

from aggregator.generator.content import sanitize
from aggregator.generator.podcast import Node
from aggregator.model.categories import CATEGORIES, find_category
from aggregator.validator import values
from aggregator.validator.document import Paper, Spot, line, named, placed
from aggregator.validator.rule import Fault, Rule

NEEDED = ("title", "link", "description")
DATES = ("pubDate", "lastBuildDate")
ONCE = (
    *("title", "link", "description", "language", "copyright", "pubDate", "lastBuildDate", "ttl", "image"),
    *("itunes:author", "itunes:type", "itunes:explicit", "itunes:image", "itunes:owner", "itunes:new-feed-url"),
)
PICTURE = re.compile(r"(?i)\.(?:jpe?g|png)$")


def _text(paper: Paper, name: str) -> str:
    return "" if paper.channel is None else (paper.channel.findtext(named(name)) or "").strip()


def _all(paper: Paper, name: str) -> list[Node]:
    return [] if paper.channel is None else paper.channel.findall(named(name))


def _self_link(paper: Paper) -> Iterator[Fault]:
    if paper.channel is None:
        return
    found = [link for link in _all(paper, "atom:link") if link.get("rel") == "self"]
    if len(found) != 1:
        yield "channel", f"has {len(found)} atom:link rel=self instead of one"
    for link in found:
        if link.get("type") != "application/rss+xml" or not values.web(link.get("href")):
            yield "channel/atom:link", f"has type {link.get('type')!r} and href {link.get('href')!r}"


def _required(paper: Paper) -> Iterator[Fault]:
    if paper.kind == "rss" and paper.root is not None and paper.channel is None:
        foreign = [str(one.tag).partition("}")[0][1:] for one in paper.root if values.local(one) == "channel"]
        yield "rss", f"has its elements in {foreign[0]}; RSS has no namespace" if foreign else "has no channel"
    elif paper.channel is not None:
        lacking = [name for name in NEEDED if not (_text(paper, name) if paper.podcast else _all(paper, name))]
        yield from (("channel", f"has no {name}") for name in lacking)


def _empty(paper: Paper) -> Iterator[Fault]:
    """RSS 2.0 asks that the elements are there; that they say something, everybody else does."""
    if not paper.podcast:
        empty = [name for name in NEEDED if _all(paper, name) and not _text(paper, name)]
        yield from ((f"channel/{name}", "is empty") for name in empty)


def _description(paper: Paper) -> Iterator[Fault]:
    if (size := len(_text(paper, "description").encode())) > sanitize.LONGEST_SUMMARY:
        yield "channel/description", f"has {size:,} bytes of 4,000"


def _page(paper: Paper) -> Iterator[Fault]:
    link = _text(paper, "link")
    own = {one.get("href") for one in _all(paper, "atom:link") if one.get("rel") == "self"}
    if link and (link in own or not values.web(link)):
        yield "channel/link", f"{link!r} is not the address of a page of the show"


def _language(paper: Paper) -> Iterator[Fault]:
    said = _text(paper, "language")
    if paper.podcast and not said:
        yield "channel", "has no language"
    elif said and not sanitize.LANGUAGE_TAG.fullmatch(said):
        yield "channel/language", f"{said!r} is no language of ISO 639"


def _category(paper: Paper) -> Iterator[Fault]:
    if paper.podcast and not _all(paper, "itunes:category"):
        yield "channel", "has no itunes:category"


def _category_names(paper: Paper) -> Iterator[Fault]:
    for top in _all(paper, "itunes:category"):
        said = top.get("text") or ""
        if said not in CATEGORIES:
            meant = find_category((said,))
            hint = f": write {' > '.join(meant)!r}" if meant else ""
            yield Spot("channel/itunes:category", line(top)), f"{said!r} is not in Apple's list{hint}"
        for sub in top.findall(named("itunes:category")):
            if sub.get("text") not in CATEGORIES.get(said, ()):
                meant = find_category((sub.get("text") or "",))
                hint = f": write {' > '.join(meant)!r}" if meant else ""
                yield Spot("channel/itunes:category", line(sub)), f"{sub.get('text')!r} is not under {said!r}{hint}"


def _explicit(paper: Paper) -> Iterator[Fault]:
    said = _text(paper, "itunes:explicit")
    if (paper.podcast or said) and said not in {"true", "false"}:
        yield "channel/itunes:explicit", f"is {said!r}: {values.truth(said)}" if said else "is missing or empty"


def _artwork(paper: Paper) -> Iterator[Fault]:
    found = _all(paper, "itunes:image")
    if paper.podcast and not found:
        yield "channel", "has no itunes:image"
    for image in found:
        if not values.web(image.get("href")):
            yield "channel/itunes:image", f"href is {image.get('href')!r}"


def _artwork_kind(paper: Paper) -> Iterator[Fault]:
    """By the path; where that has no extension, as with stores that name files by hashes, by the address's end."""
    for image in _all(paper, "itunes:image"):
        address = image.get("href") or ""
        path = re.split("[?#]", address, maxsplit=1)[0]
        named = path if "." in path.rpartition("/")[2] else address
        if path and not PICTURE.search(named):
            yield "channel/itunes:image", f"{path!r} does not end in .jpg, .jpeg or .png"


def _guid(paper: Paper) -> Iterator[Fault]:
    for found in _all(paper, "podcast:guid"):
        try:
            UUID((found.text or "").strip())
        except ValueError:
            yield "channel/podcast:guid", f"{found.text!r} is no UUID"


def _guid_given(paper: Paper) -> Iterator[Fault]:
    if paper.podcast and not _all(paper, "podcast:guid"):
        yield "channel", "has no podcast:guid"


def _locked(paper: Paper) -> Iterator[Fault]:
    if paper.podcast and not _all(paper, "podcast:locked"):
        yield "channel", "has no podcast:locked"


def _owner_of_lock(paper: Paper) -> Iterator[Fault]:
    if any(not found.get("owner") for found in _all(paper, "podcast:locked")):
        yield "channel/podcast:locked", "has no owner: indexers built on partytime ignore it"


def _author(paper: Paper) -> Iterator[Fault]:
    if paper.podcast and not _text(paper, "itunes:author"):
        yield "channel", "has no itunes:author"


def _type(paper: Paper) -> Iterator[Fault]:
    said = _text(paper, "itunes:type")
    if said and said not in {"episodic", "serial"}:
        yield "channel/itunes:type", f"is {said!r}, not episodic or serial"
    if said == "serial":
        for where, item in placed(paper):
            whole = (item.findtext(named("itunes:episodeType")) or "full").strip() == "full"
            if whole and item.find("enclosure") is not None and not item.findtext(named("itunes:episode")):
                yield where, "has no itunes:episode, which a serial show must have"


def _dates(paper: Paper) -> Iterator[Fault]:
    for name in DATES:
        for found in _all(paper, name):
            if fault := values.date_fault(found.text or "", plain=not paper.podcast):
                yield f"channel/{name}", fault


def _date_form(paper: Paper) -> Iterator[Fault]:
    """Yield dates that RFC 822 allows and Apple does not, in feeds that are not podcasts."""
    for name in DATES:
        said = _text(paper, name)
        if said and not paper.podcast and not values.date_fault(said, plain=True) and values.date_fault(said):
            yield f"channel/{name}", f"{said[:60]!r} is an old form: write a weekday, four digits of year and +0000"


def _once(paper: Paper) -> Iterator[Fault]:
    for name in ONCE:
        if (count := len(_all(paper, name))) > 1:
            yield f"channel/{name}", f"stands {count} times"


def _owner(paper: Paper) -> Iterator[Fault]:
    for found in _all(paper, "itunes:owner"):
        yield "channel/itunes:owner", f"publishes {(found.findtext(named('itunes:email')) or 'a name').strip()}"


def _copyright(paper: Paper) -> Iterator[Fault]:
    if re.search(r"(?i)copyright|©|\b(?:19|20)\d\d\b", said := _text(paper, "copyright")):
        yield "channel/copyright", f"{said[:60]!r} has the word, the sign or a year"


def _flags(paper: Paper) -> Iterator[Fault]:
    for name in ("itunes:block", "itunes:complete"):
        if (said := _text(paper, name)) and said != "Yes":
            yield f"channel/{name}", f"is {said!r}; only 'Yes' means anything"


def _moved(paper: Paper) -> Iterator[Fault]:
    for found in _all(paper, "itunes:new-feed-url"):
        if not values.web((found.text or "").strip()):
            yield "channel/itunes:new-feed-url", f"{found.text!r} is no address"


def _ttl(paper: Paper) -> Iterator[Fault]:
    if (said := _text(paper, "ttl")) and not said.isdecimal():
        yield "channel/ttl", f"{said!r} is not a number of minutes"


RULES = (
    Rule("channel-self", "M", "One atom:link rel=self, of the right type", "PSP-1; RSS; W3C", _self_link, "S"),
    Rule("channel-required", "M", "Title, link and description", "RSS 2.0", _required),
    Rule("channel-empty", "S", "Title, link and description say something", "W3C", _empty),
    Rule("channel-description", "M", "The description has at most 4,000 bytes", "PSP-1; Apple", _description),
    Rule("channel-link", "M", "The link is the show's page, never the feed", "PSP-1; RSS 2.0", _page, "S"),
    Rule("channel-language", "M", "A language of ISO 639", "PSP-1; Apple", _language),
    Rule("channel-category", "M", "At least one itunes:category", "PSP-1; Apple", _category),
    Rule("channel-category-names", "M", "Categories as Apple spells and nests them", "Apple; W3C", _category_names),
    Rule("channel-explicit", "M", "itunes:explicit is true or false", "PSP-1; Apple", _explicit),
    Rule("channel-image", "M", "itunes:image with an address", "PSP-1; Apple", _artwork),
    Rule("channel-image-kind", "S", "Artwork is JPEG or PNG by its extension", "Apple; PSP-1", _artwork_kind),
    Rule("channel-guid", "M", "podcast:guid is a UUID", "PSP-1; podcast namespace", _guid),
    Rule("channel-guid-given", "S", "podcast:guid is given", "PSP-1; podcast namespace", _guid_given),
    Rule("channel-locked", "S", "podcast:locked is given", "PSP-1", _locked),
    Rule("channel-locked-owner", "i", "podcast:locked names an owner", "field", _owner_of_lock),
    Rule("channel-author", "S", "itunes:author is given", "PSP-1", _author),
    Rule("channel-type", "M", "itunes:type; serial shows number their episodes", "Apple", _type),
    Rule("channel-dates", "M", "Dates by RFC 822 with the right weekday and zone", "RSS 2.0; Apple", _dates),
    Rule("channel-date-form", "S", "Dates with weekday, whole year and zone in digits", "W3C", _date_form),
    Rule("channel-once", "M", "Elements that may stand once do", "RSS 2.0", _once),
    Rule("channel-owner", "i", "The owner's address is public", "privacy", _owner),
    Rule("channel-copyright", "i", "Copyright without the word, the sign or a year", "PSP-1", _copyright),
    Rule("channel-flags", "S", "block and complete are Yes or absent", "Apple", _flags),
    Rule("channel-moved", "M", "new-feed-url is an address", "Apple", _moved),
    Rule("channel-ttl", "M", "ttl is a number of minutes", "RSS 2.0", _ttl),
)
