"""Bags of weighted features, one for each record, as three flat arrays; and what two bags share, for many pairs.

Flat arrays because a run compares millions of pairs: 200,000 records give about four million candidates, which as
Python sets cost 8 µs each and as arrays 1 µs (``benchmarks/match_scale.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_CELLS = 4_000_000  # cells of the dense window: 16 MB, what a second-level cache and its neighbour can hold
_GATHER = 4_000_000  # features gathered at once: 32 MB of indices


@dataclass(frozen=True, slots=True)
class Bags:
    """Row ``r`` holds ``features[starts[r]:starts[r + 1]]`` with their ``weights``; ``width`` is the vocabulary."""

    starts: Ints
    features: Ints
    weights: Floats
    width: int

    @property
    def sums(self) -> Floats:
        """The sum of the weights of each row."""
        total = np.concatenate(([0.0], np.cumsum(self.weights, dtype=np.float64)))
        return (total[self.starts[1:]] - total[self.starts[:-1]]).astype(np.float32)

    @property
    def sizes(self) -> Ints:
        """How many features each row has."""
        return np.diff(self.starts)


def gather(rows: Sequence[Sequence[int]], width: int) -> Bags:
    """Bags of weight 1 from rows of distinct feature numbers below ``width``."""
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    features = np.fromiter((feature for row in rows for feature in row), dtype=np.int64, count=int(starts[-1]))
    return Bags(starts, features, np.ones(len(features), dtype=np.float32), max(width, 1))


def frequency(bags: Bags) -> Ints:
    """In how many rows each feature occurs."""
    return np.bincount(bags.features, minlength=bags.width)


def weighted(bags: Bags, weights: Floats, *, unit: bool = False) -> Bags:
    """The same bags with a weight for each feature; with ``unit`` each row is scaled to length 1."""
    values = weights[bags.features].astype(np.float32)
    if unit:
        rows = np.repeat(np.arange(len(bags.starts) - 1), bags.sizes)
        length = np.sqrt(np.bincount(rows, weights=values.astype(np.float64) ** 2, minlength=len(bags.starts) - 1))
        values = (values / np.maximum(length, 1e-9)[rows]).astype(np.float32)
    return Bags(bags.starts, bags.features, values, bags.width)


def shared(bags: Bags, left: Ints, right: Ints, *, square: bool = True) -> Floats:
    """For each pair of rows the sum over common features of both weights' product (``square=False``: of one)."""
    out = np.zeros(len(left), dtype=np.float32)
    order = np.argsort(left, kind="stable")
    height = max(1, _CELLS // bags.width)
    sizes = bags.sizes
    rows = left[order]
    at = 0
    while at < len(order):
        base = int(rows[at])
        end = int(np.searchsorted(rows, base + height, side="left"))
        work = np.cumsum(sizes[right[order[at:end]]])
        end = at + max(1, int(np.searchsorted(work, _GATHER, side="right")))
        chosen = order[at:end]
        out[chosen] = _window(bags, left[chosen] - base, right[chosen], base, square=square)
        at = end
    return out


def _window(bags: Bags, local: Ints, right: Ints, base: int, *, square: bool) -> Floats:
    """The sums for pairs whose left rows lie in one dense window that starts at row ``base``."""
    height = int(local[-1]) + 1
    dense = np.zeros(height * bags.width, dtype=np.float32)
    first, last = bags.starts[base], bags.starts[base + height]
    owner = np.repeat(np.arange(height), bags.sizes[base : base + height])
    dense[owner * bags.width + bags.features[first:last]] = bags.weights[first:last] if square else 1.0
    sizes = bags.sizes[right]
    ends = np.cumsum(sizes)
    flat = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(bags.starts[right] - ends + sizes, sizes)
    pair = np.repeat(np.arange(len(right)), sizes)
    met = dense[np.repeat(local * bags.width, sizes) + bags.features[flat]] * bags.weights[flat]
    return np.bincount(pair, weights=met, minlength=len(right)).astype(np.float32)
