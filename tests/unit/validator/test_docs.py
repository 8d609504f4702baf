"""docs/output.md says what the code does: its table of rules is the code's, and the tests it names are there."""

from __future__ import annotations

import re

from aggregator.validator.examine import RULES
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "output.md").read_text("utf-8")


def test_the_table_of_rules_is_the_code_s() -> None:
    told = re.findall(r"^\| `([a-z-]+)` \| ([MSi]) \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert [(rule.name, rule.severity, rule.text, rule.specification) for rule in RULES] == told


def test_what_it_names_is_there() -> None:
    named = re.findall(r"`((?:tests|generator)/[\w/]+\.(?:py|json|xml))`", PAGE)
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists() and not (ROOT / "aggregator" / path).exists()] == []
