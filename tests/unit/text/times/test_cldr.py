"""text/times/cldr: the tables are those of babel, and the standard forms of CLDR are parsed."""

from __future__ import annotations

import pytest

from evaluation.times import forms, tables


def test_the_tables_are_current() -> None:
    assert tables.FILE.read_text("utf-8") == tables.make_module()


@pytest.mark.parametrize("form", forms.FORMS)
def test_dates_are_right_or_missed(form: str) -> None:
    judged = [
        forms.judge_date(text, day, **({"language": language} if form == "short" else {}))
        for language, each, day, text in forms.list_dates()
        if each == form
    ]
    assert "wrong" not in judged
    assert judged.count("right") >= 0.99 * len(judged)


@pytest.mark.parametrize("width", forms.WIDTHS)
def test_lengths_are_right_or_missed(width: str) -> None:
    judged = [
        forms.judge_length(text, seconds, language=language)
        for language, each, seconds, text in forms.list_lengths()
        if each == width
    ]
    assert "wrong" not in judged
    assert judged.count("right") >= 0.97 * len(judged)
