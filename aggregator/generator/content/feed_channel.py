"""FeedChannel: what every format says of the show, derived once from the channel and its items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from aggregator.generator.content import ids, links, plain_text, sanitize
from aggregator.generator.content.categories import places
from aggregator.generator.content.people import person
from aggregator.generator.content.podcast_namespace import MEDIUMS
from aggregator.model.entry import Tag
from aggregator.model.feed import Channel, Feed
from aggregator.model.item import Item

# RSS, PSP-1 and Apple demand a language; where neither config nor any source names one, this stands.
LANGUAGE = "en"
PAGE = "index.html"
# What stands before the holder's name, beginning with the word or the sign, and years behind it; in the middle a year
# may be part of the name ("Studio 2000 Ltd").
_SIGN = r"(?:copyright\b|©|℗|\(c\))"
_YEARS = r"(?:19|20)\d\d(?:\s*[-–/]\s*(?:(?:19|20)?\d\d|present))?\b"
MARKS = re.compile(rf"(?i)^{_SIGN}(?:{_SIGN}|{_YEARS}|by\b|[-–—,.;:|/&\s])*|(?<![,;\s])[,;\s]++{_YEARS}$")


class FeedChannel(Struct, frozen=True):
    """The show, clean and bounded; ``origins`` are the sources' names and the addresses they are known by."""

    name: str
    base_url: str
    guid: str
    title: str
    link: str
    description: str
    language: str
    author: str | None
    owner_email: str | None
    image: str | None
    copyright: str | None
    license: tuple[str, str | None] | None
    explicit: bool
    type: Literal["episodic", "serial"]
    complete: bool
    locked: bool
    block: bool
    medium: str
    categories: tuple[tuple[str, ...], ...]
    new_feed_url: str | None
    hubs: tuple[str, ...]
    ttl: int | None
    tags: tuple[Tag, ...]
    origins: tuple[tuple[str, str], ...]

    def address(self, name: str) -> str:
        """Return the address at which this file of the feed is served."""
        return f"{self.base_url}/{name}"


def of(feed: Feed) -> FeedChannel:
    """Return the show as the formats carry it."""
    channel = feed.channel
    base_url = (links.web(channel.base_url) or channel.base_url).rstrip("/")
    title = plain_text.name(channel.title) or channel.name
    return FeedChannel(
        name=channel.name,
        base_url=base_url,
        guid=channel.guid or ids.podcast(f"{base_url}/podcast.xml"),
        title=title,
        link=links.web(channel.link) or f"{base_url}/{PAGE}",
        description=_description(channel) or title,
        language=plain_text.language(channel.language) or _spoken(feed.items),
        author=person(channel.author),
        owner_email=plain_text.name(channel.owner_email),
        image=links.web(channel.image),
        copyright=_holder(channel.copyright),
        license=_license(channel),
        explicit=bool(channel.explicit),
        type=_type(channel, feed.items),
        complete=bool(channel.complete),
        locked=channel.locked,
        block=channel.block,
        medium=channel.medium if channel.medium in MEDIUMS else "podcast",
        categories=places(channel.categories),
        new_feed_url=links.web(channel.new_feed_url),
        hubs=tuple(hub for hub in map(links.web, channel.hubs) if hub),
        ttl=channel.ttl if channel.ttl and channel.ttl > 0 else None,
        tags=channel.tags,
        origins=_origins(feed),
    )


def _description(channel: Channel) -> str:
    """The show's text in plain words: sources give it with markup as often as without."""
    said = channel.description or ""
    plain = plain_text.short(plain_text.prose(sanitize.plain(said) if plain_text.marked(said) else said))
    return "" if plain in plain_text.NOTHING else plain


def _holder(said: str | None) -> str | None:
    """The holder's name alone: PSP-1 asks for it without the word, the sign or a year.

    >>> _holder("Copyright © 2019-2024 Ada Quay")
    'Ada Quay'
    >>> _holder("Studio 2000 Ltd, 2019")
    'Studio 2000 Ltd'
    """
    return plain_text.name(MARKS.sub("", plain_text.line(said or "")))


def _license(channel: Channel) -> tuple[str, str | None] | None:
    said = plain_text.line(channel.license or "", 128)
    return (said, links.web(channel.license_url)) if said else None


def _spoken(items: Sequence[Item]) -> str:
    """The language that most items name, the first in the alphabet where two are as frequent."""
    counts = Counter(language for item in items if (language := plain_text.language(item.language)))
    return min(counts, key=lambda language: (-counts[language], language), default=LANGUAGE)


def _type(channel: Channel, items: Sequence[Item]) -> Literal["episodic", "serial"]:
    """Serial only where it can be: Apple asks for an episode number on every full episode of a serial show."""
    whole = (item for item in items if item.enclosure and item.episode_type in {None, "full"})
    return "serial" if channel.type == "serial" and all(item.episode for item in whole) else "episodic"


def _origins(feed: Feed) -> tuple[tuple[str, str], ...]:
    """By the config alone, not by what a source last answered: a silent source must not change the feed."""
    found: list[tuple[str, str]] = []
    asked = {
        source.name: source for source in (*feed.gone, *(source_result.source for source_result in feed.source_results))
    }
    for _, source in sorted(asked.items()):
        address = links.public(source.url)
        if address is None and source.kind == "apple" and source.show:
            address = links.web(f"https://podcasts.apple.com/podcast/id{source.show}")
        if address:
            found.append((source.name, address))
    return tuple(found)
