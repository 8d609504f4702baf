"""Sources that the config named once and names no more: what only they said stays in the feed, and is credited."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from aggregator.ledger import facts, records
from aggregator.ledger.ledger import Ledger
from aggregator.model.feed import Plan
from aggregator.model.source import Source

GONE: Final = "gone sources"
"""The fact under which they are kept, with the addresses that the config gave."""


def gone(book: Ledger, plan: Plan) -> tuple[Source, ...]:
    """The sources that the config names no more, sorted by name."""
    kept = facts.facts(book, plan.name, GONE)
    return records.decode_all(Source, kept.decode()) if kept else ()


def note(book: Ledger, plan: Plan, asked: Iterable[Source], named: Collection[str]) -> None:
    """Keep those that were asked until now and are named no more; forget those that are named again."""
    before = gone(book, plan)
    known = {source.name: source for source in (*before, *asked) if source.name not in named}
    after = tuple(source for _, source in sorted(known.items()))
    if after != before:
        facts.keep_fact(book, plan.name, GONE, records.encode_all(after).encode() if after else None)
