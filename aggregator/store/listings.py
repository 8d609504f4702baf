"""Writing entries: what the documents of a source list, added to what they listed before. Absence never deletes.

Each accepted listing of a source gets the next number, whatever the number of its documents. An entry of the newest
listing is open: it has no ``last``, and nothing is written for it while it stays listed; one that is missing is closed
with the number before. Positions are kept as distances from an anchor, which moves with the listing: new items come in
at its top, so a listing with one new item writes one row, not all of them, also if it shows only its newest hundred.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, astuple, replace
from sqlalchemy import Connection, Update, bindparam, insert, select, update

from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Source
from aggregator.store import cache, checksums, records, schema
from aggregator.store.database import BATCH, Store, batches, find_row, reading, select_rows, upsert, writing
from aggregator.store.entries import PLACE_FIELDS, check_records
from aggregator.store.reused_keys import is_same_item, names_of_key, rename
from aggregator.store.schema import mark, stamp

_KEY = 4
"""The column of the key in a row of entries, after its checksum, feed, source and document; those of _Known follow."""

Row = dict[str, str | int | None]


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


class _Content(Struct, frozen=True):
    """A listed entry with its key, its digest, and its record as JSON, "" for one that is as it is stored."""

    key: str
    entry: Entry
    digest: str
    record: str


class WrittenListings(Struct, frozen=True):
    """The result of writing a listing of a source.

    - ``elements``: for each document the digests of contents by those of the elements from which they were read.
    - ``is_news``: whether it tells more than that all is still listed as it was. So does a listing after one with new
      entries: only then these count as known (`match`).
    """

    elements: Mapping[int, Mapping[str, str]] = {}
    is_news: bool = False


def write_listings(
    store: Store, feed: str, source: Source, listings: Sequence[Listing | None], at: datetime
) -> WrittenListings:
    """Write what the documents of the source list, in the order of ``locate``.

    ``None`` stands for a document that is not new or failed: its entries stay as they are.
    """
    if all(listing is None for listing in listings):
        return WrittenListings()
    read = cache.read_elements(store, feed, source.name)
    elements: dict[int, dict[str, str]] = {}
    with writing(store) as connection:
        number, previous_at = _begin_listing(connection, feed, source, stamp(at))
        is_news = _is_first(connection, feed, source.name, number - 1)
        for document, listing in enumerate(listings):
            if listing is None:
                continue
            same: dict[str, object] = {"feed": feed, "source": source.name, "document": document}
            known = _read_known(connection, same)
            anchor = _choose_anchor(listing, known)
            previous_anchor, is_other_show = _write_show(connection, same, anchor, records.encode(listing.show))
            of = _DocumentListing(feed, source.name, document, number, stamp(at), previous_at, anchor, previous_anchor)
            elements[document], has_changed = _write_document(connection, of, known, listing, read)
            is_news |= is_other_show or has_changed
        of = _DocumentListing(feed, source.name, len(listings), number, stamp(at), previous_at, 0, 0)
        is_news |= _close_former_documents(connection, of)
    return WrittenListings(elements, is_news)


def compare_with_stored(
    store: Store, feed: str, source: str, listings: Iterable[Listing | None]
) -> tuple[set[str], set[str]]:
    """Return the keys of listed entries that are stored as they are listed, and of those that may be stored otherwise.

    An entry that several documents list is among the latter: each may complete the other.
    """
    table, read = schema.entries.c, cache.read_elements(store, feed, source)
    stored: defaultdict[str, list[str]] = defaultdict(list)
    with reading(store) as connection:
        query = select(table.key, table.digest).where(table.feed == feed, table.source == source)
        for key, digest in connection.execute(query):
            stored[key].append(digest)
    listed = [entry for listing in listings if listing is not None for entry in listing.entries]
    counts = Counter(entry.key for entry in listed)
    same: set[str] = set()
    other: set[str] = set()
    for entry in listed:
        key = mark(entry.key)
        if key in stored:
            digest = read.get(entry.element or "")
            is_same = counts[entry.key] == 1 and (
                stored[key] == [digest] or stored[key] == [_encode(key, entry).digest]
            )
            (same if is_same else other).add(entry.key)
    return same, other


def write_history(store: Store, feed: str, source: Source, copies: Sequence[Listing], at: datetime) -> None:
    """Add the entries of archived copies of a source's listing whose keys it never listed; others stay as they are.

    The copies count as listings before the first one (0, -1, and so on), so that an entry of theirs may be one of
    today's under a new id.
    """
    with writing(store) as connection:
        checksums.note_change(connection, schema.entries, feed, source.name)
        rows = _read_known(connection, {"feed": feed, "source": source.name, "document": 0})
        earliest = min((each.first for each in rows.values()), default=1)
        known, new = set(rows), list[Row]()
        for number, listing in enumerate(copies, 1 - min(earliest, 1)):
            of = _DocumentListing(feed, source.name, 0, -number, stamp(at), stamp(at), 0, 0)
            for entry in listing.entries:
                if mark(entry.key) not in known:
                    known.add(mark(entry.key))
                    new.append(_new_row(of, _encode(mark(entry.key), entry), entry.position, last=-number))
        _flush(connection, new, [], [], least=1)


def _close_former_documents(connection: Connection, after: _DocumentListing) -> bool:
    """Close the open entries of the documents from the number of ``after`` on; return whether there are any.

    The source had them under another kind. Left open, they would overlap the entries that the present kind lists under
    other keys, and two entries of one source that overlap are never one item.
    """
    table = schema.shows
    former = table.c.feed == after.feed, table.c.source == after.source, table.c.document >= after.document
    has_open = False
    for row in list(select_rows(connection, table, *former)):
        known = _read_known(connection, {"feed": row.feed, "source": row.source, "document": row.document})
        of = replace(after, document=row.document, previous_anchor=row.anchor)
        missing = list(_missing_rows(of, known, set()))
        has_open |= bool(missing)
        _flush(connection, [], [], missing, least=1)
    return has_open


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


def _is_first(connection: Connection, feed: str, source: str, number: int) -> bool:
    """Return whether the listing of this number of the source is the first with an entry, or there is none before."""
    table = schema.entries.c
    query = select(table.key).where(table.feed == feed, table.source == source, table.first == number).limit(1)
    return number == 0 or connection.execute(query).first() is not None


def _read_known(connection: Connection, same: dict[str, object]) -> dict[str, _Known]:
    """Return every key that the document ever listed."""
    table = schema.entries
    columns = checksums.columns(table)
    query = select(*columns).where(*[table.c[name] == value for name, value in same.items()])
    found = (row[_KEY:] for row in checksums.check(table, connection.execute(query)))
    return {key: _Known(*columns) for key, *columns in found}


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


def _write_show(connection: Connection, same: dict[str, object], anchor: int, record: str) -> tuple[int, bool]:
    """Write the show of a document and its anchor.

    Return the anchor it had before, 0 for a new document, and whether either is another.
    """
    table = schema.shows
    before = find_row(connection, table, *[table.c[name] == value for name, value in same.items()])
    is_other = before is None or (before.anchor, before.record) != (anchor, record)
    if is_other:
        upsert(connection, table, [{**same, "anchor": anchor, "record": record}])
    return before.anchor if before else 0, is_other


def _write_document(
    connection: Connection, of: _DocumentListing, known: dict[str, _Known], listing: Listing, read: Mapping[str, str]
) -> tuple[dict[str, str], bool]:
    """Write entries that are new, have other content, moved or came back, and close those that are missing.

    Return the digests of their contents by those of their elements, and whether there are any such entries.
    """
    has_changed = False
    new: list[Row] = []
    changed: list[Row] = []
    moved: list[Row] = []
    listed: set[str] = set()
    elements: dict[str, str] = {}
    for each in _by_content(connection, of, known, listing.entries, read):
        listed.add(each.key)
        if each.entry.element:
            elements[each.entry.element] = each.digest
        place = of.anchor - each.entry.position
        before = known.get(each.key)
        if before is None:
            new.append(_new_row(of, each, place))
        elif before.digest != each.digest:
            after = of.row(each.key, before, digest=each.digest, changed=of.at, last=None, last_seen=None, place=place)
            changed.append({**after, "record": each.record})
        elif before.last is not None or before.place != place:
            moved.append(of.row(each.key, before, last=None, last_seen=None, place=place))
        has_changed = has_changed or bool(new or changed or moved)
        _flush(connection, new, changed, moved, least=BATCH)
    moved.extend(_missing_rows(of, known, listed))
    has_changed = has_changed or bool(moved)
    _flush(connection, new, changed, moved, least=1)
    return elements, has_changed


def _by_content(
    connection: Connection,
    of: _DocumentListing,
    known: Mapping[str, _Known],
    entries: Iterable[Entry],
    read: Mapping[str, str],
) -> Iterator[_Content]:
    """Yield the first entry of each key, under a new name if its key was another item's.

    An entry is as it is stored if its element is the one that the stored content was ``read`` from.
    """
    listed: dict[str, Entry] = {}
    for entry in entries:
        listed.setdefault(mark(entry.key), entry)
    changed: list[_Content] = []
    for key, entry in listed.items():
        before = known.get(key)
        if before is not None and read.get(entry.element or "") == before.digest:
            yield _Content(key, entry, before.digest, "")
            continue
        content = _encode(key, entry)
        if before is None or before.digest == content.digest:
            yield content
            continue
        changed.append(content)
        if len(changed) >= BATCH:
            yield from _rename_others(connection, of, known, changed, listed)
            changed = []
    yield from _rename_others(connection, of, known, changed, listed)


def _encode(key: str, entry: Entry) -> _Content:
    record = records.encode(entry, without=PLACE_FIELDS)
    return _Content(key, entry, records.digest(record), record)


def _rename_others(
    connection: Connection,
    of: _DocumentListing,
    known: Mapping[str, _Known],
    changed: Sequence[_Content],
    listed: Container[str],
) -> Iterator[_Content]:
    """Yield entries with other content, under their key if they are the same item, else under a new name.

    A name that the source lists as the key of another entry is never used.
    """
    names = {each.key: names_of_key(each.entry.key, known.keys(), listed) for each in changed}
    stored = _read_contents(connection, of, [mark(name) for used, _ in names.values() for name in used])
    for each in changed:
        used, free = names[each.key]
        same = (name for name in reversed(used) if is_same_item(stored[mark(name)], each.entry))
        name = next(same, free)
        entry = each.entry if name == each.entry.key else rename(each.entry, name)
        kept = _keep_year(stored[mark(name)], entry) if mark(name) in stored else entry
        yield each if kept is each.entry else _encode(mark(name), kept)


def _keep_year(before: Entry, after: Entry) -> Entry:
    """Return an entry with the date that it had, if that was found without a year in the source, and may be meant.

    A year later the same words mean another date, or nothing decides any more.
    """
    old, new = before.published, after.published
    if old is None or not old.infers_year:
        return after
    is_meant = new is None or (new.infers_year and (old.at.month, old.at.day) == (new.at.month, new.at.day))
    return replace(after, published=old) if is_meant else after


def _read_contents(connection: Connection, of: _DocumentListing, keys: Sequence[str]) -> Mapping[str, Entry]:
    table = schema.entries
    same = (table.c.feed == of.feed, table.c.source == of.source, table.c.document == of.document)
    found: dict[str, Entry] = {}
    for some in batches(keys):
        rows = list(select_rows(connection, table, *same, table.c.key.in_(some)))
        check_records(rows)
        found |= {row.key: records.decode(Entry, row.record) for row in rows}
    return found


def _new_row(of: _DocumentListing, content: _Content, place: int, last: int | None = None) -> Row:
    """Return the row of an entry never listed before; ``last`` is the number of its only listing, if it is no more."""
    known = _Known(content.digest, of.number, last, place, of.at, None if last is None else of.at)
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
    for statement, rows in zip((_INSERT, _UPDATE_CONTENT, _UPDATE_PLACE), lists, strict=True):
        if len(rows) >= least:
            connection.execute(statement, rows)
            rows.clear()


def _update(*columns: str) -> Update:
    table = schema.entries
    keys = ("feed", "source", "document", "key")
    return (
        update(table)
        .where(*[table.c[name] == bindparam(f"{name}_") for name in keys])
        .values({name: bindparam(name) for name in columns})
    )


_INSERT = insert(schema.entries)
_UPDATE_CONTENT = _update("checksum", "digest", "last", "last_seen", "place", "record", "changed")
_UPDATE_PLACE = _update("checksum", "last", "last_seen", "place")
