"""Sources that the config named once and names no more: what only they said stays in the feed, and is credited."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.store import facts, records
from aggregator.store.database import Store

GONE: Final = "gone sources"
"""The fact under which they are kept, with the addresses that the config gave."""


def gone(store: Store, plan: Plan) -> tuple[Source, ...]:
    """The sources that the config names no more, sorted by name."""
    kept = facts.read_fact(store, plan.name, GONE)
    return records.decode_all(Source, kept.decode()) if kept else ()


def note(store: Store, plan: Plan, asked: Iterable[Source], named: Collection[str]) -> None:
    """Keep those that were asked until now and are named no more; forget those that are named again."""
    before = gone(store, plan)
    known = {source.name: source for source in (*before, *asked) if source.name not in named}
    after = tuple(source for _, source in sorted(known.items()))
    if after != before:
        facts.write_fact(store, plan.name, GONE, records.encode_all(after).encode() if after else None)
