"""Two copies of one text laid side by side, token by token: what stands in order, what is similar, what was moved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from rapidfuzz.distance import Indel, LCSseq

from aggregator.text.alignment_blocks import equal_blocks
from aggregator.text.ocr_shapes import shape

Matches = list[tuple[int, int]]

# Below .6 two words of a gap are two words: "form"/"from" is .75, "house"/"mouse" .8, "and"/"the" 0.
SIMILAR = 0.6
# A gap of more than 30 by 30 tokens is another text, not a worn one.
WIDEST_GAP = 900
# Of longer keys (an address with its whole query, a hash) this many characters are compared.
LONGEST_KEY = 500
# Of a frequent word only the first places are tried for a move.
FEW = 8
# The runs that are tried for a move have so many times the words that are free, at most; in damaged copies .9 times.
OVERLAP = 16


def in_order(left: Sequence[str], right: Sequence[str]) -> Matches:
    """Pairs of positions that hold equal or similar keys, both ascending: the longest common subsequence (of long texts
    that of each part), and within its gaps the best pairing of similar keys.

    >>> in_order(["one", "two", "three"], ["one", "twoo", "three"])
    [(0, 0), (1, 1), (2, 2)]
    """
    matches: Matches = []
    at_left = at_right = 0
    for i, j, size in (*equal_blocks(left, right), (len(left), len(right), 0)):
        matches += _similar(left[at_left:i], right[at_right:j], at_left, at_right)
        matches += zip(range(i, i + size), range(j, j + size), strict=True)
        at_left, at_right = i + size, j + size
    return matches


def _similar(left: Sequence[str], right: Sequence[str], at_left: int, at_right: int) -> Matches:
    """The best pairing of similar keys within one gap."""
    rows, columns = len(left), len(right)
    if not rows or not columns or rows * columns > WIDEST_GAP:
        return []
    if max(map(len, left)) == max(map(len, right)) == 1 and set(left).isdisjoint(right):  # unequal letters are unlike
        return []
    likeness = [[alike(one, other) for other in right] for one in left]
    if rows == 1 or columns == 1:
        line = likeness[0] if rows == 1 else [row[0] for row in likeness]
        most = max(line)
        at = line.index(most)
        return [(at_left + at * (rows > 1), at_right + at * (columns > 1))] if most else []
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + likeness[i][j])
    return _walked(likeness, best, at_left, at_right)


def _walked(likeness: list[list[float]], best: list[list[float]], at_left: int, at_right: int) -> Matches:
    matches, i, j = [], 0, 0
    while i < len(likeness) and j < len(likeness[0]):
        if likeness[i][j] and best[i][j] == best[i + 1][j + 1] + likeness[i][j]:
            matches.append((at_left + i, at_right + j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return matches


def alike(one: str, other: str) -> float:
    """How similar two keys are, from .6 to 1, or 0 below; punctuation is never like a word."""
    if one[:1].isalnum() != other[:1].isalnum():
        return 0.0
    ratio = float(Indel.normalized_similarity(one[:LONGEST_KEY], other[:LONGEST_KEY], score_cutoff=SIMILAR))
    return ratio or SIMILAR * (len(one) > 1 < len(other) and shape(one) == shape(other))


def moved(keys: tuple[Sequence[str], Sequence[str]], free: tuple[Sequence[int], Sequence[int]]) -> Matches:
    """Pairs among positions that are still free, longest runs of equal keys first: blocks that changed place.

    Greedy, because the shortest edit script with moves is NP-complete (Shapira and Storer, 2002).

    >>> moved((["b", "c", "a"], ["a", "b", "c"]), ([2], [0]))
    [(2, 0)]
    """
    (left, right), (free_left, free_right) = keys, free
    if {left[i] for i in free_left}.isdisjoint([right[j] for j in free_right]):
        return []
    where: dict[str, list[int]] = {}
    for i in free_left:
        where.setdefault(left[i], []).append(i)
    begins, open_left, open_right = {key: found[:FEW] for key, found in where.items()}, set(free_left), set(free_right)
    pairs: dict[tuple[str, str], list[int]] = {}
    for i in (i for found in begins.values() for i in found if i + 1 in open_left):
        pairs.setdefault((left[i], left[i + 1]), []).append(i)
    several = ((j, pairs.get((right[j], right[j + 1]), ())) for j in free_right if j + 1 in open_right)
    starts = [
        (i, j)
        for j, found in several
        for i in found
        if not (i - 1 in open_left and j - 1 in open_right and left[i - 1] == right[j - 1])
    ]
    bits = max(len(left), len(right)).bit_length()
    matches = _tiled(starts, bits, _sizes(keys, starts, open_left, open_right))
    taken_left, taken_right = {i for i, _ in matches}, {j for _, j in matches}
    left_over = ((j, begins.get(right[j], ())) for j in free_right if j not in taken_right)
    lone = [
        (i, j)
        for j, found in left_over
        for i in found
        if i not in taken_left and not (i - 1 in open_left and j - 1 in open_right and left[i - 1] == right[j - 1])
    ]
    return matches + _tiled(lone, bits)


def _tiled(starts: Sequence[tuple[int, int]], bits: int, sizes: Sequence[int] = ()) -> Matches:
    """The pairs of the runs that start so, the longest first, no place taken twice; all are single without sizes.

    Of equal runs the one that moved least comes first, then the first. To be sorted each is one number, with so many
    ``bits`` for a place: a long text has a hundred thousand.
    """
    matches: Matches = []
    left: set[int] = set()
    right: set[int] = set()
    longest = max(sizes, default=1)
    runs = [
        (((longest - size << bits) + abs(i - j) << bits) + i << bits) + j
        for (i, j), size in zip(starts, sizes or repeat(1), strict=False)
    ]
    for run in sorted(runs):
        begin_left, begin_right = run >> bits & ~(-1 << bits), run & ~(-1 << bits)
        for step in range(longest - (run >> 3 * bits)):
            i, j = begin_left + step, begin_right + step
            if i not in left and j not in right:
                left.add(i)
                right.add(j)
                matches.append((i, j))
    return matches


def _sizes(
    keys: tuple[Sequence[str], Sequence[str]], starts: Sequence[tuple[int, int]], left: set[int], right: set[int]
) -> list[int]:
    """How long the runs from these places are; where many overlap, as in a phrase repeated, only the first are told."""
    sizes: list[int] = []
    room = OVERLAP * (len(left) + len(right))
    for start in starts:
        sizes.append(_run(keys, start, left, right) if room > 0 else 1)
        room -= sizes[-1]
    return sizes


def _run(keys: tuple[Sequence[str], Sequence[str]], start: tuple[int, int], left: set[int], right: set[int]) -> int:
    """How many keys are equal and free from two places on; those at the places are."""
    (mine, theirs), (i, j) = keys, start
    size = 1
    while i + size in left and j + size in right and mine[i + size] == theirs[j + size]:
        size += 1
    return size


def common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many keys the longest common subsequence of two copies has."""
    return int(LCSseq.similarity(left, right))
