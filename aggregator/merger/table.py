"""The table of weights: natural log-odds for each level of each kind of evidence, versioned and serialisable."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from aggregator.merger.compare import KINDS, LEVELS, Levels
from aggregator.merger.sparse import Floats

HARD = 20.0  # natural log-odds of an equal hard id: more than all other evidence can take away but a veto


@dataclass(frozen=True, slots=True)
class Table:
    """``weights`` are natural log-odds in the order of ``compare.KINDS`` and its levels; the prior is added once."""

    version: str
    prior: float
    weights: tuple[tuple[float, ...], ...]

    def to_json(self) -> str:
        """The table as one line of JSON with sorted keys, levels by name."""
        named = {kind: dict(zip(LEVELS[kind], row, strict=True)) for kind, row in zip(KINDS, self.weights, strict=True)}
        return json.dumps({"version": self.version, "prior": self.prior, "weights": named}, sort_keys=True)


def from_json(text: str) -> Table:
    """The table that ``to_json`` wrote; a level it does not name weighs nothing."""
    read = json.loads(text)
    named = read["weights"]
    rows = tuple(tuple(float(named.get(kind, {}).get(level, 0.0)) for level in LEVELS[kind]) for kind in KINDS)
    return Table(str(read["version"]), float(read["prior"]), rows)


def weigh(table: Table, levels: Levels) -> Floats:
    """The weight of each pair: prior and the sum over all kinds."""
    total = np.full(len(levels), table.prior, dtype=np.float32)
    for column, row in enumerate(table.weights):
        total += np.array(row, dtype=np.float32)[levels[:, column]]
    return total


SHIPPED = Table(
    version="shipped-1",
    prior=-1.9,
    weights=(
        (0.0, HARD),
        (0.0, -7.0, -5.0, -2.9, -1.6, -1.0, -0.5, 0.4, 2.8),
        (0.0, 4.9, -0.3, -1.8),
        (0.0, -5.0, -2.5, -1.3, 1.0, 3.5),
        (0.0, 2.5, 1.5, 0.6, -1.5, 2.8, 1.8, -4.0),
        (0.0, 1.5, 0.8, 0.5, -2.5, -2.8, -1.6, 0.5, 0.0, -1.5),
        (0.0, 4.0, 2.6, -3.6, -5.0),
        (0.0, 0.2, -2.5),
        (0.0, 2.5, -4.0, -5.6),
        (0.0, 2.0, -3.0, -30.0),
    ),
)
