from __future__ import annotations

import json
from pathlib import Path

import pytest

from aggregator.merger.repair.fixers import mend, passage

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "mend_cases.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_each_case_comes_out_as_written(case):
    mended = mend(case["before"])
    assert (case["after"], case.get("cut", False)) == (mended.text, mended.cut)


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_mending_twice_is_mending_once(case):
    once = mend(case["before"])
    twice = mend(once.text, cut=once.cut)
    assert (once.text, once.cut, ()) == (twice.text, twice.cut, twice.changes)


def test_a_known_cut_loses_its_dots_and_the_torn_word():
    assert mend("down with the grap...", cut=True)[:2] == ("down with the", True)
    assert mend("higher order functions ...", cut=True)[:2] == ("higher order functions", True)


def test_changes_name_their_cause():
    assert [change.cause for change in mend("A\\_B is **so** bold").changes] == ["escape", "bold"]


def test_a_passage_is_what_changed():
    assert passage("one twwo three", "one two three") == ("w", "")
    assert passage("", "x") == ("", "x")
