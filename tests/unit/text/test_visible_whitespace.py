"""A person who asks what a repair changed can tell before from after, whatever blanks and signs it was about."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from aggregator.merger.repair.fixers import repair_text
from aggregator.text import visible_whitespace

LETTERS = st.text(st.sampled_from("ab é\u0301 \u00a0\t\n\r\u00ad\u200b\u2060\ufeff\u2028<U+"), max_size=8)


@given(LETTERS, LETTERS)
def test_two_texts_that_look_alike_are_told_apart(before: str, after: str) -> None:
    left, right = visible_whitespace.show_difference(before, after)
    assert (left == right) == (before == after)
    if (left, right) != (before, after):
        assert all(unicodedata.category(each)[0] not in "ZC" for each in left + right)


@given(st.text(max_size=20), st.text(max_size=20))
def test_what_looks_different_is_shown_as_it_is(before: str, after: str) -> None:
    left, right = visible_whitespace.show_difference("x" + before, "y" + after)
    assert (left, right) == ("x" + before, "y" + after)


def test_every_change_of_blanks_can_be_seen() -> None:
    mended = repair_text(" Hats,\u00a0 and co\u00adats \u200bfor all ")
    assert mended.changes
    for change in mended.changes:
        left, right = visible_whitespace.show_difference(change.before, change.after)
        assert " ".join(left.split()) != " ".join(right.split())
