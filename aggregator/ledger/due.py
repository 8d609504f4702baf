"""Who is due: when a source may be asked again, and who of several workers asks it.

    ready = latest of  hold (Retry-After),  not before (freshness, ttl, backoff);  out of skipHours and skipDays
    due   = latest of  the slot of the schedule after the last poll,  ready
    next  = due + interval * (sha256(source) mod 1000) / 10000

The spread (0 to 10 % of the interval) keeps the sources of one slot apart in a service that runs on. A refresh that
an outside scheduler starts asks :func:`due_at`, without it: an hourly cron line must meet its hour.

The table of leases is the truth on one machine and on many: a worker claims sources for a time; one that dies loses
them when the time has gone, and one that comes too late can no longer finish them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from msgspec import Struct
from sqlalchemy import bindparam, delete, insert, select, update

from aggregator.ledger.ledger import Ledger, reading, writing
from aggregator.ledger.schema import sources, stamp, time
from aggregator.model.source import Memory
from aggregator.text.cron import slot_after

UNPLANNED = timedelta(hours=1)
"""Between two polls where the config names no schedule: what fetchers/manners lets pass as the least; less would only
be refused there, more would bring news later."""

NEVER = datetime(9000, 1, 1, tzinfo=UTC)
"""When a slot comes that never comes, such as a 30th of February."""

BACKWARD = timedelta(minutes=5)
"""A last poll further in the future than this was timed by a clock that has since gone back; less is skew."""

WINDOW_HOURS = 24 * 7


class Claim(Struct, frozen=True):
    """A source that is ours to ask until ``until``; ``generation`` is what a later claim would have raised."""

    feed: str
    source: str
    generation: int
    until: datetime


def ready_at(memory: Memory, now: datetime) -> datetime:
    """From when on the address may be asked: ``now`` or later, past every hold and out of its skip windows."""
    stepped_back = memory.asked is not None and memory.asked > now + BACKWARD
    waits = [memory.hold_until] if stepped_back else [memory.hold_until, memory.not_before]
    earliest = max([now, *(wait for wait in waits if wait is not None)])
    return _awake(earliest, memory)


def due_at(cron: str | None, memories: Sequence[Memory], now: datetime, last: datetime | None = None) -> datetime:
    """When a source is to be asked: at ``now`` where it is due. Several addresses are due when the first of them is.

    ``last`` is when the source was last polled, by default when its addresses were. ``cron`` is read in UTC; without
    one every run may ask. A source never asked is due at once.
    """
    last = last or max((memory.asked for memory in memories if memory.asked is not None), default=None)
    slot = now
    if cron is not None and last is not None and last <= now + BACKWARD:
        slot = slot_after(cron, last) or NEVER
    return min((ready_at(memory, max(slot, now)) for memory in memories), default=max(slot, now))


def next_due(source: str, cron: str | None, memories: Sequence[Memory], now: datetime) -> datetime:
    """When a service asks the source again that it has asked ``now``: later than now, and spread by its name.

    ``source`` is the source's own name in the whole program (feed and source).
    """
    following = (slot_after(cron, now) if cron else now + UNPLANNED) or NEVER
    interval = ((slot_after(cron, following) if cron else None) or following + UNPLANNED) - following
    share = int.from_bytes(sha256(source.encode()).digest()) % 1000
    due = following + interval * share / 10_000
    return min((ready_at(memory, due) for memory in memories), default=due)


def enrol(ledger: Ledger, wanted: Collection[tuple[str, str]], now: datetime) -> None:
    """Have exactly the wanted sources, each as (feed, source), in the table; new ones are due at once."""
    with writing(ledger) as connection:
        known = {(feed, source) for feed, source in connection.execute(select(sources.c.feed, sources.c.source))}
        fresh = [
            {"feed": feed, "source": source, "due_at": stamp(now), "lease_gen": 0}
            for feed, source in sorted(set(wanted) - known)
        ]
        if fresh:
            connection.execute(insert(sources), fresh)
        for feed, source in sorted(known - set(wanted)):
            connection.execute(delete(sources).where(sources.c.feed == feed, sources.c.source == source))


def claim(ledger: Ledger, now: datetime, *, most: int, lease: timedelta, owner: str) -> tuple[Claim, ...]:
    """The sources that are due, the longest waiting first, now ours until the lease ends; empty where none is.

    Two workers never hold the same source: on PostgreSQL the second passes over what the first is claiming.
    """
    table, until = sources, now + lease
    free = table.c.lease_until.is_(None) | (table.c.lease_until < stamp(now))
    query = (
        select(table.c.feed, table.c.source, table.c.lease_gen)
        .where(table.c.due_at <= stamp(now), free)
        .order_by(table.c.due_at, table.c.feed, table.c.source)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    with writing(ledger) as connection:
        claims = tuple(Claim(feed, source, gen + 1, until) for feed, source, gen in connection.execute(query))
        if claims:
            same = (table.c.feed == bindparam("feed_"), table.c.source == bindparam("source_"))
            taken = update(table).where(*same).values(lease_until=stamp(until), lease_gen=bindparam("gen"), owner=owner)
            rows = [{"feed_": each.feed, "source_": each.source, "gen": each.generation} for each in claims]
            connection.execute(taken, rows)
    return claims


def finish(ledger: Ledger, held: Claim, due: datetime) -> bool:
    """Let go of the source until it is due; false where the lease was lost, and its result must be thrown away."""
    table = sources
    same = (table.c.feed == held.feed, table.c.source == held.source, table.c.lease_gen == held.generation)
    values = {"due_at": stamp(due), "lease_until": None, "owner": None}
    with writing(ledger) as connection:
        return connection.execute(update(table).where(*same).values(**values)).rowcount > 0


def advance(ledger: Ledger, latest: Mapping[tuple[str, str], datetime], lease: timedelta, now: datetime) -> None:
    """Make each source due no later than given, and end leases longer than ``lease``: by a clock that went back.

    What was written by a clock that was ahead would else silence a source for as long as it was ahead.
    """
    table = sources
    with writing(ledger) as connection:
        for (feed, source), due in latest.items():
            same = (table.c.feed == feed, table.c.source == source)
            connection.execute(update(table).where(*same, table.c.due_at > stamp(due)).values(due_at=stamp(due)))
        endless = table.c.lease_until > stamp(now + lease)
        connection.execute(update(table).where(endless).values(lease_until=None, owner=None))


def waiting(ledger: Ledger) -> dict[tuple[str, str], datetime]:
    """When each source of the table is due, by (feed, source)."""
    query = select(sources.c.feed, sources.c.source, sources.c.due_at)
    with reading(ledger) as connection:
        return {(feed, source): time(due) for feed, source, due in connection.execute(query)}


def _awake(moment: datetime, memory: Memory) -> datetime:
    """The first instant from the moment on that lies in no hour (UTC) and on no day (Monday is 0) to leave out."""
    for _ in range(WINDOW_HOURS + 1):
        at = moment.astimezone(UTC)
        if at.hour not in memory.skip_hours and at.weekday() not in memory.skip_days:
            return moment
        moment = at.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return moment
