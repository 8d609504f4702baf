"""Find the feed that a listing belongs to: the one whose items it lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from aggregator.config.load import Config
from aggregator.merger.matching.match import compare_entries, match
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Entry, Listing
from aggregator.sandbox.limits import CostError, limited, make_limits
from aggregator.store import connection, database, entries
from aggregator.text.fold import fold

_MOST: Final = 300
"""Entries of a listing, and of each source of a feed, that are compared: their newest, as listed."""

_MOST_FEEDS: Final = 10
"""Feeds that are compared: those whose titles have most words in common with the listing's."""

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
    sources that are not stored yet, by feed. Of many feeds the likeliest are compared, and none whose comparison costs
    more than the composition of a feed.
    """
    new = [repair(replace(each, source=_NEW)) for each in _take_newest(listing.entries)]
    words = _list_words(new)
    known = {name: some for name, some in _read_known(config, listed) if some} if new else {}
    likely = sorted(known, key=lambda name: (-len(words & _list_words(known[name])), name))[:_MOST_FEEDS]
    found: list[Belonging] = []
    for name in likely:
        every = [*new, *map(repair, known[name])]
        try:
            with limited(make_limits(len(every))):
                clusters = match(every, pairs=compare_entries(every, {_NEW})).clusters
        except CostError:
            continue
        ours = [sum(each.source == _NEW for each in cluster.entries) for cluster in clusters]
        is_known = [len(cluster.entries) > count for cluster, count in zip(clusters, ours, strict=True)]
        matched = sum(count for count, there in zip(ours, is_known, strict=True) if there)
        if matched:
            found.append(Belonging(name, matched, min(len(new), sum(is_known))))
    return tuple(sorted(found, key=lambda each: (-each.matched, each.feed)))


def _read_known(config: Config, listed: Mapping[str, Sequence[Entry]]) -> Iterator[tuple[str, list[Entry]]]:
    """Yield each feed with the newest entries of each of its sources, stored and listed."""
    with database.open_store(config.state) if connection.has_content(config.state) else nullcontext() as store:
        for plan in config.plans:
            stored = [each.entry for each in entries.read_entries(store, plan.name)] if store else []
            every = [*stored, *listed.get(plan.name, ())]
            sources = dict.fromkeys(each.source for each in every)
            newest = (_take_newest([each for each in every if each.source == name]) for name in sources)
            yield plan.name, [each for some in newest for each in some]


def _list_words(some: Iterable[Entry]) -> frozenset[str]:
    """Return the words of the titles."""
    return frozenset(word for each in some for word in fold(each.title).split())


def _take_newest(listed: Sequence[Entry]) -> list[Entry]:
    return sorted(listed, key=lambda each: (-each.span.last, each.position))[:_MOST]
