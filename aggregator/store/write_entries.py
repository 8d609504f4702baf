"""What the documents of a source say now, added to what it said before. Absence never deletes.

A believed listing of a source gets the next number, whatever the number of its documents. An entry that is listed
is open: it has no ``last`` and nothing is written for it while it stays so; one that is missed is closed with the
number before. Positions are kept as distances from an anchor, which moves with the listing: new items come in at its
top, and so a listing with one new item writes one row, not all of them, also where it shows only its newest hundred.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field
from sqlalchemy import Connection, Update, bindparam, insert, select, update

from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Source
from aggregator.store import records
from aggregator.store.database import Store, put, writing
from aggregator.store.reused_keys import is_same, names, renamed
from aggregator.store.schema import entries, mark, stamp
from aggregator.store.schema import shelves as shelves_table
from aggregator.store.schema import shows as shows_table

LOOSE = frozenset({"position", "span"})
"""The fields of a Entry that are not what it says, and stand in columns of their own."""

BATCH = 500
"""Rows written at once; above some hundreds nothing gets faster, and memory grows with it."""


class Change(Struct, frozen=True):
    """What one listing of a source brought: keys never seen, keys that say something else now, and keys as before."""

    new: int = 0
    changed: int = 0
    same: int = 0

    @property
    def total(self) -> int:
        """How many keys were listed."""
        return self.new + self.changed + self.same


class _Known(Struct, frozen=True):
    """What is known of one key of one document: what it said, and where it stood."""

    digest: str
    last: int | None
    place: int


class _Shelf(Struct, frozen=True):
    """Where the entries of one document of one source are kept, in which listing, and what was the one before.

    An entry's place is the anchor less its position; ``moored`` is the anchor of the listing before.
    """

    feed: str
    source: str
    document: int
    number: int
    at: str
    heard: str
    anchor: int
    moored: int

    def row(self, key: str, **values: str | int | None) -> dict[str, str | int | None]:
        """The parameters of one row, its keys named so that they do not clash with the columns that are set."""
        return {"feed_": self.feed, "source_": self.source, "document_": self.document, "key_": key, **values}


class _Tally(Struct):
    """The keys met so far in this listing, by what became of them."""

    known: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)


def remember(store: Store, feed: str, source: Source, listings: Sequence[Listing | None], at: datetime) -> Change:
    """What changed by what the documents of the source say, in the order of ``locate``.

    ``None`` stands for a document that said nothing new (not modified, silent): what it said before stands. A key
    that several documents give counts once, and the first of them has the word.
    """
    if all(listing is None for listing in listings):
        return Change()
    with writing(store) as connection:
        number, heard = _next_listing(connection, feed, source, stamp(at))
        tally = _Tally()
        for document, listing in enumerate(listings):
            same: dict[str, object] = {"feed": feed, "source": source.name, "document": document}
            known = _known(connection, same)
            tally.known.update(known)
            if listing is not None:
                anchor = _anchor(listing, known)
                moored = _keep_show(connection, same, anchor, records.encode(listing.show))
                shelf = _Shelf(feed, source.name, document, number, stamp(at), heard, anchor, moored)
                _keep_document(connection, shelf, known, listing, tally)
    new = len(tally.listed - tally.known)
    changed = len(tally.changed & tally.known)
    return Change(new, changed, len(tally.listed) - new - changed)


def _next_listing(connection: Connection, feed: str, source: Source, at: str) -> tuple[int, str]:
    """The number of this listing of the source, and when the one before was heard (``at`` for the first)."""
    table = shelves_table
    query = select(table.c.listings, table.c.heard).where(table.c.feed == feed, table.c.source == source.name)
    before = connection.execute(query).one_or_none()
    number = (before.listings if before else 0) + 1
    kept = records.encode(Source(name=source.name, kind=source.kind, trust=source.trust))
    values: dict[str, object] = {"listings": number, "heard": at, "record": kept}
    put(connection, table, {"feed": feed, "source": source.name}, values)
    return number, before.heard if before else at


def _known(connection: Connection, same: dict[str, object]) -> dict[str, _Known]:
    """Every key the document ever gave, with what was last known of it."""
    table = entries
    columns = (table.c.key, table.c.digest, table.c.last, table.c.place)
    query = select(*columns).where(*[table.c[name] == value for name, value in same.items()])
    return {key: _Known(digest, last, place) for key, digest, last, place in connection.execute(query)}


def _anchor(listing: Listing, known: dict[str, _Known]) -> int:
    """From where on the places are counted so that the fewest change; the last position where all is new."""
    wished = Counter(
        before.place + entry.position
        for entry in listing.entries
        if (before := known.get(mark(entry.key))) is not None and before.last is None
    )
    if not wished:
        return max((entry.position for entry in listing.entries), default=0)
    return max(wished, key=lambda anchor: (wished[anchor], anchor))


def _keep_show(connection: Connection, same: dict[str, object], anchor: int, record: str) -> int:
    """Keep what the document says of the show, and its anchor; the anchor it had before, 0 where it is new."""
    table = shows_table
    query = select(table.c.anchor).where(*[table.c[name] == value for name, value in same.items()])
    before = connection.execute(query).scalar()
    put(connection, table, same, {"anchor": anchor, "record": record})
    return before or 0


def _keep_document(
    connection: Connection, shelf: _Shelf, known: dict[str, _Known], listing: Listing, tally: _Tally
) -> None:
    """Write what is new, what says something else, what moved or came back, and close what is missed."""
    fresh: list[dict[str, str | int | None]] = []
    other: list[dict[str, str | int | None]] = []
    moved: list[dict[str, str | int | None]] = []
    listed: set[str] = set()
    said = _by_content(connection, shelf, known, _distinct(listing.entries, listed), listed)
    for key, entry, digest, record in said:
        place = shelf.anchor - entry.position
        before = known.get(key)
        if before is None:
            fresh.append(_fresh(shelf, key, place, digest, record))
            tally.changed.add(key)
        elif before.digest != digest:
            anew = {"digest": digest, "record": record, "changed": shelf.at}
            other.append(shelf.row(key, **anew, last=None, last_seen=None, place=place))
            tally.changed.add(key)
        elif before.last is not None or before.place != place:
            moved.append(shelf.row(key, last=None, last_seen=None, place=place))
        _flush(connection, fresh, other, moved, least=BATCH)
    tally.listed |= listed
    moved.extend(_missed(shelf, known, listed))
    _flush(connection, fresh, other, moved, least=1)


def _by_content(
    connection: Connection,
    shelf: _Shelf,
    known: Mapping[str, _Known],
    entries: Iterable[tuple[str, Entry]],
    listed: set[str],
) -> Iterator[tuple[str, Entry, str, str]]:
    """Yield each entry with its key, digest and record; an entry whose key stood for another item under a new name.

    ``listed`` are the keys of the listing, in which such a name takes the place of the key.
    """
    changed: list[tuple[str, Entry, str, str]] = []
    for key, entry in entries:
        record = records.encode(entry, without=LOOSE)
        digest = records.digest(record)
        before = known.get(key)
        if before is None or before.digest == digest:
            yield key, entry, digest, record
            continue
        changed.append((key, entry, digest, record))
        if len(changed) >= BATCH:
            yield from _told_apart(connection, shelf, known, changed, listed)
            changed = []
    yield from _told_apart(connection, shelf, known, changed, listed)


def _told_apart(
    connection: Connection,
    shelf: _Shelf,
    known: Mapping[str, _Known],
    changed: Sequence[tuple[str, Entry, str, str]],
    listed: set[str],
) -> Iterator[tuple[str, Entry, str, str]]:
    """Yield entries that say something else now, under their key where they are the same item, else a new name."""
    named = {
        key: [mark(name) for name in names(entry.key, lambda name: mark(name) in known)] for key, entry, *_ in changed
    }
    said = _records(connection, shelf, [name for each in named.values() for name in each])
    for key, entry, digest, record in changed:
        free = names(entry.key, lambda name: mark(name) in known)
        fits = (name for name in reversed(free[:-1]) if is_same(said[mark(name)], entry))
        name = next(fits, free[-1])
        if name == entry.key:
            yield key, entry, digest, record
            continue
        listed.discard(key)
        listed.add(mark(name))
        other = renamed(entry, name)
        text = records.encode(other, without=LOOSE)
        yield mark(name), other, records.digest(text), text


def _records(connection: Connection, shelf: _Shelf, keys: Sequence[str]) -> Mapping[str, Entry]:
    """Return what some keys of a document last said, by key."""
    table, found = entries, dict[str, Entry]()
    for at in range(0, len(keys), BATCH):
        query = select(table.c.key, table.c.record).where(
            table.c.feed == shelf.feed,
            table.c.source == shelf.source,
            table.c.document == shelf.document,
            table.c.key.in_(keys[at : at + BATCH]),
        )
        found |= {key: records.decode(Entry, record) for key, record in connection.execute(query)}
    return found


def _distinct(listed: Sequence[Entry], met: set[str]) -> Iterator[tuple[str, Entry]]:
    """The entries with what their keys are searched by, each key once."""
    for entry in listed:
        key = mark(entry.key)
        if key not in met:
            met.add(key)
            yield key, entry


def _fresh(shelf: _Shelf, key: str, place: int, digest: str, record: str) -> dict[str, str | int | None]:
    """The row of an entry never met before."""
    return {
        "feed": shelf.feed,
        "source": shelf.source,
        "document": shelf.document,
        "key": key,
        "digest": digest,
        "first": shelf.number,
        "place": place,
        "first_seen": shelf.at,
        "record": record,
    }


def _missed(shelf: _Shelf, known: dict[str, _Known], listed: set[str]) -> Iterator[dict[str, str | int | None]]:
    """What closes the entries that were in the listing before and are not in this one."""
    for key, before in known.items():
        if before.last is None and key not in listed:
            place = shelf.moored - before.place
            yield shelf.row(key, last=shelf.number - 1, last_seen=shelf.heard, place=place)


def _flush(connection: Connection, *lots: list[dict[str, str | int | None]], least: int) -> None:
    """Write the lots that have come to ``least`` rows, and empty them."""
    for statement, lot in zip((insert(entries), _UPDATE_ALL, _UPDATE_PLACE), lots, strict=True):
        if len(lot) >= least:
            connection.execute(statement, lot)
            lot.clear()


def _update(*columns: str) -> Update:
    """The statement that sets the columns of one row."""
    table = entries
    keys = ("feed", "source", "document", "key")
    return (
        update(table)
        .where(*[table.c[name] == bindparam(f"{name}_") for name in keys])
        .values({name: bindparam(name) for name in columns})
    )


_UPDATE_ALL = _update("digest", "last", "last_seen", "place", "record", "changed")
_UPDATE_PLACE = _update("last", "last_seen", "place")
