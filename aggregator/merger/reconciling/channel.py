"""Complete the channel: the values of the config, then those of the most trusted source that has one.

Artwork, ``explicit``, and all elements that need the rank of the owner (``supply``) come from the most trusted source
of all, or from one that is trusted as much.

Owner, new address, locks and hubs of the feed come from the config alone: a source that could set them would control
the subscribers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from aggregator.merger.reconciling.supply import TAGS, keep_web_tags
from aggregator.merger.repair.fixers import repair_text
from aggregator.model.elements import ELEMENTS
from aggregator.model.entry import Show, Tag
from aggregator.model.feed import Channel
from aggregator.text import html, urls
from aggregator.text.times import dates

_TEXTS = ("description", "author", "copyright")
_ADDRESSES = ("link", "image")
_PLAIN = ("language", "explicit", "type", "categories")
_PASSED = tuple(name for name, rule in ELEMENTS.items() if "channel" in rule.places and rule.rank != "config")
_OWNED = frozenset({"image", "explicit"})
PICTURES, MEDIUM = frozenset({"podcast:image", "podcast:images"}), "podcast:medium"
_LIVE, _VALUE, _TXT = "podcast:liveItem", "podcast:value", "podcast:txt"
_PROOF = re.compile("verif|owner|claim", re.IGNORECASE)  # purposes of texts that prove ownership of a feed
_OVERRUN = timedelta(hours=24)  # by which a live item may exceed its end, or its start if it has no end
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_NO_ORDER: Mapping[str, int] = MappingProxyType({})


def complete_channel(
    channel: Channel, shows: Mapping[str, Show], trust: Mapping[str, float], seniority: Mapping[str, int] = _NO_ORDER
) -> Channel:
    """Return the channel with each field that the config lacks from the most trusted source that has it.

    ``shows`` is the show as each source describes it. Texts are repaired; addresses other than of the web are left out.
    ``complete`` and ``medium`` come from the most trusted source alone. ``seniority`` orders sources of equal trust.
    """

    def rank(source: str) -> tuple[float, int, str]:
        return -trust.get(source, 0.5), seniority.get(source, 0), source

    names = sorted(shows, key=rank)
    order = [shows[source] for source in names]
    owners = [shows[source] for source in names if trust.get(source, 0.5) == trust.get(names[0], 0.5)]
    channel = replace(channel, tags=(*channel.tags, *_choose_tags(channel, order, owners)))
    for name in (*_TEXTS, *_ADDRESSES, *_PLAIN):
        if getattr(channel, name) in (None, ()):
            value = _find_first(name, owners if name in _OWNED else order)
            channel = channel if value is None else replace(channel, **{name: value})
    if channel.complete is None and order:
        channel = replace(channel, complete=order[0].complete)
    if channel.medium is None and order:
        medium = next((tag.text for tag in order[0].tags if tag.name == MEDIUM), None)
        channel = replace(channel, medium=medium)
    return channel


def _choose_tags(channel: Channel, shows: Sequence[Show], owners: Sequence[Show]) -> tuple[Tag, ...]:
    """Return the elements that the config lacks, of each name those of the first show that may supply it."""
    given = {tag.name for tag in channel.tags} | ({"podcast:license"} if channel.license else set())
    given |= (PICTURES if channel.image else set()) | (set() if channel.passes_value else {_VALUE})
    chosen: list[Tag] = []
    for name in _PASSED:
        named = (
            [tag for tag in show.tags if tag.name == name and not _proves_ownership(tag)]
            for show in (shows if TAGS[name] == "any" else owners)
        )
        chosen += next(filter(None, named), []) if name not in given else []
    return tuple(keep_web_tags(chosen))


def _proves_ownership(tag: Tag) -> bool:
    """Return whether an element proves to a directory who owns the feed."""
    return tag.name == _TXT and _PROOF.search(dict(tag.attributes).get("purpose", "")) is not None


def drop_ended(channel: Channel, now: datetime) -> tuple[Channel, datetime | None]:
    """Return the channel without live items that are over, and when the next of them will be (``None``: never)."""
    ends = {tag: _find_end(tag) for tag in channel.tags if tag.name == _LIVE}
    tags = tuple(tag for tag in channel.tags if tag not in ends or ends[tag] > now)
    return replace(channel, tags=tags), min((end for end in ends.values() if end > now), default=None)


def _find_end(tag: Tag) -> datetime:
    """Return when a live item is surely over; long ago if its status is ended or it has no time."""
    given = dict(tag.attributes)
    named = dates.parse(given.get("end")) or dates.parse(given.get("start"))
    return _LONG_AGO if named is None or given.get("status") == "ended" else named.at + _OVERRUN


def _find_first(name: str, shows: Sequence[Show]) -> Any:
    """Return the first value of one field that can be published, ``None`` if no show has one."""
    for show in shows:
        value = getattr(show, name)
        if name in _TEXTS and value:
            value = repair_text(html.to_text(value)).text
        if name in _ADDRESSES and value and not urls.is_web(value):
            continue
        if value not in (None, "", ()):
            return value
    return None
