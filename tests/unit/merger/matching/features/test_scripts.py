"""A show that one listing writes in Latin letters and another in its own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from aggregator.model.entry import Duration, Entry, Moment
from tests.support.matching import sort_out

START = datetime(2025, 2, 4, tzinfo=UTC)
SHOWS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "Russian": (
        ("Зимний маяк", "Почему молчат колокола", "Хлеб и соль", "Мастер из Вологды"),
        ("Zimniy mayak", "Pochemu molchat kolokola", "Khleb i sol", "Master iz Vologdy"),
    ),
    "Russian, another system": (
        ("Зимний маяк", "Почему молчат колокола", "Хлеб и соль", "Мастер из Вологды"),
        ("Zimnij majak", "Počemu molčat kolokola", "Hleb i sol'", "Master iz Vologdy"),
    ),
    "Ukrainian": (
        ("Старий млин", "Голос дзвонаря", "Мости над Бугом", "Казка про вітер"),
        ("Staryi mlyn", "Holos dzvonaria", "Mosty nad Buhom", "Kazka pro viter"),
    ),
    "Serbian": (
        ("Стари млин", "Глас звонара", "Мостови на Дрини", "Прича о ветру"),
        ("Stari mlin", "Glas zvonara", "Mostovi na Drini", "Priča o vetru"),
    ),
    "Georgian": (
        ("ძველი წისქვილი", "ზარის ხმა", "ხიდები მტკვარზე", "ზღაპარი ქარზე"),
        ("dzveli tsiskvili", "zaris khma", "khidebi mtkvarze", "zghapari karze"),
    ),
}


def listed(source: str, titles: Sequence[str], turns: Sequence[int], *, days: bool = True) -> list[Entry]:
    return [
        Entry(
            source,
            f"{source}-{turn}",
            title,
            position=-turn,
            published=Moment(START + timedelta(days=7 * turn), "day", zoned=False) if days else None,
            duration=Duration(1200 + 311 * turn),
        )
        for turn, title in zip(turns, titles, strict=True)
    ]


@pytest.mark.parametrize(("own", "latin"), SHOWS.values(), ids=list(SHOWS))
def test_a_transliterated_listing_is_joined(own: Sequence[str], latin: Sequence[str]) -> None:
    assert sort_out([*listed("host", own, range(4)), *listed("page", latin, range(4))]) == (4, 0)


@pytest.mark.parametrize("name", SHOWS)
def test_other_titles_of_a_transliterated_listing_stay_apart(name: str) -> None:
    """The two list other episodes of one show, a week apart by turns."""
    other = "Serbian" if name != "Serbian" else "Georgian"
    host = listed("host", SHOWS[name][0], (0, 2, 4, 6))
    page = listed("page", SHOWS[other][1], (1, 3, 5, 7))
    assert sort_out([*host, *page]) == (8, 0)


def test_chinese_titles_that_sound_alike_stay_apart() -> None:
    host = listed("host", ("市事", "试视", "海的声音", "旧桥"), range(4), days=False)
    page = listed("page", ("Sea voices", "The old bridge", "Lamps", "Tea"), range(4, 8), days=False)
    other = listed("attic", ("事市", "视试"), (8, 9), days=False)
    assert sort_out([*host, *page, *other]) == (10, 0)
