"""Entries -> Clusters: which of them are the same item, and the evidence that holds them.

The steps are the field's: records in a frame, candidate pairs, levels of agreement, weights (natural log-odds,
Fellegi and Sunter 1969), clusters. ``docs/matching.md`` has the method, the measured tables and what was dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from aggregator.merger.matching.comparison import BESIDE, POSTED
from aggregator.merger.matching.explain import pairs_of
from aggregator.merger.matching.features.record import of_entry
from aggregator.merger.matching.resolve import Orders, Paired, Resolution, paired, settled
from aggregator.merger.matching.table import Table
from aggregator.model.cluster import Cluster, Decision, Matching, Pair
from aggregator.model.entry import Entry

NEAR = -3.0  # natural log-odds from which a pair that was not merged is worth a person's look
_SHOWN = 200  # near misses shown at most: more is not read
_NO_PINS: Mapping[str, str] = MappingProxyType({})


def match(  # noqa: PLR0913 - what decides, and what need not be made again
    entries: Sequence[Entry],
    *,
    decisions: Sequence[Decision] = (),
    pins: Mapping[str, str] = _NO_PINS,
    table: Table | None = None,
    threshold: float = 1.0,
    pairs: Paired | None = None,
) -> Matching:
    """Every entry in exactly one cluster, and the pairs a person should look at.

    ``pins`` maps entry ids to the guid under which they were published: they stay together. Without a ``table``
    the shipped one is fitted to the run where that is large enough. ``threshold`` is in natural log-odds. The order
    of the entries makes no difference. ``pairs`` are those of ``side_by_side``, where the caller has them.
    """
    named = {entry.id: entry for entry in entries}
    found = settled(pairs or side_by_side(list(named.values())), Orders(decisions, pins, threshold), table)
    inside, near = _sorted_out(found)
    remarks = [f"match: {found.capped} blocks of more than 80 entries were not compared"] if found.capped else []
    if len(near) > _SHOWN:
        remarks.append(f"match: {len(near) - _SHOWN} more near misses are not shown")
    clusters = tuple(
        Cluster(tuple(named[found.frame.records[row].id] for row in group), tuple(inside[number]))
        for number, group in enumerate(found.groups)
    )
    shown = tuple(pairs_of(found, near[:_SHOWN]))
    return Matching(clusters, shown, found.table.version, tuple(remarks))


def side_by_side(entries: Sequence[Entry]) -> Paired:
    """The entries compared and not yet weighed: what ``match`` begins with, and what the table is fitted to."""
    return paired([of_entry(entry) for entry in entries])


def _sorted_out(found: Resolution) -> tuple[defaultdict[int, list[Pair]], list[int]]:
    """The pairs inside each group, and the positions of near misses, the nearest first.

    Near are pairs of two groups that weigh enough; what one source lists side by side, or a post beside an episode,
    is no question.
    """
    home = np.empty(len(found.frame.records), dtype=np.int64)
    for number, group in enumerate(found.groups):
        home[list(group)] = number
    left, right = home[found.compared.left], home[found.compared.right]
    inside: defaultdict[int, list[Pair]] = defaultdict(list)
    within = np.flatnonzero(left == right).tolist()
    for group, pair in zip(left[within].tolist(), pairs_of(found, within), strict=True):
        inside[group].append(pair)
    asked = (left != right) & (found.weights >= NEAR) & ~np.isin(found.vetoes, (BESIDE, POSTED))
    total = found.weights + found.rivals
    return inside, sorted(np.flatnonzero(asked).tolist(), key=lambda at: (-float(total[at]), at))
