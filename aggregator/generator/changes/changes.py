"""Find the changes between two states of a feed, describe them, and keep the newest for the changes page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time
from typing import Final, Literal, Protocol

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
from aggregator.translation.locale import ENGLISH, Locale
from aggregator.translation.marks import N_

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


def describe_change(change: Change, locale: Locale = ENGLISH) -> str:
    """Describe a change in a sentence.

    >>> describe_change(Change("changed", "Clocks", "g", "length", "840", "893"))
    '“Clocks”: the length is now 15 min, it was 14 min.'
    >>> describe_change(Change("source", "apple", "", "", "answers", None))
    'The source apple was removed.'
    """
    title = quote_title(change, locale)
    match change.kind:
        case "added":
            text = _describe_new_item(change, title, locale)
        case "left":
            text = locale.gettext("%(title)s left the feed.", title=title)
        case "changed":
            text = locale.gettext("%(title)s: %(change)s", title=title, change=describe_values(change, locale))
        case "channel":
            text = describe_values(change, locale)
        case "listed":
            text = locale.gettext("%(title)s is now also listed by %(source)s.", title=title, source=change.field)
        case "unlisted":
            message = N_("%(title)s is no longer matched with an entry of %(source)s.")
            text = locale.gettext(message, title=title, source=change.field)
        case "audio":
            values = {"count": change.title, "old": change.before, "new": change.after}
            text = locale.gettext("The audio of %(count)s items moved from %(old)s to %(new)s.", **values)
        case "source":
            text = _describe_source(change, locale)
    return text


def describe_values(change: Change, locale: Locale = ENGLISH) -> str:
    """Describe what became of a field, of an item as a sentence to stand after its title."""
    kind, old, new = _find_sentence(change, locale)
    of_item, of_feed = _SENTENCES[kind]
    message = of_feed if change.kind == "channel" else of_item
    return locale.gettext(message, field=locale.gettext(change.field), old=old, new=new)


def quote_title(change: Change, locale: Locale = ENGLISH) -> str:
    """Quote the title of the item of a change."""
    return wording.quote(change.title, locale)


_SENTENCES: Final[Mapping[str, tuple[str, str]]] = {
    "known": (
        N_("the %(field)s is now known: %(new)s."),
        N_("The feed’s %(field)s is now known: %(new)s."),
    ),
    "unknown": (
        N_("the %(field)s is no longer known, it was %(old)s."),
        N_("The feed’s %(field)s is no longer known, it was %(old)s."),
    ),
    "value": (
        N_("the %(field)s is now %(new)s, it was %(old)s."),
        N_("The feed’s %(field)s is now %(new)s, it was %(old)s."),
    ),
    "host": (
        N_("the %(field)s moved from %(old)s to %(new)s."),
        N_("The feed’s %(field)s moved from %(old)s to %(new)s."),
    ),
    "address": (
        N_("the %(field)s has another address at %(new)s."),
        N_("The feed’s %(field)s has another address at %(new)s."),
    ),
    "corrected": (
        N_("the %(field)s was corrected (%(new)s)."),
        N_("The feed’s %(field)s was corrected (%(new)s)."),
    ),
    "longer": (
        N_("the %(field)s grew from %(old)s to %(new)s."),
        N_("The feed’s %(field)s grew from %(old)s to %(new)s."),
    ),
    "shorter": (
        N_("the %(field)s shrank from %(old)s to %(new)s."),
        N_("The feed’s %(field)s shrank from %(old)s to %(new)s."),
    ),
    "time": (
        N_("the %(field)s has another time on %(new)s."),
        N_("The feed’s %(field)s has another time on %(new)s."),
    ),
    "more": (
        N_("the %(field)s is %(old)s more, still %(new)s."),
        N_("The feed’s %(field)s is %(old)s more, still %(new)s."),
    ),
    "less": (
        N_("the %(field)s is %(old)s less, still %(new)s."),
        N_("The feed’s %(field)s is %(old)s less, still %(new)s."),
    ),
}
"""By what became of a field: the sentence of an item, and of a feed. Of two numbers, ``old`` is the difference."""


def _list_item_changes(change: ItemChange) -> Iterator[Change]:
    """Yield what changed in an item that stayed."""
    item, was, now = change.item, sources_of(change.before.entries), sources_of(change.item.entries)
    for each in change.fields:
        yield Change("changed", item.title, item.guid, each.field, each.before, each.after)
    yield from (Change("listed", item.title, item.guid, source) for source in now if source not in was)
    yield from (Change("unlisted", item.title, item.guid, source) for source in was if source not in now)


def _describe_new_item(change: Change, title: str, locale: Locale) -> str:
    day = _format_field("date", change.after, locale) if change.after else ""
    if change.field == "post":
        message = N_("New post: %(title)s, %(day)s.") if day else N_("New post: %(title)s.")
    else:
        message = N_("New episode: %(title)s, %(day)s.") if day else N_("New episode: %(title)s.")
    return locale.gettext(message, title=title, day=day)


def _find_sentence(change: Change, locale: Locale) -> tuple[str, str, str]:
    """Return which sentence describes a change of a field, and the old and the new value in it."""
    field, before, after = change.field, change.before, change.after
    old, new = _format_field(field, before, locale), _format_field(field, after, locale)
    if before is None or after is None:
        return "known" if before is None else "unknown", old, new
    if field in _TEXTS:
        sizes = _get_text_size(before), _get_text_size(after)
        kind = "corrected" if sizes[0] == sizes[1] else "longer" if sizes[0] < sizes[1] else "shorter"
        return kind, locale.format_number(sizes[0]), new
    if field in _ADDRESSES:
        return "address" if old == new else "host", old, new
    if old != new:
        return "value", old, new
    return ("time", old, new) if field == "date" else _compare_numbers(change.field, int(before), int(after), locale)


def _compare_numbers(field: str, before: int, after: int, locale: Locale) -> tuple[str, str, str]:
    """Return the sentence of a change that rounding hides: 893 and 897 seconds are both 15 minutes."""
    difference = abs(after - before)
    if field == "length":
        told = locale.gettext("%(seconds)s s", seconds=locale.format_number(difference))
    else:
        told = locale.ngettext("%(count)s byte", "%(count)s bytes", difference)
    return "more" if after > before else "less", told, _format_field(field, str(after), locale)


_STANDINGS: Final = (
    *(N_("ok"), N_("failed"), N_("failed; using a saved copy"), N_("failed; using earlier entries")),
    N_("newest listing held back; using earlier entries"),
)
"""Of sources, as ``SourceResult.standing`` has them."""


def _describe_source(change: Change, locale: Locale) -> str:
    if change.before is None:
        message = N_("The source %(source)s is new: %(new)s.")
    elif change.after is None:
        message = N_("The source %(source)s was removed.")
    else:
        message = N_("The source %(source)s: %(new)s (before: %(old)s).")
    old, new = (locale.gettext(each) if each else "" for each in (change.before, change.after))
    return locale.gettext(message, source=change.title, old=old, new=new)


def _get_text_size(text: str) -> int:
    """Return the number of characters of a text, also if only its digest is stored."""
    kept = _DIGEST.fullmatch(text)
    return int(kept[1]) if kept else len(text)


def _format_field(field: str, value: str | None, locale: Locale) -> str:
    if value is None:
        return locale.gettext("nothing")
    if field in _ADDRESSES:
        return name_host(value)
    if field in _TEXTS:
        return locale.ngettext("%(count)s character", "%(count)s characters", _get_text_size(value))
    format_value = _FORMATTERS.get(field)
    return format_value(value, locale) if format_value else value


def _format_date(value: str, locale: Locale) -> str:
    at = datetime.fromisoformat(value)  # without its precision: a time at midnight is taken for a mere day
    return locale.format_day(Moment(at, "minute" if at.time() != time() else "day"))


def _translate(value: str, locale: Locale) -> str:
    return locale.gettext(value)


_FORMATTERS: Mapping[str, Callable[[str, Locale], str]] = {
    "date": _format_date,
    "length": lambda value, locale: wording.format_length(Duration(int(value)), locale),
    "audio size": lambda value, locale: wording.format_size(int(value), locale),
    "title": wording.quote,
    "author": wording.quote,
    "explicit mark": _translate,
    "end mark": _translate,
    "kind of episode": _translate,
    "kind of show": _translate,
}


# More than a year of a weekly show.
_MOST_EDITIONS = 60
# The first listing of a source that moved can change every item: what is beyond this is summed up.
_MOST_CHANGES = 200
# Items compared at once: all of 20,000 take 65 MB, and more at once saves no time.
_BATCH = 400


class RunChanges(Struct, frozen=True):
    """The changes of one run and its time (UTC); ``more`` counts the changes beyond the limit."""

    at: datetime
    changes: tuple[Change, ...]
    more: int = 0


class History(Struct, frozen=True):
    """The feed as last published, without its items, and its newest editions, newest first."""

    state: FeedState
    editions: tuple[RunChanges, ...] = ()


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

    def edition(self, at: datetime) -> RunChanges:
        """Return the edition of these changes, one for all audio that moved from one host to another."""
        for (before, after), some in self.moves.items():
            many = Change("audio", str(len(some)), before=before, after=after)
            self._add(*(some if len(some) == 1 else (many,)))
        first = [change for kind in _KINDS for change in self.found[kind]][:_MOST_CHANGES]
        return RunChanges(at, tuple(first), self.total - len(first))


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
        RunChanges(datetime.fromisoformat(at), tuple(Change(*each) for each in kept), more)
        for at, more, kept in json.loads(line)
    )
    return History(feed_state.unpack_state(state), editions)
