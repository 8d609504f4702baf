"""Dates, years, lengths and formats that one listing adds to its titles; digits that tell items apart are kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from aggregator.merger.matching.match import match
from aggregator.model.entry import Entry, Moment

START = datetime(2024, 10, 19, tzinfo=UTC)
NAMES = {
    "de": (
        *("Die Teichrose", "Ein Boot aus Blech", "Wer mahlt das Korn", "Nachts am Stellwerk", "Moor und Mücken"),
        *("Das letzte Fährhaus", "Über den Deich", "Salz im Schuh", "Vom Seilerhandwerk", "Graue Ziegel"),
    ),
    "pl": (
        *("Młyn nad rzeką", "Zegar z wieży", "Kto piecze chleb", "Szyny i mgła", "Ostatni prom"),
        *("Sól w kieszeni", "O powroźnikach", "Wiatr od morza", "Cegły i wapno", "Sad za torami"),
    ),
    "ja": (
        *("蓮の池の話", "渡し舟の朝", "粉を挽く人", "夜の信号所", "湿原の虫たち"),
        *("最後の渡し場", "堤防を歩く", "靴の中の塩", "縄をなう手", "灰色の瓦"),
    ),
    "el": (
        *("Η λίμνη με τα νούφαρα", "Μια βάρκα από τενεκέ", "Ποιος αλέθει το στάρι", "Νύχτα στον σταθμό", "Βάλτος"),
        *("Το τελευταίο πέραμα", "Πάνω στο ανάχωμα", "Αλάτι στο παπούτσι", "Τα σχοινιά", "Γκρίζα κεραμίδια"),
    ),
}
MONTHS = ("", "", "", "", "", "", "", "", "", "września", "października", "listopada", "grudnia")
Write = Callable[[str, datetime, int], str]
ADDED: dict[str, Write] = {
    "4.11.2024 X": lambda name, at, _: f"{at:%d.%m.%Y} {name}",
    "X 2024-11-04": lambda name, at, _: f"{name} {at:%Y-%m-%d}",
    "11/04/24: X": lambda name, at, _: f"{at:%m/%d/%y}: {name}",
    "[04.11.] X": lambda name, at, _: f"[{at:%d.%m.}] {name}",
    "X (4 listopada 2024)": lambda name, at, _: f"{name} ({at.day} {MONTHS[at.month]} {at.year})",
    "2024年11月4日 X": lambda name, at, _: f"{at.year}年{at.month}月{at.day}日 {name}",
    "Nov 4, 2024: X": lambda name, at, _: f"{at:%b} {at.day}, {at.year}: {name}",
    "20241104 X": lambda name, at, _: f"{at:%Y%m%d} {name}",
    "X [720p]": lambda name, *_: f"{name} [720p]",
    "X – 2024": lambda name, *_: f"{name} – 2024",
    "X (38 min)": lambda name, _, turn: f"{name} ({41 + turn * 7 % 17} min)",
    "X (1 h 8 min)": lambda name, _, turn: f"{name} ({'1 h ' * (turn % 2)}{5 + turn * 7 % 17} min)",
    "192 kbit | X": lambda name, *_: f"192 kbit | {name}",
}


def entries(source: str, titles: list[str], *, far: float = 0.0) -> list[Entry]:
    """Return weekly entries of a source."""
    return [
        Entry(source, f"{source}-{turn}", title, position=-turn, published=Moment(day(turn, far), "day", zoned=False))
        for turn, title in enumerate(titles)
    ]


def day(turn: int, far: float = 0.0) -> datetime:
    return START + timedelta(days=7 * turn + far)


def count(listed: list[Entry]) -> tuple[int, int]:
    """Return how many items there are, and how many of them hold entries of two items."""
    clusters = [{each.key.rpartition("-")[2] for each in cluster.entries} for cluster in match(listed).clusters]
    return len(clusters), sum(len(turns) > 1 for turns in clusters)


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("write", ADDED.values(), ids=ADDED)
def test_digits_that_one_listing_adds_to_each_title(write: Write, names: tuple[str, ...]) -> None:
    written = [write(name, day(turn), turn) for turn, name in enumerate(names)]
    assert count([*entries("host", [*names]), *entries("page", written)]) == (len(names), 0)


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("late", [0, 1])
def test_a_date_in_the_titles_of_two_listings_is_the_id_of_the_item(names: tuple[str, ...], late: int) -> None:
    """One name in the titles of all items; the dates of one listing are late, those in its titles are not."""
    one = [f"{day(turn):%d.%m.%Y} {names[0]}" for turn in range(10)]
    other = [f"{names[0]} – {day(turn):%Y-%m-%d}" for turn in range(10)]
    assert count([*entries("host", one), *entries("page", other, far=late)]) == (10, 0)


OWN: dict[str, tuple[Callable[[int], str], Callable[[int], str]]] = {
    "lengths": (lambda turn: f"{turn + 1} km", lambda turn: f"{turn + 11} km"),
    "formats": (lambda turn: f"[{720 + turn}p]", lambda turn: f"[{1080 + turn}p]"),
    "years": (lambda turn: f"– {1990 + turn}", lambda turn: f"– {1890 + turn}"),
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("own", OWN.values(), ids=OWN)
def test_titles_that_differ_in_such_digits_alone_are_items(
    names: tuple[str, ...], own: tuple[Callable[[int], str], Callable[[int], str]]
) -> None:
    host = [f"{names[turn % 5]} {own[0](turn)}" for turn in range(10)]
    page = [f"{names[turn % 5]} {own[1](turn)}" for turn in range(10)]
    others = [replace_key(each, 100) for each in entries("page", page, far=2)]
    found = count([*entries("host", host), *others])
    assert found == (20, 0)


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("write", list(ADDED.values())[:8], ids=list(ADDED)[:8])
def test_a_name_of_several_items_is_told_by_the_date(write: Write, names: tuple[str, ...]) -> None:
    written = [write(names[turn % 2], day(turn), turn) for turn in range(10)]
    assert count([*entries("host", [names[turn % 2] for turn in range(10)]), *entries("page", written)]) == (10, 0)


def replace_key(each: Entry, more: int) -> Entry:
    source, _, turn = each.key.rpartition("-")
    return Entry(
        each.source, f"{source}-{int(turn) + more}", each.title, position=each.position, published=each.published
    )
