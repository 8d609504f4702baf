"""Which records are one item, given the weights of pairs: best evidence first, one record per source, average linkage.

Connected components are not used as an answer: one wrong pair would chain two items together (measured in
``docs/matching.md``). They only bound the work: pairs of different components never meet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

UNSEEN = -6.0  # weight of a pair that was no candidate: it shares no rare token, day, number or id
LINKAGE = -2.0  # least mean of all weights between two clusters that become one
STRONG = 8.0  # weight beyond the threshold at which two published items may be found to be one


@dataclass(frozen=True, slots=True)
class Rules:
    """What clustering obeys besides the weights.

    ``source``, ``kind``, ``first`` and ``last`` (the span) are given for each row. ``groups`` are rows that stay
    together whatever the evidence; ``apart`` pairs of rows that never meet; ``guid`` the published guid of pinned rows.
    """

    source: Sequence[int]
    first: Sequence[int]
    last: Sequence[int]
    kind: Sequence[int]
    groups: tuple[tuple[int, ...], ...] = ()
    apart: frozenset[tuple[int, int]] = frozenset()
    guid: dict[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """Two rows and the weight of their being one."""

    weight: float
    left: int
    right: int


def cluster(
    rows: int, edges: Sequence[Edge], rules: Rules, threshold: float
) -> tuple[tuple[tuple[int, ...], ...], tuple[Edge, ...]]:
    """The clusters, each sorted, and the edges above the threshold that were refused."""
    state = _State(rows, edges, rules)
    strong = sorted(edge for edge in (_ranked(edge) for edge in edges if edge.weight >= threshold))
    refused = [edge for _, _, _, edge in strong if not state.join(edge, threshold)]
    return state.clusters(), tuple(refused)


def _ranked(edge: Edge) -> tuple[float, int, int, Edge]:
    return -edge.weight, edge.left, edge.right, edge


class _State:
    """Clusters in the making: each row's cluster, each cluster's rows."""

    def __init__(self, rows: int, edges: Sequence[Edge], rules: Rules) -> None:
        self.rules = rules
        self.home = list(range(rows))
        self.members: dict[int, list[int]] = {row: [row] for row in range(rows)}
        self.weight = {(edge.left, edge.right): edge.weight for edge in edges}
        self.foes: defaultdict[int, set[int]] = defaultdict(set)
        for left, right in rules.apart:
            self.foes[left].add(right)
            self.foes[right].add(left)
        for group in rules.groups:
            for row in group[1:]:
                self._merge(self.home[group[0]], self.home[row])

    def join(self, edge: Edge, threshold: float) -> bool:
        """Merge the clusters of an edge where the rules allow it; whether the two rows are now in one."""
        one, other = self.home[edge.left], self.home[edge.right]
        if one == other:
            return True
        if len(self.members[one]) < len(self.members[other]):
            one, other = other, one
        if not self._allowed(one, other, threshold):
            return False
        self._merge(one, other)
        return True

    def _allowed(self, one: int, other: int, threshold: float) -> bool:
        """No source twice, nobody said "different", and the mean weight between them is not against it."""
        total, pairs = 0.0, 0
        rules = self.rules
        for left in self.members[one]:
            for right in self.members[other]:
                if right in self.foes.get(left, ()):
                    return False
                if (
                    rules.source[left] == rules.source[right]
                    and rules.first[left] <= rules.last[right]
                    and rules.first[right] <= rules.last[left]
                ):
                    return False
                weight = self.weight.get((left, right) if left < right else (right, left))
                if weight is not None or rules.kind[left] == rules.kind[right]:
                    total += UNSEEN if weight is None else weight
                    pairs += 1
        least = threshold + STRONG if self._two_promises(one, other) else LINKAGE
        return total / pairs >= least

    def _two_promises(self, one: int, other: int) -> bool:
        guid = self.rules.guid or {}
        left = {guid[row] for row in self.members[one] if row in guid}
        right = {guid[row] for row in self.members[other] if row in guid}
        return bool(left and right and left != right)

    def _merge(self, one: int, other: int) -> None:
        if one == other:
            return
        moved = self.members.pop(other)
        for row in moved:
            self.home[row] = one
        self.members[one].extend(moved)

    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """All clusters, each sorted, in the order of their first row."""
        return tuple(sorted(tuple(sorted(rows)) for rows in self.members.values()))
