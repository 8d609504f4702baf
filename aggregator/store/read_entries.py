"""What the sources of a feed ever said, as it is remembered: entries, shows, and who the sources were."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import fields, replace
from sqlalchemy import Select, bindparam, case, select

from aggregator.model.entry import Enclosure, Entry, Show, Span
from aggregator.model.source import Source
from aggregator.store import records
from aggregator.store.database import Store, among, reading
from aggregator.store.schema import entries as entries_table
from aggregator.store.schema import mark, time
from aggregator.store.schema import shelves as shelves_table
from aggregator.store.schema import shows as shows_table

TEXT = ("description", "html", "cut")
"""The fields of a Entry that are one text: they come from one document or not at all."""

AT_ONCE = 500
"""Rows taken from the database at once: more is not faster, and memory grows with it."""

R = TypeVar("R", Entry, Show)


class Remembered(Struct, frozen=True):
    """An entry with its span and position, when its source first and last listed it, and the digest of what it says.

    The digest leaves out span and position: as long as it stays, the source says the same.
    """

    entry: Entry
    first_seen: datetime
    last_seen: datetime
    digest: str


class Account(Struct, frozen=True):
    """What the documents of a source say of one item, as it lies in the store; ``digest`` as in Remembered."""

    digest: str
    rows: tuple[Sequence[Any], ...]

    @property
    def listed(self) -> Sequence[Any]:
        """The row of the first document that lists the item now, else that of the first."""
        return next((row for row in self.rows if row[LAST] is None), self.rows[0])

    @property
    def first_seen(self) -> datetime:
        """When the item was first remembered."""
        return time(min(row[FIRST_SEEN] for row in self.rows))

    @property
    def since(self) -> datetime:
        """Return the time since when the source says of the item what it says now."""
        return time(max(row[CHANGED] or row[FIRST_SEEN] for row in self.rows))


SOURCE, KEY, DIGEST, FIRST, LAST, PLACE, FIRST_SEEN, LAST_SEEN, RECORD, CHANGED, LISTINGS, HEARD, ANCHOR = range(13)
"""The columns of a row of an account."""


def _accounts() -> Select[Any]:
    """The question for all rows of a feed."""
    table, shelf, show = entries_table, shelves_table, shows_table
    of = table.c
    return (
        select(
            *(of.source, of.key, of.digest, of.first, of.last, of.place, of.first_seen, of.last_seen, of.record),
            of.changed,
            *(shelf.c.listings, shelf.c.heard, show.c.anchor),
        )
        .join(shelf, (shelf.c.feed == of.feed) & (shelf.c.source == of.source))
        .join(show, (show.c.feed == of.feed) & (show.c.source == of.source) & (show.c.document == of.document))
        .where(of.feed == bindparam("of"))
        .order_by(of.source, of.key, of.document)
        .execution_options(yield_per=AT_ONCE)
    )


_ACCOUNTS = _accounts()
SHOWS = "SELECT source, document, record FROM shows WHERE feed IN {}"
SOURCES = "SELECT source, record FROM shelves WHERE feed IN {}"


def entries(store: Store, feed: str) -> tuple[Remembered, ...]:
    """Every entry of the feed ever remembered, sorted by source and key, those of removed sources among them."""
    found = [remembered(account) for account in accounts(store, feed)]
    return tuple(sorted(found, key=lambda each: (each.entry.source, each.entry.key)))


def accounts(store: Store, feed: str) -> Iterator[Account]:
    """The same unread and one after the other, in the database's own order of source and key."""
    with reading(store) as connection:
        for _, same in groupby(connection.execute(_ACCOUNTS, {"of": feed}), key=itemgetter(SOURCE, KEY)):
            rows = tuple(same)
            digest = rows[0][DIGEST] if len(rows) == 1 else records.digest("".join(row[DIGEST] for row in rows))
            yield Account(digest, rows)


def remembered(account: Account) -> Remembered:
    """The entry that an account tells of, the first of several documents having the word."""
    rows = account.rows
    said = [read(account, row[RECORD]) for row in rows]
    entry = said[0]
    for other in said[1:]:
        entry = complete(entry, other)
    last_seen = max(row[HEARD] if row[LAST] is None else row[LAST_SEEN] for row in rows)
    return Remembered(entry, account.first_seen, time(last_seen), account.digest)


def read(account: Account, record: str) -> Entry:
    """An entry written without its place, where this account tells of it: its span and its position."""
    rows = account.rows
    row = account.listed
    return records.decode(
        Entry,
        record,
        position=row[PLACE] if row[LAST] is not None else row[ANCHOR] - row[PLACE],
        span=Span(
            min(each[FIRST] for each in rows),
            max(each[LISTINGS] if each[LAST] is None else each[LAST] for each in rows),
        ),
    )


def with_audio(
    store: Store, feed: str, listed: Mapping[str, Mapping[str, Enclosure]]
) -> Mapping[str, Mapping[str, Enclosure]]:
    """The audio that was remembered before of what some sources list with audio now, by source and by key.

    Where the audio is the same as now that of now stands for it: to read it back would tell no more.
    """
    found: dict[str, dict[str, Enclosure]] = {source: {} for source in listed}
    now = {(source, mark(key)): (key, audio) for source, said in listed.items() for key, audio in said.items()}
    for account in accounts(store, feed) if now else ():
        source, name = account.rows[0][SOURCE], account.rows[0][KEY]
        if (source, name) not in now:
            continue
        key, audio = now[source, name]
        same = len(account.rows) == 1 and records.tells("url", audio.url, account.rows[0][RECORD])
        before = audio if same else remembered(account).entry.enclosure
        if before is not None:
            found[source][key] = before
    return found


def complete(first: R, other: R) -> R:
    """The first record with what it does not say taken from the other; a text is taken whole, ids and notes are added.

    >>> complete(Entry("a", "1", "T"), Entry("a", "1", "U", link="https://example.org/")).link
    'https://example.org/'
    """
    gained: dict[str, Any] = {}
    for each in fields(first):
        mine, theirs = getattr(first, each.name), getattr(other, each.name)
        if each.name not in TEXT and mine in (None, ()) and theirs not in (None, ()):
            gained[each.name] = theirs
    if isinstance(first, Entry) and isinstance(other, Entry):
        if first.description is None and first.html is None:
            gained.update({name: getattr(other, name) for name in TEXT})
        schemes: set[str] = {scheme for scheme, _ in first.ids}
        gained["ids"] = (*first.ids, *(each for each in other.ids if each[0] not in schemes))
        gained["notes"] = (*first.notes, *(each for each in other.notes if each not in first.notes))
    return replace(first, **gained)


def arrivals(store: Store, feed: str, wanted: Collection[str]) -> Mapping[str, tuple[datetime, int]]:
    """When the entries of these ids were first remembered, and in which listing of their source, counted from 1."""
    of = entries_table.c
    names = {(source, mark(key)): name for name in wanted for source, _, key in [name.partition("/")]}
    query = select(of.source, of.key, of.first_seen, of.first).where(of.feed == feed)
    if len(names) <= AT_ONCE:
        query = query.where(of.key.in_(sorted({key for _, key in names})))
    found: dict[str, tuple[str, int]] = {}
    with reading(store) as connection:
        for source, key, seen, listing in connection.execute(query.execution_options(yield_per=AT_ONCE)):
            if (name := names.get((source, key))) is not None:
                known = found.get(name, (seen, listing))
                found[name] = min(known[0], seen), min(known[1], listing)
    return {name: (time(seen), listing) for name, (seen, listing) in found.items()}


def first_seen(store: Store, feed: str) -> Mapping[str, datetime]:
    """When each entry of the feed was first remembered, by its id."""
    of = entries_table.c
    hidden = case((of.key.like("#%"), of.record))
    query = select(of.source, of.key, of.first_seen, hidden).where(of.feed == feed)
    seen: dict[str, str] = {}
    with reading(store) as connection:
        for source, key, first, record in connection.execute(query):
            name = f"{source}/{key}" if record is None else records.decode(Entry, record).id
            seen[name] = min(seen.get(name, first), first)
    return {name: time(first) for name, first in seen.items()}


def shows(store: Store, feed: str) -> Mapping[str, Show]:
    """What each source last said of the show itself, by the source's name."""
    with reading(store) as connection:
        rows = sorted(among(connection, SHOWS, [feed]), key=lambda row: (row.source, row.document))
    said: dict[str, Show] = {}
    for row in rows:
        show = records.decode(Show, row.record)
        said[row.source] = complete(said[row.source], show) if row.source in said else show
    return said


def sources(store: Store, feed: str) -> Mapping[str, Source]:
    """Every source that ever spoke for the feed, with the kind and trust it had when it last did, by its name."""
    with reading(store) as connection:
        rows = sorted(among(connection, SOURCES, [feed]), key=lambda row: row.source)
    return {row.source: records.decode(Source, row.record) for row in rows}
