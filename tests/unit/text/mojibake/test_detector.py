from __future__ import annotations

import re

import pytest
from ftfy.badness import BADNESS_RE, MOJIBAKE_CATEGORIES, badness, is_bad
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aggregator.text.mojibake import byte_sequences, detector

SETS = "".join(MOJIBAKE_CATEGORIES.values())
EXPLICIT = "".join(sorted(set(re.sub(r"[\x00-\x7f]", "", BADNESS_RE.pattern))))
BEYOND = "".join(chr(code) for code in range(0x80, 0x2600) if re.match(f"[{SETS}{re.escape(EXPLICIT)}]", chr(code)))
CALM = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LETTERS = st.one_of(st.sampled_from(BEYOND), st.sampled_from("abZ .,?!'\n1\u0430\u4e2d"))


def every_pair():
    """Each pair of characters of the detector's sets, with the letters round it that its patterns ask for."""
    some = "".join(BEYOND[::7]) + "ŒœÃÂÎÐØÙàвЂГўВ√≈‚Äâóβ€ā™°²¡\xa0\xad»«“”"
    return [before + one + other + after for one in some for other in some for before, after in (("", ""), ("a", "b"))]


def test_the_answer_is_the_detectors_own_for_every_pair():
    wrong = [text for text in every_pair() if detector.is_suspect(text) != is_bad(text)]
    assert wrong == []


@CALM
@given(st.lists(LETTERS, max_size=12).map("".join), st.integers(0, 40))
def test_the_answer_is_the_detectors_own(text, room):
    text = " plain words" * room + text + "more of them " * room
    assert detector.is_suspect(text) == is_bad(text)
    assert detector.count_oddities(text) == badness(text)


@CALM
@given(st.lists(LETTERS, min_size=1, max_size=8).map("".join), st.sampled_from(byte_sequences.ENCODINGS))
def test_no_reading_is_passed_over(text, name):
    table = byte_sequences.load_page(name)
    for found in table.leader.finditer(text):
        if byte_sequences.list_choices(text, found.start(), table):
            assert table.finder.match(text, found.start())


@pytest.mark.parametrize(
    "text", ["", "plain", "L’été à la plage, déjà vu — naïve.", "Это было «давно», да.", "我们谈论蜜蜂。"]
)
def test_sound_text_is_not_suspect(text):
    assert not detector.is_suspect(text)
