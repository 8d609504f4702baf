"""Order within the listing: whether what stands above and below an item in both listings is one item too.

Two listings of one show hold the same items in the same order, or in the reverse one. Where enough pairs of two
listings are sure without it, and those agree on an order, any other pair stands between the same two sure pairs, which
speaks for it, or elsewhere, which speaks against it. A listing without positions, or one sorted by something else
(titles, relevance), has no order in common with another, and the evidence is silent. The weights are those of pairs
that all other evidence leaves open (``docs/matching.md``), so that what dates say already is not counted twice.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from aggregator.merger.matching.comparison import Compared
from aggregator.merger.matching.features.feature_table import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints, numbered
from aggregator.merger.matching.levels import LEVELS

SURE = (
    5.0  # natural log-odds from which a pair is a landmark: a title that each listing has once and nothing more is one
)
LEAST = 5  # landmarks by which two listings show an order; with 3 wrong orders cost precision .001, 8 change nothing
AGREED = 0.8  # share of neighbouring landmarks in one order; .7 lets listings in no order through, .9 loses a few
OPEN = -6.0  # natural log-odds below which no order could make a pair one
FEW = 3  # items between two landmarks that are few

_NONE, ELSEWHERE, _BETWEEN, _AMONG_FEW, _ALONE, SAME_PLACE = range(len(LEVELS["order"]))


class _Sides(Struct, frozen=True):
    """Pairs by place: the number of the two listings' encounter, and the place of each row in its own listing."""

    meeting: Ints
    one: Ints
    other: Ints


def ordered(frame: Frame, compared: Compared, weights: Floats, vetoes: Ints) -> Ints:
    """For each pair the level of the evidence ``order``; ``weights`` are what all other evidence says."""
    levels = np.zeros(len(weights), dtype=np.int64)
    listing, place, size = placed(frame)
    left, right = compared.left, compared.right
    looked = np.flatnonzero((vetoes == 0) & (weights >= OPEN) & (place[left] >= 0) & (place[right] >= 0))
    looked = looked[listing[left[looked]] != listing[right[looked]]]
    swapped = listing[left[looked]] > listing[right[looked]]
    one, other = np.where(swapped, right[looked], left[looked]), np.where(swapped, left[looked], right[looked])
    codes, meeting = np.unique(listing[one] * len(size) + listing[other], return_inverse=True)
    sides = _Sides(meeting, place[one], place[other])
    sure = _landmarks(sides, weights[looked])
    if len(sure) < LEAST:
        return levels
    levels[looked] = _levels(sides, sure, (size[codes // len(size)], size[codes % len(size)]))
    return levels


def placed(frame: Frame) -> tuple[Ints, Ints, Ints]:
    """For each row its listing and its place there among the rows of its show, counted from 0; each listing's size.

    Rows of one source that were last listed together are one listing. The place is ``ABSENT`` where a row has no
    position or shares it: a source read from several documents counts each of them from 0.
    """
    position = np.array([ABSENT if row.position is None else row.position for row in frame.records], dtype=np.int64)
    listing = numbered(frame.source, frame.last, frame.shelf)
    order = np.lexsort((position, listing))
    group, at = listing[order], position[order]
    tied = np.zeros(len(order), dtype=np.bool_)
    tied[1:] = (group[1:] == group[:-1]) & (at[1:] == at[:-1])
    tied[:-1] |= tied[1:]
    known = ~tied & (at != ABSENT)
    rank = np.cumsum(known) - 1
    starts = np.searchsorted(group, group)
    place = np.full(len(order), ABSENT, dtype=np.int64)
    place[order] = np.where(known, rank - rank[starts] + known[starts] - 1, ABSENT)
    return listing, place, np.bincount(listing, weights=place >= 0).astype(np.int64)


def _landmarks(sides: _Sides, weights: Floats) -> Ints:
    """The pairs that are sure, by encounter and place."""
    best = paired(sides.meeting, (sides.one, sides.other), weights, np.flatnonzero(weights >= SURE))
    return best[np.lexsort((sides.one[best], sides.meeting[best]))]


def paired(meeting: Ints, rows: tuple[Ints, Ints], weights: Floats, some: Ints) -> Ints:
    """Those of some pairs that are each row's best of the other listing, the best first."""
    best = some[np.lexsort((rows[1][some], rows[0][some], -weights[some]))]
    for row in rows:
        codes = meeting[best] * (int(row.max(initial=0)) + 1) + row[best]
        best = best[np.sort(np.unique(codes, return_index=True)[1])]
    return best


def _levels(sides: _Sides, sure: Ints, sizes: tuple[Ints, Ints]) -> Ints:
    """The level of each pair, given the landmarks and how many rows the two listings of each encounter have."""
    meeting, one = sides.meeting[sure], sides.one[sure]
    backward = _backward(meeting, sides.other[sure], len(sizes[0]))
    turned = np.where(backward[sides.meeting], sizes[1][sides.meeting] - 1 - sides.other, sides.other)
    other = turned[sure]
    kept = _in_line(meeting, other)
    orderly = _orderly(meeting, other, kept, len(sizes[0]))
    kept &= orderly[meeting]
    levels = np.zeros(len(sides.one), dtype=np.int64)
    if not kept.any():
        return levels
    meeting, one, other = meeting[kept], one[kept], other[kept]
    wide = int(max(size.max(initial=0) for size in sizes)) + 2
    ends = np.flatnonzero(orderly)
    keys = np.concatenate((meeting * wide + one + 1, ends * wide, ends * wide + sizes[0][ends] + 1))
    across = np.concatenate((other, np.full(len(ends), -1), sizes[1][ends]))
    order = np.argsort(keys)
    keys, across = keys[order], across[order]
    asked = np.flatnonzero(orderly[sides.meeting] & ~_taken(sides, turned, (meeting, one, other)))
    key = sides.meeting[asked] * wide + sides.one[asked] + 1
    above, below = np.searchsorted(keys, key, side="left") - 1, np.searchsorted(keys, key, side="right")
    low, high = across[above], across[below]
    most = np.maximum(keys[below] - keys[above], high - low) - 1
    inside = (low < turned[asked]) & (turned[asked] < high)
    level = np.where(most <= 1, _ALONE, np.where(most <= FEW, _AMONG_FEW, _BETWEEN))
    levels[asked] = np.where(low >= high, _NONE, np.where(inside, level, ELSEWHERE))
    return levels


def _backward(meeting: Ints, other: Ints, meetings: int) -> Bools:
    """For each encounter whether one listing has the landmarks in reverse."""
    same = meeting[1:] == meeting[:-1]
    up = np.bincount(meeting[1:][same], weights=np.sign(np.diff(other))[same], minlength=meetings)
    down: Bools = up < 0
    return down


def _in_line(meeting: Ints, other: Ints) -> Bools:
    """The landmarks that do not stand out of the line that those before and after them make."""
    kept = np.ones(len(other), dtype=np.bool_)
    before, this, after = other[:-2], other[1:-1], other[2:]
    together = (meeting[:-2] == meeting[1:-1]) & (meeting[1:-1] == meeting[2:])
    kept[1:-1] = ~(together & (before < after) & ~((before < this) & (this < after)))
    return kept


def _orderly(meeting: Ints, other: Ints, kept: Bools, meetings: int) -> Bools:
    """For each encounter whether enough landmarks are in order."""
    same = meeting[1:] == meeting[:-1]
    steps = np.bincount(meeting[1:][same], minlength=meetings)
    rising = np.bincount(meeting[1:][same & (np.diff(other) > 0)], minlength=meetings)
    enough: Bools = (np.bincount(meeting[kept], minlength=meetings) >= LEAST) & (rising >= AGREED * steps)
    return enough


def _taken(sides: _Sides, turned: Ints, landmarks: tuple[Ints, Ints, Ints]) -> Bools:
    """The pairs of which one row is a landmark with another row: those are rivals, not neighbours."""
    meeting, one, other = landmarks
    wide = int(max(sides.one.max(initial=0), sides.other.max(initial=0), turned.max(initial=0))) + 1
    found = np.zeros(len(turned), dtype=np.bool_)
    for mine, theirs in (((sides.one, turned), (one, other)), ((turned, sides.one), (other, one))):
        codes = meeting * wide + theirs[0]
        order = np.argsort(codes)
        codes, partner = codes[order], theirs[1][order]
        asked = sides.meeting * wide + mine[0]
        at = np.minimum(np.searchsorted(codes, asked), len(codes) - 1)
        found |= (codes[at] == asked) & (partner[at] != mine[1])
    return found
