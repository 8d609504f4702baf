"""Published guids.

``merger.identity.settle`` decides what is published under which guid; here any change is refused that would alter a
guid or its date. Such a change is a defect of the program, found before anything is written.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

from aggregator.errors import StoreError
from aggregator.model.entry import PRECISIONS, Moment
from aggregator.model.item import PublishedItem
from aggregator.store import checksums, records
from aggregator.store.database import Store, reading, select_rows, transaction, upsert, writing
from aggregator.store.schema import guids, mark

_ZONES = (timedelta(hours=14), timedelta(hours=12))
"""How far a zone's day begins before and ends after the UTC day of the same name (tz database: +14 Kiritimati, -12)."""


def read_guids(store: Store, feed: str) -> tuple[PublishedItem, ...]:
    """Return everything published in the feed, sorted by guid: living items, aliases and tombstones."""
    with reading(store) as connection:
        checksums.check_sums(connection, guids, feed)
        rows = select_rows(connection, guids, guids.c.feed == feed)
        found = [records.decode(PublishedItem, row.record) for row in rows]
    return tuple(sorted(found, key=lambda item: item.guid))


def write_guids(store: Store, feed: str, published: Collection[PublishedItem]) -> None:
    """Add new guids and alter known ones. What is not given stays as it is.

    Raises StoreError, and writes nothing, if a first publication or a published date would change (only its precision
    may grow; a provisional date is replaced once), or an alias would become an item again, name no guid, or run in a
    circle.
    """
    with transaction(store) as tx, writing(tx) as connection:
        before = {item.guid: item for item in read_guids(tx, feed)}
        after = {item.guid: item for item in published}
        for guid, item in after.items():
            if (fault := _fault(before.get(guid), item)) is not None:
                raise StoreError(f"store: {feed}: the item {guid!r} cannot be kept so: {fault}")
        _check_aliases(feed, before | after)
        changed = [each for guid, each in after.items() if before.get(guid) != each]
        rows = [{"feed": feed, "guid": mark(each.guid), "record": records.encode(each)} for each in changed]
        upsert(connection, guids, rows)


def _fault(before: PublishedItem | None, after: PublishedItem) -> str | None:
    """Return what the change would break, ``None`` if nothing."""
    if not after.guid:
        return "it has no guid"
    if before is None:
        return None
    if before.minted != after.minted:
        return "it was first published at another time"
    replaced = before.dated is not None and after.dated is None
    if not replaced and not is_more_precise(before.published, after.published):
        return f"its date was published as {before.published.at.isoformat()} ({before.published.precision})"
    if before.alias_of is not None and after.alias_of is None:
        return f"it is an alias of {before.alias_of!r} for ever"
    return None


def is_more_precise(before: Moment, after: Moment) -> bool:
    """Return whether the later moment is the same one, or the same one more precisely.

    >>> day = Moment(datetime(2024, 5, 1, tzinfo=UTC), "day")
    >>> (
    ...     is_more_precise(day, Moment(datetime(2024, 5, 1, 17, 30, tzinfo=UTC))),
    ...     is_more_precise(day, Moment(datetime(2024, 5, 3, tzinfo=UTC))),
    ... )
    (True, False)
    """
    if before == after:
        return True
    if PRECISIONS.index(after.precision) <= PRECISIONS.index(before.precision):
        return False
    start, width = _day_or_minute(before)
    early, late = (timedelta(0), timedelta(0)) if before.precision == "minute" else _ZONES
    return -early <= after.at - start < width + late


def _day_or_minute(moment: Moment) -> tuple[datetime, timedelta]:
    """Return the beginning and the length of what the moment may be, by its precision."""
    minute = moment.at.astimezone(UTC).replace(second=0, microsecond=0)
    if moment.precision == "year":
        return minute.replace(month=1, day=1, hour=0, minute=0), timedelta(days=365 + isleap(minute.year))
    if moment.precision == "day":
        return minute.replace(hour=0, minute=0), timedelta(days=1)
    return minute, timedelta(minutes=1)


def _check_aliases(feed: str, known: Mapping[str, PublishedItem]) -> None:
    """Raise StoreError if an alias names no known guid, or following aliases never ends."""
    for item in known.values():
        passed, guid = {item.guid}, item.alias_of
        while guid is not None:
            if guid in passed or guid not in known:
                fault = "runs in a circle" if guid in passed else "names no published guid"
                raise StoreError(f"store: {feed}: the alias {item.guid!r} of {guid!r} {fault}")
            passed.add(guid)
            guid = known[guid].alias_of
