"""Titles that a listing cuts are those of the items; other titles that begin one are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.features.title_ends import find_cut_titles
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED

DAY = 739_400
SHOWS = {
    "nl": (
        *("De lange weg van het graan naar de molen", "Hoe een brug over de IJssel er bijna niet kwam"),
        *("De vuurtorenwachter die niet kon zwemmen", "Turf", "Alles wat wij over paling niet weten (deel 2)"),
        *("Een kaart van het eiland zonder namen", "De laatste touwslager van Enkhuizen vertelt"),
    ),
    "cs": (
        *("Jak se z pole u řeky stalo nádraží", "Hodinář, který neuměl číst a přesto psal dopisy"),
        *("Sůl", "O lodi, která plula jen jednou za rok", "Proč se v tom mlýně po západu slunce netancuje"),
        *("Lidé z údolí, kde přestalo svítit 12 lamp", "Kdo vlastně postavil dřevěný most přes Sázavu"),
    ),
    "ko": (
        "강을 건너던 마지막 나룻배와 사공의 이야기를 다시 듣다",
        "예순 명이 먹을 국을 끓이던 부엌에서 일어난 모든 일들",
        "탑 위의 시계가 멈춘 밤에 마을 사람들이 한 일에 대하여",
        "비",
        "양털을 고르던 손들이 기억하는 겨울과 그 노래들의 뜻",
        "지도를 접는 법을 아는 사람들이 모여 살던 골목길의 끝",
        "소금이 다니던 길을 따라 걷는 사흘 동안 우리가 본 것들",
    ),
}
CUTS: dict[str, Callable[[str], str]] = {
    "with an ellipsis": lambda title: title if len(title) <= 24 else f"{title[:23].rstrip()}…",
    "in a word": lambda title: title[:24].rstrip(),
    "between words, with dots": lambda title: title if len(title) <= 24 else f"{title[:22].rpartition(' ')[0]}...",
}


def list_titles(source: str, titles: Sequence[str], *, late: int = 0) -> list[Record]:
    return [Record(f"{source}-{at}", source, title, day=DAY + 7 * at + late) for at, title in enumerate(titles)]


def join(*records: Record) -> set[tuple[str, ...]]:
    found = match_records(records, SHIPPED)
    groups = (tuple(sorted(found.frame.records[row].id for row in group)) for group in found.groups)
    return {group for group in groups if len(group) > 1}


@pytest.mark.parametrize("titles", SHOWS.values(), ids=SHOWS)
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("late", [0, 1])
def test_cut_titles_are_those_of_the_items(titles: Sequence[str], cut: Callable[[str], str], late: int) -> None:
    listed = list_titles("page", [cut(title) for title in titles], late=late)
    assert join(*list_titles("host", titles), *listed) == {(f"host-{at}", f"page-{at}") for at in range(len(titles))}


def test_a_title_that_begins_another_is_not_cut_for_that() -> None:
    whole = ("The lens grinder", "Harbour lights at noon", "Letters from a mill", "Amber", "Clocks and their makers")
    ends = ("two letters from listeners", "a postscript", "what we left out", "questions", "live in Leiden")
    more = [f"{title}: {end}" for title, end in zip(whole, ends, strict=True)]
    assert join(*list_titles("host", more), *list_titles("page", whole, late=3)) == set()


def test_of_two_items_that_a_cut_title_begins_the_day_tells_which() -> None:
    titles = [f"The long history of the harbour {word}" for word in ("crane", "master", "bell", "ferry", "wall")]
    listed = list_titles("page", [title[:30] for title in titles])
    assert join(*list_titles("host", titles), *listed) in (set(), {(f"host-{at}", f"page-{at}") for at in range(5)})
    assert len(join(*list_titles("host", titles[:1]), *listed[1:])) == 0


@pytest.mark.parametrize(
    ("titles", "cut"),
    [
        (["a" * 40, "b" * 40, "c" * 39, "d" * 12], [True, True, True, False]),
        (["a" * 40, "b" * 40, "d" * 12], [False] * 3),
        ([letter * (40 - at) for at, letter in enumerate("abcdefgh")] + ["i" * 40], [False] * 9),
        (["a" * 30 + "…", "b" * 24 + "...", "c" * 29 + "…", "d" * 12], [True, True, True, False]),
        (["a…", "b…", "c…"], [False] * 3),
    ],
)
def test_a_listing_cuts_titles_if_several_end_at_its_greatest_length(titles: list[str], cut: list[bool]) -> None:
    rows = list_titles("page", titles)
    assert find_cut_titles(rows, {0: {"page": range(len(rows))}}, [True] * len(rows)) == cut
