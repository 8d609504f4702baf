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

from aggregator import learning, making, stages
from aggregator.config.load import Config
from aggregator.ledger import admissions, ledger
from aggregator.ledger.ledger import Ledger
from aggregator.model.cluster import Matching
from aggregator.model.feed import Feed, Plan
from aggregator.model.sighting import Sighting


def compose(book: Ledger, plan: Plan, now: datetime, *, adding: bool = True) -> stages.Composition:
    """Return the feed, newest first, from every entry its sources ever gave.

    Unless ``adding`` is set it has no item that was not published before. Cached work is written within a transaction
    only.
    """
    made = _made(book, plan)
    made = stages.admitted(book, plan, made, now, adding=adding)
    settlement = stages.settled(book, plan, made, now)
    return stages.composed(book, plan, made, settlement, now)


def _made(book: Ledger, plan: Plan) -> stages.Made:
    """Return the items of a feed before they are admitted and settled."""
    mended = stages.repaired(book, plan)
    table, matching = _matched(book, plan, mended.sightings)
    weights = stages.weighed(book, plan, mended)
    lore = learning.lore_of(book, plan, matching.clusters, weights)
    weights = replace(weights, lore=learning.as_lore(lore, plan))
    brief = making.Brief(mended.digests, weights, learning.digest(lore, plan))
    items, work = making.reconcile_all(book, plan, matching.clusters, brief)
    told = stages.sorted_out(mended, matching)
    return stages.Made(items, told, (table, lore, told.work, work))


def _matched(book: Ledger, plan: Plan, sightings: Sequence[Sighting]) -> tuple[learning.Learned, Matching]:
    """Return the clusters of a feed and the table that scored them; a single source is compared with nothing."""
    alone = stages.alone(book, plan, sightings)
    if alone is not None:
        table = learning.table_of(book, plan, len(sightings))
        return table, Matching(alone, (), learning.version(table))
    pairs = stages.compared(sightings)
    table = learning.table_of(book, plan, len(sightings), pairs)
    return table, stages.matched(book, plan, sightings, learning.as_table(table), pairs)


def published_feed(config: Config, name: str, *, at: datetime) -> Feed:
    """Return the feed as it was last published, with what the store knows now; nothing is fetched or written.

    Raises ConfigError, LedgerError.
    """
    plan = config.plan(name)
    with ledger.open(config.state) as book:
        return compose(book, plan, at, adding=False).feed


def published_feed_without(config: Config, name: str, forgotten: Collection[str], *, at: datetime) -> Feed:
    """Return the feed as :func:`published_feed` does, as if these sources and no others were forgotten."""
    plan = config.plan(name)
    with ledger.open(config.state) as book:
        return compose(admissions.as_if(book, name, forgotten), plan, at, adding=False).feed
