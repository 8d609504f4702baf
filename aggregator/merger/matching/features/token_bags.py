"""Store bags of weighted features, one for each record, as flat arrays, and sum the shared features of many pairs.

A run compares millions of pairs: with flat arrays a pair takes 0.4 µs, with Python sets 1.7 µs, and nine million pairs
with their levels fit into a gigabyte.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from hashlib import blake2b
from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

_ENCODER = msgspec.msgpack.Encoder()

T = TypeVar("T", bound=Hashable)
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Narrow = NDArray[np.int32]  # rows and features of the words of texts: a feed has millions
Bools = NDArray[np.bool_]
Marks = NDArray[np.uint8]

_CELLS = 2_000_000  # cells of the dense window: 2 MB
_GATHER = 80_000  # features gathered at once: 2 MB of passing columns; half cost the same time, three times half more
_SPARSE = 4  # possible numbers for each one, up to which they are counted: in a tenth of the time of sorting
_GROWN = 0.2  # share by which a group grew, from which it is learned from though its feed is not
_LEAST = 0.05  # weight of a feature of every row: not 0, else a bag could be empty


class Bags(Struct, frozen=True):
    """Row ``r`` holds ``features[starts[r]:starts[r + 1]]`` with their ``weights``; ``width`` is the vocabulary.

    ``sizes`` and ``sums`` are the number of features of each row and the sum of their weights.
    """

    starts: Ints
    features: NDArray[np.int32]
    weights: Floats
    width: int
    sizes: Ints
    sums: Floats


def make_bags(rows: Iterable[Iterable[Hashable]], number: dict[Hashable, int] | None = None) -> Bags:
    """Return bags of weight 1 of the distinct features of rows; ``number`` numbers features across several calls."""
    known: dict[Hashable, int] = {} if number is None else number
    coded = [array("i", [known.setdefault(feature, len(known)) for feature in dict.fromkeys(row)]) for row in rows]
    return pack_bags(coded, max(len(known), 1))


def list_unique(sources: Sequence[str], rows: Sequence[Collection[T]]) -> list[list[T]]:
    """Return the features of each row that no other row of its source has."""
    known = list(zip(sources, rows, strict=True))
    often = Counter((source, feature) for source, row in known for feature in set(row))
    return [[feature for feature in row if often[source, feature] == 1] for source, row in known]


def digest_values(*values: object, extra: bytes = b"") -> bytes:
    """Return the digest of some values and of bytes."""
    try:
        told = _ENCODER.encode(values)
    except UnicodeEncodeError:  # half of a character
        told = repr(values).encode()
    return blake2b(told + extra, digest_size=16).digest()


def pack_bags(rows: Sequence[array[int]], width: int) -> Bags:
    """Return bags of weight 1 from rows of distinct feature numbers below ``width``."""
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    features = np.frombuffer(b"".join(rows), dtype=np.int32)
    sizes = np.diff(starts)
    return Bags(starts, features, np.ones_like(features, np.float32), width, sizes, sizes.astype(np.float32))


def pack_flat(owners: Ints | Narrow, features: Ints | Narrow, width: int, rows: int) -> Bags:
    """Return bags of weight 1 from the distinct features of rows, given row by row; ``rows`` is how many there are."""
    sizes = np.bincount(owners, minlength=rows)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    weights = np.broadcast_to(np.float32(1), len(features))
    return Bags(starts, features.astype(np.int32, copy=False), weights, width, sizes, sizes.astype(np.float32))


def find_first(owners: Narrow, features: Narrow, width: int) -> Bools:
    """Return which features of rows, given row by row, occur for the first time in their row."""
    found = np.zeros(len(owners), dtype=np.bool_)
    height = max(1, _CELLS // max(width, 1))
    dense = np.empty(height * width, dtype=np.int32)
    at = 0
    while at < len(owners):
        end = int(np.searchsorted(owners, owners[at] + height, side="left"))
        cells, places = (owners[at:end] - owners[at]) * width + features[at:end], np.arange(end - at, dtype=np.int32)
        dense[cells[::-1]] = places[::-1]  # of equal cells the last assignment holds
        found[at:end] = dense[cells] == places
        at = end
    return found


def number_combinations(*columns: Ints | Narrow) -> Ints:
    """Return a number for each distinct combination of the columns."""
    numbers: Ints = columns[0] - columns[0].min(initial=0)
    for column in columns[1:]:
        low = int(column.min(initial=0))
        codes = numbers * (int(column.max(initial=0)) - low + 1) + column - low
        if codes.max(initial=0) < _SPARSE * len(codes):
            numbers = (np.cumsum(np.bincount(codes) > 0) - 1)[codes]
        else:
            numbers = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return numbers


def has_shared_features(several: Sequence[Bags], group: Ints, fresh: Bools) -> Bools:
    """Return whether each row has a feature that another row of its group has.

    ``fresh`` rows do not count for the others.
    """
    found = np.zeros(len(group), dtype=np.bool_)
    for bags in several:
        owners = np.repeat(np.arange(len(group)), bags.sizes)
        cell = number_combinations(group[owners], bags.features)
        often, learned = np.bincount(cell), np.bincount(cell, weights=~fresh[owners])
        found[owners[np.where(fresh[owners], often[cell], learned[cell]) > 1]] = True
    return found


def select_features(bags: Bags, between: tuple[int, int], learned: Bools) -> tuple[Ints, Ints, Ints]:
    """Return the features of some number of rows, row by row; the row of each, and how many learned rows have it.

    The upper bound is for ``learned`` rows, the lower for all.
    """
    owners = np.repeat(np.arange(len(bags.sizes)), bags.sizes)
    every = np.bincount(bags.features, minlength=bags.width)
    often = np.bincount(bags.features[learned[owners]], minlength=bags.width)
    kept = ((every >= between[0]) & (often <= between[1]))[bags.features]
    return bags.features[kept].astype(np.int64), owners[kept], often[bags.features[kept]]


class WordGroup(Struct, frozen=True):
    """Rows in which the rarity of features is measured: ``rows`` has the number of the group of each row.

    ``learned`` says which rows are counted, ``sizes`` how many these are in each group. Others, which came later, do
    not change what the words of those before them weigh.
    """

    rows: Ints
    learned: Bools
    sizes: Ints


def make_group(rows: Ints, fresh: Bools) -> WordGroup:
    """Return the group of each row; one that grew by a fifth since it was learned from counts its ``fresh`` rows."""
    rows = np.unique(rows, return_inverse=True)[1].astype(np.int64)
    learned = ~fresh
    learned |= (np.bincount(rows, weights=fresh) >= _GROWN * np.bincount(rows, weights=learned))[rows] & fresh
    return WordGroup(rows, learned, np.bincount(rows[learned], minlength=int(rows.max(initial=0)) + 1))


class _Rarity(Struct, frozen=True):
    """Rarity (idf) of each feature among the learned rows of a group.

    It stands at the place of the code of group and feature among ``codes``, or at the code itself where there are none.
    One that no learned row has is as rare as that of one row.
    """

    codes: Ints
    idf: Floats
    group: WordGroup

    def of(self, bags: Bags) -> Floats:
        """Return the rarity of each feature of some bags."""
        cells = _find_cells(bags, self.group.rows)
        return self.idf[np.searchsorted(self.codes, cells) if len(self.codes) else cells]


def measure_rarity(several: Sequence[Bags], group: WordGroup) -> _Rarity:
    """Return the rarity of the features of some bags in each group of rows."""
    width, learned = several[0].width, [np.repeat(group.learned, bags.sizes) for bags in several]
    cells, counted = np.concatenate([_find_cells(bags, group.rows) for bags in several]), np.concatenate(learned)
    codes = np.zeros(0, dtype=np.int64)
    if len(group.sizes) * width <= _CELLS:  # looking up is five times faster than searching
        often, rows = np.bincount(cells[counted], minlength=len(group.sizes) * width), np.repeat(group.sizes, width)
    else:
        codes, at = np.unique(cells, return_inverse=True)
        often, rows = np.bincount(at[counted], minlength=len(codes)), group.sizes[codes // width]
    idf = np.maximum(np.log((rows + 1) / np.maximum(often, 1)), _LEAST).astype(np.float32)
    return _Rarity(codes, idf, group)


def _find_cells(bags: Bags, group: Ints) -> Ints:
    """Return the cell of each feature in a table of groups by features."""
    cells: Ints = np.repeat(group, bags.sizes) * bags.width + bags.features
    return cells


def weigh_bags(bags: Bags, rarities: Sequence[_Rarity]) -> Bags:
    """Return the bags with the lowest of several rarities as the weight of each feature."""
    weights = rarities[0].of(bags)
    for rare in rarities[1:]:
        np.minimum(weights, rare.of(bags), out=weights)
    owners = np.repeat(np.arange(len(bags.sizes)), bags.sizes)
    sums = np.bincount(owners, weights=weights, minlength=len(bags.sizes))
    return replace(bags, weights=weights, sums=sums.astype(np.float32))


def sum_shared(marked: Sequence[Bags], bags: Bags, left: Ints, right: Ints) -> Floats:
    """Return for each pair the weight of the features that ``bags`` row ``right`` and ``marked`` row ``left`` share."""
    out = np.zeros(len(left), dtype=np.float32)
    held = [one for one in marked if len(one.features)]
    some = np.flatnonzero((np.add.reduce([one.sizes for one in marked])[left] > 0) & (bags.sizes[right] > 0))
    if not len(some):
        return out
    some = some[np.argsort(left[some], kind="stable")]
    rows, others = left[some], right[some]
    work = np.concatenate(([0], np.cumsum(bags.sizes[others])))
    span = int(rows[-1] - rows[0]) + 1  # rows are sorted; beyond them nothing is marked
    height = max(1, min(span, _CELLS // bags.width))
    dense = np.zeros(height * bags.width, dtype=np.uint8)
    at = 0
    while at < len(some):
        end = int(np.searchsorted(rows, rows[at] + height, side="left"))
        end = min(end, max(at + 1, int(np.searchsorted(work, work[at] + _GATHER, side="right")) - 1))
        out[some[at:end]] = _sum_window(dense, held, bags, rows[at:end], others[at:end])
        at = end
    return out


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
    weights = bags.weights.take(place)
    weights *= dense.take(cell)
    dense[cells] = 0
    return np.add.reduceat(weights, ends - sizes)


def _mark_cells(marked: Bags, base: int, last: int) -> Ints:
    """Return the cells of the window that the rows from ``base`` to ``last`` mark."""
    owner = np.repeat(np.arange(last + 1 - base), np.diff(marked.starts[base : last + 2]))
    cells: Ints = owner * marked.width + marked.features[int(marked.starts[base]) : int(marked.starts[last + 1])]
    return cells
