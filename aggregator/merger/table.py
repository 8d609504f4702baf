"""The table of weights: natural log-odds for each level of each kind of evidence, versioned and serialisable."""

from __future__ import annotations

import json

from msgspec import Struct

from aggregator.merger.levels import KINDS, LEVELS


class Table(Struct, frozen=True):
    """``weights`` are natural log-odds in the order of ``levels.KINDS`` and its levels; the prior is added once."""

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
