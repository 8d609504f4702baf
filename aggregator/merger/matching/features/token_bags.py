"""Store bags of weighted features, one for each record, as flat arrays, and sum the shared features of many pairs.

A run compares millions of pairs: with flat arrays a pair takes 0.4 µs, with Python sets 1.7 µs, and nine million pairs
with their levels fit into a gigabyte.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Marks = NDArray[np.uint8]

_CELLS = 2_000_000  # cells of the dense window: 2 MB
_GATHER = 80_000  # features gathered at once: 2 MB of passing columns; half cost the same time, three times half more
_ROWS = 2_000  # rows whose features are looked up at once: some 200,000 words of descriptions, 2 MB
_LEAST = 0.05  # weight of a feature of every row: not 0, else a bag could be empty


class Bags(Struct, frozen=True):
    """Row ``r`` holds ``features[starts[r]:starts[r + 1]]`` with their ``weights``; ``width`` is the vocabulary.

    ``sizes`` and ``sums`` are the number of features of each row and the sum of their weights. ``kin`` is for each row
    the first row that is known to have the same features, which may be itself.
    """

    starts: Ints
    features: NDArray[np.int32]
    weights: Floats
    width: int
    sizes: Ints
    sums: Floats
    kin: Ints

    def batches(self) -> Iterator[tuple[slice, slice]]:
        """Yield slices of rows, each with the slice of their features."""
        for at in range(0, len(self.starts) - 1, _ROWS):
            end = min(at + _ROWS, len(self.starts) - 1)
            yield slice(at, end), slice(int(self.starts[at]), int(self.starts[end]))


def make_bags(rows: Iterable[Iterable[Hashable]], number: dict[Hashable, int] | None = None) -> Bags:
    """Return bags of weight 1 of the distinct features of rows; ``number`` numbers features across several calls."""
    known: dict[Hashable, int] = {} if number is None else number
    met: dict[tuple[Hashable, ...], array[int]] = {}
    coded = []
    for row in map(tuple, rows):
        if row not in met:  # copies of one text are many
            met[row] = array("i", [known.setdefault(feature, len(known)) for feature in dict.fromkeys(row)])
        coded.append(met[row])
    return pack_bags(coded, max(len(known), 1))


def pack_bags(rows: Sequence[array[int]], width: int) -> Bags:
    """Return bags of weight 1 from rows of distinct feature numbers below ``width``; rows of one array are equal."""
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    features = np.frombuffer(b"".join(rows), dtype=np.int32)
    first: dict[int, int] = {}
    kin = np.array([first.setdefault(id(row), at) for at, row in enumerate(rows)], dtype=np.int64)
    sizes = np.diff(starts)
    return Bags(starts, features, np.ones_like(features, np.float32), width, sizes, sizes.astype(np.float32), kin)


def sort_unique(values: Ints) -> Ints:
    """Return the distinct values in ascending order; the array itself is sorted."""
    values.sort()
    return values[np.concatenate(([True], values[1:] != values[:-1]))] if len(values) else values


def number_combinations(*columns: Ints) -> Ints:
    """Return a number for each distinct combination of the columns."""
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        low = int(column.min(initial=0))
        codes = numbers * (int(column.max(initial=0)) - low + 1) + column - low
        numbers = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return numbers


def _count_rows(bags: Bags) -> Ints:
    """Return in how many rows each feature occurs."""
    often = np.zeros(bags.width, dtype=np.int64)
    for _, cells in bags.batches():
        np.add.at(often, bags.features[cells], 1)
    return often


def has_shared_features(several: Sequence[Bags], group: Ints) -> Bools:
    """Return whether each row has a feature that another row of its group has."""
    found = np.zeros(len(group), dtype=np.bool_)
    for bags in several:
        codes = np.concatenate([np.zeros(0, dtype=np.int64), *_find_cells(bags, group)])
        _, cell, often = np.unique(codes, return_inverse=True, return_counts=True)
        found[np.repeat(np.arange(len(group)), bags.sizes)[often[cell] > 1]] = True
    return found


def select_features(bags: Bags, least: int, most: int) -> tuple[Ints, Ints, Ints]:
    """Return the features of ``least`` to ``most`` rows, row by row; the row of each, and in how many it occurs."""
    often = _count_rows(bags)
    found = [(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))]
    for rows, cells in bags.batches():
        features = bags.features[cells]
        times = often[features]
        kept = (times >= least) & (times <= most)
        owners = np.repeat(np.arange(rows.start, rows.stop), bags.sizes[rows])
        found.append((features[kept], owners[kept]))
    features, owners = (np.concatenate(column) for column in zip(*found, strict=True))
    return features.astype(np.int64), owners, often[features]


class _Rarity(Struct, frozen=True):
    """Rarity (idf) of each feature among the rows of a group, by the code of group and feature."""

    codes: Ints
    idf: Floats
    group: Ints

    def of(self, bags: Bags) -> Floats:
        """Return the rarity of each feature of some bags, all of which are known."""
        found = [self.idf[np.searchsorted(self.codes, codes)] for codes in _find_cells(bags, self.group)]
        return np.concatenate([np.zeros(0, dtype=np.float32), *found])


def measure_rarity(several: Sequence[Bags], group: Ints) -> _Rarity:
    """Return the rarity of the features of some bags; ``group`` is the number of the group of each row."""
    met = chain.from_iterable(_find_cells(bags, group) for bags in several)
    codes, often = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *met]), return_counts=True)
    return _Rarity(codes, _measure_idf(codes // several[0].width, often, group), group)


def _find_cells(bags: Bags, group: Ints) -> Iterator[Ints]:
    """Yield the cells of the features in a table of groups by features, some rows at a time."""
    for rows, cells in bags.batches():
        yield np.repeat(group[rows], bags.sizes[rows]) * bags.width + bags.features[cells]


def _measure_idf(home: Ints, often: Ints, group: Ints) -> Floats:
    """Return the rarity of features by their group and how often each occurs there."""
    rows = np.bincount(group)[home]
    rare: Floats = np.maximum(np.log((rows + 1) / often), _LEAST).astype(np.float32)
    return rare


def weigh_bags(bags: Bags, rarities: Sequence[_Rarity]) -> Bags:
    """Return the bags with the lowest of several rarities as the weight of each feature."""
    weights = rarities[0].of(bags)
    for rare in rarities[1:]:
        np.minimum(weights, rare.of(bags), out=weights)
    return replace(bags, weights=weights, sums=_sum_rows(bags, weights))


def _sum_rows(bags: Bags, weights: Floats) -> Floats:
    """Return the sum of the weights of each row."""
    total = np.zeros(len(bags.starts), dtype=np.float64)  # of all weights before a row
    for rows, cells in bags.batches():
        sums = np.cumsum(np.concatenate(([total[rows.start]], weights[cells])))
        total[rows.start + 1 : rows.stop + 1] = sums[bags.starts[rows.start + 1 : rows.stop + 1] - cells.start]
    return np.diff(total).astype(np.float32)


def sum_shared(marked: Sequence[Bags], bags: Bags, left: Ints, right: Ints) -> Floats:
    """Return for each pair the weight of the features that ``bags`` row ``right`` and ``marked`` row ``left`` share."""
    out = np.zeros(len(left), dtype=np.float32)
    held = [one for one in marked if len(one.features)]
    some = np.flatnonzero((np.add.reduce([one.sizes for one in marked])[left] > 0) & (bags.sizes[right] > 0))
    if not len(some):
        return out
    pairs, place = np.unique(_find_kin(held)[left[some]] * len(bags.sizes) + right[some], return_inverse=True)
    rows, others = np.divmod(pairs, len(bags.sizes))
    found = np.empty(len(pairs), dtype=np.float32)
    work = np.concatenate(([0], np.cumsum(bags.sizes[others])))
    span = int(rows[-1] - rows[0]) + 1  # rows are sorted; beyond them nothing is marked
    height = max(1, min(span, _CELLS // bags.width))
    dense = np.zeros(height * bags.width, dtype=np.uint8)
    at = 0
    while at < len(pairs):
        end = int(np.searchsorted(rows, rows[at] + height, side="left"))
        end = min(end, max(at + 1, int(np.searchsorted(work, work[at] + _GATHER, side="right")) - 1))
        found[at:end] = _sum_window(dense, held, bags, rows[at:end], others[at:end])
        at = end
    out[some] = found[place]
    return out


def _find_kin(marked: Sequence[Bags]) -> Ints:
    """Return for each row the first row with the same features in all of these bags."""
    if len(marked) == 1:
        return marked[0].kin
    every = [one.kin for one in marked]
    _, first, alike = np.unique(np.stack(every), axis=1, return_index=True, return_inverse=True)
    return first[alike]


def _sum_window(dense: Marks, marked: Sequence[Bags], bags: Bags, left: Ints, right: Ints) -> Floats:
    """Return the sums for pairs with neighbouring left rows, by one dense window, which is cleared again."""
    base, last = int(left[0]), int(left[-1])
    cells = np.concatenate([_mark_cells(one, base, last) for one in marked])
    dense[cells] = 1
    sizes = bags.sizes[right]
    ends = np.cumsum(sizes)
    place = np.arange(int(ends[-1]))
    place += np.repeat(bags.starts[right] - ends + sizes, sizes)
    cell = np.repeat((left - base) * bags.width, sizes)
    cell += bags.features.take(place)
    met = bags.weights.take(place)
    met *= dense.take(cell)
    dense[cells] = 0
    return np.add.reduceat(met, ends - sizes)


def _mark_cells(marked: Bags, base: int, last: int) -> Ints:
    """Return the cells of the window that the rows from ``base`` to ``last`` mark."""
    owner = np.repeat(np.arange(last + 1 - base), np.diff(marked.starts[base : last + 2]))
    cells: Ints = owner * marked.width + marked.features[int(marked.starts[base]) : int(marked.starts[last + 1])]
    return cells
