"""Pairwise scores of groups of record ids against the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from aggregator.merger.matching.explain import Resolution

Groups = Sequence[Sequence[str]]


class Score(NamedTuple):
    """Pairs predicted, pairs predicted and true, true pairs, clusters of more than one entity; scores add up."""

    predicted: int = 0
    right: int = 0
    true: int = 0
    mixed: int = 0

    def plus(self, other: Score) -> Score:
        """Return the score of both runs pooled."""
        return Score(*(one + more for one, more in zip(self, other, strict=True)))

    @property
    def precision(self) -> float:
        """The share of predicted pairs that are true; 1 where nothing is predicted."""
        return self.right / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        """The share of true pairs that are predicted; 1 where there are none."""
        return self.right / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.right / max(self.predicted + self.true, 1)

    def __str__(self) -> str:
        """Return the score as one line of figures."""
        return f"P {self.precision:.4f} R {self.recall:.4f} F1 {self.f1:.4f} mixed {self.mixed} of {self.true} pairs"


def pooled(scores: Iterable[Score]) -> Score:
    """Return the sum of scores."""
    total = Score()
    for each in scores:
        total = total.plus(each)
    return total


def group_ids(found: Resolution) -> Groups:
    """Return the groups of a run by record ids."""
    return [[found.frame.records[row].id for row in group] for group in found.groups]


def score(groups: Groups, truth: Mapping[str, str]) -> Score:
    """Return the pairwise score of groups; ``truth`` maps record ids to entities."""
    inside = [Counter(truth[name] for name in group) for group in groups]
    true = _pairs(Counter(truth[name] for group in groups for name in group).values())
    return Score(
        _pairs(map(len, groups)),
        sum(_pairs(counts.values()) for counts in inside),
        true,
        sum(len(counts) > 1 for counts in inside),
    )


def errors(groups: Groups, truth: Mapping[str, str], titles: Mapping[str, str]) -> list[str]:
    """Return one line for each mixed group and for each entity that lies in several groups."""
    lines = []
    homes: dict[str, list[Sequence[str]]] = {}
    for group in groups:
        entities = {truth[name] for name in group}
        if len(entities) > 1:
            lines.append("mixed: " + " | ".join(f"{name} {titles[name][:60]!r}" for name in group))
        for entity in entities:
            homes.setdefault(entity, []).append(group)
    lines += [
        f"apart: {entity}: "
        + " / ".join(" ".join(f"{name} {titles[name][:60]!r}" for name in group) for group in where)
        for entity, where in homes.items()
        if len(where) > 1
    ]
    return lines


def _pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)
