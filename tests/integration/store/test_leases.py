"""Leases of feeds: never two workers at once, never lost, and no commit without one."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.errors import LockedError
from aggregator.store import connection, database, facts, leases
from aggregator.store.database import Claim, Store
from aggregator.store.leases import INDEX
from tests.support.due_times import read_due_times
from tests.support.waiting import wait_for

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LEASE = 10 * MINUTE
WANTED = [f"feed-{number:02}" for number in range(10)]


def claimed(store: Store, now: datetime, *, most: int = 100, owner: str = "me", at: datetime | None = None) -> Claim:
    return leases.claim_due(store, at or now, now, most=most, lease=LEASE, owner=owner)[0]


def finished(store: Store, claim: Claim, due_at: datetime) -> int:
    return leases.finish(store, claim, dict.fromkeys(claim.feeds, due_at), due_at)


@pytest.fixture
def server_store(server_state: str) -> Iterator[Store]:
    with database.open_store(server_state) as opened:
        yield opened


def test_the_longest_waiting_come_first_and_only_once(store: Store) -> None:
    leases.set_feeds(store, WANTED[5:], NOON)
    leases.set_feeds(store, WANTED, NOON + MINUTE)
    assert claimed(store, NOON - MINUTE).feeds == ()
    first = claimed(store, NOON + MINUTE, most=6)
    assert sorted(first.feeds) == [INDEX, *WANTED[5:]]
    assert sorted(claimed(store, NOON + MINUTE).feeds) == WANTED[:5]
    assert claimed(store, NOON + MINUTE).feeds == ()


def test_a_finished_feed_is_due_when_it_was_said(store: Store) -> None:
    leases.set_feeds(store, WANTED[:1], NOON)
    assert finished(store, claimed(store, NOON), NOON + HOUR) == 2
    assert read_due_times(store) == {WANTED[0]: NOON + HOUR}
    assert claimed(store, NOON + HOUR - MINUTE).feeds == ()
    assert len(claimed(store, NOON + HOUR).feeds) == 2


def test_a_lease_that_ran_out_is_anothers_and_the_first_finishes_nothing(store: Store) -> None:
    leases.set_feeds(store, WANTED[:1], NOON)
    dead = claimed(store, NOON, owner="dead")
    assert claimed(store, NOON + 9 * MINUTE).feeds == ()
    alive, lost = leases.claim_due(store, NOON, NOON + 11 * MINUTE, most=9, lease=LEASE, owner="alive")
    assert lost == 2
    assert finished(store, dead, NOON + HOUR) == 0
    assert finished(store, alive, NOON + 2 * HOUR) == 2
    assert read_due_times(store) == {WANTED[0]: NOON + 2 * HOUR}


def test_without_its_lease_a_worker_commits_nothing(store: Store) -> None:
    leases.set_feeds(store, WANTED[:2], NOON)
    mine = replace(store, claim=claimed(store, NOON))
    facts.write_fact(mine, WANTED[0], "a", b"1")
    leases.claim_feeds(store, WANTED[:1], NOON + HOUR)
    with pytest.raises(LockedError, match="another worker has taken over; nothing of this one was written"):
        facts.write_fact(mine, WANTED[0], "a", b"2")
    assert facts.read_fact(store, WANTED[0], "a") == b"1"


def test_no_lease_is_taken_while_its_holder_commits(server_store: Store) -> None:
    store = server_store
    leases.set_feeds(store, WANTED[:2], NOON)
    mine = replace(store, claim=leases.claim_feeds(store, WANTED[:1], NOON))
    with database.transaction(mine) as tx:
        assert leases.claim_feeds(store, WANTED[:2], NOON + HOUR).feeds == (WANTED[1],)
        facts.write_fact(tx, WANTED[0], "a", b"1")
    assert leases.claim_feeds(store, WANTED[:1], NOON + HOUR).feeds == (WANTED[0],)


def test_nothing_is_written_under_a_lease_while_the_store_is_restored(server_state: str) -> None:
    with database.open_store(server_state) as store:
        leases.set_feeds(store, WANTED, NOON)
        mine = replace(store, claim=claimed(store, NOON))
        with (
            connection.refresh_lock(server_state, wait=False),
            pytest.raises(LockedError, match="is being restored"),
        ):
            facts.write_fact(mine, WANTED[0], "a", b"1")
        facts.write_fact(mine, WANTED[0], "a", b"1")
        with (
            database.transaction(mine),
            pytest.raises(LockedError),
            connection.refresh_lock(server_state, wait=False),
        ):
            pass


def test_a_claim_that_is_begun_twice_is_the_firsts(store: Store) -> None:
    leases.set_feeds(store, WANTED[:2], NOON)
    sent = claimed(store, NOON, owner="")
    first = leases.begin(store, sent, NOON + 20 * MINUTE, "first")
    assert sorted(first.feeds) == [INDEX, *WANTED[:2]]
    assert leases.begin(store, sent, NOON + 20 * MINUTE, "second").feeds == ()
    assert claimed(store, NOON + 15 * MINUTE).feeds == (), "the lease was renewed"
    assert [(each.owner, each.feeds) for each in leases.read_working(store, NOON)] == [("first", 3)]


def test_what_is_made_due_while_it_is_in_work_is_due_again(store: Store) -> None:
    leases.set_feeds(store, WANTED[:1], NOON)
    first = claimed(store, NOON)
    leases.make_due(store, INDEX, NOON)
    leases.finish(store, first, dict.fromkeys(first.feeds, NOON + DAY), NOON + MINUTE)
    assert claimed(store, NOON).feeds == (), "it rests"
    again = claimed(store, NOON + 2 * MINUTE)
    assert again.feeds == (INDEX,)
    finished(store, again, NOON + DAY)
    assert claimed(store, NOON + HOUR).feeds == ()
    leases.make_due(store, INDEX, NOON + HOUR)
    assert claimed(store, NOON + HOUR).feeds == (INDEX,)


def test_a_released_feed_stays_due_and_may_rest(store: Store) -> None:
    leases.set_feeds(store, WANTED[:1], NOON)
    leases.release(store, claimed(store, NOON))
    leases.release(store, claimed(store, NOON), NOON + MINUTE)
    assert claimed(store, NOON).feeds == ()
    assert len(claimed(store, NOON + 2 * MINUTE).feeds) == 2


def test_the_table_follows_the_config(store: Store) -> None:
    leases.set_feeds(store, WANTED, NOON)
    held = claimed(store, NOON)
    leases.set_feeds(store, [*WANTED[:2], "other"], NOON + HOUR)
    assert read_due_times(store) == {WANTED[0]: NOON, WANTED[1]: NOON, "other": NOON + HOUR}
    assert finished(store, held, NOON + HOUR) == 3, "a feed that stayed keeps its lease"


def test_a_clock_that_went_back_frees_what_one_that_was_ahead_wrote(store: Store) -> None:
    leases.set_feeds(store, WANTED[:2], NOON)
    held = claimed(store, NOON + 30 * DAY)
    assert len(claimed(store, NOON).feeds) == 3, "its lease was a month long"
    assert finished(store, held, NOON + DAY) == 0
    leases.set_feeds(store, WANTED[:3], NOON + 30 * DAY)
    leases.make_all_due(store, NOON)
    assert claimed(store, NOON).feeds == (WANTED[2],)


def test_feeds_by_their_leases_are_counted(store: Store) -> None:
    assert leases.count(store, NOON, NOON) == leases.Counts(0, 0, 0, 0, (0.0, 0.0, 0.0, 0.0))
    leases.set_feeds(store, WANTED[:9], NOON)
    leases.set_feeds(store, WANTED, NOON + MINUTE)
    leases.begin(store, claimed(store, NOON, most=3, owner=""), NOON + LEASE, "me")
    claimed(store, NOON, most=4, owner="")
    leases.finish(store, leases.claim_feeds(store, WANTED[9:], NOON), {WANTED[9]: NOON + HOUR}, NOON)
    found = leases.count(store, NOON + MINUTE, NOON)
    assert (found.feeds, found.queued, found.working, found.waiting) == (10, 4, 3, 3)
    assert found.lags == (60.0, 60.0, 60.0, 60.0)
    assert leases.count_claimed(store, NOON) == 7


def test_workers_share_without_loss_or_overlap(any_state: str) -> None:
    """Each feed of 40 is refreshed once by one of four workers, though one of them dies with what it holds."""
    wanted = [INDEX, *(f"{number:02}" for number in range(40))]
    with database.open_store(any_state) as store:
        leases.set_feeds(store, wanted, NOON)
        lost = claimed(store, NOON - HOUR, at=NOON, most=3, owner="dead")
    done: list[str] = []

    def work(name: str) -> None:
        dice = random.Random(name)
        with database.open_store(any_state) as store:
            while (held := claimed(store, NOON, most=dice.randint(1, 5), owner=name)).feeds:
                assert finished(store, held, NOON + DAY) == len(held.feeds)
                done.extend(held.feeds)

    workers = [threading.Thread(target=work, args=(f"{number}",)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert sorted(done) == wanted
    with database.open_store(any_state) as store:
        assert finished(store, lost, NOON) == 0


def test_a_refresh_takes_what_no_other_has_and_waits_if_it_is_asked_to(server_state: str) -> None:
    with leases.lock_feeds(server_state, ["a", "b"]) as first:
        assert first.claim is not None
        assert first.claim.feeds == ("a", "b")
        with leases.lock_feeds(server_state, ["b", "c"]) as second:
            assert second.claim is not None
            assert second.claim.feeds == ("c",)
        with pytest.raises(LockedError, match="another refresh"), leases.lock_feeds(server_state, ["a"]):
            pass
        waiting = threading.Thread(target=_wait_for, args=(server_state,))
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
    waiting.join(60)
    assert not waiting.is_alive()


def _wait_for(state: str) -> None:
    with leases.lock_feeds(state, ["a"], wait=True) as store:
        assert store.claim is not None


def test_a_refresh_renews_its_leases(server_state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE", timedelta(seconds=1.5))
    with leases.lock_feeds(server_state, ["a"]) as store:
        end = leases.read_clock(store) + leases.LEASE
        wait_for(lambda: leases.count_claimed(store, end))
