"""text/times/durations: lengths in every spelling seen, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.model.entry import Duration
from aggregator.text.times import durations

CASES = json.loads((Path(__file__).parent / "data" / "durations.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['given']}: {case['comment']}"[:60])
def test_duration(case: dict[str, Any]) -> None:
    expected = Duration(*case["expected"]) if case["expected"] else None
    assert expected == durations.parse(case["given"], language=case.get("language"))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_no_number(number: float) -> None:
    assert durations.parse(number) is None


@settings(deadline=None)
@given(st.integers(1, durations.LONGEST))
def test_any_length_survives_its_spellings(seconds: int) -> None:
    minutes, rest = divmod(seconds, 60)
    hours, left = divmod(minutes, 60)
    expected = Duration(seconds, 1)
    spellings = (str(seconds), f"{hours}:{left:02}:{rest:02}", f"PT{seconds}S", f"{hours}h {left}m {rest}s", seconds)
    assert [expected] * len(spellings) == [durations.parse(spelling) for spelling in spellings]


@settings(deadline=None)
@given(st.text(max_size=70) | st.floats() | st.integers())
def test_anything_is_a_sound_length_or_none(given_: str | float) -> None:
    found = durations.parse(given_)
    assert found is None or 0 < found.seconds <= durations.LONGEST
