"""A source that lists many of its titles anew, under new ids, after the old entries vanished: it moved or rewrote them.

Then other words below an equal title are no evidence against a pair, for the author's own text was replaced; and a
title that stands twice in the source because of this stands there once. One title alone proves nothing (next week's
"Listener mail" replaces this week's), so at least three and half of the shorter listing must come back, and no date may
contradict. Seen: a blog's text front page, recorded, then its feed.
"""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.comparison import Compared
from aggregator.merger.matching.features.feature_table import Frame
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints
from aggregator.merger.matching.levels import KINDS, LEVELS
from aggregator.merger.matching.table import Table

LEAST = 3
"""Titles that must come back; with 2, two weekly titles of one page would do."""

EQUAL = ("equal, 2 or 3 times", "equal, in a source once")
UNDISPUTED = ("none", "same day", "next day")


def relisted(frame: Frame, compared: Compared, table: Table, voices: Ints) -> Floats:
    """For each pair what it gains, 0 or above: what the texts' disagreement took, and the title's repetition.

    ``voices`` numbers the listing in which each row first appeared.
    """
    gains = np.zeros(len(compared.left), dtype=np.float32)
    again = np.flatnonzero(_again(frame, compared))
    if len(again) < LEAST:
        return gains
    sizes = np.bincount(voices)
    told = np.array(table.weights[KINDS.index("told")], dtype=np.float32)
    moves = np.sort(np.stack([voices[compared.left[again]], voices[compared.right[again]]]), axis=0)
    kinds, inverse, counts = np.unique(moves, axis=1, return_inverse=True, return_counts=True)
    enough = counts >= np.maximum(LEAST, np.minimum(sizes[kinds[0]], sizes[kinds[1]]) / 2)
    back = again[enough[inverse.reshape(-1)]]
    gains[back] = -np.minimum(told[compared.levels[back, KINDS.index("told")]], 0)
    title = np.array(table.weights[KINDS.index("title")], dtype=np.float32)
    once = title[LEVELS["title"].index("equal, in a source once")]
    twice = frame.repeats[compared.left[back]] == 2  # noqa: PLR2004 - then and now
    gains[back] += np.where(twice, np.maximum(once - title[compared.levels[back, KINDS.index("title")]], 0), 0)
    return gains


def _again(frame: Frame, compared: Compared) -> Bools:
    """Pairs of one source, listed at different times, with equal titles and no contradicting date."""
    left, right = compared.left, compared.right
    apart = (frame.last[left] < frame.first[right]) | (frame.last[right] < frame.first[left])
    same: Bools = (frame.source[left] == frame.source[right]) & apart
    for kind, levels in (("title", EQUAL), ("date", UNDISPUTED)):
        wanted = [LEVELS[kind].index(level) for level in levels]
        same &= np.isin(compared.levels[:, KINDS.index(kind)], wanted)
    return same
