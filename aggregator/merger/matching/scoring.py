"""Weigh pairs of records: the kinds of evidence, and a table of log-odds for each of their levels.

Level 0 of every kind is "no evidence" and weighs nothing. The shipped table is for runs that are too small to fit their
own. Its weights, which stand beside the levels, were learned from 36 shows in 115 simulated directory listings, one
show on five hosts, one Japanese show (these two also reduced to titles, dates and lengths), songs of five catalogues
and papers of two (November 2026; the development sets of ``docs/matching.md``). Each show or catalogue counted for at
most 60 matches and 600 non-matches; levels that hardly occur have weights set by hand. Learned on half of the shows,
the table did as well on the other half. 10 % more or less of all weights of one kind, or of the prior, changes F1 on
the shows by less than .001 and precision not at all.
"""

from __future__ import annotations

import json

import numpy as np
from msgspec import Struct

from aggregator.merger.matching.evidence.date import DATE
from aggregator.merger.matching.evidence.ids import ID
from aggregator.merger.matching.evidence.length import LENGTH
from aggregator.merger.matching.evidence.levels import Level, Levels
from aggregator.merger.matching.evidence.number import DIGITS, NUMBER
from aggregator.merger.matching.evidence.part import PART, TAG
from aggregator.merger.matching.evidence.place import PLACE
from aggregator.merger.matching.evidence.text import TEXT
from aggregator.merger.matching.evidence.title import NAMES, TITLE
from aggregator.merger.matching.features.token_bags import Floats, Ints

KINDS = (ID, TITLE, NAMES, TEXT, LENGTH, DATE, NUMBER, TAG, DIGITS, PART, PLACE)
"""The kinds of evidence, in the order of the columns of levels, of stored tables and of explanations."""

SURE = 5.0  # natural log-odds from which a pair is sure: an equal title that each listing has once is enough
UNSEEN = -6.0  # natural log-odds of a pair that was no candidate: it shares no rare token, day, number or id

_COLUMN = {kind.levels: column for column, kind in enumerate(KINDS)}


class Compared(Struct, frozen=True):
    """Pairs of rows with the level of each kind of evidence, in the order of ``KINDS``."""

    left: Ints
    right: Ints
    levels: Levels

    def of(self, kind: type[Level]) -> Levels:
        """Return the levels of one kind of evidence: a view of ``levels``."""
        return self.levels[:, _COLUMN[kind]]


class Table(Struct, frozen=True):
    """Natural log-odds of each level, in the order of ``KINDS`` and its levels; the prior is added once."""

    version: str
    prior: float
    weights: tuple[tuple[float, ...], ...]

    def of(self, kind: type[Level]) -> Floats:
        """Return the weights of the levels of one kind of evidence."""
        return np.array(self.weights[_COLUMN[kind]], dtype=np.float32)

    def to_json(self) -> str:
        """Return the table as one line of JSON with sorted keys, levels by name."""
        named = {
            kind.name: {level.text: weight for level, weight in zip(kind.levels, row, strict=True)}
            for kind, row in zip(KINDS, self.weights, strict=True)
        }
        return json.dumps({"version": self.version, "prior": self.prior, "weights": named}, sort_keys=True)


SHIPPED = Table("shipped-4", -1.6, tuple(tuple(level.weight for level in kind.levels) for kind in KINDS))


def parse_table(text: str) -> Table:
    """Return the table that ``to_json`` wrote; levels that an earlier version did not have weigh as shipped."""
    read = json.loads(text)
    rows = tuple(
        tuple(float(read["weights"].get(kind.name, {}).get(level.text, level.weight)) for level in kind.levels)
        for kind in KINDS
    )
    return Table(str(read["version"]), float(read["prior"]), rows)


def weigh(table: Table, levels: Levels) -> Floats:
    """Return the weight of each pair: the prior and the sum over all kinds."""
    total = np.full(len(levels), table.prior, dtype=np.float32)
    for kind, column in zip(KINDS, levels.T, strict=True):
        total += table.of(kind.levels)[column]
    return total


def find_patterns(levels: Levels) -> tuple[Levels, Ints]:
    """Return the distinct rows of levels, and the number of that of each pair."""
    codes = np.zeros(len(levels), dtype=np.int64)
    for kind, column in zip(KINDS, levels.T, strict=True):
        codes = codes * len(kind.levels) + column
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    return levels[first], which
