from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aggregator.text.titles.affixes import NO_TEMPLATE, Template, learn_template

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
WORDS = ("Copper Kettle", "Winter Garden", "Harbour Lights", "Paper Boats", "Stone River")
CASES = [
    ("{n}. {word}", "41. Mill", ("41. ", "Mill", "")),
    ("KET{n}: {word}", "KET7: Mill", ("KET7: ", "Mill", "")),
    ("S0{n}E0{n} - {word}", "S11E2 – Mill", ("S11E2 – ", "Mill", "")),
    ("{word} | Kettlecast {n}", "Mill | KettleCast 80", ("", "Mill", " | KettleCast 80")),
    ("第{n}回 {word}", "第3回 青い鳥", ("第3回 ", "青い鳥", "")),
    ("Kettlecast #{n} - {word} (live)", "Kettlecast #9 - Mill", ("Kettlecast #9 - ", "Mill", "")),
    ("{n}. {word}", "1984 and after", ("", "1984 and after", "")),
    ("{n}. {word}", "41. ", ("", "41. ", "")),
    ("Race {n}: {word}", "Race 2: Mill", ("", "Race 2: Mill", "")),
    ("Part {n}: {word}", "Part 2: Mill", ("", "Part 2: Mill", "")),
    ("Replay: {word}", "Replay: Mill", ("", "Replay: Mill", "")),
]


@pytest.mark.parametrize(("form", "title", "split"), CASES, ids=[f"{form} / {title}" for form, title, _ in CASES])
def test_what_a_show_repeats_is_told_from_the_titles_own_words(form, title, split):
    listed = [form.format(n=at, word=word) for at, word in enumerate(WORDS, 1)]
    if form.startswith("Race"):
        listed += [form.format(n=2, word=word) for word in WORDS]
    assert tuple(learn_template([listed], "Kettlecast").split(title)) == split


def test_two_titles_are_no_habit_and_neither_is_one_in_eleven():
    assert learn_template([["1. Bread", "2. Copper", "Harbour"]]) == NO_TEMPLATE
    many = [f"{word} {other}" for word in WORDS for other in "abcdefgh"]
    assert learn_template([[*many, "1. Bread", "2. Copper", "3. Harbour"]]) == NO_TEMPLATE


@CALM
@given(st.lists(st.text(max_size=30), max_size=12), st.text(max_size=12), st.text(max_size=40))
def test_the_three_pieces_are_the_title_whatever_it_is(listed, show, title):
    for each in (title, *listed):
        assert "".join(learn_template([listed], show).split(each)) == each


@CALM
@given(st.text(max_size=40))
def test_nothing_learned_splits_nothing(title):
    assert NO_TEMPLATE.split(title) == Template().split(title) == ("", title, "")
