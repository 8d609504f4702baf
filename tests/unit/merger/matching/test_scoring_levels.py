"""Every level of the table of weights with a case that it decides and a case in which other evidence is stronger."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.explain import Resolution
from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED, Table
from tests.support.levels import KINDS, LEVELS

DATA = Path(__file__).parent / "data" / "levels"

# different parts are never one: a veto, whatever the level weighs (data/match/part.json)
VETOED = {("part", "conflict")}


def cases() -> Iterator[Any]:
    for path in sorted(DATA.glob("*.json")):
        rule = json.loads(path.read_text(encoding="utf-8"))
        for case in rule["cases"]:
            yield pytest.param(rule["rule"], case, id=f"{rule['rule']} {case['label']}")


def without(kind: str, level: str) -> Table:
    """The shipped table in which one level weighs nothing."""
    rows = [
        [0.0 if (name, step) == (kind, level) else weight for step, weight in zip(LEVELS[name], row, strict=True)]
        for name, row in zip(KINDS, SHIPPED.weights, strict=True)
    ]
    return replace(SHIPPED, weights=tuple(map(tuple, rows)))


def joined(found: Resolution) -> bool:
    """Whether the records a and b of a case are one."""
    groups = [{found.frame.records[row].id for row in group} for group in found.groups]
    return any({"a", "b"} <= group for group in groups)


def reached(found: Resolution, kind: str) -> str:
    """The level that the records a and b reach in one kind of evidence."""
    ids = [record.id for record in found.frame.records]
    pairs = zip(found.compared.left.tolist(), found.compared.right.tolist(), strict=True)
    at = next(at for at, (left, right) in enumerate(pairs) if {ids[left], ids[right]} == {"a", "b"})
    return LEVELS[kind][found.compared.levels[at, KINDS.index(kind)]]


@pytest.mark.parametrize(("kind", "case"), list(cases()))
def test_level(kind: str, case: dict[str, Any]) -> None:
    lines = parse_records(case["records"])
    found = match_records(lines, SHIPPED)
    assert reached(found, kind) == case["level"]
    assert joined(found) == bool(case["same"])
    if case["decides"]:
        assert joined(match_records(lines, without(kind, case["level"]))) != bool(case["same"])


def test_every_level_of_the_table_has_a_case_either_way() -> None:
    met = {(kind, case["level"], bool(case["same"])) for kind, case in (each.values for each in cases())}
    decided = {(kind, case["level"]) for kind, case in (each.values for each in cases()) if case["decides"]}
    levels = {(kind, level) for kind, names in LEVELS.items() for level in names[1:]} - VETOED
    assert met == {(*level, one) for level in levels for one in (True, False)}
    assert decided == levels
    assert all(case.values[1]["origin"] for case in cases())
