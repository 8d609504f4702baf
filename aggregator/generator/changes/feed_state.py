"""The published state of a feed in a small form that shows every change.

Of a long text only its size and a digest are stored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.generator.content.sanitize import clean_person
from aggregator.model.entry import Genre
from aggregator.model.feed import Channel, Feed
from aggregator.model.item import Item
from aggregator.model.record import replace_surrogates

# A text up to this many characters is kept as it is; a title is at most 255.
_LONGEST = 255


class ItemState(Struct, frozen=True):
    """One item as subscribers see it: each known field as text, and the sources that list it."""

    title: str
    genre: Genre
    values: Mapping[str, str]
    sources: tuple[str, ...] = ()


class FeedState(Struct, frozen=True):
    """One feed as subscribers see it: its fields, its items by guid, and the state of each source."""

    channel: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, ItemState] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


def take_state(feed: Feed) -> FeedState:
    """Return the state of a feed; its items must have their texts."""
    return replace(take_channel_state(feed), items=take_item_states(feed.items))


def take_channel_state(feed: Feed) -> FeedState:
    """Return the state of a feed without its items."""
    return FeedState(
        channel=_drop_unknown(_list_channel_fields(feed.channel)),
        sources={each.source.name: each.standing for each in feed.source_results},
    )


def take_item_states(items: Iterable[Item]) -> dict[str, ItemState]:
    """Return the states of items by guid; they must have their texts."""
    return {
        item.guid: ItemState(
            replace_surrogates(item.title), item.genre, _drop_unknown(_list_item_fields(item)), item.sources
        )
        for item in items
    }


def pack_state(state: FeedState) -> str:
    """Encode a state without its items as one line of JSON."""
    return json.dumps([state.channel, {}, state.sources], ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def unpack_state(line: str | bytes) -> FeedState:
    """Decode the state that ``pack_state`` wrote."""
    channel, _, sources = json.loads(line)
    return FeedState(channel, sources=sources)


def name_host(url: str) -> str:
    """Return the host of a URL without ``www.``.

    >>> name_host("https://www.media.example:443/a.mp3"), name_host("no address")
    ('media.example', 'no address')
    """
    try:
        return (urlsplit(url).hostname or url).removeprefix("www.")
    except ValueError:
        return url


def _digest(text: str) -> str:
    """Replace a long text by its number of characters and 48 bits of its hash.

    >>> _digest("short"), _digest("long " * 60)
    ('short', '300 characters, 994ef62a3f93')
    """
    if len(text) <= _LONGEST:
        return text
    return f"{len(text)} characters, {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _list_item_fields(item: Item) -> dict[str, str | None]:
    """Return each field of an item as text, by its everyday name."""
    sound = item.enclosure
    return {
        "title": item.title,
        "date": item.published.at.isoformat() if item.published else None,
        "text": _digest(item.description) if item.description else None,
        "summary": _digest(item.summary) if item.summary else None,
        "audio": sound.url if sound else None,
        "audio type": sound.type if sound else None,
        "audio size": _format_number(sound.length) if sound else None,
        "length": _format_number(item.duration.seconds) if item.duration else None,
        "season": _format_number(item.season),
        "episode number": item.number or _format_number(item.episode),
        "kind of episode": item.episode_type,
        "explicit mark": _format_boolean(item.explicit),
        "author": clean_person(item.author),
        "link": item.link,
        "picture": item.image,
        "categories": ", ".join(item.categories) or None,
    }


def _list_channel_fields(channel: Channel) -> dict[str, str | None]:
    """Return each field of a channel as text."""
    return {
        "title": channel.title,
        "description": _digest(channel.description) if channel.description else None,
        "author": clean_person(channel.author),
        "link": channel.link,
        "picture": channel.image,
        "language": channel.language,
        "explicit mark": _format_boolean(channel.explicit),
        "kind of show": channel.type,
        "end mark": _format_boolean(channel.complete or None),
        "address": channel.hide_token(channel.base_url),
        "categories": ", ".join(" > ".join(path) for path in channel.categories) or None,
    }


def _format_boolean(value: bool | None) -> str | None:  # noqa: FBT001 - the value of a field
    return None if value is None else "yes" if value else "no"


def _format_number(value: int | None) -> str | None:
    return None if value is None else str(value)


def _drop_unknown(values: Mapping[str, str | None]) -> dict[str, str]:
    """Return the fields that have a value."""
    return {name: replace_surrogates(value) for name, value in values.items() if value}
