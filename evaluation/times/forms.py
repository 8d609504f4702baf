"""Count the standard forms of CLDR that are parsed, missed and wrong: ``python -m evaluation.times.forms``.

Dates are made by babel in all four forms for each language, lengths in the three widths of units. Short dates, in
which day and month may not be told apart, are also parsed with the language of their listing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date

from babel import Locale, localedata
from babel.dates import format_date
from babel.units import format_unit

from aggregator.text.times import dates, durations
from evaluation.times.tables import LANGUAGES

DAYS = (date(2025, 9, 12), date(2024, 2, 29), date(2023, 11, 3))
FORMS = ("full", "long", "medium", "short")
LENGTHS = ((1, 5), (0, 45), (2, 30), (0, 1), (3, 0))
WIDTHS = ("long", "short", "narrow")


def list_dates() -> Iterator[tuple[str, str, date, str]]:
    """Yield language, form, date and text."""
    for name in LANGUAGES:
        localedata._cache.clear()  # noqa: SLF001 -- as in ``tables``
        for form in FORMS:
            for day in DAYS:
                yield name.replace("_", "-"), form, day, format_date(day, form, locale=name)


def list_lengths() -> Iterator[tuple[str, str, int, str]]:
    """Yield language, width, seconds and text."""
    for name in LANGUAGES:
        localedata._cache.clear()  # noqa: SLF001
        locale = Locale.parse(name)
        for width in WIDTHS:
            for hours, minutes in LENGTHS:
                parts = [("hour", hours), ("minute", minutes)]
                texts = [format_unit(number, unit, width, locale=locale) for unit, number in parts if number]
                yield name.replace("_", "-"), width, hours * 3600 + minutes * 60, " ".join(texts)
                if len(texts) > 1:
                    pattern = locale.list_patterns.get("unit" if width == "long" else f"unit-{width}", {}).get("2")
                    joined = (pattern or locale.list_patterns["standard"]["2"]).format(*texts)
                    yield name.replace("_", "-"), width, hours * 3600 + minutes * 60, joined


def judge_date(text: str, day: date, **facts: str) -> str:
    """Return "right", "missed" or "wrong"."""
    found = dates.parse(text, **facts)
    return "missed" if found is None else "right" if (found.at.date(), found.precision) == (day, "day") else "wrong"


def judge_length(text: str, seconds: int, **facts: str) -> str:
    """Return "right", "missed" or "wrong"."""
    found = durations.parse(text, **facts)
    return "missed" if found is None else "right" if found.seconds == seconds else "wrong"


def _main() -> None:
    counts: dict[str, Counter[str]] = {}
    for language, form, day, text in list_dates():
        for label, facts in ((form, {}), (f"{form}, language known", {"language": language})):
            judged = judge_date(text, day, **facts)
            counts.setdefault(f"dates, {label}", Counter())[judged] += 1
            if judged != "right" and "-v" in sys.argv:
                print(judged, language, label, day, repr(text))
    for language, width, seconds, text in list_lengths():
        for label, facts in ((width, {}), (f"{width}, language known", {"language": language})):
            judged = judge_length(text, seconds, **facts)
            counts.setdefault(f"lengths, {label}", Counter())[judged] += 1
            if judged != "right" and "-v" in sys.argv:
                print(judged, language, label, seconds, repr(text))
    for label, count in counts.items():
        total = count.total()
        print(f"{label}: {count['right']} of {total} ({count['right'] / total:.3f}), {count['wrong']} wrong")


if __name__ == "__main__":
    _main()
