"""Clocks that step: earlier than the last run, far later, a leap day, a change to summer time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.rss import make_rss
from tests.support.workspace import (
    NOON,
    Workspace,
    check_no_leftovers,
    check_published,
    format_time,
    make_item,
    read_guids,
)


@pytest.fixture
def ticking(workspace: Workspace) -> Workspace:
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))
    workspace.config("host")
    return workspace


def refreshed(workspace: Workspace, at: str) -> int:
    """How often the origin was asked by a refresh at that time."""
    workspace.asked.clear()
    done = workspace.run("refresh", "--quiet", "--at", at)
    assert done.returncode == 0
    assert all("the clock is behind" in line for line in done.stderr.splitlines()), done.stderr
    assert done.stderr.count("\n") <= 1
    return len(workspace.asked)


def dates(workspace: Workspace) -> dict[object, object]:
    return {each["id"]: each["date_published"] for each in workspace.items()}


def test_a_clock_that_steps_moves_no_date_storms_no_origin_and_falls_not_silent(ticking: Workspace) -> None:
    assert refreshed(ticking, format_time(NOON)) == 1
    before, held = dates(ticking), read_guids(ticking)
    back = NOON - timedelta(days=365)
    asked = [refreshed(ticking, format_time(back + timedelta(minutes=minutes))) for minutes in (0, 1, 2)]
    assert asked == [1, 0, 0], "once, because what was remembered is of another time, and then no storm"
    ticking.serve("/host", make_rss(*(make_item(number) for number in range(1, 8))))
    assert refreshed(ticking, format_time(back + timedelta(days=2))) == 1, "and no silence of a year"
    ahead = NOON + timedelta(days=20 * 365)
    assert [refreshed(ticking, format_time(ahead + timedelta(minutes=minutes))) for minutes in (0, 1)] == [1, 0]
    assert refreshed(ticking, format_time(NOON + timedelta(days=3))) == 1, "also after a clock that was 20 years ahead"
    assert before.items() <= dates(ticking).items(), "a date moved"
    assert held.items() <= read_guids(ticking).items()
    assert len(read_guids(ticking)) == 7
    check_published(ticking)
    check_no_leftovers(ticking)


def test_the_leap_day_and_summer_time_are_days_like_others(ticking: Workspace) -> None:
    assert refreshed(ticking, "2024-02-28T23:59:59Z") == 1
    assert refreshed(ticking, "2024-02-29T23:59:59Z") == 1
    # Berlin, 31 March 2024: 01:59 +01:00 is followed by 03:00 +02:00, two minutes later there is no new hour.
    assert refreshed(ticking, "2024-03-31T01:59:00+01:00") == 1
    assert refreshed(ticking, "2024-03-31T03:01:00+02:00") == 0
    assert len(read_guids(ticking)) == 5


def test_a_date_in_the_future_is_published_as_seen_and_stays(workspace: Workspace) -> None:
    workspace.serve("/host", make_rss(make_item(1), make_item(2), make_item(3, day=400 + 800)))
    workspace.config("host")
    assert workspace.refresh(NOON).returncode == 0
    published = {each["title"]: str(each["date_published"]) for each in workspace.items()}
    future = next(date for name, date in published.items() if name.endswith("number 3"))
    assert datetime.fromisoformat(future) == NOON.astimezone(UTC)
    before = dates(workspace)
    assert workspace.refresh(NOON + timedelta(days=1000)).returncode == 0
    assert dates(workspace) == before, "frozen, also when that day has come"
