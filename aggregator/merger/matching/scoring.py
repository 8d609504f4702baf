"""Weigh pairs of records: the levels of agreement of each kind of evidence, and a table of log-odds for each level.

Level 0 of every kind is "no evidence" and weighs nothing. The shipped table is for runs that are too small to fit their
own. Its weights were learned from 36 shows in 115 simulated directory listings, one show on five hosts, one Japanese
show (these two also reduced to titles, dates and lengths), songs of five catalogues and papers of two (November 2026;
the development sets of ``docs/matching.md``). Each show or catalogue counted for at most 60 matches and 600
non-matches; levels that hardly occur have weights set by hand. The weights of order come from the pairs of simulated
listings that all other evidence leaves open. Learned on half of the shows, the table did as well on the other half.
10 % more or less of all weights of one kind, or of the prior, changes F1 on the shows by less than .001 and precision
not at all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from aggregator.merger.matching.features.token_bags import Bools, Floats

Levels = NDArray[np.int8]

LEVELS: dict[str, tuple[str, ...]] = {
    "id": ("none", "equal"),
    "title": (
        *("none", "below .2", ".2 to .3", ".3 to .4", ".4 to .5", ".5 to .6", ".6 to .7", ".7 to .8", ".8 to .9"),
        *("above .9", "begins the other", "equal, more often", "equal, 2 or 3 times", "equal, in a source once"),
    ),
    "names": ("none", "below .2", ".2 to .4", ".4 to .6", ".6 to .8", ".8 to .95", "above .95"),
    "description": (
        "none",
        "below .3",
        ".3 to .5",
        ".5 to .7",
        ".7 to .9",
        "above .9",
        "above .9 of many words",
        "a sentence of its own",
    ),
    "duration": (
        *("none", "precise, 2 s", "precise, 15 s", "precise, 90 s or 2 %", "precise, more"),
        *("minutes, 60 s", "minutes, 240 s", "minutes, more"),
    ),
    "date": (
        *("none", "same day", "next day", "2 or 3 days", "31 days", "a year", "more"),
        *("same year", "next year", "years apart"),
    ),
    "number": ("none", "equal, same season", "equal", "equal, other season", "different"),
    "tag": ("none", "same", "different"),
    "digits": ("none", "equal", "one has more", "conflict", "a code of its own"),
    "part": ("none", "equal", "one has", "conflict", "another word"),
    "order": (
        *("none", "elsewhere", "between the same items", "one of few between the same items"),
        *("alone between the same items", "same place in a series of one title"),
    ),
}
KINDS = tuple(LEVELS)
ELSEWHERE = LEVELS["order"].index("elsewhere")
SAME_PLACE = LEVELS["order"].index("same place in a series of one title")

SURE = 5.0  # natural log-odds from which a pair is sure: an equal title that each listing has once is enough
UNSEEN = -6.0  # natural log-odds of a pair that was no candidate: it shares no rare token, day, number or id

_HARD = 20.0  # natural log-odds of an equal hard id: more than all other evidence except a veto


class Table(Struct, frozen=True):
    """Natural log-odds of each level, in the order of ``KINDS`` and its levels; the prior is added once."""

    version: str
    prior: float
    weights: tuple[tuple[float, ...], ...]

    def of(self, kind: str) -> Floats:
        """Return the weights of the levels of one kind of evidence."""
        return np.array(self.weights[KINDS.index(kind)], dtype=np.float32)

    def to_json(self) -> str:
        """Return the table as one line of JSON with sorted keys, levels by name."""
        named = {kind: dict(zip(LEVELS[kind], row, strict=True)) for kind, row in zip(KINDS, self.weights, strict=True)}
        return json.dumps({"version": self.version, "prior": self.prior, "weights": named}, sort_keys=True)


SHIPPED = Table(
    version="shipped-4",
    prior=-1.6,
    weights=(
        (0.0, _HARD),
        (0.0, -6.1, -5.7, -4.1, -3.1, -2.5, -1.5, -1.0, 0.2, 2.9, 0.3, 0.5, 1.8, 7.0),
        (0.0, -6.0, -3.0, -0.5, 0.6, 2.1, 3.5),
        (0.0, -6.0, -2.8, -1.4, 0.7, 2.7, 4.0, 5.5),
        (0.0, 1.5, 0.6, 0.5, -1.9, 1.8, 0.3, -5.6),
        (0.0, 1.5, 0.7, 0.5, -4.0, -4.6, -0.9, 1.5, -1.0, -2.8),
        (0.0, 3.5, 2.2, -4.2, -4.9),
        (0.0, 0.2, -3.7),
        (0.0, 2.0, -3.1, -6.2, 4.5),
        (0.0, 3.0, -2.8, -7.0, -5.0),
        (0.0, -3.0, 1.5, 2.5, 3.0, 4.0),
    ),
)


def parse_table(text: str) -> Table:
    """Return the table that ``to_json`` wrote; levels that an earlier version did not have weigh as shipped."""
    read = json.loads(text)
    rows = tuple(
        tuple(
            float(read["weights"].get(kind, {}).get(level, weight))
            for level, weight in zip(LEVELS[kind], shipped, strict=True)
        )
        for kind, shipped in zip(KINDS, SHIPPED.weights, strict=True)
    )
    return Table(str(read["version"]), float(read["prior"]), rows)


def weigh(table: Table, levels: Levels) -> Floats:
    """Return the weight of each pair: the prior and the sum over all kinds."""
    total = np.full(len(levels), table.prior, dtype=np.float32)
    for column, kind in enumerate(KINDS):
        total += table.of(kind)[levels[:, column]]
    return total


def has_level(levels: Levels, kind: str, names: Sequence[str]) -> Bools:
    """Return whether each pair has one of some levels of a kind of evidence."""
    return np.isin(levels[:, KINDS.index(kind)], [LEVELS[kind].index(name) for name in names])
