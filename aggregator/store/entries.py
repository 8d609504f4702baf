"""Reading entries: what the sources of a feed list and listed, from their rows (written by ``store.listings``).

An entry of the newest listing of its source is open: it has no ``last``. The position of an open entry is the anchor of
its document less its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import fields, replace
from sqlalchemy import ColumnElement, Connection, Table, case, func, select

from aggregator.errors import DamagedError
from aggregator.model.entry import Entry, Show, Span
from aggregator.model.source import Source
from aggregator.store import checksums, records, schema
from aggregator.store.database import BATCH, Store, batches, reading, select_rows
from aggregator.store.schema import mark, parse_stamp

PLACE_FIELDS = frozenset({"position", "span", "element"})
"""The fields of an Entry that are not its content; they are stored apart from its record."""

_TEXT_FIELDS = ("description", "html", "cut")
"""The fields of an Entry that are one text: they come from one document or not at all."""


R = TypeVar("R", Entry, Show)
_T = TypeVar("_T")


class StoredEntry(Struct, frozen=True):
    """An entry with its span and position, when its source first and last listed it, and the digest of its content."""

    entry: Entry
    first_seen: datetime
    last_seen: datetime
    digest: str


class _EntryRow(NamedTuple):
    """A row of an entry, its columns in their order, and of its source and its show how they were listed last."""

    checksum: int
    feed: str
    source: str
    document: int
    key: str
    digest: str
    first: int
    last: int | None
    place: int
    first_seen: str
    last_seen: str | None
    changed: str | None
    record: str
    listings: int
    listed_at: str
    anchor: int


class EntryRows(Struct, frozen=True):
    """The rows of one entry, one for each document that lists it; ``digest`` is of its content, without its place."""

    digest: str
    rows: tuple[_EntryRow, ...]

    @property
    def source(self) -> str:
        """Return the name of the source."""
        return self.rows[0].source

    @property
    def listed(self) -> _EntryRow:
        """Return the row of the first document that lists the entry now, else that of the first."""
        return next((row for row in self.rows if row.last is None), self.rows[0])

    @property
    def first_seen(self) -> datetime:
        """Return when the entry was first listed."""
        return parse_stamp(min(row.first_seen for row in self.rows))

    @property
    def last_seen(self) -> datetime:
        """Return when the entry was last listed."""
        return parse_stamp(max(row.last_seen or row.listed_at for row in self.rows))

    @property
    def since(self) -> datetime:
        """Return since when the entry has its present content."""
        return parse_stamp(max(row.changed or row.first_seen for row in self.rows))


def read_entries(store: Store, feed: str) -> tuple[StoredEntry, ...]:
    """Return every entry of the feed ever listed, sorted by source and key, those of removed sources among them."""
    found = [to_stored_entry(each) for each in read_rows(store, feed)]
    return tuple(sorted(found, key=lambda each: (each.entry.source, each.entry.key)))


def read_entries_of(store: Store, feed: str, ids: Collection[str]) -> tuple[StoredEntry, ...]:
    """Return the entries of the feed with these ids, in their order; unknown ones are left out."""
    keys = {mark(name.partition("/")[2]) for name in ids}
    read = (to_stored_entry(each) for each in read_rows(store, feed, schema.entries.c.key.in_(sorted(keys))))
    found = {each.entry.id: each for each in read}
    return tuple(found[name] for name in ids if name in found)


def read_rows(store: Store, feed: str, *where: ColumnElement[bool]) -> Iterator[EntryRows]:
    """Yield the rows of every entry of the feed, not yet decoded, in the database's own order of source and key."""
    table = schema.entries
    query = select(table).where(table.c.feed == feed, *where).order_by(table.c.source, table.c.key, table.c.document)
    with reading(store) as connection:
        checksums.check_sums(connection, table, feed)
        sources = {row.source: row for row in _select(connection, schema.sources, feed)}
        anchors = {(row.source, row.document): row.anchor for row in _select(connection, schema.shows, feed)}
        found = checksums.check(table, connection.execute(query.execution_options(yield_per=BATCH)))
        for (source, _), same in groupby(found, key=attrgetter("source", "key")):
            of = sources[source].listings, sources[source].listed_at
            rows = tuple(_EntryRow._make((*row, *of, anchors[source, row.document])) for row in same)
            check_records(rows)
            digest = rows[0].digest if len(rows) == 1 else records.digest("".join(row.digest for row in rows))
            yield EntryRows(digest, rows)


def _select(connection: Connection, table: Table, feed: str) -> Iterator[Any]:
    return select_rows(connection, table, table.c.feed == feed)


def check_records(rows: Iterable[Any]) -> None:
    """Raise DamagedError if a record does not have its digest; rows are checked by their checksums before."""
    for row in rows:
        if not isinstance(row.record, str) or records.digest(row.record) != row.digest:
            raise DamagedError(f"a record does not have its digest: {checksums.describe(schema.entries, row)}")


def to_stored_entry(stored: EntryRows) -> StoredEntry:
    """Return the entry of its rows; a field that the first document lacks is taken from the next."""
    entry, *others = [to_entry(stored, row.record) for row in stored.rows]
    for other in others:
        entry = complete(entry, other)
    return StoredEntry(entry, stored.first_seen, stored.last_seen, stored.digest)


def to_entry(stored: EntryRows, record: str) -> Entry:
    """Return the entry whose content is ``record``, with the span and position of its rows."""
    row = stored.listed
    return records.decode(
        Entry,
        record,
        position=row.place if row.last is not None else row.anchor - row.place,
        span=Span(
            min(each.first for each in stored.rows),
            max(each.listings if each.last is None else each.last for each in stored.rows),
        ),
    )


def complete(first: R, other: R) -> R:
    """Return the first record with the fields it lacks taken from the other; a text whole, ids and notes added.

    >>> complete(Entry("a", "1", "T"), Entry("a", "1", "U", link="https://example.org/")).link
    'https://example.org/'
    """
    gained: dict[str, Any] = {}
    for each in fields(first):
        mine, theirs = getattr(first, each.name), getattr(other, each.name)
        if each.name not in _TEXT_FIELDS and mine in (None, ()) and theirs not in (None, ()):
            gained[each.name] = theirs
    if isinstance(first, Entry) and isinstance(other, Entry):
        if first.description is None and first.html is None:
            gained.update({name: getattr(other, name) for name in _TEXT_FIELDS})
        schemes: set[str] = {scheme for scheme, _ in first.ids}
        gained["ids"] = (*first.ids, *(each for each in other.ids if each[0] not in schemes))
        gained["notes"] = (*first.notes, *(each for each in other.notes if each not in first.notes))
    return replace(first, **gained)


def read_listed(
    store: Store, feed: str, listed: Mapping[str, Collection[str]], read: Callable[[Entry], _T | None]
) -> Mapping[str, Mapping[str, _T]]:
    """Return what ``read`` returns of the stored entries with these keys, by source and key."""
    found: dict[str, dict[str, _T]] = {source: {} for source in listed}
    wanted = {(source, mark(key)) for source, keys in listed.items() for key in keys}
    few = [schema.entries.c.key.in_(sorted({key for _, key in wanted}))] if len(wanted) <= BATCH else []
    for stored in read_rows(store, feed, *few) if wanted else ():
        if (stored.source, stored.rows[0].key) in wanted:
            entry = to_stored_entry(stored).entry
            if (value := read(entry)) is not None:
                found[entry.source][entry.key] = value
    return found


def read_arrivals(store: Store, feed: str) -> Mapping[str, tuple[datetime, int]]:
    """Return when each entry of the feed was first listed, and in which listing of its source (from 1), by its id."""
    table = schema.entries.c
    hashed = case((table.key.like("#%"), table.record))
    query = select(table.source, table.key, table.first_seen, table.first, hashed).where(table.feed == feed)
    found: dict[str, tuple[str, int]] = {}
    with reading(store) as connection:
        for source, key, seen, listing, record in connection.execute(query.execution_options(yield_per=BATCH)):
            name = f"{source}/{key}" if record is None else records.decode(Entry, record).id
            known = found.get(name, (seen, listing))
            found[name] = min(known[0], seen), min(known[1], listing)
    return {name: (parse_stamp(seen), listing) for name, (seen, listing) in found.items()}


def read_shows(store: Store, feed: str) -> Mapping[str, Show]:
    """Return what each source last listed of the show itself, by the source's name."""
    with reading(store) as connection:
        rows = sorted(_select(connection, schema.shows, feed), key=lambda row: (row.source, row.document))
    shows: dict[str, Show] = {}
    for row in rows:
        show = records.decode(Show, row.record)
        shows[row.source] = complete(shows[row.source], show) if row.source in shows else show
    return shows


def find_other_sources(store: Store, feed: str, entries: Iterable[Entry]) -> frozenset[str]:
    """Return the sources that listed entries of the feed, but none of these: their names mean other sources.

    Two entries are the same if their keys and titles are.
    """
    known = {(each.key, each.title) for each in entries}
    stored = [each.entry for each in read_entries(store, feed)]
    same = {each.source for each in stored if (each.key, each.title) in known}
    return frozenset({each.source for each in stored} - same)


def measure_entries(store: Store, feed: str) -> tuple[int, int]:
    """Return how many entries of the feed are stored, one for each document that lists it, and their characters."""
    table = schema.entries
    query = select(func.count(), func.coalesce(func.sum(func.length(table.c.record)), 0)).where(table.c.feed == feed)
    with reading(store) as connection:
        count, characters = connection.execute(query).one()
    return count, characters


def count_by_source(store: Store, feeds: Iterable[str]) -> Mapping[str, Mapping[str, int]]:
    """Return how many entries of each source of these feeds are stored, by feed and source; none of others."""
    table = schema.entries
    found: dict[str, dict[str, int]] = {feed: {} for feed in feeds}
    query = select(table.c.feed, table.c.source, func.count(table.c.key.distinct())).group_by(
        table.c.feed, table.c.source
    )
    with reading(store) as connection:
        for some in batches(found):
            for feed, source, count in connection.execute(query.where(table.c.feed.in_(some))):
                found[feed][source] = count
    return found


def read_sources(store: Store, feed: str) -> Mapping[str, Source]:
    """Return every source that ever listed entries of the feed, with the kind and trust it had then, by its name."""
    with reading(store) as connection:
        rows = sorted(_select(connection, schema.sources, feed), key=lambda row: row.source)
    return {row.source: records.decode(Source, row.record) for row in rows}
