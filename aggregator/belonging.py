"""Find the feed that a listing belongs to: the one whose items it lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from aggregator.config.load import Config
from aggregator.merger.matching.match import compare_entries, match
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Entry, Listing
from aggregator.sandbox.limits import CostError, limited, make_limits
from aggregator.store import connection, database, entries

_MOST: Final = 300
"""Entries of a listing, and of each source of a feed, that are compared: their newest, as listed."""

_NEW: Final = "\0new"
"""The name of the new listing while it is compared: no source can have it."""


class Belonging(Struct, frozen=True):
    """A count of the entries of a listing that are items of a feed, ``of`` so many that could be: the fewer of both."""

    feed: str
    matched: int
    of: int

    @property
    def is_sure(self) -> bool:
        """Return whether most of them are: the listing is one of the feed's show."""
        return self.matched > 1 and 2 * self.matched > self.of


def compare_with_feeds(
    config: Config, listing: Listing, listed: Mapping[str, Sequence[Entry]]
) -> tuple[Belonging, ...]:
    """Return for each feed of the config that lists an entry of the listing, too, how many; the most first.

    An entry without a file may be an episode. The entries of a feed are those in the store, and those ``listed`` by
    sources that are not stored yet, by feed. A comparison that costs more than the composition of a feed is left out.
    """
    new = [repair(replace(each, source=_NEW)) for each in _take_newest(listing.entries)]
    found: list[Belonging] = []
    for plan in config.plans if new else ():
        known = _read_known(config, plan.name) + [repair(each) for each in _take_newest(listed.get(plan.name, ()))]
        if not known:
            continue
        try:
            with limited(make_limits(len(known) + len(new))):
                every = [*new, *known]
                clusters = match(every, pairs=compare_entries(every, {_NEW})).clusters
        except CostError:
            continue
        ours = [sum(each.source == _NEW for each in cluster.entries) for cluster in clusters]
        is_known = [len(cluster.entries) > count for cluster, count in zip(clusters, ours, strict=True)]
        matched = sum(count for count, there in zip(ours, is_known, strict=True) if there)
        items = sum(is_known)
        if matched:
            found.append(Belonging(plan.name, matched, min(len(new), items)))
    return tuple(sorted(found, key=lambda each: (-each.matched, each.feed)))


def _read_known(config: Config, feed: str) -> list[Entry]:
    """Return the newest stored entries of each source of a feed, repaired."""
    if not connection.has_content(config.state):
        return []
    with database.open_store(config.state) as store:
        stored = [each.entry for each in entries.read_entries(store, feed)]
    sources = dict.fromkeys(each.source for each in stored)
    return [repair(each) for name in sources for each in _take_newest([each for each in stored if each.source == name])]


def _take_newest(listed: Sequence[Entry]) -> list[Entry]:
    return sorted(listed, key=lambda each: (-each.span.last, each.position))[:_MOST]
