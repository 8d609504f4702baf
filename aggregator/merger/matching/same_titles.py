"""Rules for two entries of one title that no alignment of their listings decides.

Entries of a title that a source repeats within days are two items if their texts differ, or their days with known
lengths. Two entries a few days apart are the same item if the next entry of their title is further away in both
sources.
"""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.comparison import find_witnessed
from aggregator.merger.matching.evidence.length import LengthLevel
from aggregator.merger.matching.evidence.number import NumberLevel
from aggregator.merger.matching.evidence.place import PlaceLevel
from aggregator.merger.matching.evidence.text import OTHER_TEXT, compare_short_texts
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.habits import MAX_DELAY
from aggregator.merger.matching.features.token_bags import Bools, Ints, number_combinations
from aggregator.merger.matching.scoring import Compared

_FAR = 1000  # days to the next entry of a title if there is none


def compare_same_titles(frame: Frame, compared: Compared) -> Ints:
    """Return for each pair the level of the place that these rules give, 0 if none applies."""
    order = np.zeros(len(compared.left), dtype=np.int64)
    key = number_combinations(frame.likely_scope, frame.core, frame.full_title, frame.tag)
    same, gap = key[compared.left] == key[compared.right], _find_gaps(frame, key)
    order[same & _are_two_of_a_daily_title(frame, compared, gap)] = PlaceLevel.ELSEWHERE
    order[same & _stand_alone(frame, compared, gap)] = PlaceLevel.SERIES
    return order


def _find_gaps(frame: Frame, key: Ints) -> Ints:
    """Return for each row the days to the next entry of its title in its source."""
    listed = number_combinations(frame.source, key)
    order = np.lexsort((frame.day, listed))
    gaps = np.diff(frame.day[order])
    gaps[np.diff(listed[order]) != 0] = _FAR
    gap = np.empty(len(order), dtype=np.int64)
    gap[order] = np.minimum(np.append(gaps, _FAR), np.insert(gaps, 0, _FAR))
    return gap


def _are_two_of_a_daily_title(frame: Frame, compared: Compared, gap: Ints) -> Bools:
    """Return which pairs of a title that a source repeats within days differ in text, or in day with known lengths.

    Texts count even if they have few words. An id, a number, or a length to the second is evidence for a pair; minutes
    are none, as they agree by chance.
    """
    left, right = compared.left, compared.right
    found: Bools = (frame.source[left] != frame.source[right]) & (np.minimum(gap[left], gap[right]) <= MAX_DELAY)
    found &= (frame.day[left] != ABSENT) & (frame.day[right] != ABSENT) & ~find_witnessed(compared.levels)
    at = np.flatnonzero(found)
    texts = compare_short_texts(frame, left[at], right[at])
    found[at] = (compared.of(LengthLevel)[at] > 0) & (frame.day[left[at]] != frame.day[right[at]])
    found[at] |= np.isin(texts, OTHER_TEXT)
    return found


def _stand_alone(frame: Frame, compared: Compared, gap: Ints) -> Bools:
    """Return which pairs are a few days apart while the next entry of their title in each source is further away."""
    left, right = compared.left, compared.right
    away = np.abs(frame.day[left] - frame.day[right])
    found = (frame.source[left] != frame.source[right]) & (frame.repeats[left] > 1)
    found &= (frame.day[left] != ABSENT) & (away <= MAX_DELAY) & ~frame.wordless[left]
    found &= compared.of(NumberLevel) < NumberLevel.OTHER_SEASON
    alone: Bools = found & (np.minimum(gap[left], gap[right]) >= away + MAX_DELAY)
    return alone
