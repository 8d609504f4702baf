"""A show whose items share one title, refreshed day by day: none is doubled, and no two are made one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator.model.entry import Duration, Enclosure, Entry, Moment
from aggregator.model.item import sources_of
from tests.support.daily import PLAN, START, count_mixed, feed_after, items_after

TITLES = ("Die Nacht in Kürze", "El parte diario", "今朝の海況")
DAYS = 30
MOVE = 16
LENGTHS = [500 + turn * 7919 % 701 for turn in range(DAYS)]


def hosted(turn: int, today: int, title: str, *, moves: bool) -> Entry:
    """One entry of the host, which on day ``MOVE`` becomes another that dates its archive anew."""
    host, at = "old", START + timedelta(days=turn)
    if moves and today >= MOVE:
        host, at = "new", at + timedelta(days=900 if turn < MOVE else 0)
    name = f"{host}-{turn}"
    audio = Enclosure(f"https://{host}.example/{turn}.mp3")
    length = Duration(LENGTHS[turn]) if moves else None
    return Entry(
        "host", name, title, "episode", today - turn, name, published=Moment(at), enclosure=audio, duration=length
    )


def listed(turn: int, today: int, title: str, ahead: int) -> Entry:
    when = Moment((START + timedelta(days=turn + ahead)).replace(hour=0, minute=0), "day", zoned=False)
    length = Duration(60 * round(LENGTHS[turn] / 60), 60)
    return Entry(
        "page", f"page-{turn}", title, position=today - turn, published=when, duration=length if ahead else None
    )


def assert_right(items: list[tuple[str, ...]]) -> None:
    assert count_mixed(items) == 0
    assert len(items) == DAYS


@pytest.mark.heavy
@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("ahead", [0, 1])
def test_day_by_day(title: str, ahead: int, tmp_path: Path) -> None:
    turns = [range(today, max(today - 12, -1), -1) for today in range(DAYS)]
    history = [
        (
            [hosted(turn, today, title, moves=False) for turn in range(today, -1, -1)],
            [listed(turn, today, title, ahead) for turn in turns[today]],
        )
        for today in range(DAYS)
    ]
    assert_right(items_after(tmp_path, history))


@pytest.mark.parametrize("count", [2, 3])
def test_two_or_three_items_of_which_nothing_says_whose_days_are_right(count: int, tmp_path: Path) -> None:
    """The page is a day ahead: its newest but one has the day of the host's newest, and nothing else."""
    turns, title = range(count - 1, -1, -1), TITLES[0]
    host = [hosted(turn, count - 1, title, moves=False) for turn in turns]
    page = [listed(turn, count - 1, title, 1) for turn in turns]
    assert count_mixed(items_after(tmp_path, [(host, page)])) == 0


def _blog_and_page() -> list[tuple[list[Entry], list[Entry]]]:
    """A blog without audio, which may be behind the page, whose days could be those of the items before."""

    def earlier(entry: Entry) -> Entry:
        assert entry.published is not None
        at = entry.published.at - timedelta(days=12)
        return replace(entry, enclosure=None, published=replace(entry.published, at=at))

    return [
        (
            [earlier(hosted(turn, step // 4, TITLES[0], moves=False)) for turn in range(step // 4 + 1)],
            [earlier(listed(turn, step // 4, TITLES[0], 0)) for turn in range((step - 2) // 4 + 1)],
        )
        for step in range(4 * 12, 4 * 17)
    ]


def test_days_are_joined_after_the_page_was_seen_to_have_them(tmp_path: Path) -> None:
    items = items_after(tmp_path, _blog_and_page(), timedelta(hours=6))
    assert count_mixed(items) == 0
    assert len(items) == 17


def test_what_may_be_any_of_the_items_of_the_host_is_held_until_it_is_known(tmp_path: Path) -> None:
    plan = replace(PLAN, sources=(PLAN.sources[0], replace(PLAN.sources[1], trust=0.8)))
    first = feed_after(tmp_path / "first", _blog_and_page()[:1], timedelta(hours=6), plan)
    assert all(sources_of(each.entries) == ("host",) for each in first.items)
    assert {each.why for each in first.held} == {"perhaps published"}
    last = feed_after(tmp_path / "last", _blog_and_page(), timedelta(hours=6), plan)
    assert (len(last.items), last.held) == (17, ())


@pytest.mark.heavy
@pytest.mark.parametrize("title", TITLES)
def test_day_by_day_with_a_host_that_moves_and_dates_its_archive_anew(title: str, tmp_path: Path) -> None:
    history = [
        (
            [hosted(turn, today, title, moves=True) for turn in range(today, -1, -1)],
            [listed(turn, today, title, 0) for turn in range(today, -1, -1)],
        )
        for today in range(DAYS)
    ]
    assert_right(items_after(tmp_path, history))


@pytest.mark.parametrize("title", [TITLES[-1], *(pytest.param(each, marks=pytest.mark.heavy) for each in TITLES[:-1])])
def test_a_host_that_lists_five_hours_and_is_asked_every_seven(title: str, tmp_path: Path) -> None:
    history = []
    for now in range(4, 7 * 12, 7):
        turns = range(now, now - 5, -1)
        at = {turn: START + timedelta(hours=turn) for turn in turns}
        host = [
            Entry("host", f"h-{turn}", title, "episode", now - turn, f"h-{turn}", published=Moment(at[turn]))
            for turn in turns
        ]
        page = [Entry("page", f"p-{turn}", title, position=now - turn, published=Moment(at[turn])) for turn in turns]
        history.append((host, page))
    items = items_after(tmp_path, history)
    assert count_mixed(items) == 0
    assert len(items) == 5 * len(history)
