"""When the feeds of a store are due."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from aggregator.store.database import Store, reading
from aggregator.store.leases import INDEX
from aggregator.store.schema import leases, parse_stamp


def read_due_times(store: Store) -> dict[str, datetime]:
    """Return when each feed is due."""
    with reading(store) as connection:
        rows = connection.execute(select(leases.c.feed, leases.c.due_at).where(leases.c.feed != INDEX))
        return {feed: parse_stamp(due_at) for feed, due_at in rows}
