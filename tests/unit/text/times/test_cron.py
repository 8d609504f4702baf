"""Cron means what cron means: measured against croniter, an independent implementation, and by hand at the switches."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter  # type: ignore[import-untyped]  # its stubs are of an older version
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.text.times.cron import NICKNAMES, find_fault, next_slot

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def slots(expression: str, after: datetime, count: int, zone: ZoneInfo | None = None) -> list[datetime]:
    found = []
    for _ in range(count):
        slot = next_slot(expression, after, zone or UTC)
        assert slot is not None
        found.append(slot)
        after = slot
    return found


@pytest.mark.parametrize(
    ("expression", "day"),
    [("0 0 * * 0", "Sunday"), ("0 0 * * 7", "Sunday"), ("0 0 * * sun", "Sunday"), ("0 0 * * 1", "Monday"),
     ("0 0 * * 6", "Saturday"), ("@weekly", "Sunday")],
)  # fmt: skip
def test_days_of_the_week_are_those_of_cron(expression: str, day: str) -> None:
    assert {WEEKDAYS[slot.weekday()] for slot in slots(expression, datetime(2024, 5, 1, tzinfo=UTC), 5)} == {day}


def test_either_day_field_makes_a_slot() -> None:
    found = slots("0 0 1 * 1", datetime(2024, 4, 30, 12, tzinfo=UTC), 6)
    assert [slot.day for slot in found] == [1, 6, 13, 20, 27, 1], "the first of the month, and Mondays"


def test_a_star_in_a_day_field_leaves_the_other_alone() -> None:
    assert [slot.day for slot in slots("0 0 1 * *", datetime(2024, 4, 30, 12, tzinfo=UTC), 2)] == [1, 1]
    assert [slot.day for slot in slots("0 0 * * 1", datetime(2024, 4, 30, 12, tzinfo=UTC), 2)] == [6, 13]


@pytest.mark.parametrize("nickname", [*NICKNAMES, "@Daily", " @hourly "])
def test_nicknames_are_known(nickname: str) -> None:
    assert find_fault(nickname) is None
    fields = NICKNAMES[nickname.strip().lower()]
    after = datetime(2024, 5, 1, 0, 30, tzinfo=UTC)
    assert next_slot(nickname, after) == next_slot(fields, after)


@pytest.mark.parametrize(
    "wrong", ["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
              "a b c d e", "@reboot", "@never", "*/0 * * * *", "5-1 * * * *", "0 0 30 2 *", "1,,2 * * * *"],
)  # fmt: skip
def test_what_is_no_expression_is_told(wrong: str) -> None:
    told = find_fault(wrong)
    assert told
    assert "\n" not in told
    with pytest.raises(ValueError, match=told):
        next_slot(wrong, datetime(2024, 5, 1, tzinfo=UTC))


def test_the_slot_after_a_slot_is_the_next_one() -> None:
    at = datetime(2024, 5, 1, 10, 17, tzinfo=UTC)
    assert next_slot("17 * * * *", at) == at + timedelta(hours=1)
    assert next_slot("17 * * * *", at - timedelta(seconds=1)) == at
    assert next_slot("17 * * * *", at + timedelta(microseconds=1)) == at + timedelta(hours=1)


def test_a_leap_day_waits_for_its_year() -> None:
    assert next_slot("0 0 29 2 *", datetime(2096, 3, 1, tzinfo=UTC)) == datetime(2104, 2, 29, tzinfo=UTC)


SPRING = [
    (BERLIN, "30 2 * * *", datetime(2024, 3, 31, 0, 0, tzinfo=UTC), ["31 01:00", "01 00:30"], "left out: after it"),
    (BERLIN, "30 * * * *", datetime(2024, 3, 31, 0, 0, tzinfo=UTC), ["31 00:30", "31 01:30"], "every hour goes on"),
    (
        NEW_YORK,
        "15 2 * * *",
        datetime(2024, 3, 10, 5, 0, tzinfo=UTC),
        ["10 07:00", "11 06:15"],
        "left out: after it",
    ),
]
AUTUMN = [
    (BERLIN, "30 2 * * *", datetime(2024, 10, 26, 23, 0, tzinfo=UTC), ["27 00:30", "28 01:30"], "repeated: once"),
    (
        BERLIN,
        "30 * * * *",
        datetime(2024, 10, 26, 23, 0, tzinfo=UTC),
        ["26 23:30", "27 00:30", "27 01:30"],
        "hourly",
    ),
    (NEW_YORK, "15 1 * * *", datetime(2024, 11, 3, 4, 0, tzinfo=UTC), ["03 05:15", "04 06:15"], "repeated: once"),
]


@pytest.mark.parametrize(("zone", "expression", "after", "wanted", "why"), SPRING + AUTUMN)
def test_both_switches_of_summer_time(
    zone: ZoneInfo, expression: str, after: datetime, wanted: list[str], why: str
) -> None:
    found = slots(expression, after, len(wanted), zone)
    assert [f"{slot:%d %H:%M}" for slot in found] == wanted, why


def number(low: int, high: int) -> st.SearchStrategy[str]:
    """A field; a range has two ends, for croniter 7 reads 0-0 as a star."""
    one = st.integers(low, high)
    span = st.tuples(one, one).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: f"{min(pair)}-{max(pair)}")
    stepped = st.tuples(st.one_of(st.just("*"), span), st.integers(1, 7)).map(lambda pair: f"{pair[0]}/{pair[1]}")
    listed = st.lists(one.map(str), min_size=2, max_size=3).map(",".join)
    return st.one_of(st.just("*"), one.map(str), span, stepped, listed)


def plain_day(low: int, high: int) -> st.SearchStrategy[str]:
    """Without a stepped star: there crons differ in whether it counts as a star (ours does, as Debian's)."""
    return number(low, high).filter(lambda text: not text.startswith("*/"))


expressions = st.tuples(number(0, 59), number(0, 23), plain_day(1, 28), number(1, 12), plain_day(0, 6)).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(expression=expressions, after=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)))  # noqa: DTZ001 - UTC below
def test_in_utc_it_agrees_with_croniter(expression: str, after: datetime) -> None:
    start = after.replace(tzinfo=UTC, microsecond=0)
    other = croniter(expression, start, ret_type=datetime)
    assert slots(expression, start, 3) == [other.get_next() for _ in range(3)]


def test_in_a_zone_it_agrees_with_croniter_away_from_the_switches() -> None:
    dice = random.Random(7)
    for _ in range(60):
        start = datetime(2024, dice.choice([1, 5, 7, 12]), dice.randint(1, 20), dice.randint(0, 23), tzinfo=BERLIN)
        expression = f"{dice.randint(0, 59)} {dice.randint(0, 23)} * * {dice.randint(0, 6)}"
        assert next_slot(expression, start, BERLIN) == croniter(expression, start, ret_type=datetime).get_next()


@pytest.mark.parametrize(
    ("line", "after", "slot"),
    [
        ("CRON_TZ=Europe/Berlin 0 6 * * *", "2024-01-10T06:00", "2024-01-11T05:00"),
        ("CRON_TZ=Europe/Berlin 0 6 * * *", "2024-07-10T03:00", "2024-07-10T04:00"),
        ("CRON_TZ=Europe/Berlin 30 2 * * *", "2024-03-31T00:00", "2024-03-31T01:00"),  # skipped: 02:30
        ("CRON_TZ=Europe/Berlin 30 2 * * *", "2024-10-27T00:31", "2024-10-28T01:30"),  # repeated: comes once
        ("CRON_TZ=America/New_York @daily", "2024-05-01T00:00", "2024-05-01T04:00"),
    ],
)
def test_a_line_is_read_in_the_zone_that_it_names(line: str, after: str, slot: str) -> None:
    assert find_fault(line) is None
    assert next_slot(line, datetime.fromisoformat(f"{after}+00:00")) == datetime.fromisoformat(f"{slot}+00:00")


@pytest.mark.parametrize(
    "line", ["CRON_TZ=Mars/Base 0 6 * * *", "CRON_TZ=../../etc/passwd 0 6 * * *", "CRON_TZ= 0 6 * * *"]
)
def test_a_zone_that_nobody_knows_is_a_fault(line: str) -> None:
    assert (find_fault(line) or "").startswith("no time zone")
