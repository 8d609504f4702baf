"""Align two copies of one text: equal runs, similar words, moved blocks.

Long texts are compared part by part. Parts begin where both texts have a run of words that stands once in each, as Bram
Cohen's patience diff does it; halving where there is none keeps the time linear: two texts of one word repeated have
no such run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, repeat

from rapidfuzz.distance import Indel, LCSseq

from aggregator.text.fold import normalize

_Places = list[tuple[int, int]]
_Block = tuple[int, int, int]

# Beyond 6 000 by 6 000 tokens the alignment's memory (a bit for each pair) and time are spent on parts.
LARGEST = 36_000_000
_ANCHOR = 8
# Every sixteenth run of words is looked for: a part then has a hundred places to begin.
_SPARSE = 16
# Parts of 2 000 tokens and more: a tenth of it would cut more often than the alignment of a part takes.
_PART = 2000


def find_equal_blocks(left: Sequence[str], right: Sequence[str]) -> list[_Block]:
    """Return stretches of equal keys, as position left, position right and size; long texts are aligned in parts."""
    if len(left) * len(right) <= LARGEST:
        return [(i, j, size) for i, j, size in Indel.editops(left, right).as_matching_blocks() if size]
    first = _common_start(left, right)
    last = _common_start(left[first:][::-1], right[first:][::-1])
    ends = len(left) - last, len(right) - last
    inner = left[first : ends[0]], right[first : ends[1]]
    blocks = [(0, 0, first)]
    for i, after_i, j, after_j in _cut_into_parts(*inner):
        found = find_equal_blocks(inner[0][i:after_i], inner[1][j:after_j])
        blocks += [(first + i + at, first + j + place, size) for at, place, size in found]
    return [*blocks, (*ends, last)]


def may_be_copies(left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether two texts may be copies of one: long ones that have no run of words in common are not."""
    return len(left) * len(right) <= LARGEST or not set(_list_runs(left, _SPARSE)).isdisjoint(_list_runs(right))


def _common_start(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many keys two texts begin with alike."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[low:middle] == right[low:middle] else (low, middle - 1)
    return low


def _cut_into_parts(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the parts of two long texts: cut at words that stand once in each and in one order, else halfway.

    Each is where it begins and ends on the left, and on the right.
    """
    cuts = [(0, 0)]
    for i, j in _find_anchors(left, right):
        if max(i - cuts[-1][0], j - cuts[-1][1]) >= _PART:
            cuts.append((i, j))
    if len(cuts) == 1:
        cuts.append((len(left) // 2, len(right) // 2))
    cuts.append((len(left), len(right)))
    return [(i, after_i, j, after_j) for (i, j), (after_i, after_j) in pairwise(cuts)]


def _find_anchors(left: Sequence[str], right: Sequence[str]) -> _Places:
    """Return the places of runs of words that stand once in each text, as many as stand in one order in both."""
    theirs = _list_runs(right)
    shared = set(_list_runs(left, _SPARSE)).intersection(theirs)
    if not shared:
        return []
    once, other = _find_unique(_list_runs(left), shared), _find_unique(theirs, shared)
    found = sorted((i, other[run]) for run, i in once.items() if run in other)
    tails: list[int] = []  # the lowest place on the right that ends a chain of each length
    ends: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(found):
        length = bisect_left(tails, j)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1], ends[length : length + 1] = [j], [at]
    chain: _Places = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(found[at])
        at = before[at]
    return chain[::-1]


def _list_runs(keys: Sequence[str], step: int = 1) -> Sequence[int | str]:
    """Return the run of keys from each place on; of lists a number for it: should two share one, a cut is less good."""
    if isinstance(keys, str):
        return [keys[at : at + _ANCHOR] for at in range(0, len(keys) - _ANCHOR + 1, step)]
    return list(map(hash, zip(*(keys[at::step] for at in range(_ANCHOR)), strict=False)))


def _find_unique(runs: Sequence[int | str], wanted: set[int | str]) -> dict[int | str, int]:
    """Return the places of the wanted runs that stand once in a text."""
    once: dict[int | str, int] = {}
    for at, run in enumerate(runs):
        if run in wanted:
            once[run] = -1 if run in once else at
    return {run: at for run, at in once.items() if at >= 0}


# Of two letters that are taken for one.
_PAIRS = (("rn", "m"), ("cl", "d"), ("ii", "u"), ("vv", "w"))
_DIGITS = str.maketrans("105", "los")
_SINGLES = str.maketrans("cbiı", "ehll")


@lru_cache(maxsize=1 << 14)
def ocr_shape(word: str) -> str:
    """Return what a word looks like at a careless look: letters that recognition takes for each other are one.

    Recognition reads "rn" for "m", "c" for "e", "b" for "h", "1" for "l", "ii" for "ü". That two words have one shape
    says only that one may be a slip for the other; the words of the language say which.

    >>> (
    ...     ocr_shape("Comrnunity") == ocr_shape("Community"),
    ...     ocr_shape("fiir") == ocr_shape("für"),
    ...     ocr_shape("Wusten") == ocr_shape("Wüsten"),
    ... )
    (True, True, True)
    >>> ocr_shape("form") == ocr_shape("farm")
    False
    """
    plain = word.lower()
    if not plain.isascii():
        plain = "".join(one for one in normalize("NFD", plain) if not "\u0300" <= one <= "\u036f")
    if sum(map(str.isdecimal, plain)) == 1:  # "a11y" is no slip for "ally"
        plain = plain.translate(_DIGITS)
    for two, one in _PAIRS:
        plain = plain.replace(two, one)
    return plain.translate(_SINGLES)


_Matches = list[tuple[int, int]]

# Below .6 two words of a gap are two words: "form"/"from" is .75, "house"/"mouse" .8, "and"/"the" 0.
_SIMILAR = 0.6
# A gap of more than 30 by 30 tokens is another text, not a worn one.
_WIDEST_GAP = 900
# Of longer keys (an address with its whole query, a hash) this many characters are compared.
_LONGEST_KEY = 500
# Of a frequent word only the first places are tried for a move.
_FEW = 8
# The runs that are tried for a move have so many times the words that are free, at most; in damaged copies .9 times.
_OVERLAP = 16


def align(left: Sequence[str], right: Sequence[str]) -> _Matches:
    """Return pairs of positions that hold equal or similar keys, both ascending.

    The longest common subsequence (of long texts that of each part), and in its gaps the best pairing of similar keys.

    >>> align(["one", "two", "three"], ["one", "twoo", "three"])
    [(0, 0), (1, 1), (2, 2)]
    """
    matches: _Matches = []
    at_left = at_right = 0
    for i, j, size in (*find_equal_blocks(left, right), (len(left), len(right), 0)):
        matches += _pair_similar(left[at_left:i], right[at_right:j], at_left, at_right)
        matches += zip(range(i, i + size), range(j, j + size), strict=True)
        at_left, at_right = i + size, j + size
    return matches


def _pair_similar(left: Sequence[str], right: Sequence[str], at_left: int, at_right: int) -> _Matches:
    """Return the best pairing of similar keys within one gap."""
    rows, columns = len(left), len(right)
    if not rows or not columns or rows * columns > _WIDEST_GAP:
        return []
    if max(map(len, left)) == max(map(len, right)) == 1 and set(left).isdisjoint(right):  # unequal letters are unlike
        return []
    likeness = [[_measure_likeness(one, other) for other in right] for one in left]
    if rows == 1 or columns == 1:
        line = likeness[0] if rows == 1 else [row[0] for row in likeness]
        most = max(line)
        at = line.index(most)
        return [(at_left + at * (rows > 1), at_right + at * (columns > 1))] if most else []
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + likeness[i][j])
    return _trace_pairs(likeness, best, at_left, at_right)


def _trace_pairs(likeness: list[list[float]], best: list[list[float]], at_left: int, at_right: int) -> _Matches:
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


def _measure_likeness(one: str, other: str) -> float:
    """Return how similar two keys are, from .6 to 1, or 0 below; punctuation is never like a word."""
    if one[:1].isalnum() != other[:1].isalnum():
        return 0.0
    ratio = float(Indel.normalized_similarity(one[:_LONGEST_KEY], other[:_LONGEST_KEY], score_cutoff=_SIMILAR))
    return ratio or _SIMILAR * (len(one) > 1 < len(other) and ocr_shape(one) == ocr_shape(other))


def find_moved_blocks(keys: tuple[Sequence[str], Sequence[str]], free: tuple[Sequence[int], Sequence[int]]) -> _Matches:
    """Return pairs among positions that are still free, longest runs of equal keys first: blocks that changed place.

    Greedy, because the shortest edit script with moves is NP-complete (Shapira and Storer, 2002).

    >>> find_moved_blocks((["b", "c", "a"], ["a", "b", "c"]), ([2], [0]))
    [(2, 0)]
    """
    (left, right), (free_left, free_right) = keys, free
    if {left[i] for i in free_left}.isdisjoint([right[j] for j in free_right]):
        return []
    where: dict[str, list[int]] = {}
    for i in free_left:
        where.setdefault(left[i], []).append(i)
    begins, open_left, open_right = {key: found[:_FEW] for key, found in where.items()}, set(free_left), set(free_right)
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
    matches = _tile(starts, bits, _measure_runs(keys, starts, open_left, open_right))
    taken_left, taken_right = {i for i, _ in matches}, {j for _, j in matches}
    left_over = ((j, begins.get(right[j], ())) for j in free_right if j not in taken_right)
    lone = [
        (i, j)
        for j, found in left_over
        for i in found
        if i not in taken_left and not (i - 1 in open_left and j - 1 in open_right and left[i - 1] == right[j - 1])
    ]
    return matches + _tile(lone, bits)


def _tile(starts: Sequence[tuple[int, int]], bits: int, sizes: Sequence[int] = ()) -> _Matches:
    """Return the pairs of runs that start so, the longest first, no place taken twice; without sizes all are single.

    Of equal runs the one that moved least comes first, then the first. To be sorted each is one number, with so many
    ``bits`` for a place: a long text has a hundred thousand.
    """
    matches: _Matches = []
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


def _measure_runs(
    keys: tuple[Sequence[str], Sequence[str]], starts: Sequence[tuple[int, int]], left: set[int], right: set[int]
) -> list[int]:
    """Return how long the runs from these places are; of many that overlap only the first are measured."""
    sizes: list[int] = []
    room = _OVERLAP * (len(left) + len(right))
    for start in starts:
        sizes.append(_measure_run(keys, start, left, right) if room > 0 else 1)
        room -= sizes[-1]
    return sizes


def _measure_run(
    keys: tuple[Sequence[str], Sequence[str]], start: tuple[int, int], left: set[int], right: set[int]
) -> int:
    """Return how many keys are equal and free from two places on; those at the places are."""
    (mine, theirs), (i, j) = keys, start
    size = 1
    while i + size in left and j + size in right and mine[i + size] == theirs[j + size]:
        size += 1
    return size


def count_common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many keys the longest common subsequence of two copies has."""
    return int(LCSseq.similarity(left, right))
