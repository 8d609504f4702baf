from __future__ import annotations

import re

from aggregator.merger.matching.wording import describe_level
from tests.support.levels import LEVELS


def test_every_level_of_evidence_is_described_in_words() -> None:
    described = {describe_level(kind, level) for kind, levels in LEVELS.items() for level in levels if level != "none"}
    assert not [words for words in described if not words or re.search(r"(?:^|\s)\.\d|precise|minutes, ", words)]
