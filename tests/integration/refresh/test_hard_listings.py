"""Entries that are hard to tell apart, or hard to know again, refreshed over 30 days in which the host may move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from pathlib import Path

import pytest

from tests.support.daily import count_mixed, feed_after, items_after
from tests.support.hard_listings import (
    CASES,
    DAYS,
    LANGUAGES,
    MOVE,
    Language,
    Listed,
    count_items,
    host,
    list_on,
    page,
)

MOVES = {"": (False, 0), "a host that moves": (True, 0), "a host that dates its archive anew": (True, 2)}
SOME = (9, 14, 16, 29)  # days before and behind the move
TAILS = {
    "Portuguese": " Apoie o farol em https://farol.example/apoio e receba a carta.",
    "Turkish": " Bu bölümü Eski Halat ve Oğulları destekledi, 1890'dan beri.",
    "Korean": " 후원은 등대 모임 https://deungdae.example/join 에서 받습니다.",
}


def check(
    folder: Path, case: Callable[[Language], Iterable[Listed]], words: Language, how: str, days: Sequence[int]
) -> None:
    told = list(case(words))
    moves, years = MOVES[how]
    histories = [list_on(told, day, moved=moves and day >= MOVE, years=years) for day in days]
    items = items_after(folder, histories)
    assert count_mixed(items) == 0
    assert len(items) == count_items(*list_on(told, DAYS))


@pytest.mark.parametrize(
    ("case", "words", "how"),
    [*zip(CASES, cycle(LANGUAGES.values()), cycle(MOVES))],  # each in one language; in all of them by the heavy test
    ids=[f"{case.__name__}-{language}" for case, language in zip(CASES, cycle(LANGUAGES))],
)
def test_each_item_stays_one(
    case: Callable[[Language], Iterable[Listed]], words: Language, how: str, tmp_path: Path
) -> None:
    check(tmp_path, case, words, how, SOME)


@pytest.mark.heavy
@pytest.mark.parametrize("how", MOVES)
@pytest.mark.parametrize("words", LANGUAGES.values(), ids=LANGUAGES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_each_item_stays_one_day_by_day(
    case: Callable[[Language], Iterable[Listed]], words: Language, how: str, tmp_path: Path
) -> None:
    check(tmp_path, case, words, how, range(DAYS))


def weekly_texts(words: Language, tail: str, of: str) -> Iterable[Listed]:
    """Episodes whose texts end alike in one of the two sources."""
    for turn in range(14):
        text = f"{words.titles[turn % 7]} {turn}: {words.texts[turn % 10].lower()} {words.texts[(3 * turn + 1) % 10]}"
        title = f"{words.titles[turn % 7]} ({turn})"
        yield host(turn, 2 * turn, title, description=text + tail * (of == "host"))
        yield page(turn, 2 * turn, title, description=text + tail * (of == "page"))


@pytest.mark.parametrize("of", ["host", "page"])
@pytest.mark.parametrize("language", TAILS)
def test_the_hosts_tail_is_kept_and_the_pages_is_not(language: str, of: str, tmp_path: Path) -> None:
    told = list(weekly_texts(LANGUAGES[language], TAILS[language], of))
    feed = feed_after(tmp_path, [list_on(told, day, moved=day >= MOVE) for day in SOME])
    assert [TAILS[language].split()[-1] in (item.description or "") for item in feed.items] == [of == "host"] * 14
