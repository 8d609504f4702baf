"""What the titles of a series have in common is no decoration; what a directory puts round every title is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from aggregator.merger.matching.match import match
from aggregator.model.entry import Duration, Entry, Moment

START = datetime(2024, 1, 3, 5, tzinfo=UTC)
TITLES = {
    "en": ("Copper weather", "Nine small bridges", "The gull clerk", "Winter on the quay", "Paper boats", "Low lamps"),
    "de": ("Kupferwetter", "Neun kleine Brücken", "Der Möwenzähler", "Winter am Kai", "Papierboote", "Leise Lampen"),
    "ja": ("銅の天気", "九つの小橋", "鴎の係", "埠頭の冬", "紙の舟", "低い灯"),
}
FRAMES = {
    "en": ("Leftovers: {}", "{} | the leftovers", "Leftovers of {}"),
    "de": ("Nachlese: {}", "{} – die Nachlese", "Nachlese zu {}"),
    "ja": ("余話: {}", "{} | 余話", "余話 {}"),
}
CASES = [(language, frame) for language, frames in FRAMES.items() for frame in frames]
TEXT = "Why the clerk who counted gulls for {} years left {} stores of them behind the harbour office."


def entry(source: str, turn: int, title: str, days: float, seconds: int, item: str = "") -> Entry:
    said = {"description": TEXT.format(turn, turn), "duration": Duration(seconds + 61 * turn), "position": -turn}
    at = START + timedelta(days=7 * turn + days)
    return Entry(source, f"{turn}{item}", title, published=Moment(at), **said)  # type: ignore[arg-type]  # by name


def items(entries: list[Entry]) -> set[frozenset[str]]:
    """The keys of the entries of each item."""
    return {frozenset(each.key for each in cluster.entries) for cluster in match(entries).clusters}


@pytest.mark.parametrize(("language", "frame"), CASES)
@pytest.mark.parametrize("days", [2, 21])
def test_a_series_of_other_length_and_day_is_items_of_its_own(language: str, frame: str, days: int) -> None:
    host = [entry("host", turn, title, 0, 2400) for turn, title in enumerate(TITLES[language])]
    page = [entry("page", turn, title, 0.5, 2401) for turn, title in enumerate(TITLES[language])]
    talk = [entry("talk", turn, frame.format(title), days, 1100, "+") for turn, title in enumerate(TITLES[language])]
    assert items([*host, *page, *talk]) == {frozenset({each.key}) for each in [*host, *talk]}


@pytest.mark.parametrize(("language", "frame"), CASES)
@pytest.mark.parametrize("days", [0, 2])
def test_the_same_lengths_under_a_frame_are_the_same_items(language: str, frame: str, days: int) -> None:
    host = [entry("host", turn, title, 0, 2400) for turn, title in enumerate(TITLES[language])]
    page = [entry("page", turn, frame.format(title), days, 2402) for turn, title in enumerate(TITLES[language])]
    assert items([*host, *page]) == {frozenset({each.key}) for each in host}


@pytest.mark.parametrize(("language", "frame"), CASES)
def test_lengths_that_one_title_contradicts_by_chance_leave_the_frame(language: str, frame: str) -> None:
    host = [entry("host", turn, title, 0, 2400) for turn, title in enumerate(TITLES[language])]
    page = [
        entry("page", turn, frame.format(title), 1, 2400 if turn else 900)
        for turn, title in enumerate(TITLES[language])
    ]
    found = items([*host, *page])
    assert {frozenset({each.key}) for each in host[1:]} <= found
