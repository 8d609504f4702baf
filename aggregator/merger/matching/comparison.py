"""Compare pairs of records: for each kind of evidence the level of agreement.

A missing value is no evidence: level 0 of every kind weighs nothing. The levels are small whole numbers in one array of
pairs by kinds, so that the weight of a pair is one look-up for each kind.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec.structs import replace

from aggregator.merger.matching.evidence.date import OTHER_DAYS, DateLevel
from aggregator.merger.matching.evidence.ids import IdLevel
from aggregator.merger.matching.evidence.levels import Levels, is_one_of
from aggregator.merger.matching.evidence.part import PartLevel
from aggregator.merger.matching.evidence.text import TextLevel, find_parts_of_one_text
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bools, Ints
from aggregator.merger.matching.scoring import KINDS, Compared
from aggregator.text.titles.replaced_words import is_short_title
from aggregator.translation.marks import N_

VETOES: Final = (
    *(None, N_("different parts"), N_("a post and an episode without a shared id"), N_("one source")),
    N_("different shows"),
)
"""What keeps two entries apart whatever else agrees, by the numbers of ``find_vetoes``; ``None`` is no veto."""
PARTED, POSTED, BESIDE, OTHER_SHOW = 1, 2, 3, 4

_BATCH = 300_000  # pairs compared at once: 35 MB of temporary columns; a million are no faster, 100,000 a third slower


def compare(frame: Frame, left: Ints, right: Ints) -> Compared:
    """Return the levels of all pairs, except for the place in the listings, which needs weighted pairs."""
    return forgive_parts_of_one_text(frame, Compared(left, right, compare_alone(frame, left, right)))


def compare_alone(frame: Frame, left: Ints, right: Ints) -> Levels:
    """Return the levels of pairs as they follow from the two rows of each."""
    levels = np.zeros((len(left), len(KINDS)), dtype=np.int8)
    for at in range(0, len(left), _BATCH):
        part = slice(at, at + _BATCH)
        _measure(frame, left[part], right[part], levels[part])
    return levels


def _measure(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Write the levels of some pairs."""
    found = {kind.levels: column for kind, column in zip(KINDS, levels.T, strict=True)}
    for kind in KINDS:
        if kind.compare and kind.unless:
            some = np.flatnonzero(found[type(kind.unless)] != kind.unless)
            found[kind.levels][some] = kind.compare(frame, left[some], right[some]) if len(some) else 0
        elif kind.compare:
            found[kind.levels][:] = kind.compare(frame, left, right)
    for kind in KINDS:
        if kind.correct:
            kind.correct(frame, left, right, found)


def forgive_parts_of_one_text(frame: Frame, compared: Compared) -> Compared:
    """Return the pairs without the evidence of different texts where both are parts of a third text."""
    some = find_parts_of_one_text(frame, compared.left, compared.right, compared.of(TextLevel))
    if not len(some):
        return compared
    forgiven = replace(compared, levels=compared.levels.copy())
    forgiven.of(TextLevel)[some] = 0
    return forgiven


def find_vetoes(frame: Frame, compared: Compared) -> Ints:
    """Return for each pair the number of its veto in ``VETOES``; 0 without one."""
    left, right = compared.left, compared.right
    one, other = frame.kind[left], frame.kind[right]
    kinds = (one != other) & (one != ABSENT) & (other != ABSENT) & (compared.of(IdLevel) == IdLevel.NONE)
    overlap = (frame.first[left] <= frame.last[right]) & (frame.first[right] <= frame.last[left])
    beside = (frame.source[left] == frame.source[right]) & overlap
    parted = np.where(compared.of(PartLevel) == PartLevel.CONFLICT, PARTED, 0)
    vetoes: Ints = np.where(beside, BESIDE, np.where(kinds, POSTED, parted))
    return vetoes


def find_other_short_titles(frame: Frame, compared: Compared) -> Bools:
    """Return whether each pair has two short titles that differ in a word, and other days."""
    found: Bools = (compared.of(PartLevel) == PartLevel.ANOTHER_WORD) & is_one_of(compared.of(DateLevel), OTHER_DAYS)
    for at in np.flatnonzero(found).tolist():
        cores = (frame.titles[row].core for row in (compared.left[at], compared.right[at]))
        found[at] = all(map(is_short_title, cores))
    return found


def find_witnessed(levels: Levels) -> Bools:
    """Return whether each pair has evidence for it besides title and date."""
    found = np.zeros(len(levels), dtype=np.bool_)
    for kind, column in zip(KINDS, levels.T, strict=True):
        if kind.witnesses:
            found |= is_one_of(column, kind.witnesses)
    return found
