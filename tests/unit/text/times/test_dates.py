"""text/times/dates: what a date says, its precision, and that nothing else is taken for one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.model.entry import Moment
from aggregator.text.times import dates

CASES = json.loads((Path(__file__).parent / "data" / "dates.json").read_text("utf-8"))
TIMES = st.datetimes(datetime(1971, 1, 2), datetime(2099, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text'][:40]}: {case['comment']}")
def test_date(case: dict[str, Any]) -> None:
    found = dates.parse(case["text"], day_first=case.get("day_first"), language=case.get("language"))
    expected = Moment(datetime.fromisoformat(case["at"]), case["precision"], case["zoned"]) if "at" in case else None
    assert expected == found


@settings(deadline=None)
@given(TIMES, st.integers(-12 * 60, 14 * 60))
def test_any_time_survives_both_standards(at: datetime, minutes: int) -> None:
    at = at.replace(microsecond=0)
    local = at.astimezone(tz=datetime.now(UTC).astimezone().tzinfo) + timedelta(minutes=minutes)
    expected = Moment(local.astimezone(UTC), "second", zoned=True)
    assert expected == dates.parse(local.isoformat())
    assert expected == dates.parse(format_datetime(local))


@settings(deadline=None)
@given(st.text(max_size=90) | st.text(alphabet="0123456789 :-/.,+TZAPMapmjnfebrmaygust", max_size=40))
def test_anything_is_a_sound_date_or_none(text: str) -> None:
    found = dates.parse(text)
    assert found is None or (found.at.utcoffset() == timedelta() and found.at.microsecond == 0)
    assert found is None or 1971 <= found.at.year <= 2099


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["04/03/2026", "17/03/2026"], True),
        (["04/03/26", "03/17/26"], False),
        (["04-03-2026 08:00", "03-17-2026"], False),
        (["4. 3. 2026", "17. 3. 2026."], True),
        (["17/03/2026", "03/17/2026"], None),  # both
        (["17/03/2026", "18/3/2026", "03/17/2026", "19/03/2026", "20/03/2026"], True),  # one is a mistake
        (["07.02.2026", "12/13/2026", "08.02.2026"], None),  # another mark between the numbers
        (["04/03/2026", "25-09-12", "17-03-26"], None),  # the year may stand first
        (["2026/03/17", "2026-03-17", "https://example.org/17/03/2026/x", "v 1/2"], None),
    ],
)
def test_the_listing_decides_the_order(texts: list[str], expected: object) -> None:
    assert dates.find_day_first(texts) is expected


@pytest.mark.parametrize(
    ("text", "day_first", "language", "expected"),
    [
        ("04/03/2026", None, None, "04-03"),
        ("04/03/2026", None, "pt-BR", "03-04"),
        ("04/03/2026", False, "pt-BR", "04-03"),
        ("04-03-2026", None, "en-US", "03-04"),
        ("04-03-2026", False, None, "04-03"),
        ("04.03.2026", False, None, "04-03"),
        ("17.03.2026", False, None, "03-17"),
    ],
)
def test_the_order_of_numbers(text: str, day_first: bool | None, language: str | None, expected: str) -> None:  # noqa: FBT001
    found = dates.parse(text, day_first=day_first, language=language)
    assert found
    assert f"{found.at:%m-%d}" == expected
