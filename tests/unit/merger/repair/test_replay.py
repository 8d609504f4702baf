"""Every change is kept with the name of its fixer: the fixers named, in that order, make the same text again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aggregator.merger.repair.fixers import _PASSAGE, FIXERS, RepairedText, find_change, repair_text
from aggregator.text import truncation

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "mend_cases.jsonl").read_text().splitlines()]
PIECES = [
    "Ã©",
    "â€œ",
    "&amp;",
    "<p>",
    "a\\_b\\*",
    "**so**",
    "- ",
    "de-\nvel",
    "\u00ad",
    "\u00a0",
    "Pythоn ",
    "  ",
    "...",
    ".",
]
PIECES += [" Show More", " 17 min", "[(https://x.org/", "word ", "\ufffd", "台"]


def replayed(text: str, mended: RepairedText, *, known: bool) -> str:
    """What the named fixers make of a text, one after the other; each must do what its change says."""
    fixers = dict(FIXERS)
    for change in mended.changes:
        after = _uncut(text, known=known) if change.cause == "cut" else fixers[change.cause](text)
        assert tuple(change[1:]) == find_change(text, after)
        text = after
    return text


def _uncut(text: str, *, known: bool) -> str:
    uncut = truncation.strip_cut_mark(text, known=known)
    return truncation.strip_torn_word(uncut.text) if uncut.torn else uncut.text


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_the_changes_of_a_case_can_be_replayed(case):
    mended = repair_text(case["before"])
    assert replayed(case["before"], mended, known=mended.cut) == mended.text
    assert (mended.text == case["before"]) == (not mended.changes)


CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@CALM
@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.booleans())
def test_the_changes_of_any_text_can_be_replayed(text, cut):
    mended = repair_text(text, cut=cut)
    assert replayed(text, mended, known=mended.cut) == mended.text


def test_a_change_quotes_a_passage_of_bounded_length():
    (change,) = repair_text("a\u00ad" * 500 + ".").changes
    assert (change.cause, len(change.before), len(change.after)) == ("invisible", _PASSAGE, _PASSAGE)
