"""What was promised to subscribers, and the last guard that it is kept: a guid stays, its date stays.

Settle decides; this room only refuses what no decision may do. A refusal is a defect of the program, told before
anything is written.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from sqlalchemy import insert, select, update

from aggregator.errors import StoreError
from aggregator.model.entry import PRECISIONS, Moment
from aggregator.model.item import Promise
from aggregator.store import records
from aggregator.store.database import Store, done, reading, transaction, writing
from aggregator.store.schema import mark
from aggregator.store.schema import promises as promises_table

ZONES = (timedelta(hours=14), timedelta(hours=12))
"""How far a zone's day begins before and ends after the UTC day of the same name (tz database: +14 Kiritimati, -12)."""

AT_ONCE = 500
"""Rows read or written at once: those of 20,000 promises take 10 MB."""


PROMISED = "SELECT record FROM promises WHERE feed IN {}"


def promises(store: Store, feed: str) -> tuple[Promise, ...]:
    """Everything promised for the feed, sorted by guid: living items, aliases and buried ones."""
    with reading(store) as connection:
        found = [records.decode(Promise, text) for (text,) in done(connection, PROMISED, [feed])]
    return tuple(sorted(found, key=lambda promise: promise.guid))


def promised_by(store: Store, guid: str) -> tuple[str, ...]:
    """The feeds that have promised the guid, sorted: alive, buried, or the alias of another."""
    query = select(promises_table.c.feed).where(promises_table.c.guid == mark(guid))
    with reading(store) as connection:
        return tuple(sorted(connection.execute(query).scalars()))


def keep_promises(store: Store, feed: str, kept: Iterable[Promise]) -> int:
    """Add the new promises and alter the known ones; how many rows that wrote. What is not given stays as it is.

    StoreError, and nothing written, where it would break one: a first publication or a published date changed
    (only its precision may grow, but for a provisional date, which is replaced once), an alias that comes back to
    life, names nobody, or runs in a circle.
    """
    with transaction(store) as tx, writing(tx) as connection:
        after = {promise.guid: promise for promise in kept}
        stand, before = _standing(tx, feed, after)
        for guid, promise in after.items():
            if (fault := _fault(before.get(guid), promise)) is not None:
                raise StoreError(f"store: {feed}: the promise {guid!r} cannot be kept so: {fault}")
        _check_aliases(feed, before | after)
        fresh = [each for guid, each in after.items() if guid not in stand]
        other = [each for guid, each in after.items() if guid in before and before[guid] != each]
        for at in range(0, len(fresh), AT_ONCE):
            connection.execute(insert(promises_table), [_row(feed, each) for each in fresh[at : at + AT_ONCE]])
        table = promises_table
        for each in other:
            same = (table.c.feed == feed, table.c.guid == mark(each.guid))
            connection.execute(update(table).where(*same).values(record=records.encode(each)))
    return len(fresh) + len(other)


def _standing(store: Store, feed: str, after: Mapping[str, Promise]) -> tuple[set[str], dict[str, Promise]]:
    """The guids of all that is promised, and the promises that are not what they are to be, or are not given anew.

    Most are given as they stand, which their rows tell: they are not made promises of beside those that are given.
    """
    given = {mark(guid): promise for guid, promise in after.items()}
    table, stand, before = promises_table, set[str](), dict[str, Promise]()
    query = select(table.c.guid, table.c.record).where(table.c.feed == feed).execution_options(yield_per=AT_ONCE)
    with reading(store) as connection:
        for name, record in connection.execute(query):
            promise = given.get(name)
            if promise is None or records.encode(promise) != record:
                promise = records.decode(Promise, record)
                before[promise.guid] = promise
            stand.add(promise.guid)
    return stand, before


def _row(feed: str, promise: Promise) -> dict[str, str]:
    """The row of a promise."""
    return {"feed": feed, "guid": mark(promise.guid), "record": records.encode(promise)}


def _fault(before: Promise | None, after: Promise) -> str | None:
    """What the change would break, ``None`` where it breaks nothing."""
    if not after.guid:
        return "it has no guid"
    if before is None:
        return None
    if before.minted != after.minted:
        return "it was first published at another time"
    replaced = before.dated is not None and after.dated is None
    if not replaced and not grows(before.published, after.published):
        return f"its date was published as {before.published.at.isoformat()} ({before.published.precision})"
    if before.alias_of is not None and after.alias_of is None:
        return f"it is an alias of {before.alias_of!r} for ever"
    return None


def grows(before: Moment, after: Moment) -> bool:
    """Is the later moment the same one, or the same one told more exactly?

    >>> day = Moment(datetime(2024, 5, 1, tzinfo=UTC), "day")
    >>> (
    ...     grows(day, Moment(datetime(2024, 5, 1, 17, 30, tzinfo=UTC))),
    ...     grows(day, Moment(datetime(2024, 5, 3, tzinfo=UTC))),
    ... )
    (True, False)
    """
    if before == after:
        return True
    if PRECISIONS.index(after.precision) <= PRECISIONS.index(before.precision):
        return False
    start, width = _start(before)
    early, late = (timedelta(0), timedelta(0)) if before.precision == "minute" else ZONES
    return -early <= after.at - start < width + late


def _start(moment: Moment) -> tuple[datetime, timedelta]:
    """Since when and for how long it may be, by its precision."""
    minute = moment.at.astimezone(UTC).replace(second=0, microsecond=0)
    if moment.precision == "year":
        return minute.replace(month=1, day=1, hour=0, minute=0), timedelta(days=365 + isleap(minute.year))
    if moment.precision == "day":
        return minute.replace(hour=0, minute=0), timedelta(days=1)
    return minute, timedelta(minutes=1)


def _check_aliases(feed: str, known: Mapping[str, Promise]) -> None:
    """StoreError where an alias names no promise, or where following aliases never ends."""
    for promise in known.values():
        met, guid = {promise.guid}, promise.alias_of
        while guid is not None:
            if guid in met or guid not in known:
                fault = "runs in a circle" if guid in met else "names nobody"
                raise StoreError(f"store: {feed}: the alias {promise.guid!r} of {guid!r} {fault}")
            met.add(guid)
            guid = known[guid].alias_of
