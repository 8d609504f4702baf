"""A listing whose dates have day and month exchanged is read the other way; one whose dates are right is not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from aggregator.merger.matching.features.listing_corrections import correct_dates
from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.match import match
from aggregator.model.entry import Duration, Entry, Moment

START = datetime(2025, 2, 3, tzinfo=UTC)
SERIES = ("Wochenschau", "Carta semanal", "週報")
NAMES = {
    "de": (
        "Deichbau",
        "Wattwandern",
        "Seezeichen",
        "Lotsen",
        "Strandgut",
        "Sturmflut",
        "Krabben",
        "Salzwiesen",
        "Ebbe",
    ),
    "es": ("Faros", "Mareas", "Redes", "Pilotos", "Naufragios", "Tormentas", "Sal", "Dunas", "Anclas"),
    "ja": ("灯台", "潮汐", "漁網", "水先人", "難破船", "嵐", "塩田", "砂丘", "錨"),
}


def turned(day: datetime) -> datetime:
    return day.replace(month=day.day, day=day.month) if day.day <= 12 else day


def day(turn: int) -> datetime:
    return START + timedelta(days=7 * turn)


def entry(source: str, turn: int, title: str, at: datetime, place: int = 0) -> Entry:
    return Entry(source, f"{source}-{turn}", title, position=place, published=Moment(at, "day", zoned=False))


def pairs(entries: list[Entry]) -> tuple[int, int]:
    """How many items hold entries of both sources, and how many of them of two items."""
    clusters = [cluster.entries for cluster in match(entries).clusters if len(cluster.entries) > 1]
    return len(clusters), sum(len({each.key.rpartition("-")[2] for each in cluster}) > 1 for cluster in clusters)


@pytest.mark.parametrize("title", SERIES)
def test_the_order_of_a_listing_shows_that_its_dates_are_exchanged(title: str) -> None:
    host = [
        Entry("host", f"host-{turn}", title, published=Moment(day(turn) + timedelta(hours=4)), position=-turn)
        for turn in range(24)
    ]
    page = [entry("page", turn, title, turned(day(turn)), -turn) for turn in range(24)]
    assert pairs([*host, *page]) == (24, 0)


def listed_alone(days: list[datetime]) -> list[int | None]:
    """The days of one listing, the newest first, as they are corrected without another to compare with."""
    rows = [
        Record(f"page-{turn}", "page", f"Kvällsbrev {turn}", day=at.toordinal(), position=-turn)
        for turn, at in enumerate(days)
    ]
    return [record.day for record in correct_dates(rows)]


def test_a_listing_alone_shows_by_its_order_that_its_dates_are_exchanged() -> None:
    right = [day(turn) for turn in range(24)]
    assert listed_alone([turned(at) for at in right]) == [at.toordinal() for at in right]


def test_the_dates_of_a_listing_that_has_no_order_stay() -> None:
    mixed = [day(turn * 7 % 24) for turn in range(24)]
    assert listed_alone(mixed) == [at.toordinal() for at in mixed]


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_titles_that_two_sources_have_once_show_it_too(names: tuple[str, ...]) -> None:
    host = [entry("host", turn, name, day(turn)) for turn, name in enumerate(names)]
    page = [entry("page", turn, name, turned(day(turn))) for turn, name in enumerate(names)]
    right = correct_dates(
        [Record(each.id, each.source, each.title, day=each.published.at.toordinal()) for each in [*host, *page]]
    )  # type: ignore[union-attr]  # all have one
    assert len({(record.title, record.day) for record in right}) == len(names)
    assert pairs([*host, *page]) == (len(names), 0)


NUMBERED = ("S2E{} | {}", "{}. {}", "Avsnitt {}: {}", "{1} (#{0})", "第{}回 {}")


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("pattern", NUMBERED)
def test_titles_that_one_source_numbers_show_it_too(names: tuple[str, ...], pattern: str) -> None:
    host = [entry("host", turn, name, day(turn)) for turn, name in enumerate(names)]
    page = [entry("page", turn, pattern.format(turn + 4, name), turned(day(turn))) for turn, name in enumerate(names)]
    assert pairs([*host, *page]) == (len(names), 0)


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_dates_that_are_right_or_wrong_by_chance_stay(names: tuple[str, ...]) -> None:
    rows = [
        Record(f"{turn}", "host", name, day=day(turn).toordinal(), position=turn) for turn, name in enumerate(names)
    ]
    late = [Record(f"p{turn}", "page", name, day=day(turn).toordinal() + turn % 5) for turn, name in enumerate(names)]
    assert correct_dates([*rows, *late]) == [*rows, *late]


TEXT = "We speak with those who know it best about {} and what the sea has made of it since."


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("weeks", [2, 52])
def test_a_repeat_without_a_mark_is_not_the_original(names: tuple[str, ...], weeks: int) -> None:
    def told(source: str, turn: int, at: datetime) -> Entry:
        known = {"description": TEXT.format(names[turn]), "duration": Duration(1200 + 61 * turn)}
        return Entry(source, f"{source}-{turn}-{at:%j%y}", names[turn], published=Moment(at, "day"), **known)  # type: ignore[arg-type]  # by name

    page = [told("page", turn, day(turn)) for turn in range(9)]
    host = [told("host", turn, day(turn)) for turn in range(1, 9)]
    again = told("host", 0, day(weeks))
    found = {frozenset(each.id for each in cluster.entries) for cluster in match([*page, *host, again]).clusters}
    assert len(found) == 9 + 1
    assert frozenset({again.id}) in found
