"""Thirty days of a host and a page whose entries are hard to tell apart, or hard to know again.

Each case is a function of a language that returns what the two list, each entry with the day from which it is listed.
The last part of an entry's key is the number of the item that it truly is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import NamedTuple

from msgspec.structs import replace

from aggregator.model.entry import Duration, Enclosure, Entry, Moment
from tests.support.daily import START

DAYS, MOVE = 30, 15  # refreshes, a day apart; the first for which the host is another


def _draw_lengths() -> list[int]:
    """Return a length for each item, by chance; those of a day are more than two minutes apart."""
    dice = random.Random(7)
    drawn = [600]
    while len(drawn) < 200:
        length = dice.randint(400, 2800)
        if all(abs(length - other) > 120 for other in drawn[-4:]):
            drawn.append(length)
    return drawn


_LENGTHS = _draw_lengths()


class Language(NamedTuple):
    """Titles and texts of one language."""

    daily: str
    numbered: str
    repeat: str
    companion: str
    cut: str
    titles: tuple[str, ...]
    texts: tuple[str, ...]


LANGUAGES = {
    "Portuguese": Language(
        "Boletim do cais",
        "Programa {}",
        "{} [Reprise]",
        "Ainda sobre {}",
        "corte {} – {}",
        ("O faroleiro", "Redes velhas", "Maré viva", "O caminho do sal", "Três pontes", "Cordas e nós", "O naufrágio"),
        ("Pesca.", "Ventos.", "Obras.", "Greve.", "Festa.", "Chuva.", "Regata.", "Nevoeiro.", "Marés.", "Correio."),
    ),
    "Turkish": Language(
        "Rıhtım bülteni",
        "{}. Program",
        "{} [Tekrar]",
        "Biraz daha: {}",
        "kesit {} – {}",
        ("Fener bekçisi", "Eski ağlar", "Büyük gelgit", "Tuz yolu", "Üç köprü", "Halatlar ve düğümler", "Batık gemi"),
        ("Balık.", "Rüzgâr.", "İnşaat.", "Grev.", "Şenlik.", "Yağmur.", "Yarış.", "Sis.", "Gelgit.", "Posta."),
    ),
    "Korean": Language(
        "부두 소식",
        "제{}화",
        "{} [재방송]",
        "{} 뒷이야기",
        "컷 {} – {}",
        (
            "등대를 지키는 사람",
            "낡은 그물",
            "큰 밀물",
            "소금이 다니던 길",
            "세 개의 다리",
            "밧줄과 매듭",
            "가라앉은 배",
        ),
        ("고기잡이.", "바람.", "공사.", "파업.", "잔치.", "비.", "경주.", "안개.", "물때.", "우편."),
    ),
}
TRANSLATED = ("A keeper of lamps", "Mending", "Spring tides", "White gold", "Crossings", "Hemp", "What sank")
TEXTS = (
    "Forty carts of brine went inland each week, and the road still shows where their wheels ran.",
    "Who lit the wicks of the fishing quarter, what they earned, and why none of them could swim.",
    "An engineer walks from plank to plank and counts which of them the ice will take this winter.",
    "Ledgers of an office that paid by the bird, found under a staircase by two patient students.",
    "Rope smells of Sweden and Riga, says the last man who has spun it by hand on this coast.",
    "A wall that was meant to stop sand, became a promenade, and ended as a place for weddings.",
    "Nobody wrote down the songs of the caulkers, so we asked the daughters of eleven of them.",
)


class Listed(NamedTuple):
    """An entry and the day from which it is listed."""

    day: float
    entry: Entry


def host(turn: int, day: float, title: str, *, copy: str = "", **said: object) -> Listed:
    """Return an entry of the host, with an instant, a length, a guid and audio; ``copy`` makes another of one item."""
    key = f"old{copy}-{turn}"
    at = Moment(START + timedelta(days=day))
    known = {"published": at, "duration": length(turn), "enclosure": audio(turn), **said}
    return Listed(day, Entry("host", key, title, guid=key, **known))  # type: ignore[arg-type]  # by name


def page(turn: int, day: float, title: str, *, off: float = 0, **said: object) -> Listed:
    """Return an entry of the page, with a day, ``off`` from the true one, and a length in minutes."""
    known = {"published": date(day + off), "duration": length(turn, 60), **said}
    return Listed(day, Entry("page", f"page-{turn}", title, **known))  # type: ignore[arg-type]  # by name


def date(day: float) -> Moment:
    return Moment((START + timedelta(days=day)).replace(hour=0, minute=0), "day", zoned=False)


def length(turn: int, step: int = 1) -> Duration:
    return Duration(step * round(_LENGTHS[turn] / step), step)


def audio(turn: int, place: str = "old") -> Enclosure:
    return Enclosure(f"https://{place}.example/{turn}.mp3")


def at_midnight(day: int) -> Moment:
    return Moment(START.replace(hour=0, minute=0) + timedelta(days=day))


# W1


def two_editions_dated_midnight(words: Language) -> Iterable[Listed]:
    for turn in range(2 * DAYS):
        day = turn // 2
        yield host(turn, day, words.daily, published=at_midnight(day), description=words.texts[0])
        yield page(turn, day, words.daily)


def one_edition_listed_twice(words: Language) -> Iterable[Listed]:
    for turn in range(DAYS):
        yield host(turn, turn, words.daily, published=at_midnight(turn))
        yield host(turn, turn, words.daily, copy="again", published=at_midnight(turn))


# W3, W4: a daily title


def a_daily_title(words: Language) -> Iterable[Listed]:
    for turn in range(DAYS):
        yield host(turn, turn, words.daily)
        yield page(turn, turn, words.daily, duration=None)


def a_daily_title_in_turns(words: Language) -> Iterable[Listed]:
    for turn in range(DAYS):
        yield (page if turn % 2 else host)(turn, turn, words.daily)


def short_texts_a_day_ahead(words: Language) -> Iterable[Listed]:
    for turn in range(DAYS):
        text = words.texts[turn % 10]
        yield host(turn, turn, words.daily, description=text)
        yield page(turn, turn, words.daily, off=1, description=text, duration=None)


def short_texts_of_others_a_day_ahead(words: Language) -> Iterable[Listed]:
    for turn in range(DAYS):
        yield host(turn, turn, words.daily, description=words.texts[turn % 5])
        yield page(turn + DAYS, turn, words.daily, off=1, description=words.texts[5 + turn % 5])


# W5: one source, two or four editions a day, no times


def editions_without_times(words: Language) -> Iterable[Listed]:
    for turn in range(2 * DAYS):
        yield host(turn, turn // 2, words.daily, published=date(turn // 2), enclosure=None)


def four_editions_without_times(words: Language) -> Iterable[Listed]:
    for turn in range(4 * DAYS):
        yield host(turn, turn // 4, words.daily, published=date(turn // 4), enclosure=None)


def an_edition_listed_twice_without_times(words: Language) -> Iterable[Listed]:
    for turn in range(2 * DAYS):
        day = turn // 2
        yield host(turn, day, words.daily, published=date(day))
        if turn % 4 == 1:
            yield host(turn, day, words.daily, copy="again", published=date(day))


# W6: titles that are a number


def numbers_one_higher(words: Language) -> Iterable[Listed]:
    for turn in range(0, DAYS, 2):
        yield host(turn, turn, words.numbered.format(40 + turn // 2))
        yield page(turn, turn, words.numbered.format(41 + turn // 2))


def numbers_of_an_early_feed(words: Language) -> Iterable[Listed]:
    for turn in range(0, DAYS, 2):
        yield host(turn, turn, words.numbered.format(40 + turn // 2))
        yield page(turn + 2, turn, words.numbered.format(41 + turn // 2))


# W7: re-runs; days and months exchanged


def an_unmarked_rerun(words: Language) -> Iterable[Listed]:
    for turn, title in enumerate(words.titles):
        yield host(turn, 2 * turn, title)
        yield page(turn, 2 * turn, title)
    yield host(7, 21, words.titles[1], duration=length(1))


def a_rerun_without_its_mark(words: Language) -> Iterable[Listed]:
    for turn, title in enumerate(words.titles):
        yield host(turn, 2 * turn, title, description=TEXTS[turn])
        yield page(turn, 2 * turn, title)
        if turn % 2:
            again = words.repeat.format(title)
            yield host(10 + turn, 2 * turn + 15, again, description=TEXTS[turn], duration=length(turn))
            yield page(10 + turn, 2 * turn + 15, title, duration=length(turn, 60))


def days_and_months_exchanged(words: Language) -> Iterable[Listed]:
    for turn in range(DAYS):
        at = START + timedelta(days=turn)
        swapped = at.replace(month=at.day, day=at.month, hour=0, minute=0) if at.day <= 12 else at
        when = Moment(swapped.replace(hour=0, minute=0), "day", zoned=False)
        yield host(turn, turn, words.daily)
        yield page(turn, turn, words.daily, published=when, duration=None)


# W8: companions under an unknown prefix


def companions(words: Language) -> Iterable[Listed]:
    for turn, title in enumerate(words.titles):
        yield host(turn, 4 * turn, title, description=TEXTS[turn], duration=Duration(2400 + 97 * turn))
        known = {"description": TEXTS[turn], "duration": Duration(900 + 60 * turn, 60)}
        yield page(10 + turn, 4 * turn + 2, words.companion.format(title), **known)


def the_same_under_a_prefix(words: Language) -> Iterable[Listed]:
    for turn, title in enumerate(words.titles):
        yield host(turn, 4 * turn, title, description=TEXTS[turn])
        yield page(turn, 4 * turn, words.companion.format(title), description=TEXTS[turn])


# W9: stages of a release; one number and day in two series


def stages_of_a_release(words: Language) -> Iterable[Listed]:
    known = {"description": f"Quillbase. {words.texts[0]}", "duration": None}
    for turn in range(DAYS // 3):
        for at, stage in enumerate(("b1", "rc2")):
            yield host(4 * turn + at, 3 * turn, f"Quillbase 4.{turn}.0{stage}", **known)
        yield page(4 * turn + 3, 3 * turn, f"Quillbase 4.{turn}.0", **known)


def stages_in_other_signs(words: Language) -> Iterable[Listed]:
    for turn, text in enumerate(TEXTS):
        for at, (one, other) in enumerate((("b1", " beta 1"), ("rc2", "-rc.2"))):
            known = {"description": f"{text} {words.texts[at]}", "duration": None}
            yield host(4 * turn + at, 3 * turn, f"Quillbase 4.{turn}.0{one}", **known)
            yield page(4 * turn + at, 3 * turn, f"Quillbase 4.{turn}.0{other}", **known)


def one_number_in_two_series(words: Language) -> Iterable[Listed]:
    for turn, title in enumerate(words.titles):
        other = (turn + 3) % len(words.titles)
        yield host(turn, 3 * turn, f"feed {40 + turn:03} – {title}", description=TEXTS[turn])
        named = words.cut.format(f"{40 + turn:03}", words.texts[turn].rstrip("."))
        yield page(10 + turn, 3 * turn, named, description=TEXTS[other].replace("the", "a"))


def one_number_in_two_frames(words: Language) -> Iterable[Listed]:
    for turn, title in enumerate(words.titles):
        yield host(turn, 3 * turn, f"feed {40 + turn:03} – {title}", description=TEXTS[turn])
        yield page(turn, 3 * turn, words.cut.format(f"{40 + turn:03}", title), description=TEXTS[turn])


# W10: translated titles


def translated(words: Language, more: int = 0) -> Iterable[Listed]:
    for turn, title in enumerate(words.titles):
        exact = host(turn, 3 * turn, title).entry
        yield host(turn, 3 * turn, title)
        known = {"published": exact.published, "duration": Duration(_LENGTHS[turn] + more)}
        yield page(turn + more, 3 * turn, TRANSLATED[turn], **known)


def translations_of_others(words: Language) -> Iterable[Listed]:
    return translated(words, more=50)


CASES: tuple[Callable[[Language], Iterable[Listed]], ...] = (
    two_editions_dated_midnight,
    one_edition_listed_twice,
    a_daily_title,
    a_daily_title_in_turns,
    short_texts_a_day_ahead,
    short_texts_of_others_a_day_ahead,
    editions_without_times,
    four_editions_without_times,
    an_edition_listed_twice_without_times,
    numbers_one_higher,
    numbers_of_an_early_feed,
    an_unmarked_rerun,
    a_rerun_without_its_mark,
    days_and_months_exchanged,
    companions,
    the_same_under_a_prefix,
    stages_of_a_release,
    stages_in_other_signs,
    one_number_in_two_series,
    one_number_in_two_frames,
    translated,
    translations_of_others,
)


def list_on(told: Iterable[Listed], today: int, *, moved: bool = False, years: int = 0) -> tuple[list[Entry], ...]:
    """Return what the host and the page list on a day, the newest first.

    ``moved``: the host has other guids and audio; its archive is dated so many ``years`` later.
    """
    seen = sorted((each for each in told if each.day <= today), key=lambda each: -each.day)
    entries = [(_move(each, years) if moved and each.entry.source == "host" else each).entry for each in seen]
    return tuple(
        [replace(entry, position=place) for place, entry in enumerate(_of(source, entries))]
        for source in ("host", "page")
    )


def count_items(*listings: Iterable[Entry]) -> int:
    """Return how many items some listings truly have."""
    return len({entry.key.rpartition("-")[2] for listing in listings for entry in listing})


def _of(source: str, entries: Iterable[Entry]) -> Iterator[Entry]:
    return (entry for entry in entries if entry.source == source)


def _move(listed: Listed, years: int) -> Listed:
    entry = listed.entry
    key = entry.key.replace("old", "new")
    at = entry.published
    if years and at is not None and listed.day < MOVE:
        at = replace(at, at=at.at + timedelta(days=365 * years))
    media = entry.enclosure and Enclosure(entry.enclosure.url.replace("old", "new"))
    return Listed(listed.day, replace(entry, key=key, guid=key, enclosure=media, published=at))
