"""Fit the table of weights to a run's own pairs: expectation-maximisation (EM) with constraints.

EM alone would find "same show, about the same time" instead of "same item". The constraints: pairs with an equal hard
id stay matches; the levels of non-matches are counted half in pairs inside a source, half in random pairs of two
sources; a record has at most one partner in each source; weights ascend with similarity; the starting table counts as a
few pairs of each level, and no weight may differ from it by more than a bound.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
import numpy.ma  # numpy.unique would import it in the process of each feed, which takes 40 ms
from msgspec.structs import replace
from numpy.random import default_rng

from aggregator.merger.matching.comparison import compare
from aggregator.merger.matching.evidence.ids import IdLevel
from aggregator.merger.matching.evidence.levels import Levels
from aggregator.merger.matching.features.frame import Frame
from aggregator.merger.matching.features.token_bags import Doubles, Ints, number_combinations
from aggregator.merger.matching.scoring import KINDS, Compared, Table, find_patterns, weigh

_LEAST = 100  # pairs without a veto, below which nothing is fitted
_ROUNDS = 30
_CLIP = 7.0  # natural log-odds that one kind of evidence may weigh: e^7 is what a thousand pairs can show
_FAR = 2.5  # natural log-odds by which a weight may differ from the starting table; 2 costs songs .002 of F1, 4.5 .001
_ASSUMED = 1000.0  # pairs that the prior of the starting table counts as
_USUAL = 1000  # records up to which the prior is not below the starting one; beyond, less the log of the multiple
_FIRM = 5.0  # pairs that each level of the starting table counts as
_FULL = 2000.0  # pairs of a run that count, at most
_HOPELESS = -12.0  # natural log-odds by the starting table below which a pair is always a non-match
_SAMPLES = 20_000
_SETTLED = 0.0005  # change of the unbounded prior, in natural log-odds, at which the rounds end
_SEED = 7


def fit(frame: Frame, compared: Compared, vetoes: Ints, start: Table) -> Table:
    """Return the table fitted to the pairs of a run."""
    free = vetoes == 0  # the pairs that may be matches at all
    if int(free.sum()) < _LEAST:
        return start
    live = np.flatnonzero(free & (weigh(start, compared.levels) >= _HOPELESS))
    patterns, which = find_patterns(compared.levels[live])
    unlike = _count_non_matches(frame, compared)
    left, right = compared.left[live], compared.right[live]  # rivals: candidates of a row in the other's source
    rivals = number_combinations(left, frame.source[right]), number_combinations(right, frame.source[left])
    anchors = compared.of(IdLevel)[live] == IdLevel.EQUAL
    lowest = start.prior - math.log(max(len(frame.records) / _USUAL, 1.0))
    table, free_prior = start, start.prior
    for _ in range(_ROUNDS):
        likely = _expect(weigh(table, patterns).astype(np.float64)[which], rivals)
        likely[anchors] = 1.0
        shares: Doubles = np.bincount(which, weights=likely, minlength=len(patterns)).astype(np.float64)
        table = _maximise(patterns, shares, unlike, start, len(free))
        before, free_prior = free_prior, table.prior
        table = replace(table, prior=max(free_prior, lowest))
        if abs(before - free_prior) < _SETTLED:
            break
    name = hashlib.sha256(table.to_json().encode()).hexdigest()[:8]
    return Table(f"learned-{name} from {start.version}", table.prior, table.weights)


def _count_non_matches(frame: Frame, compared: Compared) -> list[Doubles]:
    """Return the share of each level among non-matches."""
    rng = default_rng(_SEED)
    rows = len(frame.records)
    left, right = (rng.integers(0, rows, min(_SAMPLES, rows * rows)) for _ in range(2))
    one, other = frame.scope[left], frame.scope[right]
    apart = (frame.source[left] != frame.source[right]) & ((one == other) | (one < 0) | (other < 0))
    chance = compare(frame, left[apart], right[apart]).levels
    inside = compared.levels[frame.source[compared.left] == frame.source[compared.right]]
    out = []
    for column, kind in enumerate(KINDS):
        size = len(kind.levels)
        each = (np.bincount(sample[:, column], minlength=size) for sample in (chance, inside))
        out.append(sum((counts / max(float(counts.sum()), 1.0) for counts in each), np.zeros(size)) / 2)
    return out


def _expect(weights: Doubles, rivals: tuple[Ints, Ints]) -> Doubles:
    """Return the probability of each pair, given that a record has at most one partner in each source."""
    odds = np.exp(np.clip(weights, -40.0, 40.0))
    one, other = (odds / (1.0 + np.bincount(group, weights=odds)[group]) for group in rivals)
    likely: Doubles = np.minimum(one, other)
    return likely


def _maximise(patterns: Levels, shares: Doubles, unlike: list[Doubles], start: Table, pairs: int) -> Table:
    """Return the table fitted to the shares of the patterns and to the starting one."""
    total = float(shares.sum())
    scale = min(total, _FULL)
    rows = []
    for column, kind in enumerate(KINDS):
        held = np.array(start.weights[column])
        seen = np.bincount(patterns[:, column], weights=shares, minlength=len(held)) * scale / max(total, 1e-9)
        weights = np.log((seen + _FIRM * np.exp(held / 2)) / (unlike[column] * scale + _FIRM * np.exp(-held / 2)))
        weights = np.clip(weights, np.maximum(held - _FAR, -_CLIP), np.minimum(held + _FAR, _CLIP))
        ascending = slice(1, kind.ascending + 1)
        weights[ascending] = np.maximum.accumulate(weights[ascending])
        weights[0] = 0.0
        rows.append(tuple(float(weight) for weight in weights) if kind.is_fitted else start.weights[column])
    likely = (total + _ASSUMED / (1 + np.exp(-start.prior))) / (pairs + _ASSUMED)
    prior = float(min(max(likely, 1e-4), 0.5))
    return Table("", float(np.log(prior / (1 - prior))), tuple(rows))
