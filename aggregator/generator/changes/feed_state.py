"""The published state of a feed as texts, and what differs between two.

Of a long text :func:`take_state` keeps only its size and a digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from aggregator.generator.content.sanitize import clean_person
from aggregator.model.entry import Genre
from aggregator.model.feed import Channel, Feed
from aggregator.model.item import Item
from aggregator.model.record import replace_surrogates

# A text up to this many characters is kept as it is; a title is at most 255.
_MAX_TEXT = 255


class ItemState(Struct, frozen=True):
    """One item as subscribers see it: each known field as text, and the ids of its entries."""

    guid: str
    title: str
    genre: Genre
    values: Mapping[str, str]
    entries: tuple[str, ...] = ()


class FeedState(Struct, frozen=True):
    """One feed as subscribers see it: its fields, its items by guid, and the state of each source."""

    channel: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, ItemState] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


class FieldChange(Struct, frozen=True):
    """A field with its value before and after, ``None`` where it has none."""

    field: str
    before: str | None
    after: str | None


class ItemChange(Struct, frozen=True):
    """An item whose fields or entries changed, before and after the change."""

    before: ItemState
    item: ItemState
    fields: tuple[FieldChange, ...]


class StateChanges(Struct, frozen=True):
    """The changes between two states of a feed; false where there are none.

    If the first state is empty there are none of the channel and of the sources. ``merged`` are items that became one
    with another, and ``parted`` those that were part of another, each with that one (`published.find_difference`).
    """

    added: tuple[ItemState, ...] = ()
    removed: tuple[ItemState, ...] = ()
    merged: tuple[tuple[ItemState, ItemState], ...] = ()
    parted: tuple[tuple[ItemState, ItemState], ...] = ()
    changed: tuple[ItemChange, ...] = ()
    channel: tuple[FieldChange, ...] = ()
    sources: tuple[FieldChange, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything differs."""
        return any(astuple(self))


def find_changes(before: FeedState, after: FeedState) -> StateChanges:
    """Return what differs between two states of a feed."""
    old, new, is_first = before.items, after.items, not before.channel
    changed = (
        ItemChange(old[guid], item, _compare(old[guid].values, item.values))
        for guid, item in new.items()
        if guid in old and old[guid] != item
    )
    return StateChanges(
        added=tuple(item for guid, item in new.items() if guid not in old),
        removed=tuple(item for guid, item in old.items() if guid not in new),
        changed=tuple(changed),
        channel=() if is_first else _compare(before.channel, after.channel),
        sources=() if is_first else _compare(before.sources, after.sources),
    )


def _compare(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FieldChange, ...]:
    """Return the fields whose values differ, those with a value now first."""
    names = dict.fromkeys((*after, *before))
    return tuple(
        FieldChange(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    )


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
            item.guid, replace_surrogates(item.title), item.genre, _drop_unknown(_list_item_fields(item)), item.entries
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
    if len(text) <= _MAX_TEXT:
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
    return {name: replace_surrogates(value) for name, value in values.items() if value}
