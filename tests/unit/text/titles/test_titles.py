"""Titles and their pieces: data, which this only walks."""

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
from aggregator.text.titles.titles import parse_title, strip_teaser

CASES = json.loads((Path(__file__).parent / "data" / "titles.json").read_text(encoding="utf-8"))


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


def test_a_teaser_is_no_title() -> None:
    text = "A new one is up. We look at the lids of kettles."
    assert strip_teaser("Copper Kettle: We look at the lids", text) == "Copper Kettle"
    assert strip_teaser("Copper Kettle: A History of Lids", text) == "Copper Kettle: A History of Lids"
    assert strip_teaser("77: We look at the lids", text) == "77: We look at the lids"
