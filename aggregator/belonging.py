"""Find the feed that a listing belongs to, the one whose items it lists, and what a source of it would add there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from aggregator import corrections, new_items
from aggregator.config.load import Config
from aggregator.fetchers import registry
from aggregator.merger.matching.match import compare_entries, match
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Entry, Listing
from aggregator.model.item import HeldItem
from aggregator.model.source import Source
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
    """A count of the entries of a listing that are items of a feed, ``of`` so many that could be: the fewer of both.

    ``doubtful`` are entries of the listing that look like an item and are none, ``new`` are all others that are none;
    ``known`` are the keys of those that are.
    """

    feed: str
    matched: int
    of: int
    known: frozenset[str] = frozenset()
    doubtful: tuple[Entry, ...] = ()
    new: tuple[Entry, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Return whether most of them are: the listing is one of the feed's show."""
        return self.matched > 1 and 2 * self.matched > self.of


def compare_with_feeds(
    config: Config, listing: Listing, listed: Mapping[str, Sequence[Entry]], only: str | None = None
) -> tuple[Belonging, ...]:
    """Return for each feed of the config that lists an entry of the listing, too, how many; the most first.

    With ``only`` that feed alone is compared, and returned even if it lists none.
    An entry without a file may be an episode. The entries of a feed are those in the store, and those ``listed`` by
    sources that are not stored yet, by feed. Of many feeds the likeliest are compared, and none whose comparison costs
    more than the composition of a feed.
    """
    new = [repair(replace(each, source=_NEW)) for each in _take_newest(listing.entries)]
    words = _list_words(new)
    known = {name: some for name, some in _read_known(config, listed) if some and only in (None, name)} if new else {}
    likely = sorted(known, key=lambda name: (-len(words & _list_words(known[name])), name))[:_MOST_FEEDS]
    compared = [found for name in likely if (found := _compare(name, new, known[name])) and (only or found.matched)]
    return tuple(sorted(compared, key=lambda each: (-each.matched, each.feed)))


def _compare(feed: str, new: Sequence[Entry], known: Sequence[Entry]) -> Belonging | None:
    """Compare a listing with a feed; ``None`` if that costs too much."""
    every = [*new, *map(repair, known)]
    try:
        with limited(make_limits(len(every))):
            found = match(every, pairs=compare_entries(every, {_NEW}))
    except CostError:
        return None
    ours = [[each for each in cluster.entries if each.source == _NEW] for cluster in found.clusters]
    is_known = [len(cluster.entries) > len(some) for cluster, some in zip(found.clusters, ours, strict=True)]
    pairs = [{each.left, each.right} for each in found.near_misses]
    names = {each.id for each in new}
    near = {name for two in pairs if len(two & names) == 1 for name in two & names}
    rest = [each for some, there in zip(ours, is_known, strict=True) if not there for each in some]
    rest.sort(key=lambda each: each.position)
    return Belonging(
        feed,
        matched=len(new) - len(rest),
        of=min(len(new), sum(is_known)),
        known=frozenset({each.key for each in new}.difference(each.key for each in rest)),
        doubtful=tuple(each for each in rest if each.id in near),
        new=tuple(each for each in rest if each.id not in near),
    )


def find_held(config: Config, found: Belonging, source: Source, now: datetime) -> tuple[HeldItem, ...]:
    """Return what the next refresh would hold of the entries that are no items of the feed, if the source is added."""
    if not connection.has_content(config.state):
        return ()
    plan = next(plan for plan in config.plans if plan.name == found.feed)
    added = replace(source, name=_NEW, trust=registry.find(source.kind).trust)
    with database.open_store(config.state) as store:
        plan = replace(plan, sources=(*plan.sources, added))
        return new_items.find_held(store, plan, (*found.doubtful, *found.new), now)


def decide_new(config: Config, feed: str, ids: Sequence[str], now: datetime, *, publish: bool) -> None:
    """Have a feed publish new items of these entries at once, whatever they may repeat, or hold them till released."""
    plan = next(plan for plan in config.plans if plan.name == feed)
    with database.open_store(config.state) as store:
        terms = corrections.Terms(store, plan, now)
        if publish:
            corrections.decide_held(terms, ids, wanted=True)
        else:
            corrections.hold_back(terms, ids)


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
