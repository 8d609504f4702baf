"""Read and write poll states, hosts that sent Retry-After, robots.txt, and due times.

Several workers may share the table of due times: a worker claims sources for a time (a lease). One that dies loses them
when the time has passed, and one that comes too late can no longer release them. When a source is due is decided by
``fetchers.http.polling``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec
from msgspec import Struct
from sqlalchemy import ColumnElement, LargeBinary, bindparam, cast, delete, insert, select, tuple_, update

from aggregator.model.source import Poll, PollState, Robots
from aggregator.store import facts, records
from aggregator.store.database import BATCH, Store, batches, reading, select_rows, transaction, upsert, writing
from aggregator.store.schema import due_times, mark, parse_stamp, stamp
from aggregator.store.schema import poll_states as poll_states_table
from aggregator.store.schema import polls as polls_table
from aggregator.text.urls import find_host

_ROBOTS: Final = "robots/"
"""Before its address: the fact with what is known of a robots.txt. It belongs to no feed, so that it is asked once."""


MOST_POLLS: Final = 100
"""Polls that are remembered of a source, for people to look at; nothing else depends on them."""

_POLLS = msgspec.msgpack.Decoder(tuple[Poll, ...])


class Claim(Struct, frozen=True):
    """A source that is ours to ask until ``until``; a later claim of it has a higher ``number``."""

    feed: str
    source: str
    number: int
    until: datetime


def read_poll_states(store: Store, feeds: Collection[str]) -> dict[tuple[str, str], tuple[PollState, ...]]:
    """Return the poll states of every source of the feeds that was ever asked, by (feed, source), sorted by address."""
    table = poll_states_table
    found: dict[tuple[str, str], list[PollState]] = {}
    with reading(store) as connection:
        for some in batches(sorted(feeds)):
            for row in select_rows(connection, table, table.c.feed.in_(some)):
                found.setdefault((row.feed, row.source), []).append(records.decode(PollState, row.record))
    return {of: tuple(sorted(known, key=lambda each: each.url)) for of, known in found.items()}


def write_poll_states(store: Store, poll_states: Iterable[tuple[str, str, PollState]]) -> None:
    """Write poll states, each with its feed and source; of two of one address the last stands."""
    rows = {(feed, source, mark(each.url)): each for feed, source, each in poll_states}
    with writing(store) as connection:
        upsert(
            connection,
            poll_states_table,
            [
                {
                    "feed": feed,
                    "source": source,
                    "url": url,
                    "host": mark(each.hold_host or find_host(each.url)),
                    "hold_until": stamp(each.hold_until) if each.hold_until else None,
                    "record": records.encode(each),
                }
                for (feed, source, url), each in rows.items()
            ],
        )


def read_holds(store: Store, now: datetime) -> Mapping[str, datetime]:
    """Return the hosts, as ``text.hosts`` names them, that sent Retry-After for a time after ``now``, with that time.

    A Retry-After holds for the host: no feed and no source may ask it sooner.
    """
    table = poll_states_table
    with reading(store) as connection:
        rows = select_rows(connection, table, table.c.hold_until > stamp(now))
        held = sorted((row.hold_until, row.host) for row in rows)
    return {host: parse_stamp(until) for until, host in held}


def read_polls(store: Store, *feeds: str) -> dict[tuple[str, str], tuple[Poll, ...]]:
    """Return the last polls of each source of the feeds, the oldest first, by (feed, source)."""
    return _read_polls(store, polls_table.c.feed.in_(feeds))


def _read_polls(store: Store, *where: ColumnElement[bool]) -> dict[tuple[str, str], tuple[Poll, ...]]:
    query = select(polls_table.c.feed, polls_table.c.source, cast(polls_table.c.value, LargeBinary)).where(*where)
    with reading(store) as connection:
        return {(feed, source): _decode_polls(value) for feed, source, value in connection.execute(query)}


def _decode_polls(value: bytes) -> tuple[Poll, ...]:
    """Return the polls; none if they are damaged: no other poll depends on them."""
    try:
        return _POLLS.decode(value)
    except ValueError:
        return ()


def add_polls(store: Store, made: Mapping[tuple[str, str], Poll]) -> None:
    """Add a poll to those of each source; the oldest are dropped."""
    table = polls_table
    with transaction(store) as tx, writing(tx) as connection:
        for some in batches(made, BATCH // 2):  # two parameters each
            known = _read_polls(tx, tuple_(table.c.feed, table.c.source).in_(some))
            rows = [
                {
                    "feed": feed,
                    "source": source,
                    "value": msgspec.msgpack.encode((*known.get((feed, source), ()), made[feed, source])[-MOST_POLLS:]),
                }
                for feed, source in some
            ]
            upsert(connection, table, rows)


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


def set_sources(store: Store, wanted: Collection[tuple[str, str]], now: datetime) -> None:
    """Make the wanted sources, each (feed, source), those of the table of due times; new ones are due at once."""
    table = due_times
    with writing(store) as connection:
        known = {(feed, source) for feed, source in connection.execute(select(table.c.feed, table.c.source))}
        new = [
            {"feed": feed, "source": source, "due_at": stamp(now), "lease_number": 0}
            for feed, source in sorted(set(wanted) - known)
        ]
        if new:
            connection.execute(insert(table), new)
        for feed, source in sorted(known - set(wanted)):
            connection.execute(delete(table).where(table.c.feed == feed, table.c.source == source))


def claim_due(store: Store, now: datetime, *, most: int, lease: timedelta, owner: str) -> tuple[Claim, ...]:
    """Claim the sources that are due, the longest waiting first, until the lease ends; empty if none is.

    Two workers never hold the same source: on PostgreSQL the second skips those that the first is claiming.
    """
    table, until = due_times, now + lease
    free = table.c.lease_until.is_(None) | (table.c.lease_until < stamp(now))
    query = (
        select(table.c.feed, table.c.source, table.c.lease_number)
        .where(table.c.due_at <= stamp(now), free)
        .order_by(table.c.due_at, table.c.feed, table.c.source)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    with writing(store) as connection:
        claims = tuple(Claim(feed, source, number + 1, until) for feed, source, number in connection.execute(query))
        if claims:
            same = (table.c.feed == bindparam("feed_"), table.c.source == bindparam("source_"))
            values = {"lease_until": stamp(until), "lease_number": bindparam("number"), "owner": owner}
            rows = [{"feed_": each.feed, "source_": each.source, "number": each.number} for each in claims]
            connection.execute(update(table).where(*same).values(values), rows)
    return claims


def release_claim(store: Store, claim: Claim, due_at: datetime) -> bool:
    """Release the source until it is due again; return false if the lease was lost to a later claim."""
    table = due_times
    same = (table.c.feed == claim.feed, table.c.source == claim.source, table.c.lease_number == claim.number)
    values = {"due_at": stamp(due_at), "lease_until": None, "owner": None}
    with writing(store) as connection:
        return connection.execute(update(table).where(*same).values(**values)).rowcount > 0


def limit_due_times(store: Store, latest: Mapping[tuple[str, str], datetime], lease: timedelta, now: datetime) -> None:
    """Make each source due no later than given, and end leases longer than ``lease``, after the clock was set back.

    Times written by a clock that was ahead would otherwise keep a source from being asked for as long as it was ahead.
    """
    table = due_times
    with writing(store) as connection:
        for (feed, source), due_at in latest.items():
            same = (table.c.feed == feed, table.c.source == source)
            connection.execute(update(table).where(*same, table.c.due_at > stamp(due_at)).values(due_at=stamp(due_at)))
        too_long = table.c.lease_until > stamp(now + lease)
        connection.execute(update(table).where(too_long).values(lease_until=None, owner=None))


def read_due_times(store: Store) -> dict[tuple[str, str], datetime]:
    """Return when each source of the table is due, by (feed, source)."""
    query = select(due_times.c.feed, due_times.c.source, due_times.c.due_at)
    with reading(store) as connection:
        return {(feed, source): parse_stamp(due_at) for feed, source, due_at in connection.execute(query)}
