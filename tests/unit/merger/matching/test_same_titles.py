"""Items of one title in two listings are told apart by the listings as a whole, or left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from time import process_time

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.match import match
from aggregator.model.entry import Duration, Enclosure, Entry, Moment, Span
from tests.support.matching import sort_out

TITLES = ("Der Tag in zehn Minuten", "Boletín de la costa", "港の朝便り")
START = datetime(2025, 9, 1, tzinfo=UTC)
LENGTHS = [420 + turn * 7919 % 1867 for turn in range(90)]  # neighbours differ by more than a minute
WORDS = ("Anker", "Bojen", "Deiche", "Ebbe", "Flut", "Gezeiten", "Hafen", "Inseln", "Kähne")
TEXTS = [f"{one} {other}." for one, other in pairwise(WORDS)]


def hosted(turn: int, title: str, at: datetime, **said: object) -> Entry:
    known = {"guid": f"g{turn}", "enclosure": Enclosure(f"https://host.example/{turn}.mp3"), **said}
    return Entry("host", f"host-{turn}", title, position=90 - turn, published=Moment(at), **known)  # type: ignore[arg-type]  # by name


def listed(turn: int, title: str, day: datetime, **said: object) -> Entry:
    when = Moment(day.replace(hour=0, minute=0), "day", zoned=False)
    known = {"position": 90 - turn, "published": when, **said}
    return Entry("page", f"page-{turn}", title, **known)  # type: ignore[arg-type]  # by name


def day(turn: int, hour: int = 5) -> datetime:
    return START + timedelta(days=turn, hours=hour)


@pytest.mark.parametrize("title", TITLES)
def test_a_daily_title_without_text_and_length_is_joined_by_its_day(title: str) -> None:
    host = [hosted(turn, title, day(turn)) for turn in range(26)]
    page = [listed(turn, title, day(turn)) for turn in range(8, 26)]
    assert sort_out([*host, *page]) == (26, 0)


@pytest.mark.parametrize("title", TITLES)
def test_a_listing_in_a_zone_that_is_a_day_ahead_is_joined_with_the_day_before(title: str) -> None:
    host = [hosted(turn, title, day(turn, hour=21)) for turn in range(20)]
    page = [listed(turn, title, day(turn + 1)) for turn in range(20)]
    assert sort_out([*host, *page]) == (20, 0)


@pytest.mark.parametrize("title", TITLES)
def test_a_listing_that_may_lag_or_be_a_day_off_is_left_alone(title: str) -> None:
    host = [hosted(turn, title, day(turn)) for turn in range(20, 40)]
    page = [listed(turn, title, day(turn)) for turn in range(19, 39)]
    assert sort_out([*host, *page]) == (40, 0)


@pytest.mark.parametrize("title", TITLES)
def test_short_texts_that_differ_tell_a_listing_one_day_ahead(title: str) -> None:
    host = [hosted(turn, title, day(turn), description=TEXTS[turn]) for turn in range(8)]
    page = [listed(turn, title, day(turn + 1), description=TEXTS[turn]) for turn in range(8)]
    assert sort_out([*host, *page]) == (8, 0)


@pytest.mark.parametrize("title", TITLES)
def test_lengths_tell_a_listing_one_day_ahead_that_lags(title: str) -> None:
    host = [hosted(turn, title, day(turn), duration=Duration(LENGTHS[turn])) for turn in range(20)]
    page = [
        listed(turn, title, day(turn + 1), duration=Duration(60 * round(LENGTHS[turn] / 60), 60)) for turn in range(19)
    ]
    assert sort_out([*host, *page]) == (20, 0)


def hourly(turn: int) -> datetime:
    return START + timedelta(hours=turn, minutes=4, seconds=11)


@pytest.mark.parametrize("title", TITLES)
def test_an_hourly_title_is_joined_by_its_instant(title: str) -> None:
    host = [hosted(turn, title, hourly(turn)) for turn in range(60)]
    page = [listed(turn, title, START, published=Moment(hourly(turn))) for turn in range(60)]
    assert sort_out([*host, *page]) == (60, 0)


@pytest.mark.parametrize("title", TITLES)
def test_hours_that_only_one_listing_still_has_are_not_joined_with_others(title: str) -> None:
    host = [hosted(turn, title, hourly(turn)) for turn in range(12, 24)]
    page = [listed(turn, title, START, published=Moment(hourly(turn))) for turn in range(6, 18)]
    assert sort_out([*host, *page]) == (18, 0)


@pytest.mark.parametrize("title", TITLES)
def test_times_without_their_zone_are_moved_as_a_whole(title: str) -> None:
    turns = [turn for turn in range(144) if 5 <= turn % 24 <= 21]  # no bulletins at night
    host = [hosted(turn, title, hourly(turn)) for turn in turns]
    local = {turn: Moment(hourly(turn) + timedelta(hours=9), zoned=False) for turn in turns}
    page = [listed(turn, title, START, published=local[turn]) for turn in turns]
    assert sort_out([*host, *page]) == (len(turns), 0)


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("behind", [0, 1, 4])
def test_hours_without_zone_that_may_lag_are_left_alone(title: str, behind: int) -> None:
    host = [hosted(turn, title, hourly(turn)) for turn in range(30)]
    local = [Moment(hourly(turn) + timedelta(hours=1), zoned=False) for turn in range(30 - behind)]
    page = [listed(turn, title, START, published=local[turn]) for turn in range(30 - behind)]
    assert sort_out([*host, *page]) == (60 - behind, 0)


def moved(turn: int, title: str, at: datetime, length: int) -> Entry:
    audio = Enclosure(f"https://new.example/{turn}.mp3")
    said = {"span": Span(2, 2), "duration": Duration(length), "enclosure": audio, "position": 90 - turn}
    return Entry("host", f"new-{turn}", title, guid=f"n{turn}", published=Moment(at), **said)  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("years", [0, 3])
def test_an_archive_dated_anew_by_its_new_host_is_joined_by_its_lengths(title: str, years: int) -> None:
    old = [hosted(turn, title, day(turn), duration=Duration(LENGTHS[turn])) for turn in range(18)]
    stamps = [day(turn + 365 * years) if years else day(19) + timedelta(seconds=31 * turn) for turn in range(18)]
    new = [moved(turn, title, stamps[turn], LENGTHS[turn] + turn % 2) for turn in range(18)]
    assert sort_out([*old, *new]) == (18, 0)


@pytest.mark.parametrize("title", TITLES)
def test_a_window_that_has_moved_on_is_no_archive_dated_anew(title: str) -> None:
    old = [hosted(turn, title, day(turn), duration=Duration(600)) for turn in range(12)]
    new = [moved(turn, title, day(turn), 600) for turn in range(12, 24)]
    assert sort_out([*old, *new]) == (24, 0)


DELAYS = (0, 1, 2, 1, 0, 2, 1, 0)


@pytest.mark.parametrize("title", TITLES)
def test_a_weekly_title_that_is_listed_some_days_later_is_joined_with_the_nearest(title: str) -> None:
    host = [hosted(turn, title, day(7 * turn)) for turn in range(8)]
    page = [listed(turn, title, day(7 * turn + DELAYS[turn])) for turn in range(8)]
    assert sort_out([*host, *page]) == (8, 0)


@pytest.mark.parametrize("title", TITLES)
def test_a_title_of_every_third_day_is_joined_with_no_other_that_is_as_near(title: str) -> None:
    host = [hosted(turn, title, day(3 * turn)) for turn in range(8)]
    page = [listed(turn, title, day(3 * turn + DELAYS[turn])) for turn in range(1, 8)]
    assert sort_out([*host, *page])[1] == 0


def test_a_source_that_lists_other_bulletins_each_time_takes_linear_time() -> None:
    bulletins = [
        replace(hosted(turn, TITLES[0], day(0, hour=turn)), span=Span(turn // 2 + 1, turn // 2 + 1))
        for turn in range(2000)
    ]
    start = process_time()
    assert len(match([*bulletins, listed(0, TITLES[0], day(0))]).clusters) >= len(bulletins)
    assert process_time() - start < 8
