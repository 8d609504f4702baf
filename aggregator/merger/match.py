"""Sightings -> Clusters: which of them are the same item, and the evidence that holds them.

The steps are the field's: records in a frame, candidate pairs, levels of agreement, weights (natural log-odds,
Fellegi and Sunter 1969), clusters. ``docs/matching.md`` has the method, the measured tables and what was dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from aggregator.merger.block import candidates
from aggregator.merger.cluster import Edge, Rules, cluster
from aggregator.merger.compare import KINDS, LEVELS, Compared, compare
from aggregator.merger.explain import pair_of
from aggregator.merger.frame import ABSENT, Frame, framed
from aggregator.merger.record import of_sighting
from aggregator.merger.sparse import Ints
from aggregator.merger.table import SHIPPED, Table, weigh
from aggregator.model.cluster import Cluster, Decision, Matching, Pair
from aggregator.model.sighting import Sighting

NEAR = -3.0  # natural log-odds from which a pair that was not merged is worth a person's look
_SHOWN = 200  # near misses shown at most: more is not read
_NO_PINS: Mapping[str, str] = MappingProxyType({})


def match(
    sightings: Sequence[Sighting],
    *,
    decisions: Sequence[Decision] = (),
    pins: Mapping[str, str] = _NO_PINS,
    table: Table | None = None,
    threshold: float = 1.0,
) -> Matching:
    """Every sighting in exactly one cluster, and the pairs a person should look at.

    ``pins`` maps sighting ids to the guid under which they were published: they stay together. ``threshold`` is in
    natural log-odds. The order of the sightings makes no difference.
    """
    table = table or SHIPPED
    named = {sighting.id: sighting for sighting in sightings}
    frame = framed([of_sighting(sighting) for sighting in named.values()])
    found = candidates(frame)
    compared = compare(frame, found.left, found.right)
    weights = weigh(table, compared.levels)
    vetoes = vetoed(frame, compared)
    rules = _rules(frame, decisions, pins)
    chosen = np.flatnonzero((vetoes == 0) & _meets(frame, compared))
    edges = [Edge(float(weights[at]), int(compared.left[at]), int(compared.right[at])) for at in chosen.tolist()]
    barred = {(int(compared.left[at]), int(compared.right[at])) for at in np.flatnonzero(vetoes == PARTED).tolist()}
    rules = replace(rules, apart=rules.apart | barred)
    groups, _ = cluster(len(frame.records), edges, rules, threshold)
    home = {row: number for number, group in enumerate(groups) for row in group}
    inside: defaultdict[int, list[Pair]] = defaultdict(list)
    near: list[tuple[float, int]] = []
    for at in np.flatnonzero(weights >= NEAR).tolist():
        left, right = int(compared.left[at]), int(compared.right[at])
        if home[left] == home[right]:
            inside[home[left]].append(pair_of(frame, compared, at, table))
        elif frame.source[left] != frame.source[right] and vetoes[at] != POSTED:
            near.append((float(weights[at]), at))
    near.sort(key=lambda one: (-one[0], one[1]))
    remarks = [f"match: {found.capped} blocks of more than 80 records were not compared"] if found.capped else []
    if len(near) > _SHOWN:
        remarks.append(f"match: {len(near) - _SHOWN} more near misses are not shown")
    clusters = tuple(
        Cluster(tuple(named[frame.records[row].id] for row in group), tuple(inside[number]))
        for number, group in enumerate(groups)
    )
    shown = tuple(pair_of(frame, compared, at, table, VETOES[vetoes[at]]) for _, at in near[:_SHOWN])
    return Matching(clusters, shown, table.version, tuple(remarks))


VETOES: tuple[str | None, ...] = (None, "different parts", "a post and an episode without a shared id")
PARTED, POSTED = 1, 2


def vetoed(frame: Frame, compared: Compared) -> Ints:
    """For each pair the number of the veto in ``VETOES``; 0 where there is none."""
    parts = compared.levels[:, KINDS.index("part")] == LEVELS["part"].index("conflict")
    one, other = frame.kind[compared.left], frame.kind[compared.right]
    kinds = (one != other) & (one != ABSENT) & (other != ABSENT) & (compared.levels[:, KINDS.index("id")] == 0)
    vetoes: Ints = np.where(kinds, POSTED, np.where(parts, PARTED, 0))
    return vetoes


def _meets(frame: Frame, compared: Compared) -> NDArray[np.bool_]:
    """Pairs that may be one at all: of two sources, or of one source at different times."""
    meets: NDArray[np.bool_] = frame.source[compared.left] != frame.source[compared.right]
    return meets | ~overlapping(frame, compared)


def overlapping(frame: Frame, compared: Compared) -> NDArray[np.bool_]:
    """Whether the spans of the two rows overlap."""
    first = np.array([record.span.first for record in frame.records], dtype=np.int64)
    last = np.array([record.span.last for record in frame.records], dtype=np.int64)
    left, right = compared.left, compared.right
    both: NDArray[np.bool_] = (first[left] <= last[right]) & (first[right] <= last[left])
    return both


def _rules(frame: Frame, decisions: Sequence[Decision], pins: Mapping[str, str]) -> Rules:
    """What clustering obeys: twins and pinned rows together, decisions."""
    row = {record.id: at for at, record in enumerate(frame.records)}
    guid = {row[name]: value for name, value in pins.items() if name in row}
    pinned: defaultdict[str, list[int]] = defaultdict(list)
    for at in sorted(guid):
        pinned[guid[at]].append(at)
    groups = [tuple(rows) for rows in pinned.values() if len(rows) > 1]
    apart: set[tuple[int, int]] = set()
    for decision in decisions:
        left = [row[decision.left]] if decision.left in row else pinned.get(decision.left, [])
        right = [row[decision.right]] if decision.right in row else pinned.get(decision.right, [])
        if not left or not right:
            continue
        if decision.verdict == "same":
            groups.append((left[0], right[0]))
        else:
            apart |= {(one, other) for one in left for other in right}
    groups += _twins(frame)
    return Rules(
        frame.source.tolist(),
        [record.span.first for record in frame.records],
        [record.span.last for record in frame.records],
        frame.kind.tolist(),
        tuple(groups),
        frozenset(apart),
        guid,
    )


def _twins(frame: Frame) -> list[tuple[int, ...]]:
    """Rows of one source with equal title, date and duration: one item listed twice."""
    same: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for at, record in enumerate(frame.records):
        if record.instant is not None and record.seconds is not None:
            same[record.source, record.title, record.instant, record.seconds].append(at)
    return [tuple(rows) for rows in same.values() if len(rows) > 1]
