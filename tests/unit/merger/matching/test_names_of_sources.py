"""What is compared does not depend on what sources are called."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.match import compare_entries
from aggregator.model.entry import Entry

WORDS = [
    f"{a}{b}{c}"
    for a in ("bar", "con", "del", "fra", "gum")
    for b in ("ta", "mo", "rik", "sel")
    for c in ("n", "st", "x", "ll", "d")
]


def draw(seed: int) -> list[Entry]:
    """Two listings of one show without dates, whose texts have many words that are equally rare."""
    chance = random.Random(seed)
    entries = []
    for number in range(60):
        title, text = chance.sample(WORDS, 3), chance.sample(WORDS, 14)
        entries.append(Entry("host", f"h{number}", " ".join(title), position=number, description=" ".join(text)))
        cut = " ".join(text[: chance.randint(5, 14)])
        entries.append(Entry("shelf", f"s{number}", " ".join(reversed(title)), position=number, description=cut))
    return entries


def list_pairs(entries: list[Entry]) -> dict[frozenset[str], object]:
    """The levels of the compared pairs, by the keys of the two entries."""
    found = compare_entries(entries)
    keys = [record.id.partition("/")[2] for record in found.frame.records]
    pairs = zip(found.compared.left.tolist(), found.compared.right.tolist(), strict=True)
    return {frozenset((keys[one], keys[other])): found.vetoes[at] for at, (one, other) in enumerate(pairs)}


@pytest.mark.parametrize("seed", range(6))
def test_a_source_under_another_name_is_compared_with_the_same_entries(seed: int) -> None:
    entries = draw(seed)
    named = {"host": "zebra", "shelf": "apple"}
    renamed = [replace(each, source=named[each.source]) for each in entries]
    assert list_pairs(renamed) == list_pairs(entries)
