"""Poll states, holds, facts, feed state, decisions, overrides, events and the cache come back as they were kept."""

from __future__ import annotations

import threading
import time
from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.errors import StoreError
from aggregator.model.cluster import Decision
from aggregator.model.item import Override
from aggregator.model.source import Poll, PollDay, PollState, SourceStatus, Validators
from aggregator.store import cache, database, facts, schema
from aggregator.store.database import Store, transaction
from aggregator.store.decisions import (
    Event,
    forget_source,
    read_decisions,
    read_events,
    read_forgotten,
    read_held_back,
    read_overrides,
    undo_decision,
    undo_override,
    write_decision,
    write_event,
    write_held_back,
    write_override,
)
from aggregator.store.polls import (
    DAYS,
    MOST_POLLS,
    add_polls,
    count_polls,
    read_holds,
    read_poll_states,
    read_polls,
    write_poll_states,
)
from aggregator.text.urls import find_host

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def of_source(store: Store, feed: str, source: str) -> tuple[PollState, ...]:
    return read_poll_states(store, [feed]).get((feed, source), ())


def test_a_poll_state_is_one_for_each_address(store: Store) -> None:
    first = PollState("https://b.example/", Validators('W/"odd,etag"', "not a date"), asked=NOON)
    write_poll_states(store, [("show", "apple", first)])
    write_poll_states(store, [("show", "apple", PollState("https://a.example/"))])
    write_poll_states(store, [("show", "apple", replace(first, errors=3, gone=True))])
    assert (PollState("https://a.example/"), replace(first, errors=3, gone=True)) == of_source(store, "show", "apple")
    assert of_source(store, "show", "other") == ()
    assert of_source(store, "other", "apple") == ()


def test_a_long_or_hostile_address_is_remembered(store: Store) -> None:
    kept = tuple(
        PollState(url) for url in ("https://a.example/" + "x" * 9000, "https://a.example/\x00\ufffd", "https://[")
    )
    for each in kept:
        write_poll_states(store, [("show", "apple", each)])
    assert set(kept) == set(of_source(store, "show", "apple"))


def test_a_hold_speaks_for_the_host_in_every_feed(store: Store) -> None:
    hour = timedelta(hours=1)
    write_poll_states(store, [("one", "a", PollState("https://Example.org/1", hold_until=NOON + hour))])
    write_poll_states(store, [("two", "b", PollState("https://example.org/2", hold_until=NOON + 2 * hour))])
    write_poll_states(store, [("two", "c", PollState("https://example.org:8443/3", hold_until=NOON + 3 * hour))])
    write_poll_states(store, [("two", "d", PollState("https://past.example/", hold_until=NOON))])
    write_poll_states(store, [("two", "e", PollState("https://free.example/"))])
    write_poll_states(
        store, [("two", "f", PollState("https://from.example/", hold_until=NOON + hour, hold_host="to.example:443"))]
    )
    wanted = {"example.org:443": NOON + 2 * hour, "example.org:8443": NOON + 3 * hour, "to.example:443": NOON + hour}
    assert wanted == read_holds(store, NOON)
    assert wanted.keys() == {find_host(f"https://{name}/") for name in wanted}


def test_facts_are_bytes_by_name(store: Store) -> None:
    assert facts.read_fact(store, "show", "table") is None
    facts.write_fact(store, "show", "table", b"\x00\xff")
    facts.write_fact(store, "show", "table", b"2")
    facts.write_fact(store, "", "table", b"global")
    assert (facts.read_fact(store, "show", "table"), facts.read_fact(store, "", "table")) == (b"2", b"global")
    facts.write_fact(store, "show", "table", None)
    assert facts.read_fact(store, "show", "table") is None


def test_the_time_of_a_feed_moves_only_with_its_content(store: Store) -> None:
    assert facts.FeedFacts() == facts.read_feed_state(store, "show")
    facts.write_feed_state(store, "show", fingerprint="a", updated=NOON, guid="g")
    assert facts.FeedFacts("g", "a", NOON, 1) == facts.read_feed_state(store, "show")
    later = NOON + timedelta(hours=1)
    facts.write_feed_state(store, "show", fingerprint="a", updated=later)
    assert facts.FeedFacts("g", "a", NOON, 2) == facts.read_feed_state(store, "show")
    facts.write_feed_state(store, "show", fingerprint="b", updated=later, guid="g")
    assert facts.FeedFacts("g", "b", later, 3) == facts.read_feed_state(store, "show")


def test_the_guid_of_a_channel_is_for_ever(store: Store) -> None:
    facts.write_feed_state(store, "show", fingerprint="a", updated=NOON, guid="g")
    before = facts.read_feed_state(store, "show")
    with pytest.raises(StoreError, match="g for ever, not h"):
        facts.write_feed_state(store, "show", fingerprint="b", updated=NOON, guid="h")
    assert before == facts.read_feed_state(store, "show")


def test_a_decision_is_about_two_in_any_order(store: Store) -> None:
    write_decision(store, "show", Decision("same", "b", "a"), NOON)
    assert (Decision("same", "a", "b"),) == read_decisions(store, "show")
    write_decision(store, "show", Decision("different", "a", "b"), NOON)
    assert (Decision("different", "a", "b"),) == read_decisions(store, "show")
    assert undo_decision(store, "show", "b", "a", NOON)
    assert not undo_decision(store, "show", "b", "a", NOON)
    assert read_decisions(store, "show") == ()
    assert [each.kind for each in read_events(store, "show")] == ["decided", "decided", "undone"]


def test_an_override_speaks_for_one_field(store: Store) -> None:
    write_override(store, "show", Override("g", "title", "A"), NOON)
    write_override(store, "show", Override("g", "title", "B"), NOON)
    write_override(store, "show", Override("g", "link", "https://l"), NOON)
    assert (Override("g", "link", "https://l"), Override("g", "title", "B")) == read_overrides(store, "show")
    assert undo_override(store, "show", "g", "title", NOON)
    assert not undo_override(store, "show", "g", "title", NOON)
    assert (Override("g", "link", "https://l"),) == read_overrides(store, "show")
    assert len(read_events(store, "show")) == 4


def test_events_are_told_in_order_and_the_newest_are_given(store: Store) -> None:
    with transaction(store) as tx:
        for number in range(5):
            write_event(tx, "show", Event(NOON - timedelta(hours=number), "alarm", f"{number}\n\x00\ufffd"))
    write_event(store, "other", Event(NOON, "merge", "x"))
    assert [each.text for each in read_events(store, "show", newest=2)] == ["3\n\x00\ufffd", "4\n\x00\ufffd"]
    assert (Event(NOON, "merge", "x"),) == read_events(store, "other")


def test_the_cache_knows_feed_stage_and_key(store: Store) -> None:
    values = {f"{number:032x}": bytes([number % 256]) for number in range(1200)}
    cache.write_cached(store, "show", "repair", values)
    assert values == cache.read_cached(store, "show", "repair", [*values, "unknown"])
    assert cache.read_cached(store, "show", "reconcile", values) == {}
    assert cache.read_cached(store, "other", "repair", values) == {}
    some = dict.fromkeys(list(values)[:3], b"other")
    cache.write_cached(store, "show", "repair", some)
    assert {**values, **some} == cache.read_cached(store, "show", "repair", values)


def test_the_cache_drops_what_no_run_asks_for(store: Store) -> None:
    cache.write_cached(store, "show", "repair", {"used": b"u", "unused": b"n"})
    for run in range(cache.KEPT_RUNS + 1):
        facts.write_feed_state(store, "show", fingerprint=str(run), updated=NOON)
        cache.drop_unused(store, "show", "repair", ["used"])
    assert cache.read_cached(store, "show", "repair", ["used", "unused"]) == {"used": b"u"}


def test_the_last_hundred_polls_of_a_source_are_kept_and_damaged_ones_are_none(store: Store) -> None:
    for number in range(MOST_POLLS + 5):
        add_polls(store, {("show", "apple"): Poll(number, "ok", 200, 10, 5, 3)})
    add_polls(store, {("show", "blog"): Poll(1, "failed", message="no answer"), ("other", "apple"): Poll(2, "ok")})
    known = read_polls(store, "show")
    assert [each.at for each in known["show", "apple"]] == list(range(5, MOST_POLLS + 5))
    assert known["show", "blog"] == (Poll(1, "failed", message="no answer"),)
    assert set(read_polls(store, "show", "other")) == {*known, ("other", "apple")}
    with database.writing(store) as connection:
        connection.execute(schema.polls.update().values(value=b"\xc1 damaged"))
    assert set(read_polls(store, "show", "other").values()) == {()}


def test_the_polls_of_a_day_are_counted_for_ninety_days(store: Store) -> None:
    first = date(2026, 1, 1)

    def add(day: date, source: str, status: SourceStatus, milliseconds: int | None = None, feed: str = "show") -> None:
        at = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp())
        add_polls(store, {(feed, source): Poll(at, status, milliseconds=milliseconds)})

    for milliseconds in (300, 100, None):
        add(first, "apple", "ok" if milliseconds else "failed", milliseconds)
    add(first, "blog", "unchanged", 20)
    add(first, "host", "held back", 1000, "other")
    both = PollDay(first, polls=4, failures=1, answers=3, milliseconds=420, slowest=300)
    assert count_polls(store, first, "show") == (both,)
    assert count_polls(store, first) == (PollDay(first, 5, 2, 4, 1420, 1000),)
    last = first + timedelta(days=DAYS - 1)
    add(last, "apple", "ok", 5)
    assert count_polls(store, last, "show") == (both, PollDay(last, 1, 0, 1, 5, 5))
    assert count_polls(store, last + timedelta(days=1), "show") == (PollDay(last, 1, 0, 1, 5, 5),)
    add(last + timedelta(days=1), "apple", "ok", 5)
    assert [each.day for each in count_polls(store, last)] == [first, last]  # of the other feed
    assert [each.day for each in count_polls(store, last, "show")] == [last]
    with database.writing(store) as connection:
        days = schema.poll_days
        connection.execute(days.update().where(days.c.day == last.isoformat()).values(day="2026-02-3?"))
    assert [each.day for each in count_polls(store, last)] == [first]


def test_of_two_who_decide_at_once_neither_undoes_the_other(store: Store) -> None:
    def decide() -> None:
        forget_source(store, "show", "apple", NOON)
        write_held_back(store, "show", ["host/2"], NOON, held=True)

    other = threading.Thread(target=decide)
    with transaction(store) as tx:
        write_held_back(tx, "show", ["host/1"], NOON, held=True)
        forget_source(tx, "show", "blog", NOON)
        other.start()
        time.sleep(0.5)
    other.join()
    assert read_forgotten(store, "show") == {"apple", "blog"}
    assert read_held_back(store, "show") == {"host/1", "host/2"}
