"""text/times/cldr.json: the tables are those of babel, and the standard forms of CLDR are parsed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from babel import localedata
from babel.dates import format_timedelta

from aggregator.text.times import relative
from evaluation.times import forms, tables


def test_the_tables_are_current() -> None:
    assert tables.FILE.read_text("utf-8") == tables.make_tables()


def test_dates_are_right_or_missed() -> None:
    judged: dict[str, list[str]] = {form: [] for form in forms.FORMS}
    for language, form, day, text in forms.list_dates():  # once: each language is loaded for it
        judged[form].append(forms.judge_date(text, day, **({"language": language} if form == "short" else {})))
    assert [form for form, answers in judged.items() if "wrong" in answers] == []
    assert [form for form, answers in judged.items() if answers.count("right") < 0.99 * len(answers)] == []


def test_lengths_are_right_or_missed() -> None:
    judged: dict[str, list[str]] = {width: [] for width in forms.WIDTHS}
    for language, width, seconds, text in forms.list_lengths():
        judged[width].append(forms.judge_length(text, seconds, language=language))
    assert [width for width, answers in judged.items() if "wrong" in answers] == []
    assert [width for width, answers in judged.items() if answers.count("right") < 0.97 * len(answers)] == []


def test_days_and_weeks_ago_are_right() -> None:
    now, wrong = datetime(2026, 3, 4, 10, tzinfo=UTC), []
    for language in tables.LANGUAGES:
        localedata._cache.clear()
        for days in (1, 2, 3, 5, 7, 14, 21):
            text = format_timedelta(-timedelta(days=days), add_direction=True, locale=language, threshold=1)
            found = relative.parse(text, now, language=language)
            if found is None or found.at.date() != (now - timedelta(days=days)).date():
                wrong.append(f"{language}: {text}: {found}")
    assert not wrong
