"""A new item without a date is never published as today's where its age can be told."""

from datetime import UTC, datetime, timedelta

import pytest

from aggregator.merger.identity.settle import Past, settle
from aggregator.model.entry import Moment
from aggregator.model.item import Item

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


def make_item(rank: int, days: int | None = None, source: str = "blog", **fields: str) -> Item:
    published = None if days is None else Moment(NOW - timedelta(days=days))
    return Item(f"Post {rank}", (f"{source}/{rank}",), published=published, rank=rank, origin=source, **fields)


def order(*items: Item, past: Past | None = None) -> list[str]:
    return [item.entries[0] for item in settle(items, past or Past("show"), NOW).items]


def date_of(item: Item, *others: Item, past: Past | None = None) -> Moment | None:
    settled = settle((item, *others), past or Past("show"), NOW)
    return next(each.published for each in settled.items if each.entries == item.entries)


@pytest.mark.parametrize("rank", range(1, 6))
def test_an_undated_item_keeps_its_place_in_the_listing(rank: int) -> None:
    items = [make_item(each, None if each == rank else 10 * each + 10) for each in range(6)]
    assert order(*items) == [f"blog/{each}" for each in range(6)]


def test_an_undated_item_above_all_others_of_a_first_reading_is_not_on_top() -> None:
    assert order(make_item(0), make_item(1, 10), make_item(2, 20)) == ["blog/1", "blog/0", "blog/2"]


def test_an_undated_item_above_a_listing_that_was_read_before_is_new() -> None:
    before = settle([make_item(2, 10), make_item(3)], Past("show"), NOW - timedelta(days=3))
    past = Past("show", before.published_items)
    assert date_of(make_item(0), make_item(2, 10), make_item(3), past=past) == Moment(NOW)


@pytest.mark.parametrize(
    ("link", "date"),
    [
        ("https://blog.example/2012/03/04/title", Moment(datetime(2012, 3, 4, tzinfo=UTC), "day", zoned=False)),
        ("https://blog.example/2012/03/title", Moment(datetime(2012, 3, 1, tzinfo=UTC), "year", zoned=False)),
        ("https://blog.example/archive/2012/", Moment(datetime(2012, 1, 1, tzinfo=UTC), "year", zoned=False)),
    ],
)
def test_the_address_dates_an_item(link: str, date: Moment) -> None:
    assert date_of(make_item(0, link=link), make_item(1, 10)) == date
    assert date_of(make_item(0, link=link)) == date


@pytest.mark.parametrize("link", ["https://blog.example/2031/01/02/x", "https://blog.example/p/2012345", "https://x/"])
def test_other_numbers_in_an_address_are_no_date(link: str) -> None:
    assert date_of(make_item(0, link=link)) == Moment(NOW)


def test_a_year_in_the_text_dates_an_item_that_has_no_neighbours() -> None:
    about = make_item(0, description="Notes from 2011, rewritten in 2013. It took 2500 hours and 2,019 words.")
    found = date_of(about, make_item(0, 10, source="host"))
    assert found == Moment(datetime(2013, 1, 1, tzinfo=UTC), "guess")


@pytest.mark.parametrize(
    ("texts", "years"),
    [
        (["2011", "2019", "", "2015", "2012", ""], [2019, 2019, 2015, 2015, 2012, 2012]),
        (["", "2013", "2011"], [2013, 2013, 2011]),
        (["2009", "2011", "2014", "2018"], [2009, 2011, 2014, 2018]),
    ],
    ids=["newest first", "above all years", "oldest first"],
)
def test_undated_items_of_one_listing_keep_its_order(texts: list[str], years: list[int]) -> None:
    items = [make_item(rank, description=f"About {text}." if text else "") for rank, text in enumerate(texts)]
    settled = settle((*items, make_item(0, 10, source="host")), Past("show"), NOW).items
    found = {item.entries[0]: item.published.at.year for item in settled if item.published}
    assert [found[f"blog/{rank}"] for rank in range(len(texts))] == years
    blog = [int(item.entries[0][5:]) for item in settled if item.origin == "blog"]
    assert blog == (sorted(blog) if years[0] >= years[-1] else sorted(blog, reverse=True))


def test_an_address_with_a_day_dates_its_neighbours() -> None:
    at, next_one = make_item(0, link="https://blog.example/2012/03/04/title"), make_item(1, description="About 2015.")
    assert order(at, next_one, make_item(0, 10, source="host")) == ["host/0", "blog/0", "blog/1"]


def test_an_undated_item_of_which_nothing_is_known_stands_below_dated_ones() -> None:
    undated = [make_item(rank) for rank in range(3)]
    host = [make_item(rank, 100 * rank, source="host") for rank in range(2)]
    assert order(*undated, *host) == ["host/0", "host/1", "blog/0", "blog/1", "blog/2"]


def test_a_guess_changes_neither_guid_nor_what_is_published() -> None:
    alone, other = make_item(0), make_item(1, 10)
    today, guessed = settle([alone], Past("show"), NOW), settle([alone, other], Past("show"), NOW)
    assert {today.items[0].guid} == {item.guid for item in guessed.items if item.entries == alone.entries}
    later = settle([alone, other], Past("show", today.published_items), NOW + timedelta(days=1))
    assert next(item.published for item in later.items if item.entries == alone.entries) == Moment(NOW)
