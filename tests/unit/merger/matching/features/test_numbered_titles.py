"""Titles that are only a number, or mostly so, under the show's name in one listing; series keep their names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED

DAY = 739_400
GUESTS = ("Ana Roca", "Bram", "Chi Wei", "Dora")
WRITTEN = {
    "numbers": [f"Episode {number}" for number in range(7, 17)],
    "bare numbers": [str(number) for number in range(7, 17)],
    "Japanese": [f"第{number}回" for number in range(7, 17)],
    "a number before a word for a part": [f"{number}. Bölüm" for number in range(7, 17)],
    "a word for a part": [f"Capítulo {number}" for number in range(7, 17)],
    "mostly numbers": [f"Folge {at}" if at % 3 else f"Zu Gast: {GUESTS[at // 3 - 2]}" for at in range(7, 17)],
}


def list_titles(source: str, titles: Sequence[str], show: str | None = None) -> list[Record]:
    return [Record(f"{source}-{at}", source, title, day=DAY + 7 * at, show=show) for at, title in enumerate(titles)]


def join(*records: Record) -> set[tuple[str, ...]]:
    found = match_records(records, SHIPPED)
    groups = (tuple(sorted(found.frame.records[row].id for row in group)) for group in found.groups)
    return {group for group in groups if len(group) > 1}


@pytest.mark.parametrize("titles", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("frame", ["{} – Crumbs", "{} | Bread & Crumbs"])
@pytest.mark.parametrize("show", [None, "Crumbs"])
def test_the_name_of_the_show_behind_a_number_is_decoration(titles: list[str], frame: str, show: str | None) -> None:
    page = list_titles("page", [frame.format(title) for title in titles])
    assert join(*list_titles("host", titles, show), *page) == {(f"host-{at}", f"page-{at}") for at in range(10)}


@pytest.mark.parametrize("frame", ["Crumbs – {}", "Crumbs: {}"])
@pytest.mark.parametrize("titles", [WRITTEN["numbers"], WRITTEN["mostly numbers"]])
def test_so_is_the_name_before_a_number(titles: list[str], frame: str) -> None:
    page = list_titles("page", [frame.format(title) for title in titles])
    assert join(*list_titles("host", titles), *page) == {(f"host-{at}", f"page-{at}") for at in range(10)}


@pytest.mark.parametrize("name", ["numbers", "a number before a word for a part"])
def test_what_tells_two_series_apart_is_no_decoration(name: str) -> None:
    titles = WRITTEN[name]
    both = [title for each in titles for title in (each, f"{each} – Aftershow")]
    page = [Record(f"page-{at}", "page", title, day=DAY + 7 * (at // 2)) for at, title in enumerate(both)]
    assert join(*list_titles("host", titles), *page) == {(f"host-{at}", f"page-{2 * at}") for at in range(10)}
