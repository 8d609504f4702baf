"""Compose a feed from its entries in the store: repair, match, reconcile, admit, settle.

    repair     Entry   -> Entry      stages.repaired
    match      Entry   -> Cluster    stages.matched
    reconcile  Cluster -> Item       making.reconcile_all
    admit      Item    -> Item       stages.admitted: which new items are published now
    settle     Item    -> Item       stages.settled: permanent guids and dates

Every stage is a function of the store, the config and the clock; nothing is written but cached work.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from msgspec.structs import replace

from aggregator import cached_results, learned, stages
from aggregator.config.load import Config
from aggregator.model.cluster import Matching
from aggregator.model.entry import Entry
from aggregator.model.feed import Feed, Plan
from aggregator.store import database, decisions
from aggregator.store.database import Store


def compose(store: Store, plan: Plan, now: datetime, *, adding: bool = True) -> stages.Composition:
    """Return the feed, newest first, from every entry its sources ever gave.

    Unless ``adding`` is set it has no item that was not published before. Cached work is written within a transaction
    only.
    """
    made = _made(store, plan)
    made = stages.admitted(store, plan, made, now, adding=adding)
    settlement = stages.settled(store, plan, made, now)
    return stages.composed(store, plan, made, settlement, now)


def _made(store: Store, plan: Plan) -> stages.Made:
    """Return the items of a feed before they are admitted and settled."""
    mended = stages.repaired(store, plan)
    table, matching = _matched(store, plan, mended.entries)
    weights = stages.weighed(store, plan, mended)
    lore = learned.lore_of(store, plan, matching.clusters, weights)
    weights = replace(weights, lore=learned.as_lore(lore, plan))
    brief = cached_results.Brief(mended.digests, weights, learned.digest(lore, plan))
    items, work = cached_results.reconcile_all(store, plan, matching.clusters, brief)
    told = stages.sorted_out(mended, matching)
    return stages.Made(items, told, (table, lore, told.work, work))


def _matched(store: Store, plan: Plan, entries: Sequence[Entry]) -> tuple[learned.Learned, Matching]:
    """Return the clusters of a feed and the table that scored them; a single source is compared with nothing."""
    alone = stages.alone(store, plan, entries)
    if alone is not None:
        table = learned.table_of(store, plan, len(entries))
        return table, Matching(alone, (), learned.version(table))
    pairs = stages.compared(entries)
    table = learned.table_of(store, plan, len(entries), pairs)
    return table, stages.matched(store, plan, entries, learned.as_table(table), pairs)


def published_feed(config: Config, name: str, *, at: datetime) -> Feed:
    """Return the feed as it was last published, with what the store knows now; nothing is fetched or written.

    Raises ConfigError, StoreError.
    """
    plan = config.plan(name)
    with database.open_store(config.state) as store:
        return compose(store, plan, at, adding=False).feed


def published_feed_without(config: Config, name: str, forgotten: Collection[str], *, at: datetime) -> Feed:
    """Return the feed as :func:`published_feed` does, as if these sources and no others were forgotten."""
    plan = config.plan(name)
    with database.open_store(config.state) as store:
        return compose(decisions.as_if_forgotten(store, name, forgotten), plan, at, adding=False).feed
