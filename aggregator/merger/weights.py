"""The shipped table."""

from __future__ import annotations

from aggregator.merger.table import Table

HARD = 20.0  # natural log-odds of an equal hard id: more than all other evidence can take away but a veto

SHIPPED = Table(
    version="shipped-1",
    prior=-1.9,
    weights=(
        (0.0, HARD),
        (0.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.0, 0.5, 2.0, 0.5, 2.5, 3.5, 7.0),
        (0.0, -4.0, -2.0, -0.5, 0.5, 1.5, 2.5),
        (0.0, -5.0, -2.5, -1.3, 1.0, 2.5, 4.0),
        (0.0, 2.5, 1.5, 0.6, -1.5, 2.8, 1.8, -4.0),
        (0.0, 1.5, 0.8, 0.5, -2.5, -2.8, -1.6, 0.5, 0.0, -1.5),
        (0.0, 4.0, 2.6, -3.6, -5.0),
        (0.0, 0.2, -2.5),
        (0.0, 2.5, -4.0, -5.6),
        (0.0, 2.0, -3.0, -30.0),
    ),
)
