"""Pairs at first sight: all that is cheap to compare, and which of them could matter once their texts are read too.

Nine in ten candidates are two items whatever their texts say, and nobody asks by how much: below the least weight that
any step looks at, pairs only count where they lie inside a cluster. So the texts of a pair are read when it could
weigh enough with the best text and the best date there is (``restamped`` may put dates right), or when it has come to
lie between clusters that are tried as one. The answer is that of reading all.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from aggregator.merger.matching.blocking import Candidates
from aggregator.merger.matching.clustering import UNSEEN
from aggregator.merger.matching.comparison import ONCE, REPEATED, Compared, compare, parts, read, sketched
from aggregator.merger.matching.features.feature_table import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints, distinct, numbered
from aggregator.merger.matching.levels import KINDS, LEVELS
from aggregator.merger.matching.listing_order import OPEN
from aggregator.merger.matching.table import Table

VETOES: tuple[str | None, ...] = (None, "different parts", "a post and an episode without a shared id", "one source")
PARTED, POSTED, BESIDE = 1, 2, 3

_FEW = 1000  # pairs of which all are read: to sort them out would cost as much
_ROUNDED = 0.01  # natural log-odds by which sums in single precision may be off, a thousand times over


class Paired(Struct, frozen=True):
    """The records of a run with the pairs that are compared, their vetoes, and how many blocks were too large.

    Where ``known`` is false the levels are those at first sight, and none at all for what one source lists side by
    side; ``closely`` writes down what it finds.
    """

    frame: Frame
    compared: Compared
    vetoes: Ints
    known: Bools
    capped: int = 0


def sighted(frame: Frame, found: Candidates) -> Paired:
    """The candidates of a frame at first sight."""
    levels = np.zeros((len(found.left), len(KINDS)), dtype=np.int8)
    free = np.flatnonzero(~_beside(frame, found.left, found.right))
    for part in parts(len(free)):
        levels[free[part]] = sketched(frame, found.left[free[part]], found.right[free[part]])
    pairs = Compared(found.left, found.right, levels)
    return Paired(frame, pairs, vetoed(frame, pairs), np.zeros(len(levels), dtype=np.bool_), found.capped)


def vetoed(frame: Frame, compared: Compared) -> Ints:
    """For each pair the number of the veto in ``VETOES``; 0 where there is none."""
    left, right = compared.left, compared.right
    parted = compared.levels[:, KINDS.index("part")] == LEVELS["part"].index("conflict")
    one, other = frame.kind[left], frame.kind[right]
    kinds = (one != other) & (one != ABSENT) & (other != ABSENT) & (compared.levels[:, KINDS.index("id")] == 0)
    beside = _beside(frame, left, right)
    vetoes: Ints = np.where(beside, BESIDE, np.where(kinds, POSTED, np.where(parted, PARTED, 0)))
    return vetoes


def _beside(frame: Frame, left: Ints, right: Ints) -> Bools:
    """Whether one source lists the two of each pair side by side."""
    overlap = (frame.first[left] <= frame.last[right]) & (frame.first[right] <= frame.last[left])
    same: Bools = (frame.source[left] == frame.source[right]) & overlap
    return same


def closely(pairs: Paired, some: Ints) -> Paired:
    """The pairs at some positions, all their levels known."""
    compared, known = pairs.compared, pairs.known
    new = some[~known[some]]
    beside = pairs.vetoes[new] == BESIDE
    for found in (new[~beside][part] for part in parts(int((~beside).sum()))):
        left, right, levels = compared.left[found], compared.right[found], compared.levels[found]
        read(pairs.frame, left, right, levels)
        compared.levels[found] = levels
    for found in (new[beside][part] for part in parts(int(beside.sum()))):
        compared.levels[found] = compare(pairs.frame, compared.left[found], compared.right[found]).levels
    known[new] = True
    chosen = Compared(compared.left[some], compared.right[some], compared.levels[some])
    return Paired(pairs.frame, chosen, pairs.vetoes[some], np.ones(len(some), dtype=np.bool_), pairs.capped)


def most(pairs: Paired, table: Table, *, dated: bool = True) -> Floats:
    """The most that each pair could weigh, whatever its texts say; unless ``dated``, whatever its dates say, too."""
    frame, left, right, levels = pairs.frame, pairs.compared.left, pairs.compared.right, pairs.compared.levels
    weights = np.full(len(levels), table.prior + _ROUNDED, dtype=np.float32)
    for kind, row in zip(KINDS, np.arange(len(KINDS)), strict=True):
        said = np.array(table.weights[row], dtype=np.float32)
        if kind == "told":
            texts = frame.said.sizes > 0
            weights += np.where(texts[left] & texts[right], said.max(), np.float32(0))
        elif kind == "date" and not dated:
            days = frame.day != ABSENT
            weights += np.where(days[left] & days[right], said.max(), said[levels[:, row]])
        else:
            if kind == "title":
                more = [LEVELS[kind].index(level) for level in REPEATED]
                said[more] = np.maximum(said[more], said[LEVELS[kind].index(ONCE)])
            weights += said[levels[:, row]]
    return weights


def promising(pairs: Paired, table: Table, threshold: float) -> Bools:
    """The pairs that some step may look at, wherever they lie; ``threshold`` is the least weight that merges."""
    if len(pairs.vetoes) <= _FEW:
        return np.ones(len(pairs.vetoes), dtype=np.bool_)
    frame, left, right = pairs.frame, pairs.compared.left, pairs.compared.right
    heavy = most(pairs, table, dated=False) >= min(UNSEEN, OPEN, threshold)
    found: Bools = heavy & ((pairs.vetoes == 0) | (pairs.vetoes == PARTED))
    found |= (frame.source[left] == frame.source[right]) & (pairs.vetoes != BESIDE)  # what may be listed anew
    found[_last(pairs)] = True
    return found


def _last(pairs: Paired) -> Ints:
    """The last dated pair of each two listings: where calendars tie, the later has the word (``restamped``)."""
    frame, left, right = pairs.frame, pairs.compared.left, pairs.compared.right
    dated = np.flatnonzero((frame.day[left] != ABSENT) & (frame.day[right] != ABSENT) & (pairs.vetoes == 0))
    listing = numbered(frame.source, frame.last)
    one, other = listing[left[dated]], listing[right[dated]]
    meeting = np.minimum(one, other) * (int(listing.max(initial=0)) + 1) + np.maximum(one, other)
    meeting, at = np.divmod(distinct(meeting * max(len(left), 1) + dated), max(len(left), 1))
    return at[np.flatnonzero(np.diff(meeting, append=-1))]
