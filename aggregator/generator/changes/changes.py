"""Find the changes between two states of a feed, describe them, and keep the newest for the changes page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time
from typing import Literal, Protocol

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from aggregator.generator.changes import feed_state
from aggregator.generator.changes.feed_state import (
    FeedState,
    ItemChange,
    StateChanges,
    find_changes,
    name_host,
    take_item_states,
)
from aggregator.generator.pages import wording
from aggregator.model.entry import Duration, Moment
from aggregator.model.feed import Feed
from aggregator.model.item import Item, sources_of

_Kind = Literal["added", "changed", "left", "audio", "listed", "unlisted", "channel", "source"]
_KINDS: tuple[_Kind, ...] = ("added", "left", "audio", "changed", "listed", "unlisted", "channel", "source")

_DIGEST = re.compile(r"(\d+) characters, [0-9a-f]{12}")
# Fields described by the host of their URL only; whole URLs make a sentence unreadable.
_ADDRESSES = frozenset({"audio", "link", "picture", "address"})
_TEXTS = frozenset({"text", "summary", "description"})


class Change(Struct, frozen=True):
    """One change: its subject, and for a field its values before and after (``None`` if there was none).

    ``guid`` is empty for changes of the channel and of sources; ``title`` is the item's newest, or the source's name.
    A change of kind "audio" is of many items whose audio moved from one host to another: ``title`` is their number.
    """

    kind: _Kind
    title: str
    guid: str = ""
    field: str = ""
    before: str | None = None
    after: str | None = None


def list_changes(found: StateChanges) -> tuple[Change, ...]:
    """Return changes between two states: items added and removed, then fields, sources and the channel."""
    listed = [
        *(Change("added", each.title, each.guid, each.genre, None, each.values.get("date")) for each in found.added),
        *(Change("left", each.title, each.guid, each.genre) for each in found.removed),
        *(change for each in found.changed for change in _list_item_changes(each)),
        *(Change("channel", "", "", each.field, each.before, each.after) for each in found.channel),
        *sorted(
            (Change("source", each.field, "", "", each.before, each.after) for each in found.sources),
            key=lambda change: change.title,
        ),
    ]
    return tuple(sorted(listed, key=lambda change: _KINDS.index(change.kind)))


def describe_change(change: Change, timezone: str = "UTC") -> str:
    """Describe a change in a sentence; days are those of the time zone.

    >>> describe_change(Change("changed", "Clocks", "g", "length", "840", "893"))
    '“Clocks”: the length is now 15 min, it was 14 min.'
    >>> describe_change(Change("source", "apple", "", "", "answers", None))
    'The source apple was removed.'
    """
    match change.kind:
        case "added":
            day = f", {_format_field('date', change.after, timezone)}" if change.after else ""
            text = f"New {change.field}: {quote_title(change)}{day}"
        case "left":
            text = f"{quote_title(change)} left the feed"
        case "changed":
            text = f"{quote_title(change)}: the {change.field} {_describe_values(change, timezone)}"
        case "channel":
            text = f"The feed’s {change.field} {_describe_values(change, timezone)}"
        case "listed":
            text = f"{quote_title(change)} is now also listed by {change.field}"
        case "unlisted":
            text = f"{quote_title(change)} is no longer matched with an entry of {change.field}"
        case "audio":
            text = f"The audio of {change.title} items moved from {change.before} to {change.after}"
        case "source":
            text = f"The source {change.title}{_describe_source(change.before, change.after)}"
    return f"{text}."


def quote_title(change: Change) -> str:
    """Quote the title with which a sentence begins."""
    return f"“{wording.isolate(change.title)}”"


def _list_item_changes(change: ItemChange) -> Iterator[Change]:
    """Yield what changed in an item that stayed."""
    item, was, now = change.item, sources_of(change.before.entries), sources_of(change.item.entries)
    for each in change.fields:
        yield Change("changed", item.title, item.guid, each.field, each.before, each.after)
    yield from (Change("listed", item.title, item.guid, source) for source in now if source not in was)
    yield from (Change("unlisted", item.title, item.guid, source) for source in was if source not in now)


def _describe_values(change: Change, timezone: str) -> str:
    before, after = change.before, change.after
    if before is None:
        return f"is now known: {_format_field(change.field, after, timezone)}"
    if after is None:
        return f"is no longer known, it was {_format_field(change.field, before, timezone)}"
    if change.field in _TEXTS:
        return _describe_text_change(before, after)
    old, new = _format_field(change.field, before, timezone), _format_field(change.field, after, timezone)
    if change.field in _ADDRESSES:
        return f"has another address at {new}" if old == new else f"moved from {old} to {new}"
    return (
        _describe_small_change(change.field, before, after, timezone) if old == new else f"is now {new}, it was {old}"
    )


def _describe_source(before: str | None, after: str | None) -> str:
    if before is None:
        return f" is new: {after}"
    return " was removed" if after is None else f": {after} (before: {before})"


def _describe_small_change(field: str, before: str, after: str, timezone: str) -> str:
    """Describe a change that rounding hides: 893 and 897 seconds are both 15 minutes."""
    if field == "date":
        return f"has another time on {_format_field(field, after, timezone)}"
    more = int(after) - int(before)
    unit = "s" if field == "length" else "bytes"
    return f"is {abs(more):,} {unit} {'more' if more > 0 else 'less'}, still {_format_field(field, after, timezone)}"


def _describe_text_change(before: str, after: str) -> str:
    old, new = _get_text_size(before), _get_text_size(after)
    if old == new:
        return f"was corrected ({new} characters)"
    return f"{'grew' if new > old else 'shrank'} from {old} to {new} characters"


def _get_text_size(text: str) -> int:
    """Return the number of characters of a text, also if only its digest is stored."""
    kept = _DIGEST.fullmatch(text)
    return int(kept[1]) if kept else len(text)


def _format_field(field: str, value: str | None, timezone: str) -> str:
    if value is None:
        return "nothing"
    if field in _ADDRESSES:
        return name_host(value)
    if field in _TEXTS:
        return f"{_get_text_size(value)} characters"
    if field == "date":
        at = datetime.fromisoformat(value)
        return wording.format_day(Moment(at, "minute" if at.time() != time() else "day"), timezone)
    return _FORMATTERS.get(field, str)(value)


_FORMATTERS: Mapping[str, Callable[[str], str]] = {
    "length": lambda value: wording.format_length(Duration(int(value))),
    "audio size": lambda value: wording.format_size(int(value)),
    "title": lambda value: f"“{wording.isolate(value)}”",
    "author": lambda value: f"“{wording.isolate(value)}”",
}


# More than a year of a weekly show.
_MOST_EDITIONS = 60
# The first listing of a source that moved can change every item: what is beyond this is summed up.
_MOST_CHANGES = 200
# Items compared at once: all of 20,000 take 65 MB, and more at once saves no time.
_BATCH = 400


class Edition(Struct, frozen=True):
    """The changes of one run and its time (UTC); ``more`` counts the changes beyond the limit."""

    at: datetime
    changes: tuple[Change, ...]
    more: int = 0


class History(Struct, frozen=True):
    """The feed as last published, without its items, and its newest editions, newest first."""

    state: FeedState
    editions: tuple[Edition, ...] = ()


class PublishedItems(Protocol):
    """The items of a feed as last published."""

    def write(self, published: Sequence[Item]) -> Sequence[tuple[Item | None, Item]]:
        """Write the items that changed, and return each after what was known of it, ``None`` if it is new."""

    def remove_others(self, guids: Collection[str]) -> tuple[Item, ...]:
        """Remove all items but these, and return them."""


def advance_history(past: History | None, feed: Feed, at: datetime, published: PublishedItems) -> History:
    """Return the history with this run's changes; the same one if nothing changed, or at the first publication.

    The items are written to ``published``, in batches.
    """
    tally, state = _Tally(), feed_state.take_channel_state(feed)
    for start in range(0, len(feed.items), _BATCH):
        changed = published.write(feed.items[start : start + _BATCH])
        if past:
            before, after = (item for item, _ in changed if item), (item for _, item in changed)
            tally.add(find_changes(*(FeedState(items=take_item_states(each)) for each in (before, after))))
    gone = published.remove_others([item.guid for item in feed.items])
    if past is None:
        return History(state)
    tally.add(find_changes(replace(past.state, items=take_item_states(gone)), state))
    if not tally.total and not tally.moves:
        return past
    return History(state, (tally.edition(at), *past.editions)[:_MOST_EDITIONS])


class _Tally(Struct):
    """The changes of one run, at most ``_MOST_CHANGES`` of each kind, and their number."""

    found: dict[_Kind, list[Change]] = field(default_factory=lambda: {kind: [] for kind in _KINDS})
    moves: dict[tuple[str, str], list[Change]] = field(default_factory=dict)
    total: int = 0

    def add(self, found: StateChanges) -> None:
        """Add more changes; audio that moved to another host is set aside, without its new type and size."""
        more = list_changes(found)
        moved = {change.guid for change in more if _find_moved_host(change)}
        for change in more:
            if (hosts := _find_moved_host(change)) is not None:
                self.moves.setdefault(hosts, []).append(change)
            elif change.guid not in moved or change.field not in _OF_AUDIO:
                self._add(change)

    def _add(self, *more: Change) -> None:
        self.total += len(more)
        for change in more:
            if len(self.found[change.kind]) < _MOST_CHANGES:
                self.found[change.kind].append(change)

    def edition(self, at: datetime) -> Edition:
        """Return the edition of these changes, one for all audio that moved from one host to another."""
        for (before, after), some in self.moves.items():
            many = Change("audio", str(len(some)), before=before, after=after)
            self._add(*(some if len(some) == 1 else (many,)))
        first = [change for kind in _KINDS for change in self.found[kind]][:_MOST_CHANGES]
        return Edition(at, tuple(first), self.total - len(first))


_OF_AUDIO = frozenset({"audio type", "audio size"})


def _find_moved_host(change: Change) -> tuple[str, str] | None:
    """Return the hosts between which the audio of an item moved, ``None`` if it did not."""
    if change.kind != "changed" or change.field != "audio" or change.before is None or change.after is None:
        return None
    hosts = name_host(change.before), name_host(change.after)
    return hosts if hosts[0] != hosts[1] else None


def pack_history(history: History) -> bytes:
    """Encode a history for the store, without the items' lines; deterministic."""
    editions = [
        [each.at.astimezone(UTC).isoformat(), each.more, [astuple(change) for change in each.changes]]
        for each in history.editions
    ]
    lines = feed_state.pack_state(history.state), json.dumps(editions, ensure_ascii=False, separators=(",", ":")), ""
    return b"\n".join(line.encode("utf-8", "replace") for line in lines)


def unpack_history(body: bytes | None) -> History | None:
    """Decode what ``pack_history`` wrote; ``None`` if there is none yet."""
    if not body:
        return None
    state, line, _ = body.split(b"\n")
    editions = tuple(
        Edition(datetime.fromisoformat(at), tuple(Change(*each) for each in kept), more)
        for at, more, kept in json.loads(line)
    )
    return History(feed_state.unpack_state(state), editions)
