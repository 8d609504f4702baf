"""Entries: what the documents of a source list, added to what they listed before. Absence never deletes.

Each believed listing of a source gets the next number, whatever the number of its documents. An entry of the newest
listing is open: it has no ``last``, and nothing is written for it while it stays listed; one that is missing is closed
with the number before. Positions are kept as distances from an anchor, which moves with the listing: new items come in
at its top, so a listing with one new item writes one row, not all of them, also if it shows only its newest hundred.

An entry is its content, not only its key. A source that puts another item under a known key would hide one of the two,
and one that does so on purpose would hide what others list: the new item would count as the old one, published long
ago. So under a key whose hard ids and title have both changed the new item is an entry with a name of its own, and the
old one stays, no longer listed. Hosts that move keep titles, hosts that edit titles keep audio or link, and a
placeholder that is filled keeps its date: all of them stay the same entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import asdict, astuple, fields, replace
from rapidfuzz import fuzz
from sqlalchemy import ColumnElement, Connection, Table, Update, bindparam, case, func, insert, select, update

from aggregator.errors import DamagedError
from aggregator.model.entry import Enclosure, Entry, Listing, Show, Span
from aggregator.model.source import Source
from aggregator.store import checksums, records, schema
from aggregator.store.database import BATCH, Store, batches, find_row, reading, select_rows, upsert, writing
from aggregator.store.schema import mark, parse_stamp, stamp
from aggregator.text.fold import fold
from aggregator.text.urls import bare_audio, canonical

PLACE_FIELDS = frozenset({"position", "span"})
"""The fields of an Entry that are not its content; they have columns of their own."""

_TEXT_FIELDS = ("description", "html", "cut")
"""The fields of an Entry that are one text: they come from one document or not at all."""

_SAME_TITLE = 82.0
"""Similarity (0 to 100) of folded titles, words in any order and left out on one side, from which they are one title:
that of ``merger.reconciling.text_fields``."""

_RENAMED = "{} (entry {})"

R = TypeVar("R", Entry, Show)
Row = dict[str, str | int | None]


class StoredEntry(Struct, frozen=True):
    """An entry with its span and position, when its source first and last listed it, and the digest of its content."""

    entry: Entry
    first_seen: datetime
    last_seen: datetime
    digest: str


class EntryRows(Struct, frozen=True):
    """The rows of one entry, one for each document that lists it; ``digest`` is of its content, without its place."""

    digest: str
    rows: tuple[Sequence[Any], ...]

    @property
    def source(self) -> str:
        """Return the name of the source."""
        return str(self.rows[0][_SOURCE])

    @property
    def listed(self) -> Sequence[Any]:
        """Return the row of the first document that lists the entry now, else that of the first."""
        return next((row for row in self.rows if row[_LAST] is None), self.rows[0])

    @property
    def first_seen(self) -> datetime:
        """Return when the entry was first listed."""
        return parse_stamp(min(row[_FIRST_SEEN] for row in self.rows))

    @property
    def last_seen(self) -> datetime:
        """Return when the entry was last listed."""
        return parse_stamp(max(row[_LISTED_AT] if row[_LAST] is None else row[_LAST_SEEN] for row in self.rows))

    @property
    def since(self) -> datetime:
        """Return since when the entry has its present content."""
        return parse_stamp(max(row[_CHANGED] or row[_FIRST_SEEN] for row in self.rows))


class Change(Struct, frozen=True):
    """Numbers of keys of a listing that are new, that have other content now, and that are as before."""

    new: int = 0
    changed: int = 0
    same: int = 0

    @property
    def total(self) -> int:
        """Return how many keys were listed."""
        return self.new + self.changed + self.same


(
    _SOURCE,
    _DOCUMENT,
    _KEY,
    _DIGEST,
    _FIRST,
    _LAST,
    _PLACE,
    _FIRST_SEEN,
    _LAST_SEEN,
    _CHANGED,
    _RECORD,
    _LISTINGS,
    _LISTED_AT,
    _ANCHOR,
) = range(2, 16)
"""The columns of the rows of an entry, after its checksum and its feed; the last three are of its source and show."""


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
        for (source, _), same in groupby(found, key=itemgetter(_SOURCE, _KEY)):
            of = sources[source].listings, sources[source].listed_at
            rows = tuple((*row, *of, anchors[source, row[_DOCUMENT]]) for row in same)
            _check_records(rows)
            digest = rows[0][_DIGEST] if len(rows) == 1 else records.digest("".join(row[_DIGEST] for row in rows))
            yield EntryRows(digest, rows)


def _select(connection: Connection, table: Table, feed: str) -> Iterator[Any]:
    return select_rows(connection, table, table.c.feed == feed)


def _check_records(rows: Iterable[Sequence[Any]]) -> None:
    """Raise DamagedError if a record does not have its digest; rows are checked by their checksums before."""
    for row in rows:
        if not isinstance(row[_RECORD], str) or records.digest(row[_RECORD]) != row[_DIGEST]:
            raise DamagedError(f"a record does not have its digest: {checksums.describe(schema.entries, row)}")


def to_stored_entry(stored: EntryRows) -> StoredEntry:
    """Return the entry of its rows; a field that the first document lacks is taken from the next."""
    entry, *others = [to_entry(stored, row[_RECORD]) for row in stored.rows]
    for other in others:
        entry = complete(entry, other)
    return StoredEntry(entry, stored.first_seen, stored.last_seen, stored.digest)


def to_entry(stored: EntryRows, record: str) -> Entry:
    """Return the entry whose content is ``record``, with the span and position of its rows."""
    row = stored.listed
    return records.decode(
        Entry,
        record,
        position=row[_PLACE] if row[_LAST] is not None else row[_ANCHOR] - row[_PLACE],
        span=Span(
            min(each[_FIRST] for each in stored.rows),
            max(each[_LISTINGS] if each[_LAST] is None else each[_LAST] for each in stored.rows),
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


def read_enclosures(
    store: Store, feed: str, listed: Mapping[str, Mapping[str, Enclosure]]
) -> Mapping[str, Mapping[str, Enclosure]]:
    """Return the stored enclosures, by source and key, of entries that some sources list with an enclosure now.

    An enclosure that is the same as now is not decoded: that of ``listed`` is returned.
    """
    found: dict[str, dict[str, Enclosure]] = {source: {} for source in listed}
    now = {(source, mark(key)): (key, audio) for source, by_key in listed.items() for key, audio in by_key.items()}
    for stored in read_rows(store, feed) if now else ():
        source, name = stored.rows[0][_SOURCE], stored.rows[0][_KEY]
        if (source, name) not in now:
            continue
        key, audio = now[source, name]
        same = len(stored.rows) == 1 and records.has_field("url", audio.url, stored.rows[0][_RECORD])
        before = audio if same else to_stored_entry(stored).entry.enclosure
        if before is not None:
            found[source][key] = before
    return found


def read_arrivals(store: Store, feed: str, wanted: Collection[str]) -> Mapping[str, tuple[datetime, int]]:
    """Return when the entries of these ids were first listed, and in which listing of their source, counted from 1."""
    table = schema.entries.c
    names = {(source, mark(key)): name for name in wanted for source, _, key in [name.partition("/")]}
    query = select(table.source, table.key, table.first_seen, table.first).where(table.feed == feed)
    if len(names) <= BATCH:
        query = query.where(table.key.in_(sorted({key for _, key in names})))
    found: dict[str, tuple[str, int]] = {}
    with reading(store) as connection:
        for source, key, seen, listing in connection.execute(query.execution_options(yield_per=BATCH)):
            if (name := names.get((source, key))) is not None:
                known = found.get(name, (seen, listing))
                found[name] = min(known[0], seen), min(known[1], listing)
    return {name: (parse_stamp(seen), listing) for name, (seen, listing) in found.items()}


def read_first_seen(store: Store, feed: str) -> Mapping[str, datetime]:
    """Return when each entry of the feed was first listed, by its id."""
    table = schema.entries.c
    hashed = case((table.key.like("#%"), table.record))
    query = select(table.source, table.key, table.first_seen, hashed).where(table.feed == feed)
    seen: dict[str, str] = {}
    with reading(store) as connection:
        for source, key, first, record in connection.execute(query):
            name = f"{source}/{key}" if record is None else records.decode(Entry, record).id
            seen[name] = min(seen.get(name, first), first)
    return {name: parse_stamp(first) for name, first in seen.items()}


def read_shows(store: Store, feed: str) -> Mapping[str, Show]:
    """Return what each source last listed of the show itself, by the source's name."""
    with reading(store) as connection:
        rows = sorted(_select(connection, schema.shows, feed), key=lambda row: (row.source, row.document))
    shows: dict[str, Show] = {}
    for row in rows:
        show = records.decode(Show, row.record)
        shows[row.source] = complete(shows[row.source], show) if row.source in shows else show
    return shows


def count_entries(store: Store, feed: str) -> int:
    """Return how many entries of the feed are stored, counted once for each document that lists them."""
    with reading(store) as connection:
        return connection.execute(select(func.count()).where(schema.entries.c.feed == feed)).scalar_one()


def read_sources(store: Store, feed: str) -> Mapping[str, Source]:
    """Return every source that ever listed entries of the feed, with the kind and trust it had then, by its name."""
    with reading(store) as connection:
        rows = sorted(_select(connection, schema.sources, feed), key=lambda row: row.source)
    return {row.source: records.decode(Source, row.record) for row in rows}


class _Known(Struct, frozen=True):
    """One known key of one document: the columns of its row between key and record, in their order."""

    digest: str
    first: int
    last: int | None
    place: int
    first_seen: str
    last_seen: str | None = None
    changed: str | None = None


class _DocumentListing(Struct, frozen=True):
    """One listing of one document of a source, and when the one before was made.

    An entry's place is the anchor less its position; ``previous_anchor`` is that of the listing before.
    """

    feed: str
    source: str
    document: int
    number: int
    at: str
    previous_at: str
    anchor: int
    previous_anchor: int

    def row(self, key: str, known: _Known, **values: str | int | None) -> Row:
        """Return the parameters of an update of one row; names of keys differ from the columns that are set."""
        keys: Row = {"feed_": self.feed, "source_": self.source, "document_": self.document, "key_": key}
        return {**keys, "checksum": self.checksum(key, replace(known, **values)), **values}

    def checksum(self, key: str, known: _Known) -> int:
        """Return the checksum of the row of an entry."""
        return checksums.compute((self.feed, self.source, self.document, key, *astuple(known)))


class _Keys(Struct):
    """The keys of the documents of one listing of a source."""

    known: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)


class _Content(Struct, frozen=True):
    """A listed entry with its key, its digest, and its record as JSON."""

    key: str
    entry: Entry
    digest: str
    record: str


def write_listings(store: Store, feed: str, source: Source, listings: Sequence[Listing | None], at: datetime) -> Change:
    """Write what the documents of the source list, in the order of ``locate``, and return how many entries changed.

    ``None`` stands for a document that is not new or failed: its entries stay as they are. A key that several documents
    list counts once, with the content of the first.
    """
    if all(listing is None for listing in listings):
        return Change()
    with writing(store) as connection:
        number, previous_at = _begin_listing(connection, feed, source, stamp(at))
        keys = _Keys()
        for document, listing in enumerate(listings):
            same: dict[str, object] = {"feed": feed, "source": source.name, "document": document}
            known = _read_known(connection, same)
            keys.known.update(known)
            if listing is not None:
                anchor = _choose_anchor(listing, known)
                previous_anchor = _write_show(connection, same, anchor, records.encode(listing.show))
                of = _DocumentListing(
                    feed, source.name, document, number, stamp(at), previous_at, anchor, previous_anchor
                )
                _write_document(connection, of, known, listing, keys)
    new = len(keys.listed - keys.known)
    changed = len(keys.changed & keys.known)
    return Change(new, changed, len(keys.listed) - new - changed)


def _begin_listing(connection: Connection, feed: str, source: Source, at: str) -> tuple[int, str]:
    """Return the number of this listing of the source, and when the one before was made (``at`` for the first)."""
    table = schema.sources
    checksums.note_change(connection, schema.entries, feed, source.name)
    before = find_row(connection, table, table.c.feed == feed, table.c.source == source.name)
    number = (before.listings if before else 0) + 1
    record = records.encode(Source(name=source.name, kind=source.kind, trust=source.trust))
    row = {"feed": feed, "source": source.name, "listings": number, "listed_at": at, "record": record}
    upsert(connection, table, [row])
    return number, before.listed_at if before else at


def _read_known(connection: Connection, same: dict[str, object]) -> dict[str, _Known]:
    """Return every key that the document ever listed."""
    table = schema.entries
    columns = checksums.columns(table)
    query = select(*columns).where(*[table.c[name] == value for name, value in same.items()])
    return {row[_KEY]: _Known(*row[_DIGEST:]) for row in checksums.check(table, connection.execute(query))}


def _choose_anchor(listing: Listing, known: dict[str, _Known]) -> int:
    """Return the anchor with which the fewest places change; the last position if no entry was listed before."""
    wished = Counter(
        before.place + entry.position
        for entry in listing.entries
        if (before := known.get(mark(entry.key))) is not None and before.last is None
    )
    if not wished:
        return max((entry.position for entry in listing.entries), default=0)
    return max(wished, key=lambda anchor: (wished[anchor], anchor))


def _write_show(connection: Connection, same: dict[str, object], anchor: int, record: str) -> int:
    """Write the show of a document and its anchor; return the anchor it had before, 0 for a new document."""
    table = schema.shows
    before = find_row(connection, table, *[table.c[name] == value for name, value in same.items()])
    upsert(connection, table, [{**same, "anchor": anchor, "record": record}])
    return before.anchor if before else 0


def _write_document(
    connection: Connection, of: _DocumentListing, known: dict[str, _Known], listing: Listing, keys: _Keys
) -> None:
    """Write entries that are new, have other content, moved or came back, and close those that are missing."""
    new: list[Row] = []
    changed: list[Row] = []
    moved: list[Row] = []
    listed: set[str] = set()
    for each in _by_content(connection, of, known, listing.entries, listed):
        place = of.anchor - each.entry.position
        before = known.get(each.key)
        if before is None:
            new.append(_new_row(of, each, place))
            keys.changed.add(each.key)
        elif before.digest != each.digest:
            after = of.row(each.key, before, digest=each.digest, changed=of.at, last=None, last_seen=None, place=place)
            changed.append({**after, "record": each.record})
            keys.changed.add(each.key)
        elif before.last is not None or before.place != place:
            moved.append(of.row(each.key, before, last=None, last_seen=None, place=place))
        _flush(connection, new, changed, moved, least=BATCH)
    keys.listed |= listed
    moved.extend(_missing_rows(of, known, listed))
    _flush(connection, new, changed, moved, least=1)


def _by_content(
    connection: Connection,
    of: _DocumentListing,
    known: Mapping[str, _Known],
    entries: Iterable[Entry],
    listed: set[str],
) -> Iterator[_Content]:
    """Yield each entry once, under a new name if its key was another item's, and add the keys to ``listed``."""
    changed: list[_Content] = []
    for entry in entries:
        key = mark(entry.key)
        if key in listed:
            continue
        listed.add(key)
        record = records.encode(entry, without=PLACE_FIELDS)
        content = _Content(key, entry, records.digest(record), record)
        before = known.get(key)
        if before is None or before.digest == content.digest:
            yield content
            continue
        changed.append(content)
        if len(changed) >= BATCH:
            yield from _rename_others(connection, of, known, changed, listed)
            changed = []
    yield from _rename_others(connection, of, known, changed, listed)


def _rename_others(
    connection: Connection,
    of: _DocumentListing,
    known: Mapping[str, _Known],
    changed: Sequence[_Content],
    listed: set[str],
) -> Iterator[_Content]:
    """Yield entries with other content, under their key if they are the same item, else under a new name."""
    names = {each.key: _names_of_key(each.entry.key, lambda name: mark(name) in known) for each in changed}
    stored = _read_contents(connection, of, [mark(name) for found in names.values() for name in found])
    for each in changed:
        *used, free = names[each.key]
        same = (name for name in reversed(used) if is_same_item(stored[mark(name)], each.entry))
        name = next(same, free)
        if name == each.entry.key:
            yield each
            continue
        listed.discard(each.key)
        listed.add(mark(name))
        renamed = _rename(each.entry, name)
        record = records.encode(renamed, without=PLACE_FIELDS)
        yield _Content(mark(name), renamed, records.digest(record), record)


def _read_contents(connection: Connection, of: _DocumentListing, keys: Sequence[str]) -> Mapping[str, Entry]:
    """Return the stored entries of some keys of a document, by key."""
    table = schema.entries
    same = (table.c.feed == of.feed, table.c.source == of.source, table.c.document == of.document)
    found: dict[str, Entry] = {}
    for some in batches(keys):
        rows = list(select_rows(connection, table, *same, table.c.key.in_(some)))
        _check_records(rows)
        found |= {row.key: records.decode(Entry, row.record) for row in rows}
    return found


def _names_of_key(key: str, is_known: Callable[[str], bool]) -> list[str]:
    """Return the names of all entries that were listed under a key, the oldest first, and then one that is free."""
    found = [key]
    while is_known(found[-1]):
        found.append(_RENAMED.format(key, len(found) + 1))
    return found


def _rename(entry: Entry, name: str) -> Entry:
    """Return the entry under another name than its key, without the ids that are the key's."""
    guid = None if entry.guid == entry.key else entry.guid
    ids = tuple((scheme, value) for scheme, value in entry.ids if value != entry.key)
    return replace(entry, key=name, guid=guid, ids=ids)


def is_same_item(before: Entry, after: Entry) -> bool:
    """Return whether two entries of one key are one item: by title, date, text, or a hard id that is not the key.

    Entries without hard ids to compare are one item.
    """
    one, other = _ids_beside_key(before), _ids_beside_key(after)
    shared = one.keys() & other.keys()
    if not shared or any(one[scheme] == other[scheme] for scheme in shared):
        return True
    if before.published and after.published and before.published.at == after.published.at:
        return True
    if before.description and before.description == after.description:
        return True
    return fuzz.token_set_ratio(fold(before.title), fold(after.title)) >= _SAME_TITLE


def _ids_beside_key(entry: Entry) -> dict[str, str]:
    """Return the hard ids of an entry by scheme, without those that are its key."""
    found = dict(entry.ids)
    if entry.guid:
        found["guid"] = entry.guid
    if entry.link:
        found["link"] = canonical(entry.link)
    if entry.enclosure:
        found["audio"] = bare_audio(entry.enclosure.url)
    key = entry.key
    return {scheme: value for scheme, value in found.items() if value != key and value != canonical(key)}


def _new_row(of: _DocumentListing, content: _Content, place: int) -> Row:
    """Return the row of an entry never listed before."""
    known = _Known(content.digest, of.number, None, place, of.at)
    keys: Row = {"feed": of.feed, "source": of.source, "document": of.document, "key": content.key}
    values: dict[str, Any] = {"checksum": of.checksum(content.key, known), "record": content.record, **asdict(known)}
    return keys | values


def _missing_rows(of: _DocumentListing, known: dict[str, _Known], listed: set[str]) -> Iterator[Row]:
    """Yield updates that close the entries of the listing before that are not in this one."""
    for key, before in known.items():
        if before.last is None and key not in listed:
            place = of.previous_anchor - before.place
            yield of.row(key, before, last=of.number - 1, last_seen=of.previous_at, place=place)


def _flush(connection: Connection, *lists: list[Row], least: int) -> None:
    """Write the lists (new, changed, moved) that have at least so many rows, and empty them."""
    for statement, rows in zip((insert(schema.entries), _UPDATE_CONTENT, _UPDATE_PLACE), lists, strict=True):
        if len(rows) >= least:
            connection.execute(statement, rows)
            rows.clear()


def _update(*columns: str) -> Update:
    """Return the statement that sets the columns of one row."""
    table = schema.entries
    keys = ("feed", "source", "document", "key")
    return (
        update(table)
        .where(*[table.c[name] == bindparam(f"{name}_") for name in keys])
        .values({name: bindparam(name) for name in columns})
    )


_UPDATE_CONTENT = _update("checksum", "digest", "last", "last_seen", "place", "record", "changed")
_UPDATE_PLACE = _update("checksum", "last", "last_seen", "place")
