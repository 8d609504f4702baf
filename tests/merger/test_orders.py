"""What a source lists twice is one item only where all that it says of both is the same."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from aggregator.merger.frame import framed
from aggregator.merger.orders import twins
from aggregator.merger.record import Record

NOON = 19_800 * 86_400.0 + 43_200
ONE = Record("a", "x", "Tide tables", ids=("guid:1",), description="Moon and harbour.", instant=NOON, seconds=1234)
TWO = replace(ONE, id="b")


def twice(**changes: object) -> bool:
    """Whether an entry and a changed copy of it are twins."""
    return twins(framed([ONE, replace(TWO, **changes)])) != []  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"ids": ("guid:2",)}, True),
        ({"ids": (), "description": "Another text."}, True),
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
        ({"instant": NOON - 43_200}, True),
        ({"seconds": None}, True),
        ({"step": 60, "description": None}, False),
        ({"instant": NOON - 43_200, "description": None}, False),
        ({"seconds": None, "description": None}, False),
        ({"seconds": None, "instant": NOON - 43_200}, False),
        ({"instant": None}, False),
    ],
)
def test_twins_of_a_day_or_of_minutes_need_their_text(*, both: dict[str, object], expected: bool) -> None:
    entries = [replace(each, ids=(), **both) for each in (ONE, TWO)]  # type: ignore[arg-type]  # by name
    assert (twins(framed(entries)) != []) == expected
