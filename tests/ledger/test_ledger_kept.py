"""Memories, holds, facts, feed state, decisions, overrides, events and the cache come back as they were kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.errors import LedgerError
from aggregator.ledger import cache, facts
from aggregator.ledger.decisions import (
    decide,
    decisions,
    drop_override,
    keep_override,
    overrides,
    undo,
)
from aggregator.ledger.events import Event, events, tell
from aggregator.ledger.ledger import Ledger, transaction
from aggregator.ledger.memories import holds, keep_memory, memories
from aggregator.model.cluster import Decision
from aggregator.model.item import Override
from aggregator.model.source import Memory, Validators
from aggregator.text.hosts import host

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_a_memory_is_one_for_each_address(book: Ledger) -> None:
    first = Memory("https://b.example/", Validators('W/"odd,etag"', "not a date"), asked=NOON)
    keep_memory(book, "show", "apple", first)
    keep_memory(book, "show", "apple", Memory("https://a.example/"))
    keep_memory(book, "show", "apple", replace(first, errors=3, gone=True))
    assert (Memory("https://a.example/"), replace(first, errors=3, gone=True)) == memories(book, "show", "apple")
    assert memories(book, "show", "other") == ()
    assert memories(book, "other", "apple") == ()


def test_a_long_or_hostile_address_is_remembered(book: Ledger) -> None:
    kept = tuple(
        Memory(url) for url in ("https://a.example/" + "x" * 9000, "https://a.example/\x00\ufffd", "https://[")
    )
    for each in kept:
        keep_memory(book, "show", "apple", each)
    assert set(kept) == set(memories(book, "show", "apple"))


def test_a_hold_speaks_for_the_host_in_every_feed(book: Ledger) -> None:
    hour = timedelta(hours=1)
    keep_memory(book, "one", "a", Memory("https://Example.org/1", hold_until=NOON + hour))
    keep_memory(book, "two", "b", Memory("https://example.org/2", hold_until=NOON + 2 * hour))
    keep_memory(book, "two", "c", Memory("https://example.org:8443/3", hold_until=NOON + 3 * hour))
    keep_memory(book, "two", "d", Memory("https://past.example/", hold_until=NOON))
    keep_memory(book, "two", "e", Memory("https://free.example/"))
    keep_memory(book, "two", "f", Memory("https://from.example/", hold_until=NOON + hour, hold_host="to.example:443"))
    wanted = {"example.org:443": NOON + 2 * hour, "example.org:8443": NOON + 3 * hour, "to.example:443": NOON + hour}
    assert wanted == holds(book, NOON)
    assert wanted.keys() == {host(f"https://{name}/") for name in wanted}


def test_facts_are_bytes_by_name(book: Ledger) -> None:
    assert facts.facts(book, "show", "table") is None
    facts.keep_fact(book, "show", "table", b"\x00\xff")
    facts.keep_fact(book, "show", "table", b"2")
    facts.keep_fact(book, "", "table", b"global")
    assert (facts.facts(book, "show", "table"), facts.facts(book, "", "table")) == (b"2", b"global")
    facts.keep_fact(book, "show", "table", None)
    assert facts.facts(book, "show", "table") is None


def test_the_time_of_a_feed_moves_only_with_its_content(book: Ledger) -> None:
    assert facts.State() == facts.state(book, "show")
    first = facts.keep_feed(book, "show", fingerprint="a", updated=NOON, guid="g")
    assert facts.State("g", "a", NOON, 1) == first == facts.state(book, "show")
    later = NOON + timedelta(hours=1)
    assert facts.State("g", "a", NOON, 2) == facts.keep_feed(book, "show", fingerprint="a", updated=later)
    assert facts.State("g", "b", later, 3) == facts.keep_feed(book, "show", fingerprint="b", updated=later, guid="g")


def test_the_guid_of_a_channel_is_for_ever(book: Ledger) -> None:
    before = facts.keep_feed(book, "show", fingerprint="a", updated=NOON, guid="g")
    with pytest.raises(LedgerError, match="g for ever, not h"):
        facts.keep_feed(book, "show", fingerprint="b", updated=NOON, guid="h")
    assert before == facts.state(book, "show")


def test_a_decision_is_about_two_in_any_order(book: Ledger) -> None:
    decide(book, "show", Decision("same", "b", "a"), NOON)
    assert (Decision("same", "a", "b"),) == decisions(book, "show")
    decide(book, "show", Decision("different", "a", "b"), NOON)
    assert (Decision("different", "a", "b"),) == decisions(book, "show")
    assert undo(book, "show", "b", "a", NOON)
    assert not undo(book, "show", "b", "a", NOON)
    assert decisions(book, "show") == ()
    assert [each.kind for each in events(book, "show")] == ["decided", "decided", "undone"]


def test_an_override_speaks_for_one_field(book: Ledger) -> None:
    keep_override(book, "show", Override("g", "title", "A"), NOON)
    keep_override(book, "show", Override("g", "title", "B"), NOON)
    keep_override(book, "show", Override("g", "link", "https://l"), NOON)
    assert (Override("g", "link", "https://l"), Override("g", "title", "B")) == overrides(book, "show")
    assert drop_override(book, "show", "g", "title", NOON)
    assert not drop_override(book, "show", "g", "title", NOON)
    assert (Override("g", "link", "https://l"),) == overrides(book, "show")
    assert len(events(book, "show")) == 4


def test_events_are_told_in_order_and_the_newest_are_given(book: Ledger) -> None:
    with transaction(book) as page:
        for number in range(5):
            tell(page, "show", Event(NOON - timedelta(hours=number), "alarm", f"{number}\n\x00\ufffd"))
    tell(book, "other", Event(NOON, "merge", "x"))
    assert [each.text for each in events(book, "show", newest=2)] == ["3\n\x00\ufffd", "4\n\x00\ufffd"]
    assert (Event(NOON, "merge", "x"),) == events(book, "other")


def test_the_cache_knows_versions(book: Ledger) -> None:
    values = {f"{number:032x}": bytes([number % 256]) for number in range(1200)}
    cache.keep_cached(book, "show", "repair", "1", values)
    assert values == cache.cached(book, "show", "repair", "1", [*values, "unknown"])
    assert cache.cached(book, "show", "repair", "2", values) == {}
    assert cache.cached(book, "show", "render", "1", values) == {}
    some = dict(list(values.items())[:3])
    cache.keep_cached(book, "show", "repair", "2", some)
    assert some == cache.cached(book, "show", "repair", "2", values)
    assert len(cache.cached(book, "show", "repair", "1", values)) == 1197


def test_the_cache_drops_what_no_run_asks_for(book: Ledger) -> None:
    cache.keep_cached(book, "show", "repair", "1", {"used": b"u", "unused": b"n"})
    for run in range(cache.KEPT_RUNS + 1):
        facts.keep_feed(book, "show", fingerprint=str(run), updated=NOON)
        cache.sweep(book, "show", "repair", "1", ["used"])
    assert cache.cached(book, "show", "repair", "1", ["used", "unused"]) == {"used": b"u"}


def test_the_cache_drops_what_another_version_made(book: Ledger) -> None:
    cache.keep_cached(book, "show", "repair", "1", {"a": b"1"})
    cache.keep_cached(book, "show", "repair", "2", {"b": b"2"})
    assert cache.sweep(book, "show", "repair", "2", ["b"]) == 1
    assert cache.cached(book, "show", "repair", "1", ["a"]) == {}
