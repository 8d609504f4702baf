"""What subscribers see of a feed, small enough to be remembered and exact enough to tell every change.

Long texts are kept as their size and a digest: a change is told by size, and the text itself stands in the feed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.generator.content.sanitize import clean_person
from aggregator.generator.pages import view
from aggregator.model.entry import Genre
from aggregator.model.feed import Channel, Feed
from aggregator.model.item import Item

# A text up to this many characters is kept as it is; a title is at most 255.
_LONGEST = 255

# Made once: ``json.dumps`` makes one for each line, which takes as long as writing it.
_encode = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


class ItemState(Struct, frozen=True):
    """One item as subscribers see it: each field that is known, as text, and the sources that list it."""

    title: str
    genre: Genre
    values: Mapping[str, str]
    sources: tuple[str, ...] = ()


class FeedState(Struct, frozen=True):
    """One feed as subscribers see it: its own fields, its items by guid, and how each source stands."""

    channel: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, ItemState] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


def take_state(feed: Feed) -> FeedState:
    """What subscribers see of a feed whose items have their texts."""
    return replace(take_channel_state(feed), items={item.guid: take_item_state(item) for item in feed.items})


def take_channel_state(feed: Feed) -> FeedState:
    """What subscribers see of a feed besides its items."""
    return FeedState(
        channel=_drop_unknown(_channel_fields(feed.channel)),
        sources={
            source_result.source.name: view.STANDING[source_result.state] for source_result in feed.source_results
        },
    )


def take_item_state(item: Item) -> ItemState:
    """One item, with its texts, as subscribers see it."""
    return ItemState(
        _drop_surrogates(item.title), item.genre, _drop_unknown(_item_fields(item)), view.list_sources(item)
    )


def pack_item(guid: str, seen: ItemState) -> str:
    """An item as one line of JSON in ASCII: the same item gives the same line."""
    return _encode([guid, seen.title, seen.genre, seen.values, seen.sources])


def unpack_item(line: str) -> tuple[str, ItemState]:
    """The guid and the item that ``pack_item`` wrote."""
    guid, title, genre, values, names = json.loads(line)
    return guid, ItemState(title, genre, values, tuple(names))


def pack_state(state: FeedState) -> str:
    """A state without its items, which have lines of their own, as one line of JSON."""
    return json.dumps([state.channel, {}, state.sources], ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def unpack_state(line: str | bytes) -> FeedState:
    """The state that ``pack_state`` wrote."""
    channel, _, sources = json.loads(line)
    return FeedState(channel, sources=sources)


def name_host(url: str) -> str:
    """The host of an address as people say it.

    >>> name_host("https://www.media.example:443/a.mp3"), name_host("no address")
    ('media.example', 'no address')
    """
    try:
        return (urlsplit(url).hostname or url).removeprefix("www.")
    except ValueError:
        return url


def _digest(text: str) -> str:
    """A long text as its number of characters and 48 bits of its hash; a short one as it is.

    >>> _digest("short"), _digest("long " * 60)
    ('short', '300 characters, 994ef62a3f93')
    """
    if len(text) <= _LONGEST:
        return text
    return f"{len(text)} characters, {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _item_fields(item: Item) -> dict[str, str | None]:
    """Each field of an item as text, by the name that people give it."""
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
        "explicit mark": _yes_or_no(item.explicit),
        "author": clean_person(item.author),
        "link": item.link,
        "picture": item.image,
        "categories": ", ".join(item.categories) or None,
    }


def _channel_fields(channel: Channel) -> dict[str, str | None]:
    """Each field of a channel as text."""
    return {
        "title": channel.title,
        "description": _digest(channel.description) if channel.description else None,
        "author": clean_person(channel.author),
        "link": channel.link,
        "picture": channel.image,
        "language": channel.language,
        "explicit mark": _yes_or_no(channel.explicit),
        "kind of show": channel.type,
        "end mark": _yes_or_no(channel.complete or None),
        "address": channel.base_url,
        "categories": ", ".join(" > ".join(path) for path in channel.categories) or None,
    }


def _yes_or_no(value: bool | None) -> str | None:  # noqa: FBT001 - the value of a field
    return None if value is None else "yes" if value else "no"


def _format_number(value: int | None) -> str | None:
    return None if value is None else str(value)


def _drop_unknown(values: Mapping[str, str | None]) -> dict[str, str]:
    """The fields that have a value."""
    return {name: _drop_surrogates(value) for name, value in values.items() if value}


def _drop_surrogates(text: str) -> str:
    """The text as UTF-8 can keep it, so that what is remembered equals what is seen again; itself where it can."""
    said = text.encode("utf-8", "replace").decode()
    return text if said == text else said
