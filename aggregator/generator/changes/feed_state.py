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

from aggregator.generator.content.people import person
from aggregator.generator.pages import view
from aggregator.model.entry import Genre
from aggregator.model.feed import Channel, Feed
from aggregator.model.item import Item

# A text up to this many characters is kept as it is; a title is at most 255.
WHOLE = 255

# Made once: ``json.dumps`` makes one for each line, which takes as long as writing it.
_line = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


class Seen(Struct, frozen=True):
    """One item as subscribers see it: each field that is known, as text, and the sources that list it."""

    title: str
    genre: Genre
    values: Mapping[str, str]
    sources: tuple[str, ...] = ()


class State(Struct, frozen=True):
    """One feed as subscribers see it: its own fields, its items by guid, and how each source stands."""

    channel: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, Seen] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


def see(feed: Feed) -> State:
    """What subscribers see of a feed whose items have their texts."""
    return replace(besides(feed), items={item.guid: see_item(item) for item in feed.items})


def besides(feed: Feed) -> State:
    """What subscribers see of a feed besides its items."""
    return State(
        channel=_known(_channel(feed.channel)),
        sources={
            source_result.source.name: view.STANDING[source_result.state] for source_result in feed.source_results
        },
    )


def see_item(item: Item) -> Seen:
    """One item, with its texts, as subscribers see it."""
    return Seen(_sound(item.title), item.genre, _known(_item(item)), view.sources(item))


def line(guid: str, seen: Seen) -> str:
    """An item as one line of JSON in ASCII: the same item gives the same line."""
    return _line([guid, seen.title, seen.genre, seen.values, seen.sources])


def item_of(line: str) -> tuple[str, Seen]:
    """The guid and the item that ``line`` wrote."""
    guid, title, genre, values, names = json.loads(line)
    return guid, Seen(title, genre, values, tuple(names))


def pack(state: State) -> str:
    """A state without its items, which have lines of their own, as one line of JSON."""
    return json.dumps([state.channel, {}, state.sources], ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def unpack(line: str | bytes) -> State:
    """The state that ``pack`` wrote."""
    channel, _, sources = json.loads(line)
    return State(channel, sources=sources)


def host(url: str) -> str:
    """The host of an address as people say it.

    >>> host("https://www.media.example:443/a.mp3"), host("no address")
    ('media.example', 'no address')
    """
    try:
        return (urlsplit(url).hostname or url).removeprefix("www.")
    except ValueError:
        return url


def digest(text: str) -> str:
    """A long text as its number of characters and 48 bits of its hash; a short one as it is.

    >>> digest("short"), digest("long " * 60)
    ('short', '300 characters, 994ef62a3f93')
    """
    if len(text) <= WHOLE:
        return text
    return f"{len(text)} characters, {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _item(item: Item) -> dict[str, str | None]:
    """Each field of an item as text, by the name that people give it."""
    sound = item.enclosure
    return {
        "title": item.title,
        "date": item.published.at.isoformat() if item.published else None,
        "text": digest(item.description) if item.description else None,
        "summary": digest(item.summary) if item.summary else None,
        "audio": sound.url if sound else None,
        "audio type": sound.type if sound else None,
        "audio size": _number(sound.length) if sound else None,
        "length": _number(item.duration.seconds) if item.duration else None,
        "season": _number(item.season),
        "episode number": item.number or _number(item.episode),
        "kind of episode": item.episode_type,
        "explicit mark": _yes(item.explicit),
        "author": person(item.author),
        "link": item.link,
        "picture": item.image,
        "categories": ", ".join(item.categories) or None,
    }


def _channel(channel: Channel) -> dict[str, str | None]:
    """Each field of a channel as text."""
    return {
        "title": channel.title,
        "description": digest(channel.description) if channel.description else None,
        "author": person(channel.author),
        "link": channel.link,
        "picture": channel.image,
        "language": channel.language,
        "explicit mark": _yes(channel.explicit),
        "kind of show": channel.type,
        "end mark": _yes(channel.complete or None),
        "address": channel.base_url,
        "categories": ", ".join(" > ".join(path) for path in channel.categories) or None,
    }


def _yes(value: bool | None) -> str | None:  # noqa: FBT001 - the value of a field
    return None if value is None else "yes" if value else "no"


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)


def _known(values: Mapping[str, str | None]) -> dict[str, str]:
    """The fields that have a value."""
    return {name: _sound(value) for name, value in values.items() if value}


def _sound(text: str) -> str:
    """The text as UTF-8 can keep it, so that what is remembered equals what is seen again; itself where it can."""
    said = text.encode("utf-8", "replace").decode()
    return text if said == text else said
