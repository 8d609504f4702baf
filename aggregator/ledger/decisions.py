"""What a person decided: which sightings are one or two, and what a field is to say whatever the sources do.

Each decision stands until another takes its place or it is undone; both are told in the events, which forget nothing.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Table, delete, select

from aggregator.ledger import records
from aggregator.ledger.events import Event, tell
from aggregator.ledger.ledger import Ledger, put, reading, transaction, writing
from aggregator.ledger.schema import decisions as decisions_table
from aggregator.ledger.schema import mark, stamp
from aggregator.ledger.schema import overrides as overrides_table
from aggregator.model.cluster import Decision
from aggregator.model.item import Override


def decisions(ledger: Ledger, feed: str) -> tuple[Decision, ...]:
    """What was decided for the feed and not undone, sorted by the two names."""
    found = [records.decode(Decision, text) for text in _texts(ledger, decisions_table, feed)]
    return tuple(sorted(found, key=lambda each: (each.left, each.right)))


def decide(ledger: Ledger, feed: str, decision: Decision, at: datetime) -> None:
    """Remember the decision in place of an earlier one about the same two, in whatever order they are named."""
    left, right = sorted((decision.left, decision.right))
    kept = Decision(decision.verdict, left, right)
    values: dict[str, object] = {"decided": stamp(at), "record": records.encode(kept)}
    with transaction(ledger) as page, writing(page) as connection:
        put(connection, decisions_table, {"feed": feed, "left": mark(left), "right": mark(right)}, values)
        tell(page, feed, Event(at, "decided", f"{decision.verdict}: {left} | {right}"))


def undo(ledger: Ledger, feed: str, left: str, right: str, at: datetime) -> bool:
    """Forget what was decided about the two; false where nothing was."""
    left, right = sorted((left, right))
    table = decisions_table
    same = (table.c.feed == feed, table.c.left == mark(left), table.c.right == mark(right))
    with transaction(ledger) as page, writing(page) as connection:
        undone = connection.execute(delete(table).where(*same)).rowcount > 0
        if undone:
            tell(page, feed, Event(at, "undone", f"{left} | {right}"))
    return undone


def overrides(ledger: Ledger, feed: str) -> tuple[Override, ...]:
    """What fields of the feed's items are to say by a person's word, sorted by guid and field."""
    found = [records.decode(Override, text) for text in _texts(ledger, overrides_table, feed)]
    return tuple(sorted(found, key=lambda each: (each.guid, each.field)))


def keep_override(ledger: Ledger, feed: str, override: Override, at: datetime) -> None:
    """Remember it in place of an earlier one of the same field of the same item."""
    keys: dict[str, object] = {"feed": feed, "guid": mark(override.guid), "field": override.field}
    values: dict[str, object] = {"decided": stamp(at), "record": records.encode(override)}
    with transaction(ledger) as page, writing(page) as connection:
        put(connection, overrides_table, keys, values)
        tell(page, feed, Event(at, "overridden", f"{override.guid} {override.field}: {override.value}"))


def drop_override(ledger: Ledger, feed: str, guid: str, field: str, at: datetime) -> bool:
    """Let the sources speak for the field again; false where nothing was in their way."""
    table = overrides_table
    same = (table.c.feed == feed, table.c.guid == mark(guid), table.c.field == field)
    with transaction(ledger) as page, writing(page) as connection:
        dropped = connection.execute(delete(table).where(*same)).rowcount > 0
        if dropped:
            tell(page, feed, Event(at, "released", f"{guid} {field}"))
    return dropped


def _texts(ledger: Ledger, table: Table, feed: str) -> list[str]:
    """The records of the feed in the table, as they are written."""
    with reading(ledger) as connection:
        return list(connection.execute(select(table.c.record).where(table.c.feed == feed)).scalars())
