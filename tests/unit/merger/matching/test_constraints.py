"""What a source lists twice is one item only where all that it says of both is the same."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.constraints import find_twins
from aggregator.merger.matching.features.feature_table import build_frame
from aggregator.merger.matching.features.records import Record

NOON = 19_800 * 86_400.0 + 43_200
ONE = Record("a", "x", "Tide tables", ids=("guid:1",), description="Moon and harbour.", instant=NOON, seconds=1234)
TWO = replace(ONE, id="b")


def twice(**changes: object) -> bool:
    """Whether an entry and a changed copy of it are find_twins."""
    return find_twins(build_frame([ONE, replace(TWO, **changes)])) != []  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"ids": ("guid:2",)}, True),
        ({"ids": (), "description": "Another text."}, False),
        ({"ids": ("audio:cdn.example/1.mp3",)}, True),
        ({"numbers": (7,), "ids": ("guid:2",)}, False),
        ({"season": 2, "ids": ("guid:2",)}, False),
        ({"instant": NOON + 60}, True),
        ({"ids": (), "title": "Rope work"}, False),
        ({"ids": (), "instant": NOON + 60}, False),
        ({"ids": (), "seconds": 1235}, False),
        ({"instant": NOON + 60, "description": "Another text."}, False),
        ({"instant": NOON + 60, "title": "Rope work"}, False),
        ({"ids": (), "source": "y"}, False),
    ],
)
def test_twins_of_exact_time_and_length(*, changes: dict[str, object], expected: bool) -> None:
    assert twice(**changes) == expected


@pytest.mark.parametrize(
    ("both", "expected"),
    [
        ({"step": 60}, True),
        ({"instant": NOON - 43_200}, False),
        ({"instant": NOON - 43_200, "ids": ("audio:cdn.example/1.mp3",)}, True),
        ({"seconds": None}, True),
        ({"step": 60, "description": None}, False),
        ({"instant": NOON - 43_200, "description": None}, False),
        ({"seconds": None, "description": None}, False),
        ({"seconds": None, "instant": NOON - 43_200}, False),
        ({"instant": None}, False),
    ],
)
def test_twins_need_their_text_and_a_time_of_day(*, both: dict[str, object], expected: bool) -> None:
    entries = [replace(each, **{"ids": (), **both}) for each in (ONE, TWO)]  # type: ignore[arg-type]  # by name
    assert (find_twins(build_frame(entries)) != []) == expected


def listed(*said: tuple[str, float]) -> bool:
    """Whether any entries of one source with these titles and instants, and all of one text, are find_twins."""
    entries = [replace(ONE, id=f"{at}", ids=(), title=title, instant=when) for at, (title, when) in enumerate(said)]
    return find_twins(build_frame(entries)) != []


def test_a_stamp_that_entries_of_other_titles_share_is_no_time_of_day() -> None:
    assert listed(("Tide tables", NOON), ("Tide tables", NOON))
    assert not listed(("Tide tables", NOON), ("Tide tables", NOON), ("Rope work", NOON))
    assert not listed(("Tide tables", NOON), ("Tide tables", NOON), ("Tide tables", NOON))


def test_a_time_that_most_days_have_is_no_time_of_day() -> None:
    bulletins = [("Tide tables", NOON + 86_400 * (at // 2)) for at in range(10)]
    assert not listed(*bulletins)
    assert listed(*[(title, when + 61 * at) for at, (title, when) in enumerate(bulletins)], bulletins[0])
