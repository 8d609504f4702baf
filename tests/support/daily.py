"""Refreshes of one feed day by day, from entries to items, without documents and files."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aggregator import persist
from aggregator.fetchers.fetched import FetchedSource
from aggregator.model.entry import Entry, Listing
from aggregator.model.feed import Channel, Feed, Plan
from aggregator.model.source import Source
from aggregator.store import database
from tests.support.composing import compose_and_write

START = datetime(2025, 9, 1, 4, 30, tzinfo=UTC)
DAY = timedelta(days=1)
SOURCES = (Source("host", "feed", trust=0.9), Source("page", "page", trust=0.4))
PLAN = Plan("sea", Channel("sea", "Sea Room", "http://localhost:8000/sea"), SOURCES)


def items_after(
    folder: Path, histories: Sequence[Sequence[Sequence[Entry]]], step: timedelta = DAY
) -> list[tuple[str, ...]]:
    """The entries of each item, published or held, after a refresh at each step."""
    feed = feed_after(folder, histories, step)
    return [item.entries for item in (*feed.items, *feed.held)]


def feed_after(
    folder: Path, histories: Sequence[Sequence[Sequence[Entry]]], step: timedelta = DAY, plan: Plan = PLAN
) -> Feed:
    """The feed after a refresh at each step; ``histories`` are for each what the host lists and what the page lists."""
    folder.mkdir(exist_ok=True)
    with database.open_store(str(folder / "store.db")) as store:
        for turn, heard in enumerate(histories):
            fetched_sources = [
                FetchedSource(source, (), (Listing(tuple(entries)),), (), "ok")
                for source, entries in zip(plan.sources, heard, strict=True)
            ]
            with database.transaction(store) as tx:
                now = START + timedelta(hours=9) + turn * step
                persist.write_fetched(tx, [(plan, tuple(fetched_sources))], now)
                composed = compose_and_write(tx, plan, now)
    return composed.feed


def count_mixed(items: Sequence[Sequence[str]]) -> int:
    """How many items hold entries of two: the last part of an entry's id says which it is of."""
    return sum(len({name.rpartition("-")[2] for name in each}) > 1 for each in items)
