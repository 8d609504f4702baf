from __future__ import annotations

from array import array
from itertools import product
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aggregator.merger.matching.comparison import compare
from aggregator.merger.matching.features.feature_table import build_frame
from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.features.token_bags import (
    make_bags,
    make_group,
    measure_rarity,
    pack_bags,
    sum_shared,
    weigh_bags,
)
from aggregator.merger.matching.scoring import SHIPPED, parse_table, weigh
from tests.support.levels import KINDS, LEVELS


def levels(left: dict[str, object], right: dict[str, object]) -> dict[str, str]:
    """The levels of two records by name, those without evidence left out."""
    one, other = (
        Record(**{"id": name, "source": name, "title": name, **values})  # type: ignore[arg-type]  # by name
        for name, values in (("a", left), ("b", right))
    )
    found = compare(build_frame([one, other]), np.array([0]), np.array([1])).levels[0]
    return {kind: LEVELS[kind][level] for kind, level in zip(KINDS, found.tolist(), strict=True) if level}


def test_absent_is_no_evidence() -> None:
    assert set(levels({"day": 7, "seconds": 9, "season": 2}, {})) == {"title", "tag"}


def test_durations_by_their_grain() -> None:
    def told(one: int, other: int, step: int = 1) -> str:
        return levels({"seconds": one}, {"seconds": other, "step": step})["duration"]

    assert told(1000, 1002) == "precise, 2 s"
    assert told(1000, 1012) == "precise, 15 s"
    assert told(1000, 1090) == "precise, 90 s or 2 %"
    assert told(10_000, 10_190) == "precise, 90 s or 2 %"
    assert told(1000, 1095) == "precise, more"
    assert told(1000, 1060, 60) == "minutes, 60 s"
    assert told(1000, 1200, 60) == "minutes, 240 s"
    assert told(1000, 1300, 60) == "minutes, more"


def test_dates_by_their_precision() -> None:
    def told(one: int, other: int) -> str:
        return levels({"day": one, "year": 2024}, {"day": other, "year": 2024})["date"]

    days = (7, 8, 10, 11, 38, 39, 373, 374)
    expected = ("same day", "next day", "2 or 3 days", "31 days", "31 days", "a year", "a year", "more")
    assert tuple(told(7, day) for day in days) == expected
    assert levels({"day": 7, "year": 2024}, {"year": 2023})["date"] == "next year"
    assert levels({"year": 2020}, {"year": 2023})["date"] == "years apart"


def test_numbers_by_their_season() -> None:
    def told(one: int | None, other: int | None, number: int = 4) -> str:
        return levels({"season": one, "numbers": (4, 9)}, {"season": other, "numbers": (number,)})["number"]

    assert told(1, 1) == "equal, same season"
    assert told(1, None) == "equal"
    assert told(1, 2) == "equal, other season"
    assert told(1, 1, 5) == "different"


def test_parts_and_tags() -> None:
    assert levels({"title": "Way (Part 1)"}, {"title": "Way (Part 2)"})["part"] == "conflict"
    assert levels({"title": "Way (Part 1)"}, {"title": "Way"})["part"] == "one has"
    assert levels({"title": "Way (Part 1)"}, {"title": "Way Pt. I"})["part"] == "equal"
    assert levels({"title": "Replay: Way"}, {"title": "Way"})["tag"] == "different"


def test_digits_that_are_numbers_elsewhere_agree() -> None:
    assert levels({"title": "Way 12 on"}, {"title": "Way on", "numbers": (12,)})["digits"] == "equal"
    assert levels({"title": "Way 12 on"}, {"title": "Way on"})["digits"] == "one has more"
    assert levels({"title": "Way 12 on"}, {"title": "Way 13 on"})["digits"] == "conflict"
    assert levels({"title": "Race 1 of day 1"}, {"title": "Race 1 of day 2"})["digits"] == "conflict"
    assert levels({"title": "Race 1 of day 1"}, {"title": "Race 1 on day 1"})["digits"] == "equal"


def test_a_title_that_goes_on() -> None:
    long = "Workshop on copper kettles, held in a harbour workspace"
    assert levels({"title": "Workshop on copper kettles"}, {"title": long})["title"] == "begins the other"
    found = levels({"title": "Workshop on copper"}, {"title": "Workshop on copper 2"})
    assert found["digits"] == "one has more"


def test_a_title_that_goes_on_with_a_number_or_after_little_is_another() -> None:
    found = levels({"title": "Workshop on copper"}, {"title": "Workshop on copper 2 in a harbour workspace"})
    assert found["digits"] == "one has more"
    assert levels({"title": "Rope work"}, {"title": "Rope work and what comes of it"})["title"] != "begins the other"


def test_a_title_without_a_word_says_nothing() -> None:
    assert "title" not in levels({"title": "447", "day": 7}, {"title": "Rope work", "day": 7})


def among(others: list[Record], left: Record, right: Record) -> dict[str, str]:
    """The levels of two records that stand among others."""
    frame = build_frame([left, right, *others])
    rows = [next(at for at, record in enumerate(frame.records) if record.id == each.id) for each in (left, right)]
    found = compare(frame, np.array(rows[:1]), np.array(rows[1:])).levels[0]
    return {kind: LEVELS[kind][level] for kind, level in zip(KINDS, found.tolist(), strict=True) if level}


GUESTS = [
    Record("x1", "x", "Bees on the roof", author="Marta Oduya"),
    Record("x2", "x", "Night trains", author="Pavel Winkelmann"),
    Record("y1", "y", "Salt and smoke", author="Greta Lindqvist"),
    Record("y2", "y", "How glaciers sing", author="Tomas Ferreira"),
]


def test_names_are_not_looked_for_under_another_title() -> None:
    told = Record("a", "x", "Lenses by hand", author="Ilka Brandstetter")
    assert "names" not in among(GUESTS, told, Record("b", "y", "Die Schleiferei", author="Ilka Brandstetter"))


def test_what_bags_share() -> None:
    bags = make_bags([["a", "b"], ["b", "c", "b"], []])
    left, right = np.array([0, 0, 1, 2]), np.array([1, 2, 1, 0])
    assert sum_shared((bags,), bags, left, right).tolist() == [1.0, 0.0, 2.0, 0.0]


BAGS = st.sets(st.integers(0, 9)).map(lambda found: array("i", found))


@given(st.lists(BAGS, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_pairs_in_any_order_have_the_weight_of_what_both_rows_share(rows: list[array[int]], shuffled: Random) -> None:
    plain = pack_bags(rows, 10)
    group = make_group(np.arange(len(rows)) % 2, np.zeros(len(rows), dtype=np.bool_))
    rare = weigh_bags(plain, [measure_rarity([plain], group)])
    pairs = list(product(range(len(rows)), repeat=2))
    shuffled.shuffle(pairs)
    left, right = np.array(pairs).T
    assert sum_shared((plain,), plain, left, right).tolist() == [len({*rows[a]} & {*rows[b]}) for a, b in pairs]
    order = np.lexsort((right, left))
    assert np.array_equal(
        sum_shared((rare, plain), rare, left, right)[order], sum_shared((rare, plain), rare, left[order], right[order])
    )


def test_the_shipped_table_fits_the_levels_and_its_json() -> None:
    assert [len(row) for row in SHIPPED.weights] == [len(names) for names in LEVELS.values()]
    assert all(row[0] == 0 for row in SHIPPED.weights)
    assert parse_table(SHIPPED.to_json()) == SHIPPED


def test_weights_are_the_prior_and_the_sum() -> None:
    nothing = np.zeros((1, len(KINDS)), dtype=np.int8)
    assert weigh(SHIPPED, nothing).tolist() == [np.float32(SHIPPED.prior)]
