"""Keep the levels of compared pairs, so that a new entry is compared alone and not all others with each other again.

The levels of a pair follow from what its two rows are: the key of a row is the digest of all that is compared, the
weights of its words included. A pair of two rows that a former run compared has the levels that it had then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct

from aggregator.merger.matching.evidence.levels import Levels
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bools, Ints, digest_values
from aggregator.merger.matching.scoring import KINDS, find_patterns
from aggregator.model.record import make_msgpack_decoder

_ENCODER = msgspec.msgpack.Encoder()


class _Levels(Struct, frozen=True):
    """Compared pairs: the keys of the rows; the pairs, ascending, as ``left * rows + right``; the pattern of each.

    A pattern is a distinct combination of levels.
    """

    keys: tuple[bytes, ...]
    pairs: bytes
    patterns: bytes
    which: bytes


_DECODER = make_msgpack_decoder(_Levels)


def key_rows(frame: Frame) -> tuple[bytes, ...]:
    """Return the key of each row; of a title that is only a number, with the sources that have an entry of its day."""
    on_day: defaultdict[int, set[str]] = defaultdict(set)
    for row, day in zip(frame.records, frame.day.tolist(), strict=True):
        on_day[day].add(row.source)
    bags = frame.title_grams, frame.name_grams, frame.descriptions, frame.summaries
    weights = [(each.weights.tobytes(), (4 * each.starts).tolist()) for each in bags]
    columns = frame.season, frame.day, frame.year, frame.seconds, frame.step, frame.repeats, frame.cut, frame.group_size
    numbers = list(zip(*(column.tolist() for column in columns), strict=True))
    serial = (frame.series_words != ABSENT).tolist()
    return tuple(
        digest_values(
            *(row.id, row.source, row.title, row.numbers, frame.titles[at], frame.names_of[at], numbers[at]),
            *(len(said), sorted(ids), sorted(codes), sorted(on_day[numbers[at][1]]) if serial[at] else ""),
            extra=said + b"".join([each[starts[at] : starts[at + 1]] for each, starts in weights]),
        )
        for at, (row, (said, ids, codes)) in enumerate(zip(frame.records, frame.own, strict=True))
    )


def find_kept(kept: bytes, keys: Sequence[bytes], left: Ints, right: Ints) -> tuple[Bools, Levels]:
    """Return which pairs of rows are known from what ``keep_levels`` returned, and the levels of these."""
    known = np.zeros(len(left), dtype=np.bool_)
    if not kept:
        return known, np.zeros((0, len(KINDS)), dtype=np.int8)
    before = _DECODER.decode(kept)
    pairs = np.frombuffer(before.pairs, dtype=np.int64)
    number = {key: at for at, key in enumerate(before.keys)}
    row = np.array([number.get(key, -1) for key in keys], dtype=np.int64)
    codes = row[left] * len(before.keys) + row[right]
    at = np.searchsorted(pairs, codes)
    inside = np.flatnonzero((row[left] >= 0) & (row[right] >= 0) & (at < len(pairs)))
    known[inside] = pairs[at[inside]] == codes[inside]
    patterns = np.frombuffer(before.patterns, dtype=np.int8).reshape(-1, len(KINDS))
    return known, patterns[np.frombuffer(before.which, dtype=np.int32)[at[known]]]


def keep_levels(keys: Sequence[bytes], left: Ints, right: Ints, levels: Levels) -> bytes:
    """Return the levels of pairs of rows, sorted by their rows, for a later run."""
    patterns, which = find_patterns(levels)
    codes = left * len(keys) + right
    return _ENCODER.encode(_Levels(tuple(keys), codes.tobytes(), patterns.tobytes(), which.astype(np.int32).tobytes()))
