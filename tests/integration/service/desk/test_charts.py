"""New items and polls of the last ninety days: what is counted, and how it is drawn."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from aggregator.model.entry import Moment
from aggregator.model.item import PublishedItem
from aggregator.model.source import PollDay
from aggregator.publish import count_new_items
from aggregator.service.desk.charts import draw_bars, make_charts

TODAY = date(2026, 11, 23)
BEGUN = datetime(2026, 11, 1, 9, tzinfo=UTC)


def make_item(guid: str, minted: datetime, alias_of: str | None = None) -> PublishedItem:
    return PublishedItem(guid, minted, Moment(BEGUN), (), guid, alias_of=alias_of)


def test_items_of_the_first_publication_and_aliases_are_not_new() -> None:
    later = BEGUN + timedelta(days=2)
    items = [make_item(f"first-{n}", BEGUN) for n in range(500)]
    items += [make_item("a", later), make_item("b", later + timedelta(hours=1)), make_item("c", later, alias_of="a")]
    assert count_new_items(items) == ((date(2026, 11, 3), 2),)
    assert count_new_items(items[:500]) == ()
    assert count_new_items(()) == ()
    items.append(make_item("d", later + timedelta(days=89)))
    assert [count for _, count in count_new_items(items)] == [2, 1]
    items.append(make_item("e", later + timedelta(days=90)))
    assert [count for _, count in count_new_items(items)] == [1, 1]


def test_the_days_of_several_feeds_are_summed() -> None:
    polled = [PollDay(TODAY, polls=4, failures=1, answers=2, milliseconds=500, slowest=400)]
    charts = make_charts(TODAY, [(TODAY, 2), (TODAY, 3), (TODAY - timedelta(days=90), 9)], polled)
    assert not charts.is_telling
    assert make_charts(TODAY, [(TODAY - timedelta(days=7), 1)], []).is_telling
    assert (len(charts.days), charts.items, charts.polls, charts.failures) == (90, 5, 4, 1)
    assert (charts.days[0].day, charts.days[-1].day) == (date(2026, 8, 26), TODAY)
    assert (charts.days[-1].mean, charts.days[-1].slowest) == (250, 400)


def test_every_day_with_something_has_a_bar() -> None:
    assert draw_bars([0, 1, 100_000], 100_000) == "M4 40v-1h3v1zM8 40v-40h3v40z"
    assert draw_bars([0, 0], 1) == ""
