"""Remove hidden sources, whose values a feed does not publish, after matching; their guids stay.

A free feed that has the premium source of its show as a hidden one publishes episodes with the guids of the premium
feed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from aggregator.model.cluster import Cluster, Matching
from aggregator.model.entry import Entry
from aggregator.model.item import Item


def hide_in_matching(matching: Matching, hidden: Collection[str]) -> Matching:
    """Return the matching without entries of hidden sources, and without what is said about them."""
    near_misses = tuple(
        pair
        for pair in matching.near_misses
        if not any(name.partition("/")[0] in hidden for name in (pair.left, pair.right))
    )
    undecided = {
        name: shown
        for name, sources in matching.undecided.items()
        if name.partition("/")[0] not in hidden
        and (shown := tuple(source for source in sources if source not in hidden))
    }
    clusters = tuple(hide(matching.clusters, hidden))
    return replace(matching, clusters=clusters, near_misses=near_misses, undecided=undecided)


def hide(clusters: Iterable[Cluster], hidden: Collection[str]) -> Iterator[Cluster]:
    """Yield the clusters without entries of hidden sources; one that has no others is left out."""
    for cluster in clusters:
        visible = tuple(entry for entry in cluster.entries if entry.source not in hidden)
        if len(visible) == len(cluster.entries):
            yield cluster
        elif visible:
            names = {entry.id for entry in visible}
            pairs = tuple(pair for pair in cluster.pairs if pair.left in names and pair.right in names)
            yield Cluster(visible, pairs)


def adopt_guids(
    items: Sequence[Item], clusters: Iterable[Cluster], hidden: Collection[str], trust: Mapping[str, float]
) -> list[Item]:
    """Return the items with the guid of a hidden source that is trusted more than all others that give one."""
    found: dict[str, Entry] = {}
    for cluster in clusters:
        named = [entry for entry in cluster.entries if entry.guid]
        best = max(named, key=lambda entry: (trust.get(entry.source, 0.5), entry.source not in hidden), default=None)
        if best is not None and best.source in hidden:
            found.update((entry.id, best) for entry in cluster.entries)
    return [_adopt(item, found.get(item.entries[0])) for item in items]


def _adopt(item: Item, entry: Entry | None) -> Item:
    if entry is None:
        return item
    provenance = tuple(
        replace(each, source=entry.source, agreeing=(), dissent=()) if each.field == "guid" else each
        for each in item.provenance
    )
    return replace(item, guid=entry.guid or "", provenance=provenance)
