"""Dates without a year: a listing in order is dated exactly on any day, and what nothing decides has no date."""

from __future__ import annotations

import calendar
import random
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aggregator.model.entry import Moment
from aggregator.text.times import dates, words, yearless
from aggregator.text.times.lines import Dating, find_dates

DAYS = st.dates(date(2019, 1, 1), date(2030, 12, 31))
ENGLISH = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
WEEKDAYS = list(calendar.day_name)


def write(day: date, *, weekday: bool = False, year: bool = False) -> str:
    text = f"{ENGLISH[day.month - 1]} {day.day}"
    return f"{WEEKDAYS[day.weekday()]}, {text}" if weekday else f"{text}, {day.year}" if year else text


def read(texts: list[str], today: date, headings: tuple[int | None, ...] = (), **known: object) -> list[date | None]:
    dating = Dating(now=datetime(today.year, today.month, today.day, 9, tzinfo=UTC), **known)  # type: ignore[arg-type]
    return [each and each.at.date() for each in find_dates(texts, dating, headings)]


def list_days(newest: date, pause: int, count: int, dice: random.Random) -> list[date]:
    """Days of a show, newest first, with pauses of about so many days."""
    days = [newest]
    while len(days) < count:
        days.append(days[-1] - timedelta(days=max(1, pause + dice.randint(-pause // 4, pause // 4))))
    return days


shows = st.builds(
    lambda newest, pause, count, seed: list_days(newest, pause, count, random.Random(seed)),
    *(DAYS, st.sampled_from([1, 2, 3, 7, 7, 14, 30]), st.integers(4, 120), st.integers(0, 10**6)),
)


@given(shows, st.integers(-1, 40), st.sampled_from([1, -1]))
@settings(max_examples=100)
def test_a_listing_in_order_is_dated_exactly_on_any_day(days: list[date], since: int, order: int) -> None:
    listed = days[::order]
    assert read([write(day) for day in listed], days[0] + timedelta(days=since)) == listed


@given(DAYS)
def test_a_weekly_show_over_new_year_is_dated_on_each_day(today: date) -> None:
    days = [today - timedelta(days=3 + 7 * number) for number in range(60)]
    assert read([write(day) for day in days], today) == days


@given(shows, st.integers(0, 300), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_a_shuffled_listing_has_no_date(days: list[date], since: int, dice: random.Random) -> None:
    days = days[:60]
    assume(len(days) >= 8)
    listed = days[:]
    dice.shuffle(listed)
    ups = sum(one < other for one, other in pairwise(listed))
    assume(0.25 * len(listed) < ups < 0.75 * len(listed))
    assert set(read([write(day) for day in listed], days[0] + timedelta(days=since))) == {None}


@given(shows, st.integers(0, 500))
@settings(max_examples=100)
def test_weekdays_give_the_year_also_of_a_silent_show(days: list[date], since: int) -> None:
    today = days[0] + timedelta(days=since)
    assume((today - days[-1]).days < 5 * 365)
    assert read([write(day, weekday=True) for day in days], today) == days


@given(shows, st.data())
@settings(max_examples=100)
def test_a_date_with_a_year_dates_what_stands_above_it_or_nothing(days: list[date], data: st.DataObject) -> None:
    """Sites write the year where it is not the present one; a date is exact or lacking."""
    today = days[0] + timedelta(days=data.draw(st.integers(0, 30)))
    texts = [write(day, year=day.year != today.year) for day in days]
    assert read(texts, today) == days
    at = data.draw(st.integers(0, len(days) - 1))
    later = today + timedelta(days=data.draw(st.integers(0, 3000)))
    found = read([write(day, year=place == at) for place, day in enumerate(days)], later)
    assert all(one in {None, other} for one, other in zip(found[: at + 1], days, strict=False))


@given(shows, st.randoms(use_true_random=False), st.integers(0, 900))
def test_headings_give_the_year_in_any_order(days: list[date], dice: random.Random, since: int) -> None:
    dice.shuffle(days)
    headings = tuple(day.year for day in days)
    assert read([write(day) for day in days], max(days) + timedelta(days=since), headings) == days


@given(st.lists(DAYS, min_size=1, max_size=2), DAYS)
def test_one_or_two_days_are_no_order(days: list[date], today: date) -> None:
    assert {*read([write(day) for day in days], today)} == {None}


@given(st.lists(st.sampled_from([*map(write, (date(2024, 1, 1) + timedelta(days=n) for n in range(366)))])), DAYS)
def test_no_date_is_later_than_the_day_after_the_poll(texts: list[str], today: date) -> None:
    assert all(day is None or day <= today + timedelta(days=1) for day in read(texts, today))


@given(shows, st.integers(0, 40), st.data())
@settings(max_examples=100)
def test_an_old_item_that_is_pinned_gives_no_wrong_years(days: list[date], since: int, data: st.DataObject) -> None:
    """One of the listing, or older; what stands below it has its dates, or none."""
    pause = (days[0] - days[1]).days
    assume(since <= 3 * pause)
    pinned = data.draw(
        st.sampled_from(days[2:]) | st.integers(10 * pause, 3000).map(lambda n: days[-1] - timedelta(days=n))
    )
    found = read([write(day) for day in (pinned, *days)], days[0] + timedelta(days=since))
    assert found[1:] in (days, [None] * len(days))


def test_a_show_that_was_silent_for_most_of_a_year_has_no_dates() -> None:
    days = [date(2024, 3, 3) - timedelta(days=7 * number) for number in range(9)]
    assert {*read([write(day) for day in days], date(2025, 1, 20))} == {None}


_MONTHS = words.load().months


@pytest.mark.parametrize("language", sorted(set().union(*(each for few in _MONTHS.values() for each in few.values()))))
def test_the_months_of_every_language(language: str) -> None:
    """A weekly listing over New Year, with the shortest and the longest name of each month."""
    months = [sorted(word for word in _MONTHS if language in _MONTHS[word].get(number, ())) for number in range(1, 13)]
    days = [date(2026, 3, 2) - timedelta(days=7 * number) for number in range(30)]
    for choose in (min, max):
        names = [choose(each, key=len) for each in months]
        texts = [f"{day.day} {names[day.month - 1]}" for day in days]
        if not all(yearless.parse(text, language=language) for text in texts):
            with_year = [dates.parse(f"{text} 2025", language=language) for text in texts]
            assert not all(with_year), "what is read with a year is read without"
            continue
        assert read(texts, date(2026, 3, 4), language=language) == days


@pytest.mark.parametrize(
    ("texts", "known", "month"),
    [
        (["12/10", "05/10", "28/09", "21/09"], {}, 10),
        (["10/12", "10/05", "09/28", "09/21"], {}, 10),
        (["12/10", "05/10", "03/10", "01/10"], {}, None),
        (["12/10", "05/10", "03/10", "01/10"], {"day_first": True}, 10),
        (["10-12", "10-05", "10-03", "10-01"], {"language": "zh-CN"}, 10),
        (["12.10.", "5.10.", "28.9.", "21.9."], {}, 10),
        (["12.10", "5.10", "3.10", "1.10"], {}, None),
    ],
)
def test_two_numbers_are_a_date_where_their_order_is_clear(
    texts: list[str], known: dict[str, object], month: int | None
) -> None:
    day_first = known.pop("day_first", dates.find_day_first(texts))
    found = read(texts, date(2026, 10, 14), day_first=day_first, **known)
    assert [day and day.month for day in found][:1] == [month]
    assert all(found) or not any(found)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("12. Oktober", (10, 12)),
        ("Mo., 12. Oktober, 18:00 Uhr", (10, 12)),
        ("10月15日(木)", (10, 15)),
        ("10월 15일", (10, 15)),
        ("12 tháng 10", (10, 12)),
        ("١٢ أكتوبر", (10, 12)),
        ("१२ अक्टूबर", (10, 12)),
        ("29 February", (2, 29)),
        ("30 February", None),
        ("October", None),
        ("October 2025", None),
        ("12 October 2025", None),
        ("35 min", None),
        ("Episode 12", None),
        ("12/10", None),
        ("", None),
    ],
)
def test_what_a_date_without_a_year_is(text: str, day: tuple[int, int] | None) -> None:
    found = yearless.parse(text)
    assert (found and (found.month, found.day)) == day


def test_a_time_stays_and_the_date_says_that_its_year_was_inferred() -> None:
    texts = [f"{day}. Oktober, 18:30" for day in (22, 15, 8, 1)]
    found = find_dates(texts, Dating(now=datetime(2026, 10, 23, tzinfo=UTC)))
    assert found[0] == Moment(datetime(2026, 10, 22, 18, 30, tzinfo=UTC), "minute", zoned=False, infers_year=True)
