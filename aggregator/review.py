"""Find the pairs of entries that a person should decide about, and what an answer would do to the published feed.

A question is a near miss of the match stage: two entries of two items that could be one. What an answer would do is
found by composing the feed as if it had been given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from aggregator.compose import compose_published
from aggregator.model.cluster import Decision, Pair
from aggregator.model.feed import Feed, Plan
from aggregator.model.item import HeldItem, Item
from aggregator.result import Composition
from aggregator.store import decisions, entries
from aggregator.store.database import Store
from aggregator.store.entries import StoredEntry


class Side(Struct, frozen=True):
    """One entry of a question, and the published item that it belongs to, if any."""

    entry: StoredEntry
    item: Item | None = None


class Question(Struct, frozen=True):
    """Two entries that may be one item, with the evidence."""

    pair: Pair
    left: Side
    right: Side


class Consequence(Struct, frozen=True):
    """The effect of an answer: items that leave the feed with the one that each becomes part of, and items that come.

    False where the feed would stay as it is.
    """

    removed: tuple[tuple[Item, Item], ...] = ()
    added: tuple[Item, ...] = ()
    changed: bool = False

    def __bool__(self) -> bool:
        """Return whether anything would change."""
        return self.changed


def find_open(store: Store, plan: Plan, now: datetime) -> tuple[tuple[Pair, ...], tuple[HeldItem, ...]]:
    """Return the pairs to decide about, the most uncertain first, and the new items that are held."""
    feed = compose_published(store, plan, now).feed
    return feed.near_misses, tuple(each for each in feed.held if each.why != "due")


def make_questions(store: Store, plan: Plan, pairs: Sequence[Pair], now: datetime) -> tuple[Question, ...]:
    """Return the questions about these pairs."""
    seen = {one.entry.id: one for one in entries.read_entries(store, plan.name)}
    items = _items_by_entry(compose_published(store, plan, now).feed)
    return tuple(
        Question(pair, *(Side(seen[name], items.get(name)) for name in (pair.left, pair.right)))
        for pair in pairs
        if pair.left in seen and pair.right in seen
    )


def _items_by_entry(feed: Feed) -> Mapping[str, Item]:
    return {entry: item for item in feed.items for entry in item.entries}


def find_consequence(store: Store, plan: Plan, decision: Decision, now: datetime) -> Consequence:
    """Return what this decision would do to the feed as it would be published now."""
    before = compose_published(store, plan, now)
    after = compose_published(decisions.as_if_decided(store, plan.name, decision), plan, now)
    return _compare(before, after)


def _compare(before: Composition, after: Composition) -> Consequence:
    """Return what differs between two compositions of one feed."""
    was = {item.guid: item for item in before.feed.items}
    now = {item.guid: item for item in after.feed.items}
    home = _items_by_entry(after.feed)
    removed = tuple(
        (item, was.get(into.guid, into))
        for guid, item in was.items()
        if guid not in now
        for into in [next((home[entry] for entry in item.entries if entry in home), None)]
        if into is not None
    )
    entries_of = [{item.guid: item.entries for item in each.feed.items} for each in (before, after)]
    return Consequence(
        removed=removed,
        added=tuple(item for guid, item in now.items() if guid not in was),
        changed=entries_of[0] != entries_of[1] or before.feed.held != after.feed.held,
    )


def describe_consequence(found: Consequence) -> tuple[str, ...]:
    """Return one sentence for each item that would leave the feed or come into it."""
    gone = (
        f"Merging removes the item “{item.title}” ({item.guid}) from the feed; subscribers who have it keep it. "
        f"Its entries become part of “{into.title}” ({into.guid})."
        for item, into in found.removed
    )
    come = (f"Parting brings the item “{item.title}” ({item.guid}) into the feed." for item in found.added)
    return (*gone, *come) or ("No published item leaves the feed.",)
