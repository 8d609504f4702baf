"""Align two copies of one text: equal runs, similar words, moved blocks.

Long texts are compared part by part. Parts begin where both texts have a run of words that occurs once in each, as in
Bram Cohen's patience diff. Where there is no such run (two texts of one word repeated) they are halved, so that the
time stays linear.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from rapidfuzz.distance import Indel, LCSseq

from aggregator.text.fold import normalize

_Pairs = list[tuple[int, int]]
_Block = tuple[int, int, int]

LARGEST = 36_000_000
"""Product of two lengths in tokens, beyond which texts are aligned in parts: memory and time grow with it."""
_ANCHOR = 8  # tokens of a run that may begin a part
_SPARSE = 16  # every sixteenth run of the left text is looked up in the right one: a part has a hundred of them
_PART = 2000  # tokens of a part, at least; with 200, cutting takes longer than aligning
_SIMILAR = 0.6  # likeness below which two words of a gap are different: "form"/"from" .75, "house"/"mouse" .8
_WIDEST_GAP = 900  # 30 by 30 tokens; a larger gap holds another text, not damaged words
_LONGEST_KEY = 500  # characters of a key that are compared; an address with its query, or a hash, may be longer
_FEW = 8  # places of one word that are tried for a move
_OVERLAP = 16  # sum of the runs tried for a move, in multiples of the free words; damaged copies have .9

# Letters that recognition takes for each other: two for one, a digit for a letter, one for one.
_OCR_DOUBLES = (("rn", "m"), ("cl", "d"), ("ii", "u"), ("vv", "w"))
_OCR_DIGITS = str.maketrans("105", "los")
_OCR_SINGLES = str.maketrans("cbiı", "ehll")


def find_equal_blocks(left: Sequence[str], right: Sequence[str]) -> list[_Block]:
    """Return stretches of equal keys, as position left, position right and size; long texts are aligned in parts."""
    if len(left) * len(right) <= LARGEST:
        return [(i, j, size) for i, j, size in Indel.editops(left, right).as_matching_blocks() if size]
    first = _count_common_start(left, right)
    last = _count_common_start(left[first:][::-1], right[first:][::-1])
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


def _count_common_start(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many keys two texts have in common at their start."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


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


def _find_anchors(left: Sequence[str], right: Sequence[str]) -> _Pairs:
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
    chain: _Pairs = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(found[at])
        at = before[at]
    return chain[::-1]


def _list_runs(keys: Sequence[str], step: int = 1) -> Sequence[int | str]:
    """Return the ``_ANCHOR`` keys from each place on: as a text, of a list as their hash, which may cut elsewhere."""
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
        plain = plain.translate(_OCR_DIGITS)
    for two, one in _OCR_DOUBLES:
        plain = plain.replace(two, one)
    return plain.translate(_OCR_SINGLES)


def align(left: Sequence[str], right: Sequence[str]) -> _Pairs:
    """Return pairs of positions that hold equal or similar keys, both ascending.

    The longest common subsequence (of long texts that of each part), and in its gaps the best pairing of similar keys.

    >>> align(["one", "two", "three"], ["one", "twoo", "three"])
    [(0, 0), (1, 1), (2, 2)]
    """
    matches: _Pairs = []
    at_left = at_right = 0
    for i, j, size in (*find_equal_blocks(left, right), (len(left), len(right), 0)):
        matches += _pair_similar(left[at_left:i], right[at_right:j], at_left, at_right)
        matches += zip(range(i, i + size), range(j, j + size), strict=True)
        at_left, at_right = i + size, j + size
    return matches


def _pair_similar(left: Sequence[str], right: Sequence[str], at_left: int, at_right: int) -> _Pairs:
    """Return the best pairing of similar keys within one gap."""
    rows, columns = len(left), len(right)
    if not rows or not columns or rows * columns > _WIDEST_GAP:
        return []
    if max(map(len, left)) == max(map(len, right)) == 1 and set(left).isdisjoint(right):  # unequal letters are unlike
        return []
    likeness = [[_measure_likeness(one, other) for other in right] for one in left]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + likeness[i][j])
    return _trace_pairs(likeness, best, at_left, at_right)


def _trace_pairs(likeness: list[list[float]], best: list[list[float]], at_left: int, at_right: int) -> _Pairs:
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
    return ratio or _SIMILAR * (ocr_shape(one) == ocr_shape(other))


def find_moved_blocks(keys: tuple[Sequence[str], Sequence[str]], free: tuple[Sequence[int], Sequence[int]]) -> _Pairs:
    """Return pairs of equal keys among the ``free`` positions of both texts: blocks that changed place.

    Greedy, the longest runs first: the shortest edit script with moves is NP-complete (Shapira and Storer, 2002).

    >>> find_moved_blocks((["b", "c", "a"], ["a", "b", "c"]), ([2], [0]))
    [(2, 0)]
    """
    (left, right), (free_left, free_right) = keys, free
    if {left[i] for i in free_left}.isdisjoint([right[j] for j in free_right]):
        return []
    open_left, open_right = set(free_left), set(free_right)

    def begins_run(i: int, j: int) -> bool:
        return not (i - 1 in open_left and j - 1 in open_right and left[i - 1] == right[j - 1])

    places: dict[str, list[int]] = {}
    twos: dict[tuple[str, str], list[int]] = {}
    for i in free_left:
        found = places.setdefault(left[i], [])
        if len(found) < _FEW:
            found.append(i)
            if i + 1 in open_left:
                twos.setdefault((left[i], left[i + 1]), []).append(i)
    starts = [
        (i, j)
        for j in free_right
        if j + 1 in open_right
        for i in twos.get((right[j], right[j + 1]), ())
        if begins_run(i, j)
    ]
    matches = _choose_runs(_measure_runs(keys, starts, open_left, open_right))
    taken_left, taken_right = {i for i, _ in matches}, {j for _, j in matches}
    single = [
        (1, i, j)
        for j in free_right
        if j not in taken_right
        for i in places.get(right[j], ())
        if i not in taken_left and begins_run(i, j)
    ]
    return matches + _choose_runs(single)


def _choose_runs(runs: Iterable[tuple[int, int, int]]) -> _Pairs:
    """Return the pairs of runs (size, start left, start right), the longest first, no position used twice.

    Of equally long runs the one that moved least comes first, then the first.
    """
    matches: _Pairs = []
    left: set[int] = set()
    right: set[int] = set()
    for size, start_left, start_right in sorted(runs, key=lambda run: (-run[0], abs(run[1] - run[2]), *run[1:])):
        for i, j in zip(range(start_left, start_left + size), range(start_right, start_right + size), strict=True):
            if i not in left and j not in right:
                left.add(i)
                right.add(j)
                matches.append((i, j))
    return matches


def _measure_runs(
    keys: tuple[Sequence[str], Sequence[str]], starts: _Pairs, free_left: set[int], free_right: set[int]
) -> list[tuple[int, int, int]]:
    """Return size and starts of the runs of equal, free keys; once they sum to too much, the rest count as single."""
    left, right = keys
    runs: list[tuple[int, int, int]] = []
    room = _OVERLAP * (len(free_left) + len(free_right))
    for i, j in starts:
        size = 1
        while room > 0 and i + size in free_left and j + size in free_right and left[i + size] == right[j + size]:
            size += 1
        runs.append((size, i, j))
        room -= size
    return runs


def count_common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many keys the longest common subsequence of two copies has."""
    return int(LCSseq.similarity(left, right))
