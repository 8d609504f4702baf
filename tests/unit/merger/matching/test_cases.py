"""Every rule of matching with what it must join and what it must keep apart: data files, which this only walks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aggregator.merger.matching.comparison import OTHER_SHOW, VETOES
from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import match_records
from tests.support.levels import LEVELS
from tests.support.paths import ROOT

DATA = Path(__file__).parent / "data" / "match"

# what decides beside the kinds of evidence; lists anew, decisions and pins need times and names that a line has not:
# test_adjustments_relisted.py, test_promises.py
RULES = {"doubt", "frames", "posts", "restamped", "rivals", "scope", "twins"}


def cases() -> Iterator[Any]:
    for path in sorted(DATA.glob("*.json")):
        rule = json.loads(path.read_text(encoding="utf-8"))
        for case in rule["cases"]:
            yield pytest.param(case, id=f"{rule['rule']}: {case['label']}")


@pytest.mark.parametrize("case", list(cases()))
def test_rule(case: dict[str, Any]) -> None:
    found = match_records(parse_records(case["records"]))
    ids = [record.id for record in found.frame.records]
    home = {ids[row]: number for number, group in enumerate(found.groups) for row in group}
    joined = {(left, right) for left, right in (*case["same"], *case["apart"]) if home[left] == home[right]}
    assert joined == {(left, right) for left, right in case["same"]}


def test_the_case_of_the_page_on_contributing_holds() -> None:
    (text,) = re.findall(r"```json\n(.*?)```", (ROOT / "docs/contributing.md").read_text(encoding="utf-8"), re.DOTALL)
    test_rule(json.loads(text))


def test_every_kind_of_evidence_has_cases_that_join_and_cases_that_part() -> None:
    rules = {path.stem: json.loads(path.read_text(encoding="utf-8"))["cases"] for path in DATA.glob("*.json")}
    assert {*LEVELS, *RULES} == set(rules)
    for found in rules.values():
        assert all(case["origin"] for case in found)
        assert any(case["same"] for case in found)
        assert any(case["apart"] for case in found)


def test_every_veto_stands_in_a_case_that_it_keeps_apart() -> None:
    met: set[str | None] = set()
    for case in cases():
        found = match_records(parse_records(case.values[0]["records"]))
        home = {row: number for number, group in enumerate(found.groups) for row in group}
        pairs = zip(found.compared.left.tolist(), found.compared.right.tolist(), found.vetoes.tolist(), strict=True)
        met |= {VETOES[veto] for left, right, veto in pairs if home[left] != home[right]}
    of_mixed_feeds = VETOES[OTHER_SHOW]  # its cases: tests/integration/refresh/test_mixed.py
    assert met | {of_mixed_feeds} == set(VETOES)
