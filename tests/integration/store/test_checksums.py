"""Changed rows, keys and indexes are noticed before anything is read from them or written beside them."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aggregator.errors import DamagedError, StoreError
from aggregator.model.cluster import Decision
from aggregator.model.entry import Entry, Listing, Moment
from aggregator.model.item import Override, PublishedItem
from aggregator.model.source import PollState, Source
from aggregator.store import cache, database
from aggregator.store.backup import backup, restore
from aggregator.store.database import Store
from aggregator.store.decisions import Event, read_decisions, read_events, read_overrides, write_decision, write_event
from aggregator.store.decisions import write_override as write_override_of
from aggregator.store.entries import read_entries, read_shows, read_sources
from aggregator.store.examine import count_damaged_cache, find_damage_of_store
from aggregator.store.facts import read_fact, read_feed_state, write_fact, write_feed_state
from aggregator.store.guids import read_guids, write_guids
from aggregator.store.listings import write_listings
from aggregator.store.polls import read_poll_states, write_poll_states

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
HOST = Source("host", "feed")

CHANGES = {
    "a date": "UPDATE guids SET record = replace(record, '2024-05-01', '2023-05-01')",
    "a guid in its record": "UPDATE guids SET record = replace(record, 'g1', 'g7') WHERE guid = 'g1'",
    "a guid's key": "UPDATE guids SET guid = 'g7' WHERE guid = 'g1'",
    "the feed of a guid": "UPDATE guids SET feed = 'shop' WHERE guid = 'g1'",
    "a guid that is gone": "DELETE FROM guids WHERE guid = 'g1'",
    "a text": "UPDATE entries SET record = replace(record, 'Title 1', 'Title 7')",
    "an entry's key": "UPDATE entries SET key = '7' WHERE key = '1'",
    "when an entry was first seen": "UPDATE entries SET first_seen = '2014' || substr(first_seen, 5)",
    "an entry that is gone": "DELETE FROM entries WHERE key = '1'",
    "a decision": "UPDATE decisions SET record = replace(record, 'same', 'different')",
    "a decision that is gone": "DELETE FROM decisions",
    "an override": "UPDATE overrides SET record = replace(record, 'Ours', 'Hers')",
    "a fact": "UPDATE facts SET value = x'00'",
    "a fact of another type": "UPDATE facts SET value = 7",
    "a fact that is gone": "DELETE FROM facts",
    "the trust of a source": "UPDATE sources SET record = replace(record, 'feed', 'fred')",
    "a source that is gone": "DELETE FROM sources",
    "an anchor": "UPDATE shows SET anchor = 9",
    "the guid of a channel": "UPDATE feeds SET guid = 'other'",
    "an event": "UPDATE events SET record = replace(record, 'x', 'y')",
    "a poll": "UPDATE poll_states SET record = replace(record, 'a.example', 'b.example')",
    "a text that is no text": "UPDATE guids SET record = CAST(x'ff' AS TEXT) WHERE guid = 'g1'",
    "a checksum": "UPDATE guids SET checksum = 9223372036854775807",
    "a sum": "UPDATE meta SET value = '1' WHERE name LIKE 'sum/guids/%'",
}
"""Statements that change what was written, as rot would."""


def fill(store: Store) -> None:
    said = tuple(Entry("host", f"{number}", f"Title {number}", position=number) for number in range(3))
    with database.transaction(store) as tx:
        write_listings(tx, "show", HOST, [Listing(said)], NOON)
        write_guids(
            tx, "show", [PublishedItem(f"g{each}", NOON, Moment(NOON), (f"host/{each}",), "T") for each in "123"]
        )
        write_poll_states(tx, [("show", "host", PollState("https://a.example/"))])
        write_decision(tx, "show", Decision("same", "a", "b"), NOON)
        write_override_of(tx, "show", Override("g1", "title", "Ours"), NOON)
        write_event(tx, "show", Event(NOON, "merge", "x"))
        write_feed_state(tx, "show", fingerprint="f", updated=NOON, guid="c")
        write_fact(tx, "show", "forgotten", b"[]")
        cache.write_cached(tx, "show", "repair", {"a": b"1", "b": b"2"})


def read_all(state: str) -> None:
    with database.open_store(state) as store:
        read_feed_state(store, "show")
        read_entries(store, "show")
        read_shows(store, "show")
        read_sources(store, "show")
        read_guids(store, "show")
        read_poll_states(store, ["show"])
        read_decisions(store, "show")
        read_overrides(store, "show")
        read_events(store, "show")
        read_fact(store, "show", "forgotten")


def change(state: str, statement: str) -> None:
    with closing(sqlite3.connect(state)) as connection:
        assert connection.execute(statement).rowcount > 0
        connection.commit()


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_is_noticed_and_named(state: str, what: str) -> None:
    with database.open_store(state) as store:
        fill(store)
    read_all(state)
    assert list(find_damage_of_store(state)) == []
    change(state, CHANGES[what])
    with pytest.raises(DamagedError, match=rf"^{state}: is damaged \([^\n]+\)$"):
        read_all(state)
    assert list(find_damage_of_store(state))


def write_more(state: str) -> None:
    with database.open_store(state) as store, database.transaction(store) as tx:
        write_listings(tx, "show", HOST, [Listing((Entry("host", "9", "T"),))], NOON)
        write_guids(tx, "show", [PublishedItem("g9", NOON, Moment(NOON), ("host/9",), "T")])


@pytest.mark.parametrize("what", ["a guid that is gone", "an entry that is gone", "a fact that is gone"])
def test_nothing_is_written_beside_what_is_missing(state: str, what: str) -> None:
    with database.open_store(state) as store:
        fill(store)
    change(state, CHANGES[what])
    before = Path(state).read_bytes()
    with pytest.raises(DamagedError):
        write_more(state)
    assert Path(state).read_bytes() == before


def test_feeds_of_similar_names_are_not_taken_for_one_another(store: Store) -> None:
    listed = [Listing((Entry("host", "1", "T"),))]
    for feed in ("my_show", "my-show"):
        write_listings(store, feed, HOST, listed, NOON)
    assert [len(read_entries(store, feed)) for feed in ("my_show", "my-show")] == [1, 1]


def test_a_write_that_was_taken_back_hides_nothing_that_is_missing(state: str) -> None:
    with database.open_store(state) as store:
        fill(store)
        with suppress(ZeroDivisionError), database.transaction(store) as tx:
            write_guids(tx, "show", [PublishedItem("g9", NOON, Moment(NOON), ("host/9",), "T")])
            raise ZeroDivisionError
        change(state, CHANGES["a guid that is gone"])
        with pytest.raises(DamagedError):
            read_guids(store, "show")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cache SET value = substr(value, 1, 8) || x'33' WHERE key = 'a'",
        "UPDATE cache SET value = 7 WHERE key = 'a'",
        "UPDATE cache SET value = x'' WHERE key = 'a'",
        "UPDATE cache SET key = CAST(x'ff' AS TEXT) WHERE key = 'a'",
        "UPDATE cache SET key = 'c' WHERE key = 'a'",
    ],
)
def test_a_damaged_value_of_the_cache_is_missing(state: str, statement: str) -> None:
    with database.open_store(state) as store:
        fill(store)
    change(state, statement)
    assert list(find_damage_of_store(state)) == []
    assert count_damaged_cache(state) == 1
    copy = Path(state).with_name("copy.db")
    backup(state, copy)
    restore(state, copy)  # a copy is good without it
    with database.open_store(state) as store:
        assert cache.read_cached(store, "show", "repair", ["a", "b", "c"]) == {"b": b"2"}
        cache.write_cached(store, "show", "repair", {"a": b"4"})
        cache.drop_unused(store, "show", "repair", ["a", "b"])
        assert cache.read_cached(store, "show", "repair", ["a", "b"]) == {"a": b"4", "b": b"2"}


def take_back(store: Store) -> None:
    with database.transaction(store) as tx:
        write_fact(tx, "show", "x", b"1")
        raise StoreError("x")


def test_what_a_transaction_takes_back_leaves_the_sums_as_they_were(state: str) -> None:
    with database.open_store(state) as store:
        fill(store)
        with pytest.raises(StoreError, match=r"^x$"):
            take_back(store)
        write_fact(store, "show", "y", b"1")
    assert list(find_damage_of_store(state)) == []
    read_all(state)
