"""Cluster records that are one item by the weights of pairs: best first, one record per source, average linkage.

Connected components are no clusters: one wrong pair would join two items (measured in ``docs/matching.md``). They only
bound the work: records of different components are not compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from aggregator.merger.matching.scoring import UNSEEN

_LINKAGE = -2.0  # mean of all weights between two clusters, at least, to merge them
_STRONG = 1.0  # the same for two published items, above the threshold; with 4, F1 is .002 to .003 lower
_PLAIN = 0.0  # the same if nothing contradicts it; with less they would be split again; -2 changes no set

_Edge = tuple[float, int, int]  # the weight of two rows being one, the lower row, the higher row


class Rules(Struct, frozen=True):
    """Constraints of clustering besides the weights.

    - ``source``, ``kind``, ``first`` and ``last`` (the span): of each row.
    - ``scope``: the show of each row, -1 for an unknown one; or empty.
    - ``groups``: rows that stay together.
    - ``apart``: pairs of rows that are never joined.
    - ``guid``: the published guid of pinned rows.
    - ``alike``: pairs of guids, the lower first, that nothing contradicts (``constraints.find_mergeable``).
    """

    source: Sequence[int]
    kind: Sequence[int]
    first: Sequence[int]
    last: Sequence[int]
    groups: tuple[tuple[int, ...], ...] = ()
    apart: frozenset[tuple[int, int]] = frozenset()
    guid: Mapping[int, str] = field(default_factory=dict)
    scope: Sequence[int] = ()
    alike: frozenset[tuple[str, str]] = frozenset()


def find_components(rows: int, links: Iterable[tuple[int, ...]]) -> list[int]:
    """Return for each row the lowest row of its connected component."""
    root = list(range(rows))

    def find(row: int) -> int:
        while root[row] != row:
            root[row] = root[root[row]]
            row = root[row]
        return row

    for link in links:
        for row in link[1:]:
            one, other = find(link[0]), find(row)
            root[max(one, other)] = min(one, other)
    return [find(row) for row in range(rows)]


def cluster(rows: int, edges: Iterable[_Edge], rules: Rules, threshold: float) -> tuple[tuple[int, ...], ...]:
    """Return the clusters, each sorted, in the order of their first row; rows without an edge or rule stay alone."""
    state = _State(rows, rules)
    strong = []
    for weight, left, right in edges:
        state.weight[left, right] = weight
        if weight >= threshold:
            strong.append((-weight, left, right))
    for _, left, right in sorted(strong):
        state.join(left, right, threshold)
    return tuple(sorted(tuple(sorted(members)) for members in state.members.values()))


class _State:
    """Clusters while they are joined: the cluster of each row, and the rows of each cluster."""

    def __init__(self, rows: int, rules: Rules) -> None:
        self.rules = rules
        self.home = list(range(rows))
        self.members: dict[int, list[int]] = {row: [row] for row in range(rows)}
        self.weight: dict[tuple[int, int], float] = {}
        self.foes: defaultdict[int, set[int]] = defaultdict(set)
        for left, right in rules.apart:
            self.foes[left].add(right)
            self.foes[right].add(left)
        for group in rules.groups:
            for row in group[1:]:
                self._merge(self.home[group[0]], self.home[row])

    def join(self, left: int, right: int, threshold: float) -> None:
        """Merge the clusters of two rows if that is allowed."""
        one, other = self.home[left], self.home[right]
        if one != other and self._is_allowed(one, other, threshold):
            small, large = sorted((one, other), key=lambda home: (len(self.members[home]), -home))
            self._merge(large, small)

    def _is_allowed(self, one: int, other: int, threshold: float) -> bool:
        """Return whether the rules and the mean weight allow to merge two clusters.

        Entries that one source listed at different times may be one only by their own evidence: an entry of a third
        source that has an id of each does not join them.
        """
        total, pairs = 0.0, 0
        kind, source, scope = self.rules.kind, self.rules.source, self.rules.scope
        for left in self.members[one]:
            for right in self.members[other]:
                if right in self.foes.get(left, ()) or self._are_beside(left, right):
                    return False
                if scope and min(scope[left], scope[right]) >= 0 and scope[left] != scope[right]:  # of two known shows
                    return False
                weight = self.weight.get((left, right) if left < right else (right, left))
                if source[left] == source[right] and (weight is None or weight < _PLAIN):
                    return False
                if weight is not None or kind[left] == kind[right]:
                    total += UNSEEN if weight is None else weight
                    pairs += 1
        return total / pairs >= self._find_least(one, other, threshold)

    def _are_beside(self, left: int, right: int) -> bool:
        """Return whether one source listed both at the same time."""
        rules = self.rules
        return (
            rules.source[left] == rules.source[right]
            and rules.first[left] <= rules.last[right]
            and rules.first[right] <= rules.last[left]
        )

    def _find_least(self, one: int, other: int, threshold: float) -> float:
        """Return the least mean weight that merges two clusters: higher if they were published under two guids."""
        guid, alike = self.rules.guid, self.rules.alike
        left, right = ({guid[row] for row in self.members[home] if row in guid} for home in (one, other))
        if not left or not right or left == right:
            return _LINKAGE
        plain = all((min(mine, theirs), max(mine, theirs)) in alike for mine in left for theirs in right)
        return _PLAIN if plain else threshold + _STRONG

    def _merge(self, one: int, other: int) -> None:
        if one == other:
            return
        moved = self.members.pop(other)
        for row in moved:
            self.home[row] = one
        self.members[one].extend(moved)
