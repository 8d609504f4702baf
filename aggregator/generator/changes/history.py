"""The newest changes of a feed, run by run, as the store keeps them for the changes page."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from aggregator.generator.changes import feed_state
from aggregator.generator.changes.changes import KINDS, Change, Kind, changes
from aggregator.generator.changes.feed_state import State
from aggregator.model.feed import Feed
from aggregator.model.item import Item

# A page of half a year of a weekly show; older news are in nobody's reader.
EDITIONS = 60
# The first account of a source that moved can change every item: what is beyond this is summed up.
MOST = 200
# Items looked at at once: of 20,000 the whole account takes 65 MB, and more at once saves no time.
AT_ONCE = 400


class Edition(Struct, frozen=True):
    """What one run changed, and when (aware, UTC); ``more`` counts the changes that were too many to keep."""

    at: datetime
    changes: tuple[Change, ...]
    more: int = 0


class History(Struct, frozen=True):
    """The feed as it was last published but for its items, and its newest editions, newest first."""

    state: State
    editions: tuple[Edition, ...] = ()


class LastPublished(Protocol):
    """The items of a feed as subscribers last saw them, a line each (``feed_state.line``)."""

    def read(self, of: Collection[str]) -> Mapping[str, str]:
        """Return the lines of these items, by guid."""

    def write(self, lines: Mapping[str, str]) -> None:
        """Write the lines, by guid."""

    def remove_others(self, of: Sequence[str]) -> tuple[str, ...]:
        """Remove the lines of all items but these, and return them."""


def advance(past: History | None, feed: Feed, at: datetime, last_published: LastPublished) -> History:
    """The history with this run's changes; the same history where there are none. A first publication is no news.

    Some items are looked at at a time, and their lines written to ``last_published``.
    """
    tally, state = _Tally(), feed_state.besides(feed)
    for lot in _lots(feed.items):
        now = {item.guid: feed_state.see_item(item) for item in lot}
        told = {guid: feed_state.line(guid, each) for guid, each in now.items()}
        known = last_published.read(tuple(told)) if past else {}
        fresh = {guid: line for guid, line in told.items() if known.get(guid) != line}
        last_published.write(fresh)
        if past:
            before = dict(feed_state.item_of(known[guid]) for guid in fresh if guid in known)
            tally.add(changes(State(items=before), State(items={guid: now[guid] for guid in fresh})))
    if past is None:
        return History(state)
    gone = dict(sorted(map(feed_state.item_of, last_published.remove_others([item.guid for item in feed.items]))))
    tally.add(changes(replace(past.state, items=gone), state))
    if not tally.total:
        return past
    return History(state, (tally.edition(at), *past.editions)[:EDITIONS])


class _Tally(Struct):
    """The changes that are kept of one run, some of each kind, and how many there were."""

    found: dict[Kind, list[Change]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    total: int = 0

    def add(self, more: Sequence[Change]) -> None:
        """Count more changes, of which each kind's come behind those that were counted before."""
        self.total += len(more)
        for change in more:
            if len(self.found[change.kind]) < MOST:
                self.found[change.kind].append(change)

    def edition(self, at: datetime) -> Edition:
        """The edition that they make."""
        first = [change for kind in KINDS for change in self.found[kind]][:MOST]
        return Edition(at, tuple(first), self.total - len(first))


def _lots(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """The items, some at a time."""
    return (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))


def pack(history: History) -> bytes:
    """The history for the store, which has the items' lines beside: the same history gives the same bytes."""
    editions = [
        [each.at.astimezone(UTC).isoformat(), each.more, [astuple(change) for change in each.changes]]
        for each in history.editions
    ]
    lines = feed_state.pack(history.state), json.dumps(editions, ensure_ascii=False, separators=(",", ":")), ""
    return b"\n".join(line.encode("utf-8", "replace") for line in lines)


def unpack(body: bytes | None) -> History | None:
    """The history that ``pack`` wrote; ``None`` where there is none yet."""
    if not body:
        return None
    state, line, _ = body.split(b"\n")
    editions = tuple(
        Edition(datetime.fromisoformat(at), tuple(Change(*each) for each in kept), more)
        for at, more, kept in json.loads(line)
    )
    return History(feed_state.unpack(state), editions)
