"""text/times/lines, relative: dates and lengths in other text, and dates that count from the poll."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from aggregator.text.times import lines
from aggregator.text.times.lines import Dating

POLLED = Dating(now=datetime(2026, 3, 4, 10, 30, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Part 7 March 2, 2026", "2026-03-02"),  # a number before the month is no day where another one is
        ("#7 March 2, 2026 40 min", "2026-03-02"),  # nor a length behind it a time
        ("Nr. 7 vom 02.03.26", "2026-03-02"),
        ("Del 7 2 mars 2026 40 min", "2026-03-02"),  # "min" is a weekday in Indonesian alone
        ("12. Oktober · 35 Min.", None),  # nor its minutes a year
        ("12.10. 35 Min.", None),
        ("10월 18일 · 35 min", None),
        ("10月11日 · 27 min", None),
        ("12.10.25 35 Min.", "2025-10-12"),
        ("Min, 12 Okt 25", "2025-10-12"),
        ("Veröffentlicht am Montag, 2. März 2026 um 18:30 Uhr", "2026-03-02"),
        ("Выпуск 7 · 2 марта 2026 г. · 40 мин", "2026-03-02"),
        ("6 hours ago", "2026-03-04"),
        ("11 hours ago", "2026-03-03"),
        ("vor 2 Tagen", "2026-03-02"),
        ("hace 2 días", "2026-03-02"),
        ("2 päivää sitten", "2026-03-02"),
        ("2 дня назад", "2026-03-02"),
        ("2 日前", "2026-03-02"),
        ("il y a une semaine", "2026-02-25"),
        ("Posted 2 days ago by Bo", "2026-03-02"),
        ("ieri", "2026-03-03"),
        ("前天", "2026-03-02"),
        ("gisteren om 18:30", "2026-03-03"),
        ("Today we learn to knit", None),
        ("The company was founded 12 years ago in a small town by two", None),
        ("40 min", None),
        ("3 j", None),
        ("in 2 days", None),
        ("In 2024 we met 12 people", None),
    ],
)
def test_date_of_a_line(text: str, day: str | None) -> None:
    found = lines.find_date(text, POLLED)
    assert (found and f"{found.at:%Y-%m-%d}") == day


def test_a_text_that_counts_is_no_date_without_a_clock() -> None:
    assert lines.find_date("2 days ago") is None
    assert lines.is_counted("2 days ago")
    assert not lines.is_counted("March 2, 2026")


def test_months_ago_are_no_day() -> None:
    found = lines.find_date("2 months ago", POLLED)
    assert found is not None
    assert found.precision == "year"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2 tim 10 min", 7800),
        ("March 2, 2026 40 min", 2400),  # the number beside it belongs to the date
        ("2 hours ago · 40 min", 2400),
        ("Dauer: ca. 40 Minuten", 2400),
        ("una hora y 10 minutos", None),  # not 10 minutes
        ("7 40 min", None),  # a part of a length in other words?
        ("2 foo 40 min", None),
        ("foo 2 40 min", None),
        ("2 hours ago", None),
        ("2 days", None),
    ],
)
def test_length_of_a_line(text: str, seconds: int | None) -> None:
    found = lines.find_duration(text)
    assert (found and found.seconds) == seconds
