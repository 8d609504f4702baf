"""Where two copies of one text have the same keys in the same order; long texts are compared part by part.

Parts begin where both texts have a run of words that stands once in each, as Bram Cohen's patience diff does it: the
runs that stand in one order in both, as many as can be. Halving where there is none keeps the time linear: two texts of
one word repeated have no such run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from rapidfuzz.distance import Indel

Places = list[tuple[int, int]]
Block = tuple[int, int, int]

# Beyond 6 000 by 6 000 tokens the alignment's memory (a bit for each pair) and time are spent on parts.
LARGEST = 36_000_000
ANCHOR = 8
# Every sixteenth run of words is looked for: a part then has a hundred places to begin.
SPARSE = 16
# Parts of 2 000 tokens and more: a tenth of it would cut more often than the alignment of a part takes.
PART = 2000


def equal_blocks(left: Sequence[str], right: Sequence[str]) -> list[Block]:
    """Stretches of equal keys, as position left, position right and size; long texts are aligned in parts."""
    if len(left) * len(right) <= LARGEST:
        return [(i, j, size) for i, j, size in Indel.editops(left, right).as_matching_blocks() if size]
    first = _shared(left, right)
    last = _shared(left[first:][::-1], right[first:][::-1])
    ends = len(left) - last, len(right) - last
    inner = left[first : ends[0]], right[first : ends[1]]
    blocks = [(0, 0, first)]
    for i, after_i, j, after_j in _parts(*inner):
        found = equal_blocks(inner[0][i:after_i], inner[1][j:after_j])
        blocks += [(first + i + at, first + j + place, size) for at, place, size in found]
    return [*blocks, (*ends, last)]


def akin(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two texts may be copies of one: long ones that have no run of words in common are not."""
    return len(left) * len(right) <= LARGEST or not set(_runs(left, SPARSE)).isdisjoint(_runs(right))


def _shared(left: Sequence[str], right: Sequence[str]) -> int:
    """How many keys two texts begin with alike."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[low:middle] == right[low:middle] else (low, middle - 1)
    return low


def _parts(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """The parts into which two long texts are cut: at words that stand once in each and in one order, else halfway.

    Each is where it begins and ends on the left, and on the right.
    """
    cuts = [(0, 0)]
    for i, j in _anchors(left, right):
        if max(i - cuts[-1][0], j - cuts[-1][1]) >= PART:
            cuts.append((i, j))
    if len(cuts) == 1:
        cuts.append((len(left) // 2, len(right) // 2))
    cuts.append((len(left), len(right)))
    return [(i, after_i, j, after_j) for (i, j), (after_i, after_j) in pairwise(cuts)]


def _anchors(left: Sequence[str], right: Sequence[str]) -> Places:
    """The places of runs of words that stand once in each text, the most of them that stand in one order in both."""
    theirs = _runs(right)
    shared = set(_runs(left, SPARSE)).intersection(theirs)
    if not shared:
        return []
    once, other = _once(_runs(left), shared), _once(theirs, shared)
    found = sorted((i, other[run]) for run, i in once.items() if run in other)
    tails: list[int] = []  # the lowest place on the right that ends a chain of each length
    ends: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(found):
        length = bisect_left(tails, j)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1], ends[length : length + 1] = [j], [at]
    chain: Places = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(found[at])
        at = before[at]
    return chain[::-1]


def _runs(keys: Sequence[str], step: int = 1) -> Sequence[int | str]:
    """The run of keys from each place on; of lists a number for it: should two share one, a cut is less good."""
    if isinstance(keys, str):
        return [keys[at : at + ANCHOR] for at in range(0, len(keys) - ANCHOR + 1, step)]
    return list(map(hash, zip(*(keys[at::step] for at in range(ANCHOR)), strict=False)))


def _once(runs: Sequence[int | str], wanted: set[int | str]) -> dict[int | str, int]:
    """The places of the wanted runs that stand once in a text."""
    once: dict[int | str, int] = {}
    for at, run in enumerate(runs):
        if run in wanted:
            once[run] = -1 if run in once else at
    return {run: at for run, at in once.items() if at >= 0}
