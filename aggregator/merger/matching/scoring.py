"""Levels of agreement -> the weight of each pair, by a table."""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.comparison import Levels
from aggregator.merger.matching.features.token_bags import Floats
from aggregator.merger.matching.table import Table


def weigh(table: Table, levels: Levels) -> Floats:
    """The weight of each pair: prior and the sum over all kinds."""
    total = np.full(len(levels), table.prior, dtype=np.float32)
    for column, row in enumerate(table.weights):
        total += np.array(row, dtype=np.float32)[levels[:, column]]
    return total
