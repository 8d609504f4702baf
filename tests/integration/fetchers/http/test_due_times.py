"""When a source is due: never sooner than asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.fetchers.http.polling import _ready_at, due_at, next_due
from aggregator.model.source import PollState
from aggregator.text.times.release_times import Habit

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


HABIT = Habit(HOUR, frozenset())
MAYBE = st.none() | st.integers(-60, 3 * 24 * 60).map(lambda number: NOON + number * MINUTE)
READ = {"asked": NOON, "digest": "d", "not_before": NOON + HOUR - timedelta(seconds=30)}


def test_what_a_hub_tells_is_polled_for_at_once_and_five_minutes_apart() -> None:
    told = poll_state(**READ, told=NOON + MINUTE, told_until=NOON + 9 * DAY)
    for schedule in (None, HOURLY, HABIT):
        assert due_at(schedule, (told,), NOON + 2 * MINUTE) == NOON + 5 * MINUTE
        assert due_at(schedule, (told,), NOON + 7 * MINUTE) == NOON + 7 * MINUTE
        assert next_due("a", schedule, (told,), NOON) == NOON + 5 * MINUTE
    failed = replace(told, errors=1, not_before=NOON + 3 * HOUR)
    assert due_at(None, (failed,), NOON + 7 * MINUTE) == NOON + 3 * HOUR
    held = replace(told, hold_until=NOON + 2 * HOUR)
    assert due_at(None, (held,), NOON + 7 * MINUTE) == NOON + 2 * HOUR


def test_while_a_hub_tells_an_address_is_polled_once_a_day_unless_the_config_says_how_often() -> None:
    told = poll_state(**READ, told_until=NOON + 9 * DAY)
    assert due_at(HABIT, (told,), NOON + MINUTE) == NOON + DAY
    assert due_at(HOURLY, (told,), NOON + 2 * HOUR) == NOON + 2 * HOUR
    usual = due_at(HABIT, (poll_state(**READ),), NOON + MINUTE)
    assert usual < NOON + DAY
    for unreliable in (replace(told, untold=1), replace(told, told_until=NOON - MINUTE)):
        assert due_at(HABIT, (unreliable,), NOON + MINUTE) == usual
    ending = replace(told, told_until=NOON + 20 * HOUR)
    assert due_at(HABIT, (ending,), NOON + MINUTE) == NOON + 20 * HOUR
    other = replace(poll_state(**READ), url="https://a.example/other")
    assert due_at(HABIT, (told, other), NOON + MINUTE) == usual


@given(told=MAYBE, until=MAYBE, hold=MAYBE, at=MAYBE, untold=st.integers(0, 2))
def test_no_hub_has_us_poll_a_host_within_five_minutes_or_before_its_hold(
    told: datetime | None, until: datetime | None, hold: datetime | None, at: datetime | None, untold: int
) -> None:
    at = at or NOON
    state = poll_state(**READ, told=told, told_until=until, hold_until=hold, untold=untold)
    for schedule in (None, HOURLY, HABIT):
        due = due_at(schedule, (state,), at)
        if at >= NOON - timedelta(minutes=5):
            assert due >= NOON + 5 * MINUTE
        assert hold is None or due >= hold
