"""A daily slot, over both switches of summer time, a leap day, and clocks that step: once a day, by whoever calls."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from croniter import croniter  # type: ignore[import-untyped]  # its stubs are of an older version

from aggregator import refresh
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.errors import NothingToPublishError
from aggregator.service import workers
from tests.support.rss import make_rss
from tests.support.workspace import Workspace, make_item

DAILY = "30 2 * * *"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
Call = Callable[[Config, datetime], object]


def by_cron(config: Config, at: datetime) -> object:
    return refresh.refresh(config, at=at)


def by_service(config: Config, at: datetime) -> object:
    return workers.refresh_due(config, at)


CALLS = {"aggregator refresh": by_cron, "aggregator serve": by_service}


@pytest.fixture(params=["Europe/Berlin", "America/New_York", "Pacific/Apia"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The zone of the machine, which must not matter: the config's slots are in UTC."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def daily(workspace: Workspace) -> Config:
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 4))))
    return load(workspace.config("host", refresh=DAILY))


def asked_at(workspace: Workspace, call: Call, config: Config, times: list[datetime]) -> list[datetime]:
    """At which of these times the origin was asked."""
    found = []
    for at in times:
        before = len(workspace.asked)
        call(config, at)
        found += [at] * (len(workspace.asked) - before)
    return found


# Two days before to two days after: Berlin's and New York's switches of 2024, Apia's skipped day of 2011, leap days.
STARTS = ("2024-03-29", "2024-10-25", "2024-03-08", "2024-11-01", "2011-12-28", "2024-02-27", "2100-02-26")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("start", STARTS[:1])
@pytest.mark.parametrize("zone", ["Europe/Berlin"], indirect=True)
def test_a_daily_slot_comes_once_a_day_over_switches_and_leap_days(
    workspace: Workspace, zone: str, start: str, call: Call
) -> None:
    assert zone == "Europe/Berlin"
    slots_are_met(workspace, start, call, hours=(0, 1, 2, 12, 23))


@pytest.mark.heavy
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("start", STARTS)
def test_a_daily_slot_comes_once_a_day_in_every_zone(workspace: Workspace, zone: str, start: str, call: Call) -> None:
    assert zone
    slots_are_met(workspace, start, call, hours=range(24))


def slots_are_met(workspace: Workspace, start: str, call: Call, *, hours: Collection[int]) -> None:
    """Calls in these hours after each slot ask once a day."""
    config, dice = daily(workspace), random.Random(start)
    first = datetime.fromisoformat(start).replace(hour=2, minute=30, tzinfo=UTC)
    times = [first + timedelta(hours=turn, seconds=dice.randrange(25)) for turn in range(24 * 4) if turn % 24 in hours]
    found = asked_at(workspace, call, config, times)
    other = croniter(DAILY, times[0], ret_type=datetime)
    slots = [slot for slot in (other.get_next() for _ in range(9)) if slot < times[-1] - 3 * HOUR]
    assert len(found) == len(slots) + 1, "the first ask, in the first slot, then one for each slot"
    assert all(slot <= at < slot + 3 * HOUR for slot, at in zip(slots, found[1:], strict=True)), (slots, found)


STEPS = (-HOUR, HOUR, -DAY, DAY, -30 * DAY, 30 * DAY, -timedelta(minutes=7), 400 * DAY, -400 * DAY)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_clock_that_steps_back_and_forth_brings_neither_storm_nor_silence(workspace: Workspace, call: Call) -> None:
    steps_are_met(workspace, 0, call, every=7)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(1, 8))
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_clocks_that_step_in_many_ways(workspace: Workspace, seed: int, call: Call) -> None:
    steps_are_met(workspace, seed, call, every=1)


def steps_are_met(workspace: Workspace, seed: int, call: Call, *, every: int) -> None:
    """Each step may bring one more question; two days after it, one a day is asked again; a call every few hours."""
    config, dice = daily(workspace), random.Random(seed)
    now = datetime(2024, 5, 1, 12, tzinfo=UTC)
    for _ in range(3):
        now += dice.choice(STEPS)
        times = [now + HOUR * turn for turn in range(0, 50, every)]
        try:
            found = asked_at(workspace, call, config, times)
        except NothingToPublishError:
            pytest.fail("the origin answers")
        assert 1 <= len(found) <= 4, (now, found)
        assert any(now + DAY <= at for at in found), (now, found)
        now = times[-1]
