"""Titles that differ in one word are two items, even with one text; a new title of one item is not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED
from aggregator.text.titles.replaced_words import find_replaced_word

DAY = 739_000
TEXT = "We walk the whole way from the pans by the sea to the market behind the town hall, and count the carts."
WORDS = [
    ("The Salt Road: {}", "morning", "evening"),
    ("The Salt Road, Hour {}", "1", "2"),
    ("The Salt Road, Vol. {}", "One", "Two"),
    ("The Salt Road #{}", "12", "13"),
    ("The Salt Road, Side {}", "A", "B"),
    ("Die Salzstraße mit {} Berg", "Anna", "Jörg"),
    ("La ruta de la sal: {}", "mañana", "noche"),
    ("Соляной путь, {} выпуск", "утренний", "вечерний"),
    ("Der große Rückblick {}", "2023", "2024"),
    ("مسار الملح، {}", "الصباح", "المساء"),
]


def matched(*rows: Record) -> list[set[str]]:
    others = [
        Record(f"{name}{at}", name, title, day=DAY - 7 * at)
        for at, title in enumerate(("Quiet harbour", "Old maps", "Copper wire", "Paper boats"), 1)
        for name in ("host", "list")
    ]
    found = match_records([*rows, *others], SHIPPED)
    return [{found.frame.records[row].id for row in group} for group in found.groups]


def listed(name: str, title: str, day: int, seconds: int) -> Record:
    return Record(name, name, title, day=DAY + day, seconds=seconds, description=TEXT)


@pytest.mark.parametrize(("title", "one", "other"), WORDS)
def test_another_word_on_the_next_day_is_another_item(title: str, one: str, other: str) -> None:
    groups = matched(listed("host", title.format(other), 1, 2400), listed("list", title.format(one), 0, 2455))
    assert {"host"} in groups
    assert {"list"} in groups


@pytest.mark.parametrize(("title", "one", "other"), WORDS)
def test_each_edition_joins_its_own(title: str, one: str, other: str) -> None:
    rows = [listed("host", title.format(one), 0, 2450), listed("list", title.format(one), 0, 2455)]
    later = [
        replace(listed("host", title.format(other), 1, 2400), id="host again"),
        replace(listed("list", title.format(other), 1, 2405), id="list again"),
    ]
    groups = matched(*rows, *later)
    assert {"host", "list"} in groups
    assert {"host again", "list again"} in groups


def test_a_new_title_of_one_day_length_and_text_is_one_item() -> None:
    groups = matched(
        listed("host", "The Salt Road with Anna", 0, 2400), listed("list", "The Salt Road with a merchant", 0, 2400)
    )
    assert {"host", "list"} in groups


@pytest.mark.parametrize("other", ["The Salt Road, Volume Two", "The Salt Road Vol II", "New: The Salt Road, Vol. 2"])
def test_a_damaged_or_decorated_title_of_the_next_day_is_one_item(other: str) -> None:
    groups = matched(listed("host", "The Salt Road, Vol. 2", 0, 2400), listed("list", other, 1, 2455))
    assert {"host", "list"} in groups


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("On the night train", "On the nihgt train"),
        ("Ce que savait Marie", "Ce que saviat Marie"),
        ("Bir gün Ankara yolunda", "Bir gün Anakra yolunda"),
        ("Songs of the harbour", "Songs of a harbour"),
        ("Nachts auf dem Markt", "Nachts auf einem Markt"),
        ("Retour vers la mer", "Retour vers une mer"),
    ],
)
def test_letters_that_changed_places_and_articles_are_no_other_word(one: str, other: str) -> None:
    assert find_replaced_word(one.casefold(), other.casefold()) is None


@pytest.mark.parametrize(
    ("one", "other"), [("on the night train", "on the slow train"), ("nachts auf dem markt", "nachts auf dem dach")]
)
def test_a_word_of_other_letters_is_another(one: str, other: str) -> None:
    assert find_replaced_word(one, other) is not None
