"""Which published entries are let go: joined early for want of better, and seen to be another item since.

What was published under one guid stays together, or every wavering of the weights, and every title that a host changes
before a directory does, would end one item and begin another. But while three entries of a listing are known, "Listener
mail" stands there once, and a replay without its original: what is joined then would hide an episode for ever. So
entries are let go where three things hold: the weights of today, no pin counted, put them into another cluster than
the first entry of their guid; one source lists entries of both clusters side by side, so that they are two items;
and the mean of their weights with those that stay is below ``AGAINST``. What is let go is as new: it joins what it
fits, or becomes an item of its own. The guid stays with the entry that it was published from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from aggregator.merger.matching.clustering import UNSEEN
from aggregator.merger.matching.comparison import Compared
from aggregator.merger.matching.features.feature_table import Frame
from aggregator.merger.matching.features.token_bags import Floats, Ints

# Mean weight (natural log-odds) with those that stay, below which entries are let go: what they were joined at, 1,
# less what weights waver.
AGAINST = 0.0


def kept(frame: Frame, pins: Mapping[str, str], groups: Sequence[Sequence[int]]) -> bool:
    """Whether the groups hold all that was published together, and no two that were published apart."""
    if not pins:
        return True
    guids = [{pins[name] for at in group if (name := frame.records[at].id) in pins} for group in groups]
    return all(len(found) <= 1 for found in guids) and sum(map(len, guids)) == len(set().union(*guids))


def released(
    frame: Frame, pins: Mapping[str, str], groups: Sequence[Sequence[int]], weighed: tuple[Compared, Floats]
) -> frozenset[str]:
    """The ids of the entries to let go; ``groups`` are the clusters that the weights alone make.

    The first entry that ``pins`` names of a guid keeps it. Two entries of one source that were published together,
    a listing's twins, say nothing.
    """
    row = {record.id: at for at, record in enumerate(frame.records)}
    home = {at: number for number, group in enumerate(groups) for at in group}
    pinned: defaultdict[str, list[int]] = defaultdict(list)
    for name, guid in pins.items():
        if name in row:
            pinned[guid].append(row[name])
    divided = [rows for rows in pinned.values() if len({home[at] for at in rows}) > 1]
    weights = _weights(divided, weighed, len(row))
    gone: set[int] = set()
    for rows in divided:
        stay = [at for at in rows if home[at] == home[rows[0]]]
        for other in {home[at] for at in rows} - {home[rows[0]]}:
            part = [at for at in rows if home[at] == other]
            between = [weights.get((min(one, at), max(one, at)), UNSEEN) for one in stay for at in part]
            clusters = groups[home[rows[0]]], groups[other]
            if sum(between) < AGAINST * len(between) and _beside(frame, clusters, frozenset(rows)):
                gone.update(part)
    return frozenset(frame.records[at].id for at in gone)


def _beside(frame: Frame, clusters: tuple[Sequence[int], Sequence[int]], pinned: frozenset[int]) -> bool:
    """Whether one source lists an entry of each of two clusters side by side, and not both of them were published."""
    return any(
        frame.source[left] == frame.source[right]
        and frame.first[left] <= frame.last[right]
        and frame.first[right] <= frame.last[left]
        and not {left, right} <= pinned
        for left in clusters[0]
        for right in clusters[1]
    )


def _weights(
    groups: Iterable[Sequence[int]], weighed: tuple[Compared, Floats], rows: int
) -> dict[tuple[int, int], float]:
    """The weight of each pair that was compared inside one of the groups of rows."""
    number: Ints = np.full(rows, -1, dtype=np.int64)
    for at, group in enumerate(groups):
        number[list(group)] = at
    compared, weights = weighed
    left, right = compared.left, compared.right
    inside = np.flatnonzero((number[left] >= 0) & (number[left] == number[right]))
    pairs = zip(left[inside].tolist(), right[inside].tolist(), strict=True)
    return dict(zip(pairs, weights[inside].tolist(), strict=True))
