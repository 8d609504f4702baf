"""Clocks that step: earlier than the last run, far later, a leap day, a change to summer time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.harness import NOON, Town, guids, item, rss, stamp, tidy, whole


@pytest.fixture
def ticking(town: Town) -> Town:
    town.serve("/host", rss(*(item(number) for number in range(1, 6))))
    town.config(f"host: {{kind: feed, url: '{town.url('/host')}'}}")
    return town


def refreshed(town: Town, at: str) -> int:
    """How often the origin was asked by a refresh at that time."""
    town.asked.clear()
    done = town.run("refresh", "--quiet", "--at", at)
    assert (done.returncode, done.stderr) == (0, "")
    return len(town.asked)


def dates(town: Town) -> dict[object, object]:
    return {each["id"]: each["date_published"] for each in town.items()}


def test_a_clock_that_steps_moves_no_date_storms_no_origin_and_falls_not_silent(ticking: Town) -> None:
    assert refreshed(ticking, stamp(NOON)) == 1
    before, held = dates(ticking), guids(ticking)
    back = NOON - timedelta(days=365)
    asked = [refreshed(ticking, stamp(back + timedelta(minutes=minutes))) for minutes in (0, 1, 2)]
    assert asked == [1, 0, 0], "once, because what was remembered is of another time, and then no storm"
    ticking.serve("/host", rss(*(item(number) for number in range(1, 8))))
    assert refreshed(ticking, stamp(back + timedelta(days=2))) == 1, "and no silence of a year"
    ahead = NOON + timedelta(days=20 * 365)
    assert [refreshed(ticking, stamp(ahead + timedelta(minutes=minutes))) for minutes in (0, 1)] == [1, 0]
    assert refreshed(ticking, stamp(NOON + timedelta(days=3))) == 1, "also after a clock that was 20 years ahead"
    assert before.items() <= dates(ticking).items(), "a date moved"
    assert held.items() <= guids(ticking).items()
    assert len(guids(ticking)) == 7
    whole(ticking)
    tidy(ticking)


def test_the_leap_day_and_summer_time_are_days_like_others(ticking: Town) -> None:
    assert refreshed(ticking, "2024-02-28T23:59:59Z") == 1
    assert refreshed(ticking, "2024-02-29T23:59:59Z") == 1
    # Berlin, 31 March 2024: 01:59 +01:00 is followed by 03:00 +02:00, two minutes later there is no new hour.
    assert refreshed(ticking, "2024-03-31T01:59:00+01:00") == 1
    assert refreshed(ticking, "2024-03-31T03:01:00+02:00") == 0
    assert len(guids(ticking)) == 5


def test_a_date_in_the_future_is_published_as_seen_and_stays(town: Town) -> None:
    town.serve("/host", rss(item(1), item(2), item(3, day=400 + 800)))
    town.config(f"host: {{kind: feed, url: '{town.url('/host')}'}}")
    assert town.refresh(NOON).returncode == 0
    published = {each["title"]: str(each["date_published"]) for each in town.items()}
    future = next(date for name, date in published.items() if name.endswith("number 3"))
    assert datetime.fromisoformat(future) == NOON.astimezone(UTC)
    before = dates(town)
    assert town.refresh(NOON + timedelta(days=1000)).returncode == 0
    assert dates(town) == before, "frozen, also when that day has come"
