"""Match entries whose keys end in the number of their item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from aggregator.merger.matching.match import compare_entries, match
from aggregator.model.entry import Entry


def sort_out(entries: Iterable[Entry], seen: Mapping[str, datetime] | None = None) -> tuple[int, int]:
    """How many items the entries make, and how many of these hold entries of two."""
    listed = list(entries)
    clusters = match(listed, pairs=compare_entries(listed, (), seen or {})).clusters
    mixed = sum(len({each.key.rpartition("-")[2] for each in cluster.entries}) > 1 for cluster in clusters)
    return len(clusters), mixed
