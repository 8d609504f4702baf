"""What a listing adds to its entries is as the entries show it that were learned from: new ones change no other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.features.frame import Frame
from aggregator.merger.matching.match import compare_entries
from aggregator.model.entry import Entry, Moment

START = datetime(2024, 3, 4, 7, tzinfo=UTC)
NAMES = (
    *("lantern", "weir", "orchard", "cobble", "quarry"),
    *("heron", "tannery", "viaduct", "saltmarsh", "foundry"),
)
CYRILLIC = (
    *("фонарь", "плотина", "сад", "мостовая", "карьер"),
    *("цапля", "дубильня", "виадук", "солончак", "литейная"),
)
WORDS = "They walk along the river, and one of them tells what became of the old mill there."


def make_entry(source: str, number: int, title: str, **said: object) -> Entry:
    at = START + timedelta(days=number)
    return Entry(source, f"{source}-{number}", title, published=Moment(at), position=99 - number, **said)  # type: ignore[arg-type]  # by name


def count(number: int) -> str:
    return f"Wanderung {number + 30}: Of the {NAMES[number]}"


def end(number: int) -> str:
    return f"Of the {NAMES[number]} [{number + 480}p]"


def date(number: int) -> str:
    return f"Of the {NAMES[number]} ({START + timedelta(days=number):%d.%m.%Y})"


def write_cyrillic(number: int) -> str:
    return CYRILLIC[number]


def number_alone(number: int) -> str:
    return f"{number + 400}. Walks along the river"


def write_bare(number: int) -> str:
    return f"Of the {NAMES[number]}"


# A listing of ten that lacks one title of being seen to add something; the last would be it.
CASES = {
    "a count of its own": (count, 7),
    "an end with digits": (end, 7),
    "the day": (date, 5),
    "other letters": (write_cyrillic, 7),
    "a number alone": (number_alone, 7),
    "words beside a number": (lambda number: f"{NAMES[0]} tape {number + 40} side", 2),
}


def list_features(frame: Frame, entries: Sequence[Entry]) -> list[tuple[object, ...]]:
    """What is compared of some entries."""
    row = {record.id: at for at, record in enumerate(frame.records)}
    bags = frame.title_grams, frame.descriptions, frame.summaries
    return [
        (
            *(frame.titles[at], frame.names_of[at], int(frame.day[at]), bool(frame.series_words[at] >= 0)),
            *(int(frame.scope[at]), int(frame.likely_scope[at])),
            *(round(float(each.sums[at]), 4) for each in bags),
        )
        for at in (row[each.id] for each in entries)
    ]


def compare_with_new(learned: Sequence[Entry], new: Entry) -> tuple[bool, bool]:
    """Whether a new entry leaves all others as they were, if it is new and if it counts as learned."""
    before, fresh, counted = (
        list_features(compare_entries(every, (), {}, new_ids).frame, learned)
        for every, new_ids in ((learned, set[str]()), ([*learned, new], {new.id}), ([*learned, new], set[str]()))
    )
    assert before
    return fresh == before, [each[:4] for each in counted] == [each[:4] for each in before]


@pytest.mark.parametrize(("write", "often"), CASES.values(), ids=list(CASES))
def test_a_new_title_changes_no_other(write, often: int) -> None:
    learned = [make_entry("host", number, (write if number < often else write_bare)(number)) for number in range(9)]
    learned += [make_entry("page", number, write_bare(number)) for number in range(9)]
    new = make_entry("host", 9, write(9))
    assert compare_with_new(learned, new) == (True, False)


def test_a_new_sentence_is_not_seen_to_be_repeated() -> None:
    said = f"Write to us, we read every letter. {WORDS}"
    learned = [
        make_entry("host", number, write_bare(number), description=said if number < 2 else f"{NAMES[number]} {WORDS}")
        for number in range(9)
    ]
    assert compare_with_new(learned, make_entry("host", 9, write_bare(9), description=said))[0]


def test_a_new_order_exchanges_no_days() -> None:
    days = [START.replace(month=1 + number, day=2 + number) for number in range(9)]
    learned = [replace(make_entry("host", at, write_bare(at)), published=Moment(day)) for at, day in enumerate(days)]
    learned += [
        replace(each, source="page", published=Moment(day.replace(month=day.day, day=day.month), "day", zoned=False))
        for each, day in zip(learned[:2], days, strict=False)
    ]
    learned += [make_entry("page", 40 + at, f"Walk {NAMES[at]} {CYRILLIC[at]}") for at in range(6)]
    new = replace(learned[2], source="page", published=Moment(datetime(2024, 5, 3, tzinfo=UTC), "day", zoned=False))
    assert compare_with_new(learned, new)[0]
    counted = compare_entries([*learned, new]).frame
    assert list_features(counted, learned) != list_features(compare_entries(learned).frame, learned)


def test_a_new_show_is_no_other_name_of_the_old() -> None:
    learned = [
        make_entry(source, number, write_bare(number), show="River Walks" if number else None)
        for source in ("host", "page")
        for number in range(9)
    ]
    new = make_entry("page", 40, "Of the bakery", show="Town Squares")
    assert compare_with_new(learned, new)[0]
