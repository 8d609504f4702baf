"""The evidence about two entries as a person reads it: each agreement with its weight, and the sum."""

from __future__ import annotations

from rich.console import Console

from aggregator.commands.tables import table
from aggregator.commands.wording import line
from aggregator.model.cluster import Pair

HALF = 48
"""Characters of each side's value: both stand beside each other."""


def waterfall(console: Console, pair: Pair) -> None:
    """Print one pair: its names, its evidence from the strongest down, and what it comes to."""
    veto = f"; never one: {pair.veto}" if pair.veto else ""
    console.print(f"{line(pair.left)} and {line(pair.right)}: {pair.weight:+.1f}{veto}")
    strongest = sorted(pair.evidence, key=lambda one: -abs(one.weight))
    rows = [
        (f"{one.weight:+.1f}", one.name, line(one.level, HALF), line(one.left, HALF), line(one.right, HALF))
        for one in strongest
    ]
    table(console, ("weight", "evidence", "level", "left", "right"), rows, right=("weight",))
