"""Memories, holds, facts, feed state, decisions, overrides, events and the cache come back as they were kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.errors import StoreError
from aggregator.model.cluster import Decision
from aggregator.model.item import Override
from aggregator.model.source import Memory, Validators
from aggregator.store import cache, facts
from aggregator.store.database import Store, transaction
from aggregator.store.decisions import decide, decisions, drop_override, keep_override, overrides, undo
from aggregator.store.events import Event, events, tell
from aggregator.store.poll_states import holds, keep_memory, memories
from aggregator.text.urls import find_host

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_a_memory_is_one_for_each_address(store: Store) -> None:
    first = Memory("https://b.example/", Validators('W/"odd,etag"', "not a date"), asked=NOON)
    keep_memory(store, "show", "apple", first)
    keep_memory(store, "show", "apple", Memory("https://a.example/"))
    keep_memory(store, "show", "apple", replace(first, errors=3, gone=True))
    assert (Memory("https://a.example/"), replace(first, errors=3, gone=True)) == memories(store, "show", "apple")
    assert memories(store, "show", "other") == ()
    assert memories(store, "other", "apple") == ()


def test_a_long_or_hostile_address_is_remembered(store: Store) -> None:
    kept = tuple(
        Memory(url) for url in ("https://a.example/" + "x" * 9000, "https://a.example/\x00\ufffd", "https://[")
    )
    for each in kept:
        keep_memory(store, "show", "apple", each)
    assert set(kept) == set(memories(store, "show", "apple"))


def test_a_hold_speaks_for_the_host_in_every_feed(store: Store) -> None:
    hour = timedelta(hours=1)
    keep_memory(store, "one", "a", Memory("https://Example.org/1", hold_until=NOON + hour))
    keep_memory(store, "two", "b", Memory("https://example.org/2", hold_until=NOON + 2 * hour))
    keep_memory(store, "two", "c", Memory("https://example.org:8443/3", hold_until=NOON + 3 * hour))
    keep_memory(store, "two", "d", Memory("https://past.example/", hold_until=NOON))
    keep_memory(store, "two", "e", Memory("https://free.example/"))
    keep_memory(store, "two", "f", Memory("https://from.example/", hold_until=NOON + hour, hold_host="to.example:443"))
    wanted = {"example.org:443": NOON + 2 * hour, "example.org:8443": NOON + 3 * hour, "to.example:443": NOON + hour}
    assert wanted == holds(store, NOON)
    assert wanted.keys() == {find_host(f"https://{name}/") for name in wanted}


def test_facts_are_bytes_by_name(store: Store) -> None:
    assert facts.facts(store, "show", "table") is None
    facts.keep_fact(store, "show", "table", b"\x00\xff")
    facts.keep_fact(store, "show", "table", b"2")
    facts.keep_fact(store, "", "table", b"global")
    assert (facts.facts(store, "show", "table"), facts.facts(store, "", "table")) == (b"2", b"global")
    facts.keep_fact(store, "show", "table", None)
    assert facts.facts(store, "show", "table") is None


def test_the_time_of_a_feed_moves_only_with_its_content(store: Store) -> None:
    assert facts.State() == facts.state(store, "show")
    first = facts.keep_feed(store, "show", fingerprint="a", updated=NOON, guid="g")
    assert facts.State("g", "a", NOON, 1) == first == facts.state(store, "show")
    later = NOON + timedelta(hours=1)
    assert facts.State("g", "a", NOON, 2) == facts.keep_feed(store, "show", fingerprint="a", updated=later)
    assert facts.State("g", "b", later, 3) == facts.keep_feed(store, "show", fingerprint="b", updated=later, guid="g")


def test_the_guid_of_a_channel_is_for_ever(store: Store) -> None:
    before = facts.keep_feed(store, "show", fingerprint="a", updated=NOON, guid="g")
    with pytest.raises(StoreError, match="g for ever, not h"):
        facts.keep_feed(store, "show", fingerprint="b", updated=NOON, guid="h")
    assert before == facts.state(store, "show")


def test_a_decision_is_about_two_in_any_order(store: Store) -> None:
    decide(store, "show", Decision("same", "b", "a"), NOON)
    assert (Decision("same", "a", "b"),) == decisions(store, "show")
    decide(store, "show", Decision("different", "a", "b"), NOON)
    assert (Decision("different", "a", "b"),) == decisions(store, "show")
    assert undo(store, "show", "b", "a", NOON)
    assert not undo(store, "show", "b", "a", NOON)
    assert decisions(store, "show") == ()
    assert [each.kind for each in events(store, "show")] == ["decided", "decided", "undone"]


def test_an_override_speaks_for_one_field(store: Store) -> None:
    keep_override(store, "show", Override("g", "title", "A"), NOON)
    keep_override(store, "show", Override("g", "title", "B"), NOON)
    keep_override(store, "show", Override("g", "link", "https://l"), NOON)
    assert (Override("g", "link", "https://l"), Override("g", "title", "B")) == overrides(store, "show")
    assert drop_override(store, "show", "g", "title", NOON)
    assert not drop_override(store, "show", "g", "title", NOON)
    assert (Override("g", "link", "https://l"),) == overrides(store, "show")
    assert len(events(store, "show")) == 4


def test_events_are_told_in_order_and_the_newest_are_given(store: Store) -> None:
    with transaction(store) as tx:
        for number in range(5):
            tell(tx, "show", Event(NOON - timedelta(hours=number), "alarm", f"{number}\n\x00\ufffd"))
    tell(store, "other", Event(NOON, "merge", "x"))
    assert [each.text for each in events(store, "show", newest=2)] == ["3\n\x00\ufffd", "4\n\x00\ufffd"]
    assert (Event(NOON, "merge", "x"),) == events(store, "other")


def test_the_cache_knows_versions(store: Store) -> None:
    values = {f"{number:032x}": bytes([number % 256]) for number in range(1200)}
    cache.keep_cached(store, "show", "repair", "1", values)
    assert values == cache.cached(store, "show", "repair", "1", [*values, "unknown"])
    assert cache.cached(store, "show", "repair", "2", values) == {}
    assert cache.cached(store, "show", "render", "1", values) == {}
    some = dict(list(values.items())[:3])
    cache.keep_cached(store, "show", "repair", "2", some)
    assert some == cache.cached(store, "show", "repair", "2", values)
    assert len(cache.cached(store, "show", "repair", "1", values)) == 1197


def test_the_cache_drops_what_no_run_asks_for(store: Store) -> None:
    cache.keep_cached(store, "show", "repair", "1", {"used": b"u", "unused": b"n"})
    for run in range(cache.KEPT_RUNS + 1):
        facts.keep_feed(store, "show", fingerprint=str(run), updated=NOON)
        cache.sweep(store, "show", "repair", "1", ["used"])
    assert cache.cached(store, "show", "repair", "1", ["used", "unused"]) == {"used": b"u"}


def test_the_cache_drops_what_another_version_made(store: Store) -> None:
    cache.keep_cached(store, "show", "repair", "1", {"a": b"1"})
    cache.keep_cached(store, "show", "repair", "2", {"b": b"2"})
    assert cache.sweep(store, "show", "repair", "2", ["b"]) == 1
    assert cache.cached(store, "show", "repair", "1", ["a"]) == {}
