"""Two published items are found to be one where the weights say so and nothing contradicts it; else they stay two."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from aggregator.merger.matching.clustering import _STRONG, Rules, cluster
from aggregator.merger.matching.constraints import find_mergeable
from aggregator.merger.matching.features.records import Record, parse_records
from aggregator.merger.matching.match import compare_records, match_records
from aggregator.merger.matching.scoring import SHIPPED, Table

CASES = json.loads((Path(__file__).parent / "data" / "redirected.json").read_text(encoding="utf-8"))
PINS = {"left": "older", "right": "younger"}


def sides(case: dict[str, dict[str, str]]) -> list[Record]:
    return list(parse_records([{"id": side, "source": side, **case[side]} for side in ("left", "right")]))


def balanced(pair: list[Record], weight: float) -> Table:
    """The shipped table with the prior at which the two weigh so much, whatever else speaks for and against them."""
    found = match_records(pair, SHIPPED)
    return replace(SHIPPED, prior=SHIPPED.prior + weight - float((found.weights + found.competition)[0]))


def one(pair: list[Record], weight: float, pins: dict[str, str]) -> bool:
    return len(match_records(pair, balanced(pair, weight), pins=pins).groups) == 1


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_nothing_may_contradict_what_weighs_little(case: dict[str, dict[str, str]]) -> None:
    pair = sides(case)
    assert one(pair, 1.5, {})
    assert one(pair, 1.5, PINS) == case["one"]
    assert one(pair, 1.0 + _STRONG + 0.1, PINS)


def test_there_are_cases_for_and_against() -> None:
    assert {case["one"] for case in CASES} == {True, False}
    assert all(case["origin"] for case in CASES)


@pytest.mark.parametrize(("weight", "said", "joined"), [(-0.9, True, True), (-1.2, True, False), (-0.9, False, False)])
def test_what_would_be_let_go_is_not_joined(weight: float, said: bool, joined: bool) -> None:  # noqa: FBT001
    """A third row fits one of two that were published together, by 1.1, and the other less."""
    alike = frozenset({("older", "younger")} if said else set())
    rules = Rules((0, 1, 2), (0,) * 3, (0,) * 3, (0,) * 3, ((0, 1),), guid={0: "younger", 1: "younger", 2: "older"})
    edges = [(1.1, 0, 2), (weight, 1, 2)]
    assert len(cluster(3, edges, replace(rules, alike=alike), 1.0)) == (1 if joined else 2)


def test_all_promises_of_two_clusters_must_be_alike() -> None:
    rules = Rules((0, 1, 2), (0,) * 3, (0,) * 3, (0,) * 3, guid={0: "a", 1: "b", 2: "c"})
    edges = [(3.0, 0, 1), (1.5, 0, 2), (1.5, 1, 2)]
    some = frozenset({("a", "b"), ("a", "c")})
    assert cluster(3, edges, replace(rules, alike=some), 1.0) == ((0, 1), (2,))
    assert cluster(3, edges, replace(rules, alike=some | {("b", "c")}), 1.0) == ((0, 1, 2),)


def test_a_promise_that_today_lies_in_two_clusters_is_joined_to_none() -> None:
    """Its entries fit two items: which of them it is stays open."""
    first, second = sides(CASES[0])
    far = replace(first, id="far", source="far", title="Knots")
    table = balanced([first, second], 1.5)
    whole = match_records([first, second, far], table, pins=PINS)
    assert len(whole.groups) == 2
    torn = match_records([first, second, far], table, pins={**PINS, "far": "older"})
    assert {len(group) for group in torn.groups} == {2, 1}
    assert torn.frame.records[torn.groups[-1][0]].id == "right"


def test_only_promises_that_one_group_holds_whole_are_alike() -> None:
    pair = compare_records([*sides(CASES[0]), replace(sides(CASES[0])[0], id="zero", source="zero")])
    found = pair.frame, (pair.compared, np.zeros(len(pair.compared.left), dtype=np.bool_))
    whole = find_mergeable(found[0], {0: "a", 1: "b", 2: "a"}, ((0, 1, 2),), found[1])
    torn = find_mergeable(found[0], {0: "a", 1: "b", 2: "a"}, ((0, 1), (2,)), found[1])
    assert (whole, torn) == ({("a", "b")}, frozenset())


def test_other_promises_in_other_items_are_left_alone() -> None:
    pair = sides(CASES[0])
    other = [replace(each, id=f"{each.id} 2", title=f"Knots{each.title[len('Anchors away') :]}") for each in pair]
    pins = {**PINS, "left 2": "third", "right 2": "fourth"}
    table = balanced(pair, 1.5)
    found = match_records([*pair, *other], table, pins=pins)
    names = {frozenset(found.frame.records[row].id for row in group) for group in found.groups}
    assert names == {frozenset({"left", "right"}), frozenset({"left 2", "right 2"})}
