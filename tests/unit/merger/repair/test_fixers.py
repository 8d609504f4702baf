from __future__ import annotations

import json
from pathlib import Path

import pytest

from aggregator.merger.repair.fixers import find_change, repair_text

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "mend_cases.jsonl").read_text().splitlines()]
SOUND = (Path(__file__).parent / "data" / "sound_texts.txt").read_text().splitlines()


def test_sound_texts_of_many_languages_stay_as_they_are():
    """Names, capitals, code, paths, formulas, drawings, phonetic and old spellings: one copy, nothing to repair."""
    changed = {text: mended for text in SOUND if (mended := repair_text(text).text) != text}
    assert not changed


def test_an_italian_letter_in_small_mojibake_is_no_rare_chinese_character():
    assert "㬠" not in repair_text("Lo dirã² cosã¬\u00a0lontano, ma perchã©").text


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_each_case_comes_out_as_written(case):
    mended = repair_text(case["before"])
    assert (case["after"], case.get("cut", False)) == (mended.text, mended.cut)


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_mending_twice_is_mending_once(case):
    once = repair_text(case["before"])
    twice = repair_text(once.text, cut=once.cut)
    assert (once.text, once.cut, ()) == (twice.text, twice.cut, twice.changes)


def test_a_known_cut_loses_its_dots_and_the_torn_word():
    assert repair_text("down with the grap...", cut=True)[:2] == ("down with the", True)
    assert repair_text("higher order functions ...", cut=True)[:2] == ("higher order functions", True)


def test_changes_name_their_cause():
    assert [change.cause for change in repair_text("A\\_B is **so** bold").changes] == ["escape", "bold"]


def test_a_passage_is_what_changed():
    assert find_change("one twwo three", "one two three") == ("w", "")
    assert find_change("", "x") == ("", "x")
