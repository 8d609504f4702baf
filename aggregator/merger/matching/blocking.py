"""Find the pairs of records to compare: those that share a rare token, a day, a number, the core or a hard id.

What is rare, and which blocks are too large, is as the records show it that the feed was learned from. Those that came
since take no pair from others.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bags, Bools, Ints, number_combinations, select_features

# Records of a block; a larger one says "common", not "same". 60 or 120 change pairs by 4 %, recall by nothing.
_CAP = 80
_COMMON = 50  # rows of a title token that is a key of its own, at most
_WEEK = 1_000_000  # above any length in steps of four seconds
_COUPLED = 4  # common tokens of a row that are combined in pairs
_OPENING = 8  # words at the start of a text that are one key: a cut copy has these, but not the rarest words
_MIXED = 1_000_003  # a prime above most vocabularies: openings that collide are only compared in vain


def find_candidates(frame: Frame) -> tuple[Ints, Ints, int]:
    """Return the pairs of rows to compare, left below right, each once, and how many blocks were left out as too large.

    Pairs of one source are among them: the weights of non-matches are learned from these.
    """
    rows = len(frame.records)
    found: list[Ints] = []
    capped = 0
    for keys, owners in _list_block_keys(frame):
        pairs, over = _pair_up(keys, owners, ~frame.fresh)
        found.append(pairs)
        capped += over
    codes = np.concatenate(found)
    codes.sort()  # numpy.unique (2.4) takes twenty times as long
    left, right = np.divmod(codes[np.diff(codes, prepend=-1) != 0], max(rows, 1))
    one, other = frame.scope[left], frame.scope[right]
    kept = (one == other) | (one < 0) | (other < 0)
    return left[kept], right[kept], capped


def _list_block_keys(frame: Frame) -> Iterator[tuple[Ints, Ints]]:
    """Yield columns of (key, row) for each kind of block."""
    learned, rows = ~frame.fresh, np.arange(len(frame.records), dtype=np.int64)
    scope = frame.likely_scope + 2
    width = int(scope.max(initial=0)) + 1
    yield select_features(frame.tokens, (2, _COMMON), learned)[:2]
    yield _list_couple_keys(frame.tokens, learned)
    yield frame.core * width + scope, rows
    yield select_features(frame.unique_ids, (2, _CAP), learned)[:2]
    yield _list_opening_keys(frame)
    dated = frame.day != ABSENT
    for shift in (0, 1):
        yield ((frame.day[dated] + shift) // 2) * width + scope[dated], rows[dated]
    yield from _list_length_keys(frame, scope, width)
    yield from _list_repeated_title_keys(frame, scope, width)
    features, owners, _ = select_features(frame.numbers, (2, len(rows)), learned)
    yield features * width + scope[owners], owners


def _list_length_keys(frame: Frame, scope: Ints, width: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield keys of equal length (within two seconds) with an equal number or year, for pairs with other titles."""
    timed = np.flatnonzero(frame.seconds != ABSENT)
    counted = timed[frame.numbers.sizes[timed] > 0]
    first = frame.numbers.features[frame.numbers.starts[counted]].astype(np.int64) if len(counted) else counted
    dated = timed[frame.year[timed] != ABSENT]
    for shift in (0, 2):
        for owners, value in ((counted, first), (dated, frame.year[dated] + 1_000_000)):
            length = (frame.seconds[owners] + shift) // 4
            yield (value * _WEEK + length) * width + scope[owners], owners


def _list_repeated_title_keys(frame: Frame, scope: Ints, width: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield keys of equal titles with an equal instant, or with an equal length (within two seconds)."""
    often = np.flatnonzero(frame.repeats > 1)
    instants = np.array([ABSENT if (at := frame.records[row].instant) is None else int(at) for row in often.tolist()])
    dated, timed = often[instants != ABSENT], often[frame.seconds[often] != ABSENT]
    yield number_combinations(frame.core[dated] * width + scope[dated], instants[instants != ABSENT]), dated
    for shift in (0, 2):
        length = (frame.seconds[timed] + shift) // 4
        yield (frame.core[timed] * _WEEK + length) * width + scope[timed], timed


def _list_opening_keys(frame: Frame) -> tuple[Ints, Ints]:
    """Return the first distinct words of each description and of each summary as one key."""
    found = []
    for bags in (frame.descriptions, frame.summaries):
        owners = np.flatnonzero(bags.sizes >= _OPENING)
        words = bags.features[bags.starts[owners][:, None] + np.arange(_OPENING)].astype(np.int64)
        key = np.zeros(len(owners), dtype=np.int64)
        for word in words.T:
            key = key * _MIXED + word
        found.append((key, owners))
    keys, who = (np.concatenate(column) for column in zip(*found, strict=True))
    return keys, who


def _list_couple_keys(bags: Bags, learned: Bools) -> tuple[Ints, Ints]:
    """Return pairs of the rarest tokens that are too common to be keys alone, for large runs."""
    features, owners, often = select_features(bags, (_COMMON + 1, int(learned.sum()) // 4), learned)
    common = np.flatnonzero(often > _COMMON)  # those that fewer learned rows have are keys alone
    common = common[np.lexsort((features[common], often[common], owners[common]))]
    features, owners = features[common], owners[common]
    rarest = np.arange(len(owners)) - np.searchsorted(owners, owners) < _COUPLED
    features, owners = features[rarest], owners[rarest]
    found = []
    for step in range(1, _COUPLED):
        one, other = np.arange(len(owners) - step), np.arange(step, len(owners))
        same = owners[one] == owners[other]
        left, right = features[one[same]], features[other[same]]
        found.append((np.minimum(left, right) * bags.width + np.maximum(left, right), owners[one[same]]))
    keys, who = (np.concatenate(column) for column in zip(*found, strict=True))
    return keys, who


def _pair_up(keys: Ints, owners: Ints, learned: Bools) -> tuple[Ints, int]:
    """Return the pairs of rows with equal key, as ``left * rows + right``, and the number of blocks above the cap.

    ``learned`` rows count for the cap.
    """
    rows = len(learned)
    order = np.lexsort((owners, keys))
    keys, owners = keys[order], owners[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    sizes = np.diff(starts, append=len(keys))
    is_over = np.diff(np.append(0, np.cumsum(learned[owners]))[np.append(starts, len(keys))]) > _CAP
    out: list[Ints] = []
    for size in sorted(set(sizes[(sizes > 1) & ~is_over].tolist())):
        members = owners[starts[(sizes == size) & ~is_over][:, None] + np.arange(size)]
        one, other = np.triu_indices(size, 1)
        out.append((members[:, one] * rows + members[:, other]).ravel())
    pairs = np.concatenate(out) if out else np.zeros(0, dtype=np.int64)
    return pairs[pairs // max(rows, 1) != pairs % max(rows, 1)], int(is_over.sum())
