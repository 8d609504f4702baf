"""Read and write poll states and past polls, and read which hosts sent Retry-After."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, LargeBinary, case, cast, delete, func, select, tuple_

from aggregator.model.record import make_msgpack_decoder
from aggregator.model.source import Poll, PollDay, PollState
from aggregator.store import records
from aggregator.store.database import BATCH, Store, batches, reading, select_rows, transaction, upsert, writing
from aggregator.store.schema import mark, parse_stamp, stamp
from aggregator.store.schema import poll_days as days_table
from aggregator.store.schema import poll_states as poll_states_table
from aggregator.store.schema import polls as polls_table
from aggregator.text.urls import find_host

MOST_POLLS: Final = 100
"""Polls of a source that are stored, for people to look at; nothing else depends on them."""

DAYS: Final = 90
"""Days whose polls are counted, today included."""

_OF_HUBS: Final = frozenset({"told", "told_until"})
"""The fields of a poll state that are those of a subscription."""

_POLLS = make_msgpack_decoder(tuple[Poll, ...])


def read_poll_states(store: Store, feeds: Collection[str]) -> dict[tuple[str, str], tuple[PollState, ...]]:
    """Return the poll states of every polled source of the feeds, by (feed, source), sorted by address."""
    table = poll_states_table
    found: dict[tuple[str, str], list[PollState]] = {}
    with reading(store) as connection:
        for some in batches(sorted(feeds)):
            for row in select_rows(connection, table, table.c.feed.in_(some)):
                found.setdefault((row.feed, row.source), []).append(records.decode(PollState, row.record))
    return {of: tuple(sorted(known, key=lambda each: each.url)) for of, known in found.items()}


def write_poll_states(store: Store, poll_states: Iterable[tuple[str, str, PollState]]) -> None:
    """Write poll states, each with its feed and source; of two of one address the last is written."""
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
                    "record": records.encode(each, without=_OF_HUBS),
                }
                for (feed, source, url), each in rows.items()
            ],
        )


def read_holds(store: Store, now: datetime) -> Mapping[str, datetime]:
    """Return the hosts, as ``find_host`` names them, that sent Retry-After for a time after ``now``, with that time.

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
    """Add a poll to those of each source, and to those of its day; the oldest are dropped."""
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
        _count(connection, made)


def _count(connection: Connection, made: Mapping[tuple[str, str], Poll]) -> None:
    """Add polls to the days of their sources, and delete days that are too old of their feeds."""
    days = {of: datetime.fromtimestamp(poll.at, UTC).date() for of, poll in made.items()}
    rows = [
        {
            "day": days[feed, source].isoformat(),
            "feed": feed,
            "source": source,
            "polls": 1,
            "failures": int(poll.has_failed),
            "answers": int(poll.milliseconds is not None),
            "milliseconds": poll.milliseconds or 0,
            "slowest": poll.milliseconds or 0,
        }
        for (feed, source), poll in made.items()
    ]
    upsert(connection, days_table, rows, _combine)
    if days:
        old = days_table.c.day < _first_day(max(days.values()))
        for some in batches(sorted({feed for feed, _ in made})):
            connection.execute(delete(days_table).where(old, days_table.c.feed.in_(some)))


def _combine(known: ColumnElement[Any], new: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the value of a day with another poll: a sum, or the longest time."""
    return case((new > known, new), else_=known) if known.key == "slowest" else known + new


def _first_day(today: date) -> str:
    return (today - timedelta(days=DAYS - 1)).isoformat()


def count_polls(store: Store, today: date, *feeds: str) -> tuple[PollDay, ...]:
    """Return the days up to today on which sources of the feeds were polled, the oldest first; of all without any."""
    table = days_table
    longest = func.max(table.c.slowest)
    sums = [func.sum(column) for column in (table.c.polls, table.c.failures, table.c.answers, table.c.milliseconds)]
    query = select(table.c.day, *sums, longest)
    if feeds:
        days = [(today - timedelta(days=back)).isoformat() for back in range(DAYS)]
        query = query.where(table.c.day.in_(days), table.c.feed.in_(feeds))
    else:
        query = query.where(table.c.day.between(_first_day(today), today.isoformat()))
    with reading(store) as connection:
        rows = connection.execute(query.group_by(table.c.day).order_by(table.c.day)).all()
    return tuple(PollDay(date.fromisoformat(day), *map(int, counts)) for day, *counts in rows if _is_day(day))


def _is_day(text: str) -> bool:
    """Return whether a day can be read back; one that is damaged is left out."""
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False
