"""Hosts across machines: one asks, in turn, and all know who wants silence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from aggregator.store import hosts
from aggregator.store.database import Store

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOST = "feeds.example"


def enter(store: Store, owner: str, now: datetime) -> tuple[datetime, datetime | None] | None:
    return hosts.lease_host(store, HOST, owner, now, lease=60 * SECOND, pause=SECOND)


def test_one_asks_at_a_time_and_in_turn(store: Store) -> None:
    assert enter(store, "a", NOON) == (NOON, None)
    assert enter(store, "b", NOON) is None
    assert enter(store, "a", NOON) == (NOON + SECOND, None)
    hosts.end_lease(store, HOST, "b")
    assert enter(store, "b", NOON) is None
    hosts.end_lease(store, HOST, "a")
    assert enter(store, "b", NOON) == (NOON + 2 * SECOND, None)


def test_the_host_of_one_who_died_is_free_after_its_lease(store: Store) -> None:
    enter(store, "a", NOON)
    assert enter(store, "b", NOON + 59 * SECOND) is None
    assert enter(store, "b", NOON + 61 * SECOND) is not None


def test_silence_is_everybodys_and_never_shorter(store: Store) -> None:
    enter(store, "a", NOON)
    hosts.hold(store, HOST, NOON + 90 * SECOND)
    hosts.hold(store, HOST, NOON + 30 * SECOND)
    hosts.end_lease(store, HOST, "a")
    assert enter(store, "b", NOON) == (NOON + SECOND, NOON + 90 * SECOND)
    hosts.hold(store, "other.example", NOON)
    found = hosts.lease_host(store, "other.example", "b", NOON, lease=SECOND, pause=SECOND)
    assert found == (NOON, NOON)
