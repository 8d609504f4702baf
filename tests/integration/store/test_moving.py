"""A store moves from SQLite to PostgreSQL and back with every row of every table."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

import pytest
from sqlalchemy import select

from aggregator.model.cluster import Decision
from aggregator.model.entry import Entry, Listing, Moment, Show
from aggregator.model.item import Item, Override, PublishedItem
from aggregator.model.source import Poll, PollState, Source
from aggregator.store import database, examine, hosts, leases, polls, schema
from aggregator.store.backup import backup, restore
from aggregator.store.cache import write_cached
from aggregator.store.database import Store
from aggregator.store.decisions import write_decision, write_override
from aggregator.store.facts import write_fact, write_feed_state
from aggregator.store.guids import write_guids
from aggregator.store.items import FeedItems
from aggregator.store.listings import write_listings
from tests.support.servers import running_postgresql

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SOURCES = ("host", "directory")
OF_THIS_STORE = ("generation", "sum/")
"""Rows of meta that a store has for itself: which process may write, and sums in place of a server's own."""

MOVE = """
import resource, sys
from pathlib import Path
from aggregator.store import backup
getattr(backup, sys.argv[1])(sys.argv[2], Path(sys.argv[3]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def fill(store: Store, feeds: Iterable[str], *, entries: int, text: str = "") -> None:
    """Write to every table: for each feed two listings of so many entries, and a guid for each of the first."""
    names = list(feeds)
    leases.set_feeds(store, names, NOON)
    leases.claim_due(store, NOON, NOON, most=3, owner="a worker")
    for feed in names:
        with database.transaction(store) as tx:
            fill_feed(tx, feed, entries, text)
        hosts.lease_host(store, f"{feed}.example", "a run", NOON, lease=MINUTE, pause=MINUTE)
        hosts.hold(store, f"{feed}.example", NOON + MINUTE)


def fill_feed(store: Store, feed: str, count: int, text: str) -> None:
    listed = [
        tuple(Entry(source, f"{number}", f"\0\ufffd ä {number}", description=text) for number in range(count))
        for source in SOURCES
    ]
    for source, entries in zip(SOURCES, listed, strict=True):
        write_listings(store, feed, Source(source, "feed"), [Listing(entries, show=Show(title="A show"))], NOON)
        polls.write_poll_states(store, [(feed, source, PollState("https://a.example/\0", hold_until=NOON))])
    polls.add_polls(store, {(feed, source): Poll(0, "ok", 200) for source in SOURCES})
    every = [PublishedItem(f"guid-{n}", NOON, Moment(NOON), (f"host/{n}",), "T") for n in range(count)]
    write_guids(store, feed, every)
    FeedItems(store, feed).write([Item("T", each.entries, guid=each.guid) for each in every])
    write_decision(store, feed, Decision("same", "a", "b"), NOON)
    write_override(store, feed, Override("guid-1", "title", "A title"), NOON)
    write_feed_state(store, feed, fingerprint="f", updated=NOON, guid="c")
    write_fact(store, feed, "x", b"\x00\xff")
    write_cached(store, feed, "repair", {"a key": b"\x00\xff"})


def contents(state: str) -> dict[str, tuple[int, int]]:
    """Rows of each table, and the sum of their digests."""
    found = {}
    with database.open_store(state) as store, database.reading(store) as connection:
        for table in schema.metadata.sorted_tables:
            rows = connection.execute(select(table).execution_options(yield_per=1000))
            moved = [
                int.from_bytes(blake2b(repr(tuple(row)).encode(), digest_size=12).digest())
                for row in rows
                if table is not schema.meta or not row.name.startswith(OF_THIS_STORE)
            ]
            found[table.name] = (len(moved), sum(moved))
    return found


def test_every_row_of_every_table_moves_and_comes_back(server_state: str, state: str, tmp_path: Path) -> None:
    with database.open_store(state) as store:
        fill(store, [f"show-{number}" for number in range(3)], entries=database.BATCH // 2 + 7)
    before, sums = contents(state), kept_sums(state)
    assert [name for name, (rows, _) in before.items() if rows == 0] == [], "a table without a row"
    assert sums
    backup(state, tmp_path / "there.db")
    restore(server_state, tmp_path / "there.db")
    assert contents(server_state) == before
    backup(server_state, tmp_path / "back.db")
    Path(state).unlink()
    restore(state, tmp_path / "back.db")
    assert contents(state) == before
    assert kept_sums(state) == sums
    assert list(examine.find_damage_of_store(state)) == []


def kept_sums(state: str) -> dict[str, str]:
    with database.open_store(state) as store, database.reading(store) as connection:
        rows = connection.execute(select(schema.meta).where(schema.meta.c.name.like("sum/%")))
        return {row.name: row.value for row in rows}


def move(step: str, state: str, path: Path) -> int:
    """Back up or restore in a process of its own, and return the most memory that it had, in MB."""
    done = subprocess.run([sys.executable, "-c", MOVE, step, state, path], check=True, capture_output=True, text=True)
    return int(done.stdout)


@pytest.mark.heavy
def test_a_million_entries_move_and_come_back_in_little_memory(state: str, tmp_path: Path) -> None:
    """The most is far below the size of the store, which is read and written in batches."""
    feeds, per_source, most = int(os.environ.get("MOVED_FEEDS", "1000")), 500, 400
    with running_postgresql() as server:
        server_state = server.make_database("moved")
        with database.open_store(state) as store:
            fill(store, [f"show-{number}" for number in range(feeds)], entries=per_source, text="A sentence. " * 60)
        before, sums = contents(state), kept_sums(state)
        assert before["entries"][0] == feeds * per_source * len(SOURCES)
        steps = (
            ("backup", state, "there.db"),
            ("restore", server_state, "there.db"),
            ("backup", server_state, "back.db"),
            ("restore", str(tmp_path / "new" / "store.db"), "back.db"),
        )
        for step, of, name in steps:
            begun = time.monotonic()
            memory = move(step, of, tmp_path / name)
            seconds, size = time.monotonic() - begun, (tmp_path / name).stat().st_size
            line = f"{step} {of[:10]}: {seconds:.0f} s, {memory} MB of memory, {size / 1e6:.0f} MB of file"
            print(line)  # noqa: T201 - for the table of heavy runs
            assert memory < most
        assert contents(server_state) == before
    assert contents(steps[-1][1]) == before
    assert kept_sums(steps[-1][1]) == sums
