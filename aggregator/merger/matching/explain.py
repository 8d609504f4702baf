"""Explain pairs: the prior, then each kind of evidence with both values and its weight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from aggregator.merger.matching.comparison import VETOES
from aggregator.merger.matching.evidence.levels import Kind
from aggregator.merger.matching.features.frame import Frame
from aggregator.merger.matching.features.token_bags import Floats, Ints
from aggregator.merger.matching.scoring import KINDS, Compared, Table
from aggregator.model.cluster import Evidence, ListingAlignment, Pair

_WIDEST = 80  # characters of a value that are shown
_Row = tuple[int, int, float, float, float, int]  # of a pair: its rows, adjustment, alignment, competition and veto


class Resolution(Struct, frozen=True):
    """The result of a run: pairs with levels, weight and veto, and the groups of rows that are one item each.

    ``adjustments`` and ``alignment`` (its gains) are included in ``weights``; ``competition`` is what competing
    candidates take from each, 0 or less. ``possible`` is the probability that two entries meet by the alignment,
    ``alignments`` is what a later run needs of it.
    """

    frame: Frame
    compared: Compared
    weights: Floats
    adjustments: Floats
    alignment: Floats
    competition: Floats
    possible: Floats
    vetoes: Ints
    groups: tuple[tuple[int, ...], ...]
    table: Table
    capped: int
    alignments: tuple[ListingAlignment, ...]


def explain_pairs(found: Resolution, places: Sequence[int]) -> list[Pair]:
    """Return the pairs at some positions, each with its evidence, the prior first; its weights add up to the pair's."""
    at = np.array(places, dtype=np.int64)
    evidence = [[Evidence("prior", found.table.version, "", "", found.table.prior)] for _ in places]
    for kind in KINDS:
        for place, one in _explain_kind(found, at, kind):
            evidence[place].append(one)
    pairs = found.compared
    columns = (pairs.left, pairs.right, found.adjustments, found.alignment, found.competition, found.vetoes)
    rows = zip(*(column[at].tolist() for column in columns), strict=True)
    return [_explain_pair(found, row, known) for row, known in zip(rows, evidence, strict=True)]


def _explain_kind(found: Resolution, at: Ints, kind: Kind) -> Iterator[tuple[int, Evidence]]:
    """Yield the evidence of one kind with a weight, each with the place of its pair in ``at``."""
    weights, names = found.table.weights[KINDS.index(kind)], [level.text for level in kind.levels]
    levels = found.compared.of(kind.levels)[at]
    some = np.flatnonzero(np.array(weights)[levels])
    left, right = found.compared.left[at[some]], found.compared.right[at[some]]
    read = {row: kind.read(found.frame, row) for row in {*left.tolist(), *right.tolist()}}
    values = {row: "" if value is None else str(value)[:_WIDEST] for row, value in read.items()}
    known: dict[tuple[int, str, str], Evidence] = {}  # copies of an item have the same
    for place, level, one, other in zip(
        some.tolist(), levels[some].tolist(), left.tolist(), right.tolist(), strict=True
    ):
        name = level, values[one], values[other]
        if name not in known:
            known[name] = Evidence(kind.name, names[level], values[one], values[other], weights[level])
        yield place, known[name]


def _explain_pair(found: Resolution, row: _Row, evidence: list[Evidence]) -> Pair:
    """Return one pair with its evidence, adjustments last."""
    left, right, adjustment, aligned, lost, veto = row
    if adjustment:
        weak, again = ("weak title", "other days, nothing else agrees"), ("relisted", "its source lists it again")
        evidence.append(Evidence(*(weak if adjustment < 0 else again), "", "", adjustment))
    if aligned:
        verdict = "these entries meet" if aligned > 0 else "other entries meet, or may as well"
        evidence.append(Evidence("alignment", verdict, "", "", aligned))
    if lost < 0:
        evidence.append(Evidence("competitor", "another entry matches as well", "", "", lost))
    total = sum([one.weight for one in evidence])
    ids = found.frame.records[left].id, found.frame.records[right].id
    return Pair(*ids, total, tuple(evidence), VETOES[veto])
