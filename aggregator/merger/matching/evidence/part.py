"""Evidence of what an episode is of others: a part, or a re-run, bonus or trailer (tag)."""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.evidence.levels import Kind, Level
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Ints
from aggregator.translation.marks import N_


class TagLevel(Level):
    """Two titles say the same kind of episode, such as a re-run, or not."""

    NONE = N_("none"), 0.0
    SAME = N_("same"), 0.2
    DIFFERENT = N_("different"), -3.7


class PartLevel(Level):
    """The parts of two titles compared; different ones are a veto, whatever else agrees."""

    NONE = N_("none"), 0.0
    EQUAL = N_("equal"), 3.0
    MORE = N_("one has"), -2.8
    CONFLICT = N_("conflict"), -7.0
    ANOTHER_WORD = N_("another word"), -5.0  # "X, morning" and "X, evening" (``title.py``)


def _compare_tags(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of tags; two stages of a release differ as a re-run and its original do."""
    one, other = frame.stage[left], frame.stage[right]
    staged = (one != other) & (one != ABSENT) & (other != ABSENT)
    return np.where((frame.tag[left] == frame.tag[right]) & ~staged, TagLevel.SAME, TagLevel.DIFFERENT)


def _compare_parts(frame: Frame, left: Ints, right: Ints) -> Ints:
    one, other = frame.part[left], frame.part[right]
    both = np.where(one == other, PartLevel.EQUAL, PartLevel.CONFLICT)
    return np.where((one != ABSENT) & (other != ABSENT), both, np.where(one == other, 0, PartLevel.MORE))


TAG = Kind(
    "tag",
    N_("kind of episode"),
    TagLevel,
    lambda frame, row: frame.titles[row].tag,
    _compare_tags,
    contradicting=(TagLevel.DIFFERENT,),
    is_translated=True,
)
PART = Kind("part", N_("part"), PartLevel, lambda frame, row: frame.titles[row].part, _compare_parts)
