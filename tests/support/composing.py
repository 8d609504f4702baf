"""Compose a feed and write what was composed, as a refresh does, without another process."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from aggregator import persist
from aggregator.compose import compose
from aggregator.fetchers.fetched import FetchedSource
from aggregator.model.feed import Plan
from aggregator.model.results import Composition
from aggregator.store import cache, database, publications
from aggregator.store.database import Store


def compose_and_write(tx: Store, plan: Plan, now: datetime) -> Composition:
    """The feed as composed and written in a transaction, with what was cached of it."""
    composed = compose(tx, plan, now, keep=partial(cache.write_part, tx, plan.name))
    publications.write_composition(tx, plan, composed, now)
    return composed


def refresh_feed(plan: Plan, store: Store, heard: Sequence[FetchedSource], now: datetime) -> Composition:
    """The feed as composed and written after its sources have answered so."""
    with database.transaction(store) as tx:
        persist.write_fetched(tx, [(plan, heard)], now)
        return compose_and_write(tx, plan, now)
