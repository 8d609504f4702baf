"""Refresh and compose feeds as the program does, without another process."""

import os
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any
from unittest import mock

from aggregator import persist, refresh
from aggregator.compose import compose
from aggregator.config.settings import Config
from aggregator.fetchers.fetched import FetchedSource
from aggregator.model.feed import Plan
from aggregator.model.results import Composition, Outcome
from aggregator.store import cache, database, publications
from aggregator.store.database import Store


def refresh_here(config: Config, **options: Any) -> Sequence[Outcome]:
    """Refresh feeds by this process alone, which takes less than half of the processor time.

    A document is parsed, and a feed composed, from the message that a process of its own would get, and the answer is
    read as the one of that process is.
    """
    with mock.patch.dict(os.environ, AGGREGATOR_IN_PROCESS="1"):
        return refresh.refresh(config, **options)


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
