"""Read what decides about new items, and say what of a listing would be held if its source was added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from aggregator import persist
from aggregator.merger.identity import admission
from aggregator.model.entry import Entry
from aggregator.model.feed import Plan
from aggregator.model.item import HeldItem, Item
from aggregator.store import decisions, entries
from aggregator.store.database import Store


def read_situation(store: Store, plan: Plan, new: Sequence[Item], now: datetime) -> admission.Situation:
    """Return what the store and the config know that decides about new items."""
    names = {entry for item in new for entry in item.entries}
    answering = persist.read_answering(store, plan, admission.HOLD)
    arrivals, snapshots = entries.read_arrivals(store, plan.name), persist.read_snapshots(store, plan)
    return admission.Situation(
        sources=plan.sources,
        answering={name: until for name, until in answering.items() if until is None or until > now},
        arrivals={
            name: admission.Arrival(seen, max(1, listing - snapshots.get(name.partition("/")[0], 0)))
            for name, (seen, listing) in arrivals.items()
            if name in names
        },
        since=_find_beginnings(arrivals),
        decided=decisions.read_admissions(store, plan.name),
        held_back=decisions.read_held_back(store, plan.name),
    )


def find_held(
    store: Store, plan: Plan, listed: Sequence[Entry], fileless: frozenset[str], now: datetime
) -> tuple[HeldItem, ...]:
    """Return which entries of a source that was never stored would be held now, if each is a new item.

    ``fileless`` are the sources without files that list the episodes of others.
    """
    items = [Item(each.title, (each.id,), each.genre, published=each.published) for each in listed]
    known = [each.entry for each in entries.read_entries(store, plan.name)]
    situation = replace(
        read_situation(store, plan, items, now),
        coverage=admission.find_coverage(known),
        arrivals={each.id: admission.Arrival(now) for each in listed},
        fileless=fileless,
    )
    return admission.admit(items, situation, now).held


def _find_beginnings(arrivals: Mapping[str, tuple[datetime, int]]) -> Mapping[str, datetime]:
    """Return when each source was first listed, by when each entry was."""
    since: dict[str, datetime] = {}
    for name, (seen, _) in arrivals.items():
        source = name.partition("/")[0]
        since[source] = min(since.get(source, seen), seen)
    return since
