"""Titles and their pieces: data, which this only walks; frames learned from listings."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aggregator.text.fold import fold
from aggregator.text.titles.titles import learn_frames, parse_title, strip_teaser

CASES = json.loads((Path(__file__).parent / "data" / "titles.json").read_text(encoding="utf-8"))
WORDS = ("Copper Kettle", "Winter Garden", "Harbour Lights", "Paper Boats")


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_pieces(case: dict[str, Any]) -> None:
    found = parse_title(case["title"], case.get("show", ""))._asdict()
    found = {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
    assert {name: found[name] for name in case["expect"]} == case["expect"]


@given(st.text(max_size=80))
def test_any_text_is_a_title_and_keeps_a_core_where_it_has_a_word(text: str) -> None:
    assert bool(parse_title(text).core) == bool(fold(" ".join(text.split())))


@given(st.text() | st.text("aZ0_ -.é̀İßǅ²Ⅷ’“½가が\u0345\u200d\x1c"))
@example("".join(map(chr, range(0x2190, 0x2300))) + "a↔b")
def test_folded_are_runs_of_letters_and_digits(text: str) -> None:
    marked = unicodedata.normalize("NFKD", text)
    plain = "".join(one for one in marked if not unicodedata.combining(one)).casefold()
    assert fold(text) == " ".join(re.findall(r"[^\W_]+", plain))


def test_a_frame_before_the_title_is_learned() -> None:
    frames = learn_frames([[f"New on the air: {title}" for title in WORDS]])
    assert parse_title("New on the air: Stone River", "", frames).core == "stone river"


def test_a_frame_behind_the_title_is_learned() -> None:
    frames = learn_frames([[f"{title} – listen now" for title in WORDS]])
    assert parse_title("Stone River – listen now", "", frames).core == "stone river"


def test_a_frame_that_counts_gives_its_number() -> None:
    frames = learn_frames([[f"Kettlecast {at} {title}" for at, title in enumerate(WORDS, 7)]])
    assert parse_title("Kettlecast 11 Stone River", "", frames)[:3] == ("stone river", None, (11,))


def test_a_frame_that_tells_titles_apart_is_kept() -> None:
    frames = learn_frames([[*WORDS, *(f"Inside: {title}" for title in WORDS)]])
    assert parse_title("Inside: Copper Kettle", "", frames).core == "inside copper kettle"


def test_a_frame_that_another_listing_needs_is_kept() -> None:
    frames = learn_frames([[f"Inside: {title}" for title in WORDS], [*WORDS, *(f"Inside: {title}" for title in WORDS)]])
    assert parse_title("Inside: Copper Kettle", "", frames).core == "inside copper kettle"


def test_parts_and_re_runs_are_no_frames() -> None:
    parts = learn_frames([[f"Part {at}: {title}" for at, title in enumerate(WORDS)]])
    replays = learn_frames([[f"Replay: {title}" for title in WORDS]])
    assert (parts.before, replays.before) == (frozenset(), frozenset())


def test_too_few_titles_teach_no_frame() -> None:
    assert learn_frames([["Hear this: bread", "Hear this: copper"]]).before == frozenset()


def test_a_teaser_is_no_title() -> None:
    text = "A new one is up. We look at the lids of kettles."
    assert strip_teaser("Copper Kettle: We look at the lids", text) == "Copper Kettle"
    assert strip_teaser("Copper Kettle: A History of Lids", text) == "Copper Kettle: A History of Lids"
    assert strip_teaser("77: We look at the lids", text) == "77: We look at the lids"


LETTERS = ("Your letters", "Eure Briefe", "お便り")


@pytest.mark.parametrize("weekly", LETTERS)
def test_a_weekly_title_under_two_frames_leaves_both_frames(weekly: str) -> None:
    blog = [f"Out now: {title}" for title in (*WORDS[:2], weekly)] + [f"We read: {title}" for title in WORDS[2:]]
    found = learn_frames([[*blog, f"We read: {weekly}"], [*WORDS, weekly, weekly]])
    assert found.before == {"out now", "we read"}


@pytest.mark.parametrize("single", LETTERS)
def test_a_title_that_none_repeats_is_told_apart_by_its_frames(single: str) -> None:
    blog = [f"Out now: {title}" for title in (*WORDS[:2], single)] + [f"We read: {title}" for title in WORDS[2:]]
    assert len(learn_frames([[*blog, f"We read: {single}"], [*WORDS, single]]).before) < len({"out now", "we read"})
