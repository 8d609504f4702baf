"""Leases of feeds: which feed is due, and which worker alone may refresh it until when.

A claim takes due feeds for a time, under a token that every commit checks (``database.transaction``). One that dies
loses them when the time has passed; one that comes too late commits nothing. On SQLite one refresh runs at a time, so
its lock is enough, and only the due times are used.

Leases are counted by the database's clock (:func:`read_clock`), the same for every machine. When a feed is due is
counted by the clock of the schedule, which ``dispatch --at`` can replace.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import Any, Final
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, case, delete, func, or_, select, update

from aggregator.errors import LockedError, StoreError
from aggregator.store import connection as connections
from aggregator.store.database import Claim, Store, batches, make_insert, open_store, reading, writing
from aggregator.store.schema import leases, parse_stamp, stamp

INDEX: Final = ""
"""In place of a feed's name: the files that list every feed, which have a lease like any feed."""

LEASE: Final = timedelta(minutes=15)
"""After which the feeds of a worker that died are claimed by another: longer than any refresh of a feed has taken."""

_WAIT_SECONDS = 0.2
"""Between two tries to claim feeds that another refresh has."""

_FREE: Final = {"token": None, "lease_until": None, "owner": None}


class Counts(Struct, frozen=True):
    """Feeds by their leases: ``waiting`` are due and unclaimed, ``queued`` claimed, ``working`` with a worker.

    ``lags`` are seconds since feeds were due that are not refreshed yet: their median, 90th, 99th percentile, maximum.
    """

    feeds: int
    waiting: int
    queued: int
    working: int
    lags: tuple[float, float, float, float]


class Working(Struct, frozen=True):
    """A worker, how many feeds it has, one of them, and until when it has them."""

    owner: str
    feeds: int
    first: str
    until: datetime


def read_clock(store: Store) -> datetime:
    """Return the time of the database server, of this machine for an SQLite file."""
    if store.engine.dialect.name != "postgresql":
        return datetime.now(UTC)
    with reading(store) as connection:
        found: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return found.astimezone(UTC)


def set_feeds(store: Store, wanted: Collection[str], at: datetime) -> None:
    """Make the wanted feeds, and the files that list them, those of the table; new ones are due at once."""
    names = {INDEX, *wanted}
    with writing(store) as connection:
        known = set(connection.execute(select(leases.c.feed)).scalars())
        _add_feeds(connection, names - known, at)
        for gone in batches(sorted(known - names)):
            connection.execute(delete(leases).where(leases.c.feed.in_(gone)))


def _add_feeds(connection: Connection, feeds: Collection[str], at: datetime) -> None:
    """Add feeds that are due at once; one that another worker has added meanwhile stays as it is."""
    statement = make_insert(connection.dialect.name, leases).on_conflict_do_nothing()
    for some in batches([{"feed": feed, "due_at": stamp(at), "again": 0} for feed in sorted(feeds)]):
        connection.execute(statement, some)


def read_feeds(store: Store) -> frozenset[str]:
    """Return the feeds of the table: on PostgreSQL those that any machine's config has."""
    with reading(store) as connection:
        return frozenset(connection.execute(select(leases.c.feed)).scalars())


def remove(store: Store, feed: str) -> None:
    """Remove a feed; a worker that has it commits nothing more."""
    with writing(store) as connection:
        connection.execute(delete(leases).where(leases.c.feed == feed))


def make_all_due(store: Store, at: datetime) -> None:
    """Make every feed due, after a change of the config or of the clock; one in work is due again afterwards."""
    later = select(leases.c.feed).where(leases.c.due_at > stamp(at)).order_by(leases.c.feed).with_for_update()
    with writing(store) as connection:
        connection.execute(update(leases).where(leases.c.feed.in_(later)).values(due_at=stamp(at), again=1))


def end_all(store: Store) -> None:
    """End every lease, for an SQLite store: one that a killed process left would keep its feeds for its whole time.

    A process that is at work keeps the lock of the file; its feeds stay due when it has finished.
    """
    with writing(store) as connection:
        connection.execute(update(leases).values(_FREE))


def make_due(store: Store, feed: str, at: datetime) -> None:
    """Make a feed due; if it is in work, it is due again afterwards."""
    values = {"due_at": case((leases.c.due_at > stamp(at), stamp(at)), else_=leases.c.due_at), "again": 1}
    with writing(store) as connection:
        connection.execute(update(leases).where(leases.c.feed == feed, leases.c.again == 0).values(values))


def claim_due(  # noqa: PLR0913 - two clocks, two limits
    store: Store, at: datetime, now: datetime, *, most: int, lease: timedelta = LEASE, owner: str = ""
) -> tuple[Claim, int]:
    """Claim the feeds that are due ``at``, the longest waiting first; return them, and how many a worker had lost.

    Two callers never claim the same feed: on PostgreSQL the second passes over those that the first is claiming.
    """
    table = leases
    query = (
        select(table.c.feed, table.c.token)
        .where(table.c.due_at <= stamp(at), _is_free(now, lease))
        .order_by(table.c.due_at)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    return _claim(store, query, now + lease, owner)


def claim_feeds(store: Store, feeds: Collection[str], now: datetime) -> Claim:
    """Claim those of the feeds that no other has, due or not; the others are left out."""
    table = leases
    query = select(table.c.feed, table.c.token).where(table.c.feed.in_(feeds), _is_free(now, LEASE))
    claim, _ = _claim(store, query.order_by(table.c.feed).with_for_update(skip_locked=True), now + LEASE, "")
    return claim


def _is_free(now: datetime, lease: timedelta) -> ColumnElement[bool]:
    """Return the condition of a lease that has ended, or is longer than any: of a clock that was ahead."""
    until = leases.c.lease_until
    return or_(until.is_(None), until < stamp(now), until > stamp(now + 2 * lease))


def _claim(store: Store, query: Any, until: datetime, owner: str) -> tuple[Claim, int]:
    token, lost = uuid4().hex, 0
    with writing(store) as connection:
        found = connection.execute(query).all()
        values = {"token": token, "lease_until": stamp(until), "owner": owner, "again": 0}
        for some in batches([row.feed for row in found]):
            connection.execute(update(leases).where(leases.c.feed.in_(some)).values(values))
        lost = sum(row.token is not None for row in found)
    return Claim(token, tuple([row.feed for row in found])), lost


def begin(store: Store, claim: Claim, until: datetime, owner: str) -> Claim:
    """Begin the work on a claim: return those of its feeds that still have its token, leased anew under another one.

    With another token a message that the queue delivers twice finds nothing to do.
    """
    token, ours = uuid4().hex, _ours(claim)
    values = {"token": token, "lease_until": stamp(until), "owner": owner, "again": 0}
    with writing(store) as connection:
        ordered = select(leases.c.feed).where(*ours).order_by(leases.c.feed).with_for_update()
        feeds = tuple(connection.execute(ordered).scalars())
        if feeds:
            connection.execute(update(leases).where(*ours).values(values))
    return Claim(token, feeds)


def release(store: Store, claim: Claim, until: datetime | None = None) -> None:
    """End leases, the feeds stay due as they were; with ``until`` they are not claimed before."""
    rest = {**_FREE, "lease_until": stamp(until) if until else None}
    with writing(store) as connection:
        connection.execute(update(leases).where(*_ours(claim)).values(rest))


def finish(store: Store, claim: Claim, due_times: Mapping[str, datetime], rest: datetime) -> int:
    """End the leases of the feeds given, each due at a time; return how many still had the claim's token.

    A feed that was made due again while it was in work stays due, after a ``rest``.
    """
    table, done = leases, 0
    is_again = table.c.again == 1
    with writing(store) as connection:
        for feed, due_at in sorted(due_times.items()):
            mine = table.c.feed == feed, table.c.token == claim.token
            values = {
                "due_at": case((is_again, table.c.due_at), else_=stamp(due_at)),
                "lease_until": case((is_again, stamp(rest)), else_=None),
            }
            done += connection.execute(update(table).where(*mine).values({**_FREE, **values})).rowcount
    return done


def _ours(claim: Claim) -> Sequence[ColumnElement[bool]]:
    return leases.c.feed.in_(claim.feeds), leases.c.token == claim.token


@contextmanager
def lock_feeds(
    state: str, feeds: Collection[str], *, wait: bool = False, claim: Claim | None = None
) -> Iterator[Store]:
    """Open the store for a refresh of the feeds, which no other may refresh meanwhile.

    An SQLite file is locked as a whole. On PostgreSQL the feeds that no other refreshes are claimed, or those of the
    ``claim`` are taken, and the store's ``claim`` says which. Raises LockedError if others refresh all of them; with
    ``wait`` it waits for each.
    """
    if connections.sqlite_file(connections.parse_address(state)) is not None:
        with connections.refresh_lock(state, wait=wait), open_store(state, fence=True) as store:
            yield store
        return
    with open_store(state) as store:
        if claim is not None:
            yield replace(store, claim=claim)
            return
        with writing(store) as connection:
            _add_feeds(connection, feeds, read_clock(store))
        claimed = claim_feeds(store, feeds, read_clock(store))
        while wait and len(claimed.feeds) < len(set(feeds)):
            release(store, claimed)
            time.sleep(_WAIT_SECONDS)
            claimed = claim_feeds(store, feeds, read_clock(store))
        if not set(claimed.feeds) - {INDEX}:
            release(store, claimed)
            raise LockedError(f"{store.name}: another refresh is at work on every feed that is asked for")
        try:
            with _renewing(store, claimed):
                yield replace(store, claim=claimed)
        finally:
            release(store, claimed)


@contextmanager
def _renewing(store: Store, claim: Claim) -> Iterator[None]:
    """Renew the leases while the body runs: a run of all feeds may take longer than a lease."""
    ended = Event()

    def renew() -> None:
        while not ended.wait(LEASE.total_seconds() / 3):
            with suppress(StoreError), writing(store) as connection:  # else the next commit finds the lease lost
                until = stamp(read_clock(store) + LEASE)
                connection.execute(update(leases).where(*_ours(claim)).values(lease_until=until))

    thread = Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def read_due_times(store: Store) -> dict[str, datetime]:
    """Return when each feed is due, also one that is in work."""
    with reading(store) as connection:
        found = connection.execute(select(leases.c.feed, leases.c.due_at).where(leases.c.feed != INDEX))
        return {feed: parse_stamp(due_at) for feed, due_at in found}


def count_claimed(store: Store, now: datetime) -> int:
    """Return how many feeds are claimed now, in work or waiting in the queue."""
    held = select(func.count()).where(leases.c.token.is_not(None), leases.c.lease_until >= stamp(now))
    with reading(store) as connection:
        return int(connection.execute(held).scalar_one())


def count(store: Store, at: datetime, now: datetime) -> Counts:
    """Return how many feeds are in which state, and how late they are."""
    held = (leases.c.token.is_not(None), leases.c.lease_until >= stamp(now))
    is_feed, is_due = leases.c.feed != INDEX, leases.c.due_at <= stamp(at)
    with reading(store) as connection:
        feeds, due = (connection.execute(select(func.count()).where(each)).scalar_one() for each in (is_feed, is_due))
        owners = select(leases.c.owner, func.count()).where(*held).group_by(leases.c.owner)
        by_owner = {str(owner): int(number) for owner, number in connection.execute(owners)}
        oldest = select(leases.c.due_at).where(is_due).order_by(leases.c.due_at).limit(1)
        found = [connection.execute(oldest.offset(int((1 - each) * due))).scalar() for each in (0.5, 0.9, 0.99, 1)]
    queued = by_owner.pop("", 0)
    lags = [(at - parse_stamp(each)).total_seconds() if each else 0.0 for each in found]
    working = sum(by_owner.values())
    return Counts(feeds, max(due - queued - working, 0), queued, working, (lags[0], lags[1], lags[2], lags[3]))


def read_working(store: Store, now: datetime) -> tuple[Working, ...]:
    """Return the workers that have feeds now, by name."""
    held = (leases.c.token.is_not(None), leases.c.lease_until >= stamp(now), leases.c.owner != "")
    columns = leases.c.owner, func.count(), func.min(leases.c.feed), func.max(leases.c.lease_until)
    query = select(*columns).where(*held).group_by(leases.c.owner).order_by(leases.c.owner)
    with reading(store) as connection:
        rows = connection.execute(query).all()
    return tuple(Working(owner, feeds, first, parse_stamp(until)) for owner, feeds, first, until in rows)
