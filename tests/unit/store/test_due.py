"""Who is due: never sooner than asked, never twice at once, never lost."""

from __future__ import annotations

import random
import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.fetchers.http.polling import _ready_at, due_at, next_due
from aggregator.model.source import PollState
from aggregator.store import database
from aggregator.store.database import Store
from aggregator.store.polls import Claim, claim_due, limit_due_times, read_due_times, release_claim, set_sources

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
URL = "https://a.example/"
HOURLY = "17 * * * *"


def poll_state(**fields: object) -> PollState:
    return replace(PollState(URL), **fields)  # type: ignore[arg-type]  # the case names the field


def test_a_source_never_asked_is_due() -> None:
    assert due_at(HOURLY, (), NOON) == NOON
    assert due_at(None, (), NOON) == NOON
    assert due_at(HOURLY, (PollState(URL),), NOON) == NOON


def test_a_poll_waits_for_its_slot() -> None:
    asked = poll_state(asked=NOON)
    assert due_at(HOURLY, (asked,), NOON + MINUTE) == NOON + 17 * MINUTE
    assert due_at(HOURLY, (asked,), NOON + 20 * MINUTE) == NOON + 20 * MINUTE
    assert due_at(None, (asked,), NOON + MINUTE) == NOON + MINUTE
    assert due_at(HOURLY, (), NOON + MINUTE, last=NOON) == NOON + 17 * MINUTE


def test_what_the_origin_asked_comes_before_the_slot() -> None:
    asked = poll_state(asked=NOON, not_before=NOON + 3 * HOUR)
    assert due_at(HOURLY, (asked,), NOON + HOUR) == NOON + 3 * HOUR
    assert due_at(HOURLY, (replace(asked, hold_until=NOON + DAY),), NOON + HOUR) == NOON + DAY


def test_one_of_several_addresses_that_may_be_asked_is_enough() -> None:
    held, free = poll_state(asked=NOON, hold_until=NOON + DAY), poll_state(asked=NOON, url="https://b.example/")
    assert due_at(HOURLY, (held, free), NOON + HOUR) == NOON + HOUR
    assert due_at(HOURLY, (held,), NOON + HOUR) == NOON + DAY


def test_skip_windows_are_left_out() -> None:
    quiet = poll_state(skip_hours=(12, 13, 14))
    assert _ready_at(quiet, NOON + MINUTE) == NOON + 3 * HOUR
    assert NOON.weekday() == 2
    assert _ready_at(poll_state(skip_days=(2, 3)), NOON) == datetime(2024, 5, 3, tzinfo=UTC)
    assert _ready_at(poll_state(skip_hours=tuple(range(24))), NOON) >= NOON, "an impossible rhythm ends"


def test_a_clock_that_went_back_does_not_silence_a_source() -> None:
    future = poll_state(asked=NOON + 365 * DAY, not_before=NOON + 366 * DAY)
    assert due_at(HOURLY, (future,), NOON) == NOON
    held = replace(future, hold_until=NOON + DAY)
    assert due_at(HOURLY, (held,), NOON) == NOON + DAY, "what the origin demanded still stands"


def test_a_clock_that_went_forward_brings_no_storm() -> None:
    """After a year's leap everything is due once, and then again by its slot."""
    later = NOON + 365 * DAY
    assert due_at(HOURLY, (poll_state(asked=NOON),), later) == later
    assert due_at(HOURLY, (poll_state(asked=later),), later + MINUTE) > later + MINUTE


def test_the_next_poll_is_spread_by_name_and_always_the_same() -> None:
    found = [next_due(f"show/{number}", HOURLY, (), NOON) for number in range(200)]
    assert found == [next_due(f"show/{number}", HOURLY, (), NOON) for number in range(200)]
    slot = NOON + 17 * MINUTE
    assert min(found) >= slot
    assert max(found) < slot + 6 * MINUTE
    assert len(set(found)) > 150


def test_without_a_schedule_the_next_poll_is_in_an_hour() -> None:
    assert NOON + HOUR <= next_due("show/a", None, (), NOON) < NOON + HOUR + 6 * MINUTE


def test_a_slot_that_never_comes_is_far_away() -> None:
    assert next_due("show/a", "0 0 29 2 *", (), NOON) > NOON + 365 * DAY


@given(
    seconds=st.integers(0, 10**7),
    hold=st.one_of(st.none(), st.integers(0, 10**6)),
    rest=st.one_of(st.none(), st.integers(0, 10**6)),
    hours=st.sets(st.integers(0, 23), max_size=20),
    days=st.sets(st.integers(0, 6), max_size=5),
    cron=st.sampled_from([None, HOURLY, "@daily", "*/5 * * * *"]),
)
def test_no_poll_is_sooner_than_asked(
    seconds: int, hold: int | None, rest: int | None, hours: set[int], days: set[int], cron: str | None
) -> None:
    now = NOON + timedelta(seconds=seconds)
    asked = poll_state(
        asked=now,
        hold_until=None if hold is None else now + timedelta(seconds=hold),
        not_before=None if rest is None else now + timedelta(seconds=rest),
        skip_hours=tuple(hours),
        skip_days=tuple(days),
    )
    for due in (due_at(cron, (asked,), now), next_due("show/a", cron, (asked,), now)):
        assert due >= max(now, asked.hold_until or now, asked.not_before or now)
        assert due.hour not in hours
        assert due.weekday() not in days
    assert next_due("show/a", cron, (asked,), now) > now


def test_a_clock_that_went_back_frees_what_one_that_was_ahead_wrote(store: Store) -> None:
    set_sources(store, WANTED[:3], NOON + 30 * DAY)
    (held,) = claimed(store, NOON + 30 * DAY, most=1)
    limit_due_times(store, {WANTED[0]: NOON, WANTED[1]: NOON + HOUR, WANTED[2]: NOON + 90 * DAY}, 10 * MINUTE, NOON)
    assert read_due_times(store) == {WANTED[0]: NOON, WANTED[1]: NOON + HOUR, WANTED[2]: NOON + 30 * DAY}
    assert [each.source for each in claimed(store, NOON)] == [held.source], "its lease was a month long"
    assert not release_claim(store, held, NOON + DAY), "whoever held it has lost it"
    limit_due_times(store, {}, 10 * MINUTE, NOON)
    assert claimed(store, NOON) == (), "a lease as long as any other stands"


WANTED = [("show", f"{number:02}") for number in range(10)]


def claimed(store: Store, now: datetime, *, most: int = 100, owner: str = "me") -> tuple[Claim, ...]:
    return claim_due(store, now, most=most, lease=10 * MINUTE, owner=owner)


def test_the_longest_waiting_come_first_and_only_once(store: Store) -> None:
    set_sources(store, WANTED[5:], NOON)
    set_sources(store, WANTED, NOON + MINUTE)
    assert claimed(store, NOON - MINUTE) == ()
    first = claimed(store, NOON + MINUTE, most=6)
    assert [each.source for each in first] == ["05", "06", "07", "08", "09", "00"]
    assert [each.source for each in claimed(store, NOON + MINUTE)] == ["01", "02", "03", "04"]
    assert claimed(store, NOON + MINUTE) == ()


def test_a_finished_source_is_due_when_it_was_said(store: Store) -> None:
    set_sources(store, WANTED[:1], NOON)
    (held,) = claimed(store, NOON)
    assert release_claim(store, held, NOON + HOUR)
    assert read_due_times(store) == {WANTED[0]: NOON + HOUR}
    assert claimed(store, NOON + HOUR - MINUTE) == ()
    assert [each.number for each in claimed(store, NOON + HOUR)] == [2]


def test_a_lease_that_ran_out_is_anothers_and_the_first_finishes_nothing(store: Store) -> None:
    set_sources(store, WANTED[:1], NOON)
    (dead,) = claimed(store, NOON, owner="dead")
    assert claimed(store, NOON + 10 * MINUTE) == ()
    (alive,) = claimed(store, NOON + 11 * MINUTE, owner="alive")
    assert not release_claim(store, dead, NOON + HOUR)
    assert release_claim(store, alive, NOON + 2 * HOUR)
    assert read_due_times(store) == {WANTED[0]: NOON + 2 * HOUR}


def test_the_table_follows_the_config(store: Store) -> None:
    set_sources(store, WANTED, NOON)
    (held, *_) = claimed(store, NOON, most=1)
    set_sources(store, [*WANTED[:2], ("other", "x")], NOON + HOUR)
    assert read_due_times(store) == {WANTED[0]: NOON, WANTED[1]: NOON, ("other", "x"): NOON + HOUR}
    assert release_claim(store, held, NOON + HOUR), "a source that stayed keeps its lease"


def test_two_workers_share_without_loss_or_overlap(any_state: str) -> None:
    """Each source of 40 is asked once by one of four workers, though one of them dies with what it holds."""
    wanted = [("show", f"{number:02}") for number in range(40)]
    with database.open_store(any_state) as store:
        set_sources(store, wanted, NOON)
        (lost, *_) = claim_due(store, NOON, most=3, lease=MINUTE, owner="dead")
    done: list[Claim] = []

    def work(name: str) -> None:
        dice = random.Random(name)
        with database.open_store(any_state) as store:
            while held := claim_due(store, NOON + 2 * MINUTE, most=dice.randint(1, 5), lease=HOUR, owner=name):
                done.extend(each for each in held if release_claim(store, each, NOON + DAY))

    workers = [threading.Thread(target=work, args=(f"{number}",)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert sorted((each.feed, each.source) for each in done) == wanted
    with database.open_store(any_state) as store:
        assert set(read_due_times(store).values()) == {NOON + DAY}
        assert not release_claim(store, lost, NOON)


@pytest.mark.parametrize("count", [2000])
def test_thousands_are_claimed_in_time(store: Store, count: int) -> None:
    set_sources(store, [("show", f"{number}") for number in range(count)], NOON)
    assert len(claimed(store, NOON, most=count)) == count
