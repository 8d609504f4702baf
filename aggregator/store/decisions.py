"""What a person decided: which entries are one or two, and what a field is to say whatever the sources do.

Each decision stands until another takes its place or it is undone; both are told in the events, which forget nothing.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Table, delete, select

from aggregator.model.cluster import Decision
from aggregator.model.item import Override
from aggregator.store import records
from aggregator.store.database import Store, put, reading, transaction, writing
from aggregator.store.events import Event, tell
from aggregator.store.schema import decisions as decisions_table
from aggregator.store.schema import mark, stamp
from aggregator.store.schema import overrides as overrides_table


def decisions(store: Store, feed: str) -> tuple[Decision, ...]:
    """What was decided for the feed and not undone, sorted by the two names."""
    found = [records.decode(Decision, text) for text in _texts(store, decisions_table, feed)]
    return tuple(sorted(found, key=lambda each: (each.left, each.right)))


def decide(store: Store, feed: str, decision: Decision, at: datetime) -> None:
    """Remember the decision in place of an earlier one about the same two, in whatever order they are named."""
    left, right = sorted((decision.left, decision.right))
    kept = Decision(decision.verdict, left, right)
    values: dict[str, object] = {"decided": stamp(at), "record": records.encode(kept)}
    with transaction(store) as tx, writing(tx) as connection:
        put(connection, decisions_table, {"feed": feed, "left": mark(left), "right": mark(right)}, values)
        tell(tx, feed, Event(at, "decided", f"{decision.verdict}: {left} | {right}"))


def undo(store: Store, feed: str, left: str, right: str, at: datetime) -> bool:
    """Forget what was decided about the two; false where nothing was."""
    left, right = sorted((left, right))
    table = decisions_table
    same = (table.c.feed == feed, table.c.left == mark(left), table.c.right == mark(right))
    with transaction(store) as tx, writing(tx) as connection:
        undone = connection.execute(delete(table).where(*same)).rowcount > 0
        if undone:
            tell(tx, feed, Event(at, "undone", f"{left} | {right}"))
    return undone


def overrides(store: Store, feed: str) -> tuple[Override, ...]:
    """What fields of the feed's items are to say by a person's word, sorted by guid and field."""
    found = [records.decode(Override, text) for text in _texts(store, overrides_table, feed)]
    return tuple(sorted(found, key=lambda each: (each.guid, each.field)))


def keep_override(store: Store, feed: str, override: Override, at: datetime) -> None:
    """Remember it in place of an earlier one of the same field of the same item."""
    keys: dict[str, object] = {"feed": feed, "guid": mark(override.guid), "field": override.field}
    values: dict[str, object] = {"decided": stamp(at), "record": records.encode(override)}
    with transaction(store) as tx, writing(tx) as connection:
        put(connection, overrides_table, keys, values)
        tell(tx, feed, Event(at, "overridden", f"{override.guid} {override.field}: {override.value}"))


def drop_override(store: Store, feed: str, guid: str, field: str, at: datetime) -> bool:
    """Let the sources speak for the field again; false where nothing was in their way."""
    table = overrides_table
    same = (table.c.feed == feed, table.c.guid == mark(guid), table.c.field == field)
    with transaction(store) as tx, writing(tx) as connection:
        dropped = connection.execute(delete(table).where(*same)).rowcount > 0
        if dropped:
            tell(tx, feed, Event(at, "released", f"{guid} {field}"))
    return dropped


def _texts(store: Store, table: Table, feed: str) -> list[str]:
    """The records of the feed in the table, as they are written."""
    with reading(store) as connection:
        return list(connection.execute(select(table.c.record).where(table.c.feed == feed)).scalars())
