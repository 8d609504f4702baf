"""Records -> groups of one item each: the match engine on neutral records, whatever kind of item they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.merger.matching.blocking import candidates
from aggregator.merger.matching.clustering import UNSEEN, Rules, cluster, components
from aggregator.merger.matching.comparison import PARTED, Compared, compare, find_vetoes
from aggregator.merger.matching.competing_candidates import contested
from aggregator.merger.matching.constraints import published, rules_of
from aggregator.merger.matching.date_offsets import redated
from aggregator.merger.matching.em import relearned
from aggregator.merger.matching.features.feature_table import Frame, framed
from aggregator.merger.matching.features.record import Record
from aggregator.merger.matching.features.token_bags import Floats, Ints
from aggregator.merger.matching.levels import KINDS
from aggregator.merger.matching.listing_order import ELSEWHERE, ordered
from aggregator.merger.matching.merge_published import alike
from aggregator.merger.matching.relisting import relisted
from aggregator.merger.matching.same_titles import aligned
from aggregator.merger.matching.scoring import weigh
from aggregator.merger.matching.split_published import kept, released
from aggregator.merger.matching.table import Table
from aggregator.merger.matching.weak_titles import doubtful
from aggregator.merger.matching.weights import SHIPPED
from aggregator.model.cluster import Decision


class Resolution(Struct, frozen=True):
    """What a run found: pairs with levels, weight, what doubt took and rivals take of it, veto; the groups."""

    frame: Frame
    compared: Compared
    weights: Floats
    doubts: Floats
    rivals: Floats
    vetoes: Ints
    groups: tuple[tuple[int, ...], ...]
    table: Table
    capped: int


class Orders(Struct, frozen=True):
    """What a run obeys: decisions, pins (entry id -> published guid), the least weight that merges (log-odds)."""

    decisions: Sequence[Decision] = ()
    pins: Mapping[str, str] = field(default_factory=dict)
    threshold: float = 1.0


class Paired(Struct, frozen=True):
    """The records of a run with the pairs that are compared, their vetoes, and how many blocks were too large."""

    frame: Frame
    compared: Compared
    vetoes: Ints
    capped: int = 0


def resolve(records: Sequence[Record], orders: Orders, table: Table | None = None) -> Resolution:
    """Return the groups of the records; without a table the shipped one, fitted to the run where it is large enough."""
    return settled(paired(records), orders, table)


def paired(records: Sequence[Record]) -> Paired:
    """Return the records side by side, before anything is weighed."""
    frame = framed(records)
    found = candidates(frame)
    compared = compare(frame, found.left, found.right)
    return Paired(frame, compared, find_vetoes(frame, compared), found.capped)


def learned(pairs: Paired) -> Table:
    """Return the shipped table, fitted to the pairs where they are enough."""
    return relearned(pairs.frame, pairs.compared, pairs.vetoes, SHIPPED)


def settled(pairs: Paired, orders: Orders, table: Table | None = None) -> Resolution:
    """Return the groups of records that stand side by side, as ``resolve`` finds them.

    What the weights alone say is the answer where it keeps together all that was published together, and apart what
    was published apart; else the pins hold, but for those that are let go.
    """
    table = learned(pairs) if table is None else table
    free = _resolved(
        pairs,
        table,
        rules_of(pairs.frame, orders.decisions, orders.pins, orders.pins),
        orders.threshold,
        published(pairs.frame, orders.pins),
    )
    if kept(pairs.frame, orders.pins, free.groups):
        return free
    loose = released(pairs.frame, orders.pins, free.groups, (free.compared, free.weights + free.rivals))
    rules = rules_of(pairs.frame, orders.decisions, orders.pins, loose)
    plain = alike(pairs.frame, rules.guid, free.groups, free.compared)
    return _resolved(pairs, table, replace(rules, alike=plain), orders.threshold)


def _resolved(
    pairs: Paired, table: Table, rules: Rules, threshold: float, bound: Iterable[tuple[int, ...]] = ()
) -> Resolution:
    """Return the groups by all evidence."""
    found = _weighed(pairs, table, rules, bound)
    every = Weighed(found.compared, found.weights + found.rivals, found.vetoes)
    return replace(found, groups=grouped(every, rules, threshold))


def _weighed(pairs: Paired, table: Table, rules: Rules, bound: Iterable[tuple[int, ...]] = ()) -> Resolution:
    """The pairs weighed, not yet grouped: what the order of the listings says is looked up once the rest is known."""
    frame, vetoes = pairs.frame, pairs.vetoes
    plain = weigh(table, pairs.compared.levels)
    dates, own = redated(frame, pairs.compared, table, plain, vetoes)
    series = aligned(frame, pairs.compared, table, np.where(vetoes == 0, plain, UNSEEN), (*rules.groups, *bound))
    compared = _with(pairs.compared, "date", np.where(series.anew, 0, dates))
    compared = _with(compared, "order", series.order)
    doubts = doubtful(compared, table, own) + relisted(frame, compared, table, _voices(frame))
    weights = weigh(table, compared.levels) + doubts
    rivals = _rivals(frame, Weighed(compared, weights, vetoes), rules)
    order = ordered(frame, compared, weights + rivals, vetoes)
    order[(doubts < 0) & (order != ELSEWHERE)] = 0  # next week's item of one title stands beside this week's
    order = np.where(series.order > 0, series.order, order)
    if order.any():
        compared = _with(compared, "order", order)
        weights = weigh(table, compared.levels) + doubts
        rivals = _rivals(frame, Weighed(compared, weights, vetoes), rules)
    return Resolution(frame, compared, weights, doubts, rivals, vetoes, (), table, pairs.capped)


def _with(compared: Compared, kind: str, levels: Ints) -> Compared:
    """The pairs with other levels of one kind of evidence."""
    column = KINDS.index(kind)
    if np.array_equal(compared.levels[:, column], levels):
        return compared
    changed = compared.levels.copy()
    changed[:, column] = levels
    return replace(compared, levels=changed)


def _rivals(frame: Frame, pairs: Weighed, rules: Rules) -> Floats:
    """What the rivals of each pair take from it."""
    live = np.flatnonzero((pairs.vetoes == 0) & (pairs.weights >= UNSEEN))
    rivals = np.zeros_like(pairs.weights)
    some = Compared(pairs.compared.left[live], pairs.compared.right[live], pairs.compared.levels[live])
    units = np.array(components(len(frame.records), rules.groups), dtype=np.int64)
    rivals[live] = contested(some, pairs.weights[live], _voices(frame), units)
    return rivals


class Weighed(Struct, frozen=True):
    """Pairs with the weight that counts and the veto."""

    compared: Compared
    weights: Floats
    vetoes: Ints


def grouped(pairs: Weighed, rules: Rules, threshold: float) -> tuple[tuple[int, ...], ...]:
    """The clusters; only pairs inside one connected component of good pairs are looked at one by one."""
    left, right = pairs.compared.left, pairs.compared.right
    free = pairs.vetoes == 0
    home = _homes(pairs, rules.groups, len(rules.source), threshold)
    near = np.flatnonzero(home[left] == home[right])
    within, barred = near[free[near]], near[pairs.vetoes[near] == PARTED]
    edges = zip(pairs.weights[within].tolist(), left[within].tolist(), right[within].tolist(), strict=True)
    apart = rules.apart | set(zip(left[barred].tolist(), right[barred].tolist(), strict=True))
    return cluster(len(rules.source), edges, replace(rules, apart=frozenset(apart)), threshold)


def _homes(pairs: Weighed, groups: Iterable[tuple[int, ...]], rows: int, threshold: float) -> Ints:
    """For each row the first that good pairs and groups of rows link it to, however indirectly."""
    good = np.flatnonzero((pairs.vetoes == 0) & (pairs.weights >= threshold))
    links = zip(pairs.compared.left[good].tolist(), pairs.compared.right[good].tolist(), strict=True)
    return np.array(components(rows, [*links, *groups]), dtype=np.int64)


def _voices(frame: Frame) -> Ints:
    """A number for each listing: rows of one source that first appeared together."""
    voices: Ints = np.unique(frame.source * (int(frame.first.max(initial=0)) + 1) + frame.first, return_inverse=True)[1]
    return voices
