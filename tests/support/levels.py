"""The names of evidence and of its levels, as tables of weights and explanations have them."""

from __future__ import annotations

from aggregator.merger.matching.scoring import KINDS as _KINDS

LEVELS = {kind.name: tuple(level.text for level in kind.levels) for kind in _KINDS}
KINDS = tuple(LEVELS)
