"""Two copies of one text laid side by side, token by token: what stands in order, what is similar, what was moved."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Indel, LCSseq

Matches = list[tuple[int, int]]

# Below .6 two words of a gap are two words: "form"/"from" is .75, "house"/"mouse" .8, "and"/"the" 0.
SIMILAR = 0.6
# A gap of more than 30 by 30 tokens is another text, not a worn one.
WIDEST_GAP = 900
# Beyond 6 000 by 6 000 tokens the alignment's memory (a bit for each pair) and time are spent on parts.
LARGEST = 36_000_000
ANCHOR = 8
MOST_TRIED = 500
# Of a frequent word only the first places are tried for a move.
FEW = 8


def in_order(left: Sequence[str], right: Sequence[str]) -> Matches:
    """Pairs of positions that hold equal or similar keys, both ascending: the longest common subsequence, and within
    its gaps the best pairing of similar keys.

    >>> in_order(["one", "two", "three"], ["one", "twoo", "three"])
    [(0, 0), (1, 1), (2, 2)]
    """
    matches: Matches = []
    at_left = at_right = 0
    for i, j, size in (*_equal_blocks(left, right), (len(left), len(right), 0)):
        matches += _similar(left[at_left:i], right[at_right:j], at_left, at_right)
        matches += [(i + step, j + step) for step in range(size)]
        at_left, at_right = i + size, j + size
    return matches


def _equal_blocks(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int]]:
    """Stretches of equal keys, as position left, position right and size; long texts are aligned in parts."""
    if len(left) * len(right) > LARGEST:
        i, j = _anchor(left, right)
        if 0 < i < len(left) and 0 < j < len(right):
            behind = _equal_blocks(left[i:], right[j:])
            return [*_equal_blocks(left[:i], right[:j]), *((i + one, j + other, size) for one, other, size in behind)]
    return [
        (step.src_start, step.dest_start, step.src_end - step.src_start)
        for step in Indel.opcodes(left, right)
        if step.tag == "equal"
    ]


def _anchor(left: Sequence[str], right: Sequence[str]) -> tuple[int, int]:
    """Where both texts can be cut in two: words that stand once in each, near the middle; else the middles."""
    places: dict[tuple[str, ...], int] = {}
    for j in range(len(right) - ANCHOR + 1):
        words = tuple(right[j : j + ANCHOR])
        places[words] = -1 if words in places else j
    middle = len(left) // 2
    for step in range(min(middle, MOST_TRIED)):
        for i in (middle + step, middle - step):
            j = places.get(tuple(left[i : i + ANCHOR]), -1)
            if len(right) // 5 < j < 4 * len(right) // 5:
                return i, j
    return middle, len(right) // 2


def _similar(left: Sequence[str], right: Sequence[str], at_left: int, at_right: int) -> Matches:
    """The best pairing of similar keys within one gap."""
    rows, columns = len(left), len(right)
    if not rows or not columns or rows * columns > WIDEST_GAP:
        return []
    likeness = [[alike(one, other) for other in right] for one in left]
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
    return float(Indel.normalized_similarity(one, other, score_cutoff=SIMILAR))


def moved(keys: tuple[Sequence[str], Sequence[str]], free: tuple[Sequence[int], Sequence[int]]) -> Matches:
    """Pairs among positions that are still free, longest runs of equal keys first: blocks that changed place.

    Greedy, because the shortest edit script with moves is NP-complete (Shapira and Storer, 2002).

    >>> moved((["b", "c", "a"], ["a", "b", "c"]), ([2], [0]))
    [(2, 0)]
    """
    (left, right), (free_left, free_right) = keys, free
    where: dict[str, list[int]] = {}
    for i in free_left:
        where.setdefault(left[i], []).append(i)
    open_left, open_right = set(free_left), set(free_right)
    runs = []
    for j in free_right:
        begins = [
            i
            for i in where.get(right[j], ())[:FEW]
            if not (j - 1 in open_right and i - 1 in open_left and left[i - 1] == right[j - 1])
        ]
        runs += [(_run(keys, (i, j), open_left, open_right), i, j) for i in begins]
    matches: Matches = []
    for size, i, j in sorted(runs, key=lambda run: (-run[0], abs(run[1] - run[2]), run[1])):
        for step in range(size):
            if i + step in open_left and j + step in open_right:
                open_left.discard(i + step)
                open_right.discard(j + step)
                matches.append((i + step, j + step))
    return matches


def _run(keys: tuple[Sequence[str], Sequence[str]], start: tuple[int, int], left: set[int], right: set[int]) -> int:
    (i, j), size = start, 0
    while i + size in left and j + size in right and keys[0][i + size] == keys[1][j + size]:
        size += 1
    return size


def common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many keys the longest common subsequence of two copies has."""
    return int(LCSseq.similarity(left, right))
