from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from aggregator.text.times.release_times import Habit, find_next_poll, learn_habit

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def replay(dates: list[datetime], start: datetime, hours: int) -> list[datetime]:
    """The hours at which a cron at every full hour asks."""
    asked = [start]
    for hour in range(1, hours):
        now = start + hour * HOUR
        if now >= find_next_poll(learn_habit([dates], now), asked[-1]):
            asked.append(now)
    return asked


def test_a_weekly_show_is_asked_in_its_hour_and_the_next_and_else_once_a_day() -> None:
    dates = [MONDAY + 9 * HOUR + timedelta(minutes=20) - week * 7 * DAY for week in range(1, 9)]
    asked = replay(dates, MONDAY - DAY, 48)
    assert asked == [MONDAY - DAY, MONDAY, MONDAY + 9 * HOUR, MONDAY + 10 * HOUR]


def test_a_show_of_few_items_or_one_that_has_paused_is_asked_once_a_day() -> None:
    daily = [MONDAY - day * DAY for day in range(20)]
    assert learn_habit([daily[:2]], MONDAY) == learn_habit([], MONDAY) == Habit()
    assert learn_habit([daily], MONDAY + 15 * DAY) == Habit()
    assert learn_habit([daily], MONDAY + 2 * DAY).hours


def test_dates_to_come_are_no_habit_and_the_busiest_source_counts() -> None:
    often = [MONDAY - hour * HOUR for hour in range(20)]
    habit = learn_habit([often, [MONDAY + day * DAY for day in range(20)]], MONDAY)
    assert habit.every == HOUR


@given(
    st.lists(st.datetimes(datetime(2020, 1, 1), datetime(2026, 3, 1), timezones=st.just(UTC))),  # noqa: DTZ001
    st.datetimes(datetime(2024, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_the_next_look_is_between_an_hour_and_a_day_away(dates: list[datetime], last: datetime) -> None:
    assert HOUR <= find_next_poll(learn_habit([dates], last), last) - last <= DAY
