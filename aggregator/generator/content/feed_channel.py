"""The channel of a feed, prepared once for all formats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from aggregator.generator.content import links, sanitize
from aggregator.generator.content.passed_tags import MEDIUMS
from aggregator.generator.content.sanitize import clean_person
from aggregator.model.categories import find_category
from aggregator.model.entry import Tag
from aggregator.model.feed import Feed
from aggregator.model.item import Item
from aggregator.text import html
from aggregator.text.characters import PROGRAM_WORDS

PAGE = "index.html"
# What stands before the holder's name, beginning with the word or the sign, and years behind it; in the middle a year
# may be part of the name ("Studio 2000 Ltd").
_SIGN = r"(?:copyright\b|©|℗|\(c\))"
_YEARS = r"(?:19|20)\d\d(?:\s*[-–/]\s*(?:(?:19|20)?\d\d|present))?\b"
_COPYRIGHT_MARKS = re.compile(rf"(?i)^{_SIGN}(?:{_SIGN}|{_YEARS}|by\b|[-–—,.;:|/&\s])*|(?<![,;\s])[,;\s]++{_YEARS}$")


class FeedChannel(Struct, frozen=True):
    """The show, cleaned and bounded; ``origins`` are names and URLs of the sources."""

    name: str
    base_url: str
    guid: str
    title: str
    link: str
    description: str
    language: str | None
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
    passes_value: bool

    def address(self, name: str) -> str:
        """Return the address at which this file of the feed is served."""
        return f"{self.base_url}/{name}"

    def find_origin(self, source: str | None) -> tuple[str, str] | None:
        """Return name and URL of the source that an item is credited to; ``None`` if it has no public URL."""
        return next((known for known in self.origins if known[0] == source), None)


def make_feed_channel(feed: Feed) -> FeedChannel:
    """Prepare the channel for the formats."""
    channel = feed.channel
    base_url = (links.clean_url(channel.base_url) or channel.base_url).rstrip("/")
    title = sanitize.clean_name(channel.title) or channel.name
    name = sanitize.clean_line(channel.license or "", 128)
    # Apple demands a number of every full episode of a serial show
    whole = (item for item in feed.items if item.enclosure and item.episode_type in {None, "full"})
    text = channel.description or ""
    plain = sanitize.shorten(sanitize.clean_prose(html.to_text(text) if sanitize.has_markup(text) else text))
    return FeedChannel(
        name=channel.name,
        base_url=base_url,
        guid=channel.guid or links.make_podcast_guid(f"{base_url}/podcast.xml"),
        title=title,
        link=links.clean_url(channel.link) or f"{base_url}/{PAGE}",
        description=("" if plain in PROGRAM_WORDS else plain) or title,
        language=sanitize.clean_language(channel.language) or _find_language(feed.items),
        author=clean_person(channel.author),
        owner_email=sanitize.clean_name(channel.owner_email),
        image=links.clean_url(channel.image),
        copyright=_clean_copyright(channel.copyright),
        license=(name, links.clean_url(channel.license_url)) if name else None,
        explicit=bool(channel.explicit),
        type="serial" if channel.type == "serial" and all(item.episode for item in whole) else "episodic",
        complete=bool(channel.complete),
        locked=channel.locked,
        block=channel.block,
        medium=channel.medium if channel.medium in MEDIUMS else "podcast",
        categories=tuple(dict.fromkeys(filter(None, map(find_category, channel.categories)))),
        new_feed_url=links.clean_url(channel.new_feed_url),
        hubs=tuple(hub for hub in map(links.clean_url, channel.hubs) if hub),
        ttl=channel.ttl if channel.ttl and channel.ttl > 0 else None,
        tags=channel.tags,
        origins=_find_origins(feed),
        passes_value=channel.passes_value,
    )


def _clean_copyright(value: str | None) -> str | None:
    """Return the copyright holder without the word, the sign or a year, as PSP-1 demands.

    >>> _clean_copyright("Copyright © 2019-2024 Ada Quay")
    'Ada Quay'
    >>> _clean_copyright("Studio 2000 Ltd, 2019")
    'Studio 2000 Ltd'
    """
    return sanitize.clean_name(_COPYRIGHT_MARKS.sub("", sanitize.clean_line(value or "")))


def _find_language(items: Sequence[Item]) -> str | None:
    """Return the language of most items, ``None`` if none names one; of equally frequent ones the alphabet's first."""
    counts = Counter(language for item in items if (language := sanitize.clean_language(item.language)))
    return min(counts, key=lambda language: (-counts[language], language), default=None)


def _find_origins(feed: Feed) -> tuple[tuple[str, str], ...]:
    """Return the sources' names and URLs from the config, so that a failed source does not change the feed."""
    found: list[tuple[str, str]] = []
    sources = {each.name: each for each in (*feed.gone, *(result.source for result in feed.source_results))}
    for _, source in sorted(sources.items()):
        address = links.clean_public_url(source.url)
        if address is None and source.kind == "apple" and source.show:
            address = links.clean_url(f"https://podcasts.apple.com/podcast/id{source.show}")
        if address:
            found.append((source.name, address))
    return tuple(found)
