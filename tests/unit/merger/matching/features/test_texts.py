"""Words and sentences of texts, and what is kept of them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.features.texts import TextBags, make_text_bags
from aggregator.merger.matching.features.token_bags import (
    Bags,
    find_first,
    make_group,
    measure_rarity,
    pack_bags,
    weigh_bags,
)

SENTENCES = (
    "Two pilots describe the reef.",
    "Nora repairs a brass clock!",
    "Write to us at https://quay.example/x and say hello\n",
    "Ещё раз о маяках и туманах.",
    "Short one.",
    "…",
    "",
)
TEXT = st.none() | st.lists(st.sampled_from(SENTENCES), max_size=4).map(" ".join)
ROWS = st.lists(st.tuples(st.sampled_from("abc"), TEXT, TEXT), max_size=10)


def make_rows(given_rows: Sequence[tuple[str, str | None, str | None]]) -> list[Record]:
    return [
        Record(f"{at}", source, "x", description=long, summary=short)
        for at, (source, long, short) in enumerate(given_rows)
    ]


def make_bags(rows: Sequence[Record], kept: bytes | None = None) -> TextBags:
    source = np.array(["abc".index(row.source) for row in rows], dtype=np.int64)
    group = make_group(np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.bool_))
    return make_text_bags(rows, source, (group,), kept)


def list_sizes(bags: Bags) -> list[int]:
    return bags.sizes.tolist()


def are_equal(one: TextBags, other: TextBags) -> bool:
    """Whether all that is compared is the same, the numbers of the words included."""
    return one.said == other.said and all(
        np.array_equal(getattr(each, name), getattr(theirs, name))
        for each, theirs in zip(one[:3], other[:3], strict=True)
        for name in Bags.__struct_fields__
    )


@settings(deadline=None, max_examples=60)
@given(st.lists(ROWS, min_size=2, max_size=4))
def test_texts_with_what_was_kept_are_those_without(history: list[list[tuple[str, str | None, str | None]]]) -> None:
    kept = b""
    for each in history:
        rows = make_rows(each)
        found = make_bags(rows, kept)
        assert are_equal(found, make_bags(rows))
        kept = kept if found.kept is None else found.kept
        assert make_bags(rows, kept).kept is None


def test_what_is_kept_forgets_texts_that_are_gone() -> None:
    rows = make_rows([("a", SENTENCES[0], None), ("a", SENTENCES[1], None)])
    before = make_bags(rows, b"").kept
    assert before
    after = make_bags([*rows[:1], *make_rows([("b", SENTENCES[3], None)])], before).kept
    assert after
    assert b"pilots" in after
    assert b"brass" not in after


@pytest.mark.parametrize(
    ("sources", "words"),
    [("aaa", [3, 3, 3]), ("aab", [8, 8, 8])],
    ids=["a listing repeats it", "a listing has it twice"],
)
def test_a_sentence_that_a_listing_repeats_is_left_out(sources: str, words: list[int]) -> None:
    habit = "Nora repairs a brass clock."
    said = [f"{own} {habit}" for own in ("Fog over Oslo.", "Ice near Bergen.", "Rain in Turku.")]
    assert list_sizes(make_bags(make_rows([*zip(sources, said, [None] * 3, strict=True)])).descriptions) == words


def test_a_text_of_repeated_sentences_alone_keeps_them() -> None:
    assert list_sizes(make_bags(make_rows([("a", SENTENCES[0], None)] * 3)).descriptions) == [5, 5, 5]


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ((SENTENCES[0], SENTENCES[1]), [1, 1]),
        ((SENTENCES[0], SENTENCES[0]), [0, 0]),
        ((SENTENCES[0], "Short one."), [1, 0]),
    ],
    ids=["each its own", "both the same", "too short"],
)
def test_a_sentence_of_several_words_that_a_source_has_once_is_its_own(said: tuple[str, str], own: list[int]) -> None:
    rows = make_rows([("a", said[0], said[0]), ("a", None, said[1]), ("b", said[0], None)])
    assert list_sizes(make_bags(rows).sentences)[:2] == own


def test_features_of_many_rows_are_found_at_their_first_place() -> None:
    owners = np.repeat(np.arange(500), 4)
    features = np.tile(np.array([70_000, 3, 70_000, 3]), 500)
    assert find_first(owners, features, 70_001).tolist() == [True, True, False, False] * 500


@pytest.mark.parametrize("shows", [2, 3000], ids=["few groups, looked up", "many groups, searched"])
def test_a_word_is_as_rare_as_few_rows_of_its_group_have_it(shows: int) -> None:
    rows = [array("i", each) for each in ([0, 1], [0], [0], [0], [0], [0], [0, 999])] * shows
    bags = pack_bags(rows, 1000)
    group = make_group(np.repeat(np.arange(shows), 7), np.array([*[False] * 6, True] * shows))
    weights = weigh_bags(bags, [measure_rarity([bags], group)]).weights.reshape(shows, -1)
    common, rare = np.log(7 / 6), np.log(7 / 1)
    assert np.allclose(weights, [common, rare, *[common] * 6, rare])


@pytest.mark.parametrize(("fresh", "learned"), [(1, 6), (2, 8)], ids=["a few", "a fifth"])
def test_a_group_that_grew_by_a_fifth_counts_its_new_rows(fresh: int, learned: int) -> None:
    group = make_group(np.zeros(6 + fresh, dtype=np.int64), np.array([*[False] * 6, *[True] * fresh]))
    assert group.sizes.tolist() == [learned]
