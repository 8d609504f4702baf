"""What happened to a feed that a person may ask about later: merges, splits, redirects, alarms. Only ever added to."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct
from sqlalchemy import insert, select

from aggregator.store import records
from aggregator.store.database import Store, reading, writing
from aggregator.store.schema import events as events_table
from aggregator.store.schema import stamp


class Event(Struct, frozen=True):
    """One thing that happened: when, of what kind (one word), and what in a line."""

    at: datetime
    kind: str
    text: str


def tell(store: Store, feed: str, event: Event) -> None:
    """Add the event to the feed's."""
    row = {"feed": feed, "at": stamp(event.at), "kind": event.kind, "record": records.encode(event)}
    with writing(store) as connection:
        connection.execute(insert(events_table), [row])


def events(store: Store, feed: str, *, newest: int = 1000) -> tuple[Event, ...]:
    """The newest events of the feed in the order in which they were told."""
    table = events_table
    query = select(table.c.record).where(table.c.feed == feed).order_by(table.c.number.desc()).limit(newest)
    with reading(store) as connection:
        found = list(connection.execute(query).scalars())
    return tuple(records.decode(Event, text) for text in reversed(found))
