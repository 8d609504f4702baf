from __future__ import annotations

import pytest
from ftfy.badness import MOJIBAKE_CATEGORIES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aggregator.text.mojibake import byte_sequences
from aggregator.text.mojibake.redecode import count_oddities

LETTERS = st.one_of(st.sampled_from("".join(MOJIBAKE_CATEGORIES.values())), st.sampled_from("abZ .,?!'\n1\u0430\u4e2d"))
CALM = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


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
def test_sound_text_has_no_oddities(text):
    assert not count_oddities(text)
