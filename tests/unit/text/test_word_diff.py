"""Texts of any length are compared within bounds."""

from __future__ import annotations

import subprocess
import sys

LONG = """
import random, resource
from aggregator.text import word_diff
chance = random.Random(5)
before, after = (" ".join(chance.choices("abcdefghij", k=100_000)) for _ in range(2))
resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))
pieces = list(word_diff.mark_words(before, after, around=100_000))
kept = [text.strip("[]{}+-") if word != "same" else text for word, text in pieces if word != "removed"]
assert " ".join(kept) == after
"""


def test_long_texts_take_little_memory() -> None:
    result = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
