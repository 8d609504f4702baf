"""State of hosts that several runs share: robots.txt, which run polls a host, and when the next request may be sent."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Lock
from typing import Final
from uuid import uuid4

from msgspec.structs import replace
from sqlalchemy import or_, update

from aggregator.errors import AggregatorError, BusyHostError
from aggregator.model.source import Robots
from aggregator.store import facts, leases, records
from aggregator.store.database import Store, make_insert, transaction, writing
from aggregator.store.schema import hosts, mark, parse_stamp, stamp
from aggregator.translation.marks import N_

_ROBOTS: Final = "robots/"
"""Prefix of the fact with the robots.txt of an address. It belongs to no feed, so that it is fetched once for all."""

_MAX_LEASE = timedelta(minutes=2)
"""After which the hosts of a worker that died are free: longer than a poll with its robots.txt may take."""

_WAIT_SECONDS = 20.0
"""How long a run waits for a host that another polls; then its sources at that host are put off."""

_LOOK_SECONDS = 0.1
"""Between two looks at such a host."""


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


def lease_host(  # noqa: PLR0913 - who, which, when, for how long
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
        insert = make_insert(connection.dialect.name, table).values(new)
        take = insert.on_conflict_do_update(index_elements=["host"], set_=taken, where=is_free)
        row = connection.execute(take.returning(table.c.next_at, table.c.hold_until)).first()
        if row is None:
            return None
        at = max(parse_stamp(row.next_at), now)
        connection.execute(update(table).where(table.c.host == mark(host)).values(next_at=stamp(at + pause)))
    return at, parse_stamp(row.hold_until) if row.hold_until else None


def end_lease(store: Store, host: str, owner: str) -> None:
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
        insert = make_insert(connection.dialect.name, hosts).values(row)
        connection.execute(insert.on_conflict_do_update(index_elements=["host"], set_=later, where=is_sooner))


class HostLeases:
    """Lets one run poll a host while no other does; for use in several threads, each between enter and leave."""

    def __init__(self, store: Store, rate: float, lease: timedelta) -> None:
        """Begin with no host; ``rate`` is how many requests a second a host may get from all runs together.

        A lease of a host lasts no longer than ``lease``, that of a feed.
        """
        self._lease = min(_MAX_LEASE, lease)
        self._claimed, self._store = store, replace(store, claim=None)  # a host is not under the lease of a feed
        self._pause, self._owner = timedelta(seconds=1 / rate), uuid4().hex
        self._begun, self._clock = time.monotonic(), leases.read_clock(store)
        self._entered: dict[str, int] = {}
        self._busy: set[str] = set()
        self._lock = Lock()

    def enter(self, host: str) -> datetime | None:
        """Wait until the host may be asked by this run alone; return until when its Retry-After forbids it.

        Raises BusyHostError if another run keeps it for too long, and at once for the rest of this run.
        """
        with self._lock:
            self._entered[host] = self._entered.get(host, 0) + 1
        try:
            return self._take(host)
        except AggregatorError:
            self._drop(host)
            raise

    def leave(self, host: str, held_until: datetime | None, robots: Sequence[Robots]) -> None:
        """Store what all runs must know of the host, and let others ask it once no thread of this run does."""
        with suppress(AggregatorError):  # its lease ends by itself
            write_robots(self._claimed, robots)
            if held_until is not None:
                hold(self._store, host, held_until)
            self._drop(host)

    def _take(self, host: str) -> datetime | None:
        end = time.monotonic() + _WAIT_SECONDS
        while host not in self._busy:
            now = self._clock + timedelta(seconds=time.monotonic() - self._begun)
            found = lease_host(self._store, host, self._owner, now, lease=self._lease, pause=self._pause)
            if found is not None:
                at, held_until = found
                time.sleep(max(0.0, (at - now).total_seconds()))
                return held_until
            if time.monotonic() > end:
                self._busy.add(host)
            time.sleep(_LOOK_SECONDS)
        raise BusyHostError(N_(f"put off: another worker is asking {host}"))

    def _drop(self, host: str) -> None:
        with self._lock:
            self._entered[host] -= 1
            if not self._entered[host]:
                end_lease(self._store, host, self._owner)
