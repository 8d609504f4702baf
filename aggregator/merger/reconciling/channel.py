"""Complete the channel: the config's values first, else those of the most trusted source.

Artwork, whether it is explicit, and all elements of the podcast namespace that need the rank of the owner
(``supply``) come from the most trusted source of all, or from one that is trusted as much.

Who owns the feed, where it moves, who may import it and where it is announced comes from the config alone: a source
that could say so would own the subscribers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from aggregator.merger.reconciling.supply import TAGS, keep_web_tags
from aggregator.merger.repair.fixers import repair_text
from aggregator.model.entry import Show, Tag
from aggregator.model.feed import Channel
from aggregator.text import html, urls

_TEXTS = ("description", "author", "copyright")
ADDRESSES = ("link", "image")
_PLAIN = ("language", "explicit", "type", "categories")
# Elements of the podcast namespace that say what the show is. Not those that say who owns it, what is asked of whom
# (funding, value), and what holds of one address alone (guid, locked, block, txt, podping, publisher).
_ANY_SOURCE_TAGS = (
    *("podcast:person", "podcast:location", "podcast:license", "podcast:updateFrequency", "podcast:trailer"),
    *("podcast:podroll", "podcast:socialInteract"),
)
_OWNED = frozenset({"image", "explicit"})
PICTURE, MEDIUM = "podcast:image", "podcast:medium"

_NO_ORDER: Mapping[str, int] = MappingProxyType({})


def complete_channel(
    channel: Channel, shows: Mapping[str, Show], trust: Mapping[str, float], seniority: Mapping[str, int] = _NO_ORDER
) -> Channel:
    """Return the channel with what the config left open taken from the most trusted source that has it.

    ``shows`` is the show as each source describes it. Texts are repaired; addresses are web addresses or left out. That
    the show has ended and what medium it is, comes from the most trusted source alone.
    ``seniority`` puts sources in order that are trusted alike.
    """

    def turn(source: str) -> tuple[float, int, str]:
        return -trust.get(source, 0.5), seniority.get(source, 0), source

    names = sorted(shows, key=turn)
    order = [shows[source] for source in names]
    owners = [shows[source] for source in names if trust.get(source, 0.5) == trust.get(names[0], 0.5)]
    channel = replace(channel, tags=(*channel.tags, *_tags(channel, order, owners)))
    for name in (*_TEXTS, *ADDRESSES, *_PLAIN):
        if getattr(channel, name) in (None, ()):
            value = _first(name, owners if name in _OWNED else order)
            channel = channel if value is None else replace(channel, **{name: value})
    if channel.complete is None and order:
        channel = replace(channel, complete=order[0].complete)
    if channel.medium is None and order:
        medium = next((tag.text for tag in order[0].tags if tag.name == MEDIUM), None)
        channel = replace(channel, medium=medium)
    return channel


def _tags(channel: Channel, shows: Sequence[Show], owners: Sequence[Show]) -> tuple[Tag, ...]:
    """Return the elements that the config does not give, each from the first show that has any and may supply them."""
    given = {tag.name for tag in channel.tags} | ({"podcast:license"} if channel.license else set())
    wanted = [name for name in (*_ANY_SOURCE_TAGS, *(() if channel.image else (PICTURE,))) if name not in given]
    found = (
        (tag for tag in show.tags if tag.name == name)
        for name in wanted
        for show in (shows if TAGS.get(name) == "any" else owners)
    )
    chosen: dict[str, tuple[Tag, ...]] = {}
    for tags in map(tuple, found):
        if tags:
            chosen.setdefault(tags[0].name, tags)
    return tuple(keep_web_tags(tag for tags in chosen.values() for tag in tags))


def _first(name: str, shows: Sequence[Show]) -> Any:
    """Return the first value of one field that can be published, ``None`` where no show has one."""
    for show in shows:
        value = getattr(show, name)
        if name in _TEXTS and value:
            value = repair_text(html.to_text(value)).text
        if name in ADDRESSES and value and not urls.is_web(value):
            continue
        if value not in (None, "", ()):
            return value
    return None
