"""A source that speaks alone: what it lists side by side is as many items, and nothing needs to be compared.

Two entries of one listing are two items whatever their titles say (``resolve`` calls the veto "one source"), unless the
source lists one twice, or they were published or declared to be one. Where none of this is so comparing could change
nothing, neither the clusters nor the table, which such pairs do not teach; of 20,000 items it takes half of the memory
and a tenth of the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from aggregator.model.cluster import Cluster, Decision
from aggregator.model.entry import Entry


def clusters(
    entries: Sequence[Entry], decisions: Sequence[Decision], pins: Mapping[str, str]
) -> tuple[Cluster, ...] | None:
    """Each entry a cluster, in the order that ``match`` gives them; texts are not looked at.

    ``None`` where several sources speak, where one lists now what it did not list before others went, or where
    something may hold two together: then there is something to compare, or to explain. ``decisions`` and ``pins`` are
    those of ``match``.
    """
    if not entries or not _beside(entries) or _held(entries, decisions, pins) or _repeated(entries):
        return None
    return tuple(Cluster((each,)) for each in sorted(entries, key=lambda each: each.id))


def _beside(entries: Sequence[Entry]) -> bool:
    """Whether one source listed all of them side by side."""
    latest, earliest = max(each.span.first for each in entries), min(each.span.last for each in entries)
    return latest <= earliest and len({each.source for each in entries}) == 1


def _held(entries: Sequence[Entry], decisions: Sequence[Decision], pins: Mapping[str, str]) -> bool:
    """Whether a person or what was published may hold two of them together."""
    often = Counter(pins[name] for each in entries if (name := each.id) in pins)
    return max(often.values(), default=0) > 1 or any(decision.verdict == "same" for decision in decisions)


def _repeated(entries: Sequence[Entry]) -> bool:
    """Whether two of one title have an id or a time in common, as all have that are listed twice (``orders.twins``)."""
    often = Counter(each.title for each in entries)
    known: set[tuple[str, object]] = set()
    for each in (each for each in entries if often[each.title] > 1):
        said = {(each.title, value) for value in (*each.ids, ("guid", each.guid), each.published and each.published.at)}
        said -= {(each.title, ("guid", None)), (each.title, None)}
        if not known.isdisjoint(said):
            return True
        known |= said
    return False
