"""What changed between two states of a feed, and each change as a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Literal

from msgspec import Struct

from aggregator.generator.changes.feed_state import Seen, State, host
from aggregator.generator.pages import wording
from aggregator.model.entry import Duration, Moment

Kind = Literal["added", "changed", "left", "listed", "unlisted", "channel", "source"]
KINDS: tuple[Kind, ...] = ("added", "left", "changed", "listed", "unlisted", "channel", "source")

LONG = re.compile(r"(\d+) characters, [0-9a-f]{12}")
# What is told by its host alone: whole addresses make a sentence unreadable, and one that moves mostly moves host.
ADDRESSES = frozenset({"audio", "link", "picture", "address"})
TEXTS = frozenset({"text", "summary", "description"})


class Change(Struct, frozen=True):
    """One change: what it is about, and for a field its value before and after (``None`` where there was none).

    ``guid`` is empty for changes of the channel and of sources; ``title`` is the item's newest, or the source's name.
    """

    kind: Kind
    title: str
    guid: str = ""
    field: str = ""
    before: str | None = None
    after: str | None = None


def changes(old: State, new: State, reasons: Mapping[str, str] | None = None) -> tuple[Change, ...]:
    """Every change from ``old`` to ``new``: items that came and went, then fields, sources and the channel.

    ``reasons`` says by guid why an item left, where that is known.
    """
    found = [
        *_arrivals(old, new),
        *_departures(old, new, reasons or {}),
        *(
            change
            for guid, seen in new.items.items()
            if guid in old.items
            for change in _item(guid, old.items[guid], seen)
        ),
        *_fields("channel", "", "", old.channel, new.channel),
        *_sources(old.sources, new.sources),
    ]
    return tuple(sorted(found, key=lambda change: KINDS.index(change.kind)))


def sentence(change: Change) -> str:
    """The change in words.

    >>> sentence(Change("changed", "Clocks", "g", "length", "840", "893"))
    '“Clocks”: the length is now 15 min, it was 14 min.'
    >>> sentence(Change("source", "apple", "", "", "answers", None))
    'The source apple is no longer asked.'
    """
    return SENTENCES[change.kind](change)


def named(change: Change) -> str:
    """The title that a sentence begins with, in quotes."""
    return f"“{wording.isolated(change.title)}”"


def _arrivals(old: State, new: State) -> Iterator[Change]:
    for guid, seen in new.items.items():
        if guid not in old.items:
            yield Change("added", seen.title, guid, seen.genre, None, seen.values.get("date"))


def _departures(old: State, new: State, reasons: Mapping[str, str]) -> Iterator[Change]:
    for guid, seen in old.items.items():
        if guid not in new.items:
            yield Change("left", seen.title, guid, seen.genre, None, reasons.get(guid))


def _item(guid: str, was: Seen, now: Seen) -> Iterator[Change]:
    """What changed in one item that stayed."""
    yield from _fields("changed", now.title, guid, was.values, now.values)
    for source in now.sources:
        if source not in was.sources:
            yield Change("listed", now.title, guid, source)
    for source in was.sources:
        if source not in now.sources:
            yield Change("unlisted", now.title, guid, source)


def _fields(kind: Kind, title: str, guid: str, was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    """The fields whose values differ, those that are known now first."""
    for name in (*now, *(each for each in was if each not in now)):
        if was.get(name) != now.get(name):
            yield Change(kind, title, guid, name, was.get(name), now.get(name))


def _sources(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            yield Change("source", name, "", "", was.get(name), now.get(name))


def _added(change: Change) -> str:
    day = f", {_said('date', change.after)}" if change.after else ""
    return f"New {change.field}: {named(change)}{day}."


def _left(change: Change) -> str:
    return f"{named(change)} left the feed{f': {change.after}' if change.after else ''}."


def _changed(change: Change) -> str:
    about = f"{named(change)}: the {change.field}" if change.kind == "changed" else f"The feed’s {change.field}"
    before, after = change.before, change.after
    if before is None or after is None:
        said = _said(change.field, after or before)
        return f"{about} is {'now known' if after else 'no longer known, it was'}{': ' if after else ' '}{said}."
    if change.field in TEXTS:
        return f"{about} {_resized(before, after)}."
    if change.field in ADDRESSES and host(before) == host(after):
        return f"{about} has another address at {host(after)}."
    if change.field in ADDRESSES:
        return f"{about} moved from {host(before)} to {host(after)}."
    old, new = _said(change.field, before), _said(change.field, after)
    return f"{about} {_nearly(change.field, before, after)}." if old == new else f"{about} is now {new}, it was {old}."


def _nearly(field: str, before: str, after: str) -> str:
    """What became of a value that people say as they did before: 893 and 897 seconds are both 15 minutes."""
    if field == "date":
        return f"has another time on {_said(field, after)}"
    more = int(after) - int(before)
    unit = "s" if field == "length" else "bytes"
    return f"is {abs(more):,} {unit} {'more' if more > 0 else 'less'}, still {_said(field, after)}"


def _resized(before: str, after: str) -> str:
    """What became of a text."""
    old, new = _size(before), _size(after)
    if old == new:
        return f"was mended ({new} characters)"
    return f"{'grew' if new > old else 'shrank'} from {old} to {new} characters"


def _size(text: str) -> int:
    """The number of characters of a text that may be kept as its digest."""
    kept = LONG.fullmatch(text)
    return int(kept[1]) if kept else len(text)


def _said(field: str, value: str | None) -> str:
    """A field's value as people say it."""
    if value is None:
        return "nothing"
    if field in ADDRESSES:
        return host(value)
    if field in TEXTS:
        return f"{_size(value)} characters"
    return SAYINGS.get(field, str)(value)


def _listed(change: Change) -> str:
    return f"{named(change)} is now listed by {change.field} too."


def _unlisted(change: Change) -> str:
    return f"{named(change)} is no longer held to be what {change.field} lists."


def _source(change: Change) -> str:
    if change.before is None:
        return f"The source {change.title} is new: {change.after}."
    if change.after is None:
        return f"The source {change.title} is no longer asked."
    return f"The source {change.title}: {change.after} (before: {change.before})."


SAYINGS: Mapping[str, Callable[[str], str]] = {
    "date": lambda value: wording.day(Moment(datetime.fromisoformat(value))),
    "length": lambda value: wording.length(Duration(int(value))),
    "audio size": lambda value: wording.size(int(value)),
    "title": lambda value: f"“{wording.isolated(value)}”",
    "author": lambda value: f"“{wording.isolated(value)}”",
}
SENTENCES: Mapping[Kind, Callable[[Change], str]] = {
    "added": _added,
    "left": _left,
    "changed": _changed,
    "listed": _listed,
    "unlisted": _unlisted,
    "channel": _changed,
    "source": _source,
}
