"""Which pairs are compared at all: what is no candidate can never be found to be one."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.merger.matching.blocking import find_candidates
from aggregator.merger.matching.features.feature_table import build_frame
from aggregator.merger.matching.features.records import Record

OPENING = "Winter came early to the harbour that year and the pilots stayed ashore with their lamps unlit."
REST = "Sextants, chronometers, almanacs, parallel rulers and brass dividers lay in their boxes until spring returned."


def pairs(*records: Record) -> set[tuple[str, str]]:
    """The ids of the candidates."""
    frame = build_frame(records)
    lower, higher, _ = find_candidates(frame)
    names = [record.id for record in frame.records]
    return {(names[left], names[right]) for left, right in zip(lower, higher, strict=True)}


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


WORDS = (
    *("almanac", "buoy", "capstan", "dinghy", "estuary", "fender", "gangway"),
    *("hawser", "isthmus", "jetty", "keel", "lagoon", "mooring"),
)


def draw_record(chance: Random, at: int) -> Record:
    """A record of words that few or many have, so that blocks of each kind are near to their limits."""
    words = chance.choices(WORDS, weights=range(1, len(WORDS) + 1), k=3)
    text = " ".join(chance.choices(WORDS, k=9)) + f" {chance.randint(0, 60)}."
    title = chance.choice(("Tides", "Tides", " ".join(words), f"Tides {chance.randint(1, 9)}"))
    return Record(
        f"{at:04}",
        chance.choice("abc"),
        title,
        day=738_000 + chance.randint(0, 9),
        description=chance.choice((None, text)),
    )


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**9).map(Random))
def test_entries_that_came_since_take_no_pair_from_others(chance: Random) -> None:
    """A block that they make too large, or a word that they make too frequent, was small and rare when learned from."""
    before = [draw_record(chance, at) for at in range(chance.randint(50, 220))]
    new = [replace(draw_record(chance, len(before) + at), fresh=True) for at in range(1 + len(before) // 20)]
    assert pairs(*before) <= pairs(*before, *new)


def test_the_eighty_first_entry_of_a_title_is_compared_with_all_others() -> None:
    before = [Record(f"{at:02}", f"source-{at}", "Tides") for at in range(80)]
    new = Record("new", "other", "Tides", fresh=True)
    assert len(pairs(*before)) == len(pairs(*before, new)) - 80
    assert pairs(*before, replace(new, fresh=False)) == set()
