"""Facts about hosts that several runs share: robots.txt, which run asks a host, and when it may be asked next."""

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
"""Before its address: the fact with what is known of a robots.txt. It belongs to no feed, so that it is asked once."""


def read_robots(store: Store, url: str) -> Robots | None:
    """Return what is known of the robots.txt at the address, ``None`` if it was never asked for."""
    kept = facts.read_fact(store, "", _ROBOTS + mark(url))
    return None if kept is None else records.decode(Robots, kept.decode())


def write_robots(store: Store, learned: Sequence[Robots]) -> None:
    """Write what is known of some robots.txt; nothing is written if none is given."""
    if not learned:
        return
    with transaction(store) as tx:
        for each in learned:
            facts.write_fact(tx, "", _ROBOTS + mark(each.poll_state.url), records.encode(each).encode())


def enter(  # noqa: PLR0913 - who, which, when, for how long
    store: Store, host: str, owner: str, now: datetime, *, lease: timedelta, pause: timedelta
) -> tuple[datetime, datetime | None] | None:
    """Take the host for the owner; return when it may be asked, and the end of its Retry-After; ``None`` if taken.

    The request after this one comes a ``pause`` later at the soonest, whoever makes it.
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
    """Let others ask the host."""
    mine = hosts.c.host == mark(host), hosts.c.owner == owner
    with writing(store) as connection:
        connection.execute(update(hosts).where(*mine).values(owner=None, lease_until=None))


def hold(store: Store, host: str, until: datetime) -> None:
    """Write until when the Retry-After of a host forbids to ask it: the later of two times stands."""
    row = {"host": mark(host), "next_at": stamp(until), "hold_until": stamp(until)}
    later = {"hold_until": row["hold_until"]}
    is_sooner = or_(hosts.c.hold_until.is_(None), hosts.c.hold_until < row["hold_until"])
    with writing(store) as connection:
        insert = make_insert(connection, hosts).values(row)
        connection.execute(insert.on_conflict_do_update(index_elements=["host"], set_=later, where=is_sooner))
