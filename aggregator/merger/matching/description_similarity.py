"""How much of what one side tells of an item is in what the other tells, and when words tell anything at all."""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.features.feature_table import Frame
from aggregator.merger.matching.features.token_bags import Bags, Doubles, Ints, shared

_TOLD = np.array([0.3, 0.5, 0.7, 0.9])
_MOST = len(_TOLD) + 3  # the highest level: nothing agrees better
FEW = 3  # words of a description that make it one; times that a title is repeated and still a title
_MANY = 12  # words of a description that are no coincidence
_TELLING = 6.0  # sum of idf below which a description or a name tells nothing, and in small runs, where idf
_SMALL = 1.5  # cannot be large, so many times that of a word which stands in one record


def retold(frame: Frame, left: Ints, right: Ints) -> Ints:
    """How much of the poorer text is in the other: a cut copy and a footer both leave it near 1.

    Of a description and a summary the one that the other side's texts agree with best speaks. However few its words
    are, a text that is in the other counts if both have a sentence that each of their sources has once: most under
    unlike titles, and as any other text under equal ones, for a re-run has the same sentences.
    """
    level = _alike(frame, (frame.told, frame.told), left, right)
    for one, other in ((frame.brief, frame.told), (frame.told, frame.brief), (frame.brief, frame.brief)):
        some = np.flatnonzero((one.sizes[left] > 0) & (other.sizes[right] > 0) & (level < _MOST))
        level[some] = np.maximum(level[some], _alike(frame, (one, other), left[some], right[some]))
    return level


def _alike(frame: Frame, texts: tuple[Bags, Bags], left: Ints, right: Ints) -> Ints:
    """The level of one text of the left rows beside one text of the right rows."""
    one, other = texts
    mine, theirs = one.sums[left], other.sums[right]
    poorer, turned = np.minimum(mine, theirs), mine < theirs
    met = np.zeros_like(poorer)
    met[turned] = shared((other,), one, right[turned], left[turned])
    met[~turned] = shared((one,), other, left[~turned], right[~turned])
    level = graded((met / np.maximum(poorer, 1e-6)).astype(np.float64), _TOLD)
    words = np.minimum(one.sizes[left], other.sizes[right])
    contained = level > len(_TOLD)
    alone = np.zeros(len(left), dtype=np.bool_)
    alone[contained] = shared((frame.sentences,), frame.sentences, left[contained], right[contained]) > 0
    known = (words >= FEW) & (poorer >= telling(frame, left))
    full = np.where(known, level + (contained & (words >= _MANY)), 0)
    equal = frame.core[left] == frame.core[right]
    return np.where(alone, np.where(equal, np.maximum(full, level), _MOST), full)


def graded_share(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of the descriptions however few words they have; 0 where one has none that is rare."""
    mine, theirs = frame.told.sums[left], frame.told.sums[right]
    poorer, turned = np.minimum(mine, theirs), mine < theirs
    met = np.zeros_like(poorer)
    met[turned] = shared((frame.told,), frame.told, right[turned], left[turned])
    met[~turned] = shared((frame.told,), frame.told, left[~turned], right[~turned])
    level = graded((met / np.maximum(poorer, 1e-6)).astype(np.float64), _TOLD)
    return np.where(poorer > 0, level, 0)


def telling(frame: Frame, rows: Ints) -> Doubles:
    """The sum of idf from which words tell something in a show of each row's size; other shows do not count."""
    enough: Doubles = np.minimum(_TELLING, _SMALL * np.log(np.bincount(frame.crowd) + 1.0))[frame.crowd[rows]]
    return enough


def graded(values: Doubles | Ints, edges: Doubles | Ints) -> Ints:
    """The level of each value, counted from 1."""
    levels: Ints = 1 + np.searchsorted(edges, values, side="right")
    return levels
