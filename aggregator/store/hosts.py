"""State of hosts that several runs share: robots.txt, which run polls a host, and when the next request may be sent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import or_, update

from aggregator.model.source import Robots
from aggregator.store import facts, records
from aggregator.store.database import Store, make_insert, transaction, writing
from aggregator.store.schema import hosts, mark, parse_stamp, stamp

_ROBOTS: Final = "robots/"
"""Prefix of the fact with the robots.txt of an address. It belongs to no feed, so that it is fetched once for all."""


def read_robots(store: Store, url: str) -> Robots | None:
    """Return the stored robots.txt of the address, ``None`` if it was never fetched."""
    kept = facts.read_fact(store, "", _ROBOTS + mark(url))
    return None if kept is None else records.decode(Robots, kept.decode())


def write_robots(store: Store, learned: Sequence[Robots]) -> None:
    """Write some robots.txt; begin no transaction if there are none."""
    if not learned:
        return
    with transaction(store) as tx:
        for each in learned:
            facts.write_fact(tx, "", _ROBOTS + mark(each.poll_state.url), records.encode(each).encode())


def enter(  # noqa: PLR0913 - who, which, when, for how long
    store: Store, host: str, owner: str, now: datetime, *, lease: timedelta, pause: timedelta
) -> tuple[datetime, datetime | None] | None:
    """Lease the host to the owner; return when it may be polled, and the end of its Retry-After; ``None`` if taken.

    The next request, by any owner, may be sent after a ``pause``.
    """
    table = hosts
    new = {"host": mark(host), "owner": owner, "lease_until": stamp(now + lease), "next_at": stamp(now)}
    taken = {"owner": owner, "lease_until": new["lease_until"]}
    is_free = or_(table.c.owner.is_(None), table.c.owner == owner, table.c.lease_until < stamp(now))
    with writing(store) as connection:
        insert = make_insert(connection, table).values(new)
        take = insert.on_conflict_do_update(index_elements=["host"], set_=taken, where=is_free)
        row = connection.execute(take.returning(table.c.next_at, table.c.hold_until)).first()
        if row is None:
            return None
        at = max(parse_stamp(row.next_at), now)
        connection.execute(update(table).where(table.c.host == mark(host)).values(next_at=stamp(at + pause)))
    return at, parse_stamp(row.hold_until) if row.hold_until else None


def leave(store: Store, host: str, owner: str) -> None:
    """End the owner's lease of the host."""
    mine = hosts.c.host == mark(host), hosts.c.owner == owner
    with writing(store) as connection:
        connection.execute(update(hosts).where(*mine).values(owner=None, lease_until=None))


def hold(store: Store, host: str, until: datetime) -> None:
    """Write when the Retry-After of a host ends; of two times the later one stays."""
    row = {"host": mark(host), "next_at": stamp(until), "hold_until": stamp(until)}
    later = {"hold_until": row["hold_until"]}
    is_sooner = or_(hosts.c.hold_until.is_(None), hosts.c.hold_until < row["hold_until"])
    with writing(store) as connection:
        insert = make_insert(connection, hosts).values(row)
        connection.execute(insert.on_conflict_do_update(index_elements=["host"], set_=later, where=is_sooner))
