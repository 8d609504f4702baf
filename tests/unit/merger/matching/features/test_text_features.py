"""A listing's own count at one end of its titles is decoration; a number that the titles need is none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.match import match
from aggregator.model.entry import Entry, Moment

START = datetime(2025, 3, 3, tzinfo=UTC)
WORDS = {
    "Puntata {n}: {t}": (
        "Il faro",
        "La posta",
        "Il porto vecchio",
        "Le reti",
        "La posta",
        "Le maree",
        "La posta",
        "Il molo",
    ),
    "Выпуск {n}. {t}": ("Маяк", "Письма", "Старый порт", "Сети", "Письма", "Приливы", "Письма", "Причал"),
    "{t}【{n}】": ("灯台の話", "お便り", "古い港", "網の直し方", "お便り", "潮の満ち引き", "お便り", "桟橋の夜"),
    "{n}회 {t}": ("등대 이야기", "편지", "오래된 항구", "그물", "편지", "밀물과 썰물", "편지", "부두의 밤"),
    "{t} {n}화": ("등대 이야기", "편지", "오래된 항구", "그물", "편지", "밀물과 썰물", "편지", "부두의 밤"),
    "{n}回目 {t}": ("灯台の話", "お便り", "古い港", "網の直し方", "お便り", "潮の満ち引き", "お便り", "桟橋の夜"),
    "अंक {n}: {t}": (
        "दीपस्तंभ की बात",
        "चिट्ठी",
        "पुराना घाट",
        "जाल की मरम्मत",
        "चिट्ठी",
        "ज्वार और भाटा",
        "चिट्ठी",
        "घाट की रात",
    ),
    "{t} (পর্ব {n})": ("বাতিঘরের কথা", "চিঠি", "পুরোনো ঘাট", "জাল সারানো", "চিঠি", "জোয়ার ও ভাটা", "চিঠি", "ঘাটের রাত"),
    "{n}期 {t}": ("灯塔的故事", "来信", "旧港", "渔网", "来信", "潮汐", "来信", "码头的夜晚"),
    "{t}丨{n}": ("灯塔的故事", "来信", "旧港", "渔网", "来信", "潮汐", "来信", "码头的夜晚"),
    "{t}, afl. {n}": (
        "De vuurtoren",
        "Brieven",
        "De oude haven",
        "Netten",
        "Brieven",
        "Getijden",
        "Brieven",
        "De pier",
    ),
}


def listed(source: str, titles: Sequence[str], text: str = "") -> list[Entry]:
    """Return weekly entries, the newest first."""
    return [
        Entry(
            source,
            f"{source}-{at}",
            title,
            position=at,
            published=Moment(START - timedelta(weeks=at), "day"),
            description=text.format(t=title) or None,
        )
        for at, title in enumerate(titles)
    ]


def joined(one: Sequence[Entry], other: Sequence[Entry]) -> set[tuple[str, ...]]:
    """Return the keys of the entries that are one item with others."""
    clusters = match([*one, *other]).clusters
    return {tuple(sorted(entry.key for entry in found.entries)) for found in clusters if len(found.entries) > 1}


@pytest.mark.parametrize("pattern", WORDS)
def test_a_count_is_decoration_though_it_tells_equal_titles_apart(pattern: str) -> None:
    titles = WORDS[pattern]
    counted = [pattern.format(n=140 + len(titles) - at, t=title) for at, title in enumerate(titles)]
    found = joined(listed("host", titles), listed("page", counted))
    assert found == {(f"host-{at}", f"page-{at}") for at in range(len(titles))}


@pytest.mark.parametrize("pattern", WORDS)
def test_equal_titles_of_other_weeks_stay_apart_without_their_count(pattern: str) -> None:
    titles = WORDS[pattern]
    counted = [pattern.format(n=140 + len(titles) - at, t=title) for at, title in enumerate(titles)]
    some = [entry for at, entry in enumerate(listed("page", counted)) if at != 1]
    found = joined(listed("host", titles)[:2], some)
    assert found == {("host-0", "page-0")}


@pytest.mark.parametrize("pattern", ["#{n} {t}", "S1E{n} {t}", "Puntata {n}: {t}", "حلقة {n} - {t}", "भाग-{n}: {t}"])
@pytest.mark.parametrize("name", ["Bollettino {n}", "मछली बाज़ार {n}", "港だより {n}"])
def test_a_count_before_titles_that_are_numbered_themselves_is_decoration(pattern: str, name: str) -> None:
    titles = [name.format(n=20 - at) for at in range(12)]
    counted = [pattern.format(n=20 - at, t=title) for at, title in enumerate(titles)]
    found = joined(listed("host", titles), listed("page", counted))
    assert found == {(f"host-{at}", f"page-{at}") for at in range(12)}
    assert not joined(listed("host", titles)[:6], listed("page", counted)[6:])


@pytest.mark.parametrize("pattern", ["{t}.mp3", "{t}.M4A", "EP{n}丨{t}", "{n:03} ㅣ {t}"])
def test_an_ending_of_files_and_letters_for_bars_are_no_words(pattern: str) -> None:
    titles = WORDS["Puntata {n}: {t}"]
    told = [pattern.format(n=140 - at, t=title) for at, title in enumerate(titles)]
    found = joined(listed("host", titles), listed("page", told))
    assert found == {(f"host-{at}", f"page-{at}") for at in range(len(titles))}


def test_equal_titles_of_series_are_one_without_any_date() -> None:
    titles = [f"{series} 第{figure}集" for series in ("旧港故事", "灯塔来信", "渔网与绳结") for figure in "四三二一"]
    host, page = ([replace(entry, published=None) for entry in listed(source, titles)] for source in ("host", "page"))
    assert joined(host, page) == {tuple(sorted((f"host-{at}", f"page-{at}"))) for at in range(12)}


def test_stretched_arabic_words_are_the_same() -> None:
    titles = ("حديث المنارة", "الميناء القديم", "شباك الصيد", "المد والجزر", "ليل على الرصيف", "رسائل البحارة")
    stretched = [title.replace("ي", "يـــ").replace("م", "مـ") for title in titles]
    found = joined(listed("host", titles), listed("page", stretched))
    assert found == {(f"host-{at}", f"page-{at}") for at in range(len(titles))}


@pytest.mark.parametrize("stage", ["Tappa {n}: {t}", "Этап {n}. {t}", "ステージ {n}: {t}"])
def test_numbers_that_the_titles_need_are_no_count(stage: str) -> None:
    race = [stage.format(n=12 - at, t="Coppi") for at in range(12)]
    found = match([*listed("host", race[:6]), *listed("page", race[6:])]).clusters
    assert len(found) == 12


@pytest.mark.parametrize("lead", ["Nuovo episodio: {t}", "Puntata {n}: {t}", "Jetzt neu: {t}", "新着 {n}: {t}"])
def test_a_description_that_begins_with_the_title_takes_no_title_away(lead: str) -> None:
    titles = ("The old harbour at night", "A light on the long pier", "Nets and how to mend them", "What the tide left")
    titles += ("Bread for the crew of nine", "Letters to the lighthouse")
    told = [lead.format(n=7 - at, t=title) for at, title in enumerate(titles)]
    other = [Entry("page", f"page-{at}", title, position=at, description=titles[at]) for at, title in enumerate(told)]
    found = joined(listed("host", titles, "{t}"), other)
    assert found == {(f"host-{at}", f"page-{at}") for at in range(len(titles))}


def test_a_last_segment_that_begins_the_description_is_no_title() -> None:
    host = listed("host", ("Copper kettles", "Paper boats"))
    texts = ("In this one we look at kettles and coal.", "In this one we fold boats for an hour.")
    told = ("Copper kettles: In this one we look", "Paper boats: In this one we fold")
    page = [Entry("page", f"page-{at}", title, position=at, description=texts[at]) for at, title in enumerate(told)]
    assert joined(host, page) == {("host-0", "page-0"), ("host-1", "page-1")}
