"""The table of weights: natural log-odds for each level of each kind of evidence, versioned and serialisable."""

from __future__ import annotations

import json

from msgspec import Struct

from aggregator.merger.matching.levels import KINDS, LEVELS


class Table(Struct, frozen=True):
    """``weights`` are natural log-odds in the order of ``levels.KINDS`` and its levels; the prior is added once."""

    version: str
    prior: float
    weights: tuple[tuple[float, ...], ...]

    def to_json(self) -> str:
        """The table as one line of JSON with sorted keys, levels by name."""
        named = {kind: dict(zip(LEVELS[kind], row, strict=True)) for kind, row in zip(KINDS, self.weights, strict=True)}
        return json.dumps({"version": self.version, "prior": self.prior, "weights": named}, sort_keys=True)


def from_json(text: str, missing: Table | None = None) -> Table:
    """Return the table that ``to_json`` wrote; a level it does not name weighs as in ``missing``, else nothing."""
    read = json.loads(text)
    named = read["weights"]
    known = json.loads(missing.to_json())["weights"] if missing else {}
    rows = tuple(
        tuple(float({**known.get(kind, {}), **named.get(kind, {})}.get(level, 0.0)) for level in LEVELS[kind])
        for kind in KINDS
    )
    return Table(str(read["version"]), float(read["prior"]), rows)
