"""Which pairs are compared at all: what is no candidate can never be found to be one."""

from __future__ import annotations

import pytest

from aggregator.merger.matching.blocking import find_candidates
from aggregator.merger.matching.features.feature_table import build_frame
from aggregator.merger.matching.features.records import Record

OPENING = "Winter came early to the harbour that year and the pilots stayed ashore with their lamps unlit."
REST = "Sextants, chronometers, almanacs, parallel rulers and brass dividers lay in their boxes until spring returned."


def pairs(*records: Record) -> set[tuple[str, str]]:
    """The ids of the find_candidates."""
    frame = build_frame(records)
    found = find_candidates(frame)
    names = [record.id for record in frame.records]
    return {(names[left], names[right]) for left, right in zip(found.left, found.right, strict=True)}


def test_a_cut_copy_meets_whole_ones_whose_rarest_words_it_lost() -> None:
    whole = [
        Record(f"w{at}", f"source-{at}", title, description=f"{OPENING} {REST}")
        for at, title in enumerate(("Lamps", "Quay", "Frost"))
    ]
    short = Record("x", "cutter", "Nightfall", description=OPENING)
    others = [
        Record(f"o{at}", "other", f"Title{at}", description=OPENING.replace("early", f"late{at}")) for at in range(9)
    ]
    assert ("w0", "x") in pairs(*whole, short, *others)


def test_another_opening_and_no_rare_word_is_no_candidate() -> None:
    one = Record("a", "x", "Lamps", description=OPENING)
    other = Record("b", "y", "Nightfall", description="Roads across hills remained closed again.")
    assert pairs(one, other) == set()


def test_a_summary_is_found_by_its_words_too() -> None:
    one = Record("a", "x", "Lamps", description="Nothing in common with anything.", summary=OPENING)
    assert pairs(one, Record("b", "y", "Nightfall", description=f"{OPENING} {REST}")) == {("a", "b")}


@pytest.mark.parametrize("day", [738_000, 738_001])
def test_what_has_only_the_day_or_the_next_in_common_is_compared(day: int) -> None:
    one = Record("a", "x", "Lamps", day=day)
    assert pairs(one, Record("b", "y", "Nightfall", day=day)) == {("a", "b")}
    assert pairs(one, Record("b", "y", "Nightfall", day=day + 1)) == {("a", "b")}
    assert pairs(one, Record("b", "y", "Nightfall", day=day + 2)) == set()
