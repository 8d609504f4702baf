"""Find the feed that a listing belongs to, the one whose items it lists, and what a source of it would add there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from aggregator import new_items
from aggregator.fetchers import registry
from aggregator.merger.matching.match import compare_entries, match
from aggregator.merger.repair.repair import repair
from aggregator.model.belonging import Belonging, Comparison
from aggregator.model.entry import Entry
from aggregator.model.feed import Plan
from aggregator.sandbox.limits import CostError, limited, make_limits
from aggregator.store import database, entries
from aggregator.store.database import Store
from aggregator.text.fold import fold

_MAX_ENTRIES: Final = 300
"""Entries of a listing, and of each source of a feed, that are compared: their newest, as listed."""

_MAX_FEEDS: Final = 10
"""Feeds that are compared: those whose titles have most words in common with the listing's."""

_NEW: Final = "\0new"
"""The name of the new listing while it is compared: no source can have it."""


def compare_with_feeds(given: Comparison) -> tuple[Belonging, ...]:
    """Return for each feed that lists an entry of the listing, too, how many; the most first.

    With ``only`` that feed alone is compared, and returned even if it lists none. An entry without a file may be an
    episode. Of many feeds the likeliest are compared, and none whose comparison costs more than the composition of a
    feed. For the main thread.
    """
    new = [repair(replace(each, source=_NEW)) for each in _take_newest(given.listing.entries)]
    if not new:
        return ()
    words = _list_words(new)
    with database.open_existing(given.state) as store:
        plans = {plan.name: plan for plan in given.plans if given.only in (None, plan.name)}
        known = {name: some for name, plan in plans.items() if (some := _read_known(store, plan, given.listed))}
        likely = sorted(known, key=lambda name: (-len(words & _list_words(known[name])), name))[:_MAX_FEEDS]
        compared = [
            _add_held(store, plans[name], found, given)
            for name in likely
            if (found := _compare(plans[name], new, known[name])) and (given.only or found.matched)
        ]
    return tuple(sorted(compared, key=lambda each: (-each.matched, each.feed)))


def _compare(plan: Plan, new: Sequence[Entry], known: Sequence[Entry]) -> Belonging | None:
    """Compare a listing with a feed; ``None`` if that costs too much."""
    every = [*new, *map(repair, known)]
    try:
        with limited(make_limits(len(every))):
            found = match(every, pairs=compare_entries(every, {_NEW, *registry.list_assuming(plan.sources)}))
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
        plan.name,
        matched=len(new) - len(rest),
        of=min(len(new), sum(is_known)),
        known=frozenset({each.key for each in new}.difference(each.key for each in rest)),
        doubtful=tuple(each for each in rest if each.id in near),
        new=tuple(each for each in rest if each.id not in near),
        fileless=found.fileless,
    )


def _add_held(store: Store | None, plan: Plan, found: Belonging, given: Comparison) -> Belonging:
    """Return it with what the next refresh would hold of the entries that are no items, if the source is added."""
    rest = (*found.doubtful, *found.new)
    if store is None or not rest:
        return found
    added = replace(given.source, name=_NEW, trust=registry.find(given.source.kind).trust)
    plan = replace(plan, sources=(*plan.sources, added))
    return replace(found, held=new_items.find_held(store, plan, rest, found.fileless, given.at))


def _read_known(store: Store | None, plan: Plan, listed: Mapping[str, Sequence[Entry]]) -> list[Entry]:
    """Return the newest entries of each source of a feed, stored and listed."""
    stored = [each.entry for each in entries.read_entries(store, plan.name)] if store else []
    every = [*stored, *listed.get(plan.name, ())]
    sources = dict.fromkeys(each.source for each in every)
    return [each for name in sources for each in _take_newest([one for one in every if one.source == name])]


def _list_words(some: Iterable[Entry]) -> frozenset[str]:
    return frozenset(word for each in some for word in fold(each.title).split())


def _take_newest(listed: Sequence[Entry]) -> list[Entry]:
    return sorted(listed, key=lambda each: (-each.span.last, each.position))[:_MAX_ENTRIES]
