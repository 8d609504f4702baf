"""What the sources of a feed ever said, as it is remembered: sightings, shows, and who the sources were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import select

from aggregator.ledger import records
from aggregator.ledger.ledger import Ledger, reading
from aggregator.ledger.schema import shelves as shelves_table
from aggregator.ledger.schema import shows as shows_table
from aggregator.ledger.schema import sightings as sightings_table
from aggregator.ledger.schema import time
from aggregator.model.sighting import Show, Sighting, Span
from aggregator.model.source import Source

TEXT = ("description", "html", "cut")
"""The fields of a Sighting that are one text: they come from one document or not at all."""

R = TypeVar("R", Sighting, Show)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A sighting with its span and position, when its source first and last listed it, and the digest of what it says.

    The digest leaves out span and position: as long as it stays, the source says the same.
    """

    sighting: Sighting
    first_seen: datetime
    last_seen: datetime
    digest: str


def sightings(ledger: Ledger, feed: str) -> tuple[Remembered, ...]:
    """Every sighting of the feed ever remembered, sorted by source and key, those of removed sources among them."""
    table, shelf, show = sightings_table, shelves_table, shows_table
    of = table.c
    query = (
        select(
            *(of.source, of.key, of.digest, of.first, of.last, of.place, of.first_seen, of.last_seen, of.record),
            *(shelf.c.listings, shelf.c.heard, show.c.anchor),
        )
        .join(shelf, (shelf.c.feed == of.feed) & (shelf.c.source == of.source))
        .join(show, (show.c.feed == of.feed) & (show.c.source == of.source) & (show.c.document == of.document))
        .where(of.feed == feed)
        .order_by(of.source, of.key, of.document)
    )
    with reading(ledger) as connection:
        rows = connection.execute(query)
        found = [_remembered([_said(row) for row in same]) for _, same in groupby(rows, key=itemgetter(0, 1))]
    return tuple(sorted(found, key=lambda each: (each.sighting.source, each.sighting.key)))


def _said(row: Sequence[Any]) -> tuple[bool, Remembered]:
    """Whether one document of the source lists the item now, and what it says of it."""
    _, _, digest, first, last, place, first_seen, last_seen, record, listings, heard, anchor = row
    listed = last is None
    sighting = records.decode(
        Sighting,
        record,
        position=anchor - place if listed else place,
        span=Span(first, listings if listed else last),
    )
    return listed, Remembered(sighting, time(first_seen), time(heard if listed else last_seen), digest)


def _remembered(said: list[tuple[bool, Remembered]]) -> Remembered:
    """One sighting out of what the documents of its source say of it, the first of them having the word."""
    if len(said) == 1:
        return said[0][1]
    each = [one for _, one in said]
    sighting = each[0].sighting
    for other in each[1:]:
        sighting = complete(sighting, other.sighting)
    span = Span(min(one.sighting.span.first for one in each), max(one.sighting.span.last for one in each))
    standing = next((one for listed, one in said if listed), each[0])
    return Remembered(
        replace(sighting, span=span, position=standing.sighting.position),
        min(one.first_seen for one in each),
        max(one.last_seen for one in each),
        records.digest("".join(one.digest for one in each)),
    )


def complete(first: R, other: R) -> R:
    """The first record with what it does not say taken from the other; a text is taken whole, ids and notes are added.

    >>> complete(Sighting("a", "1", "T"), Sighting("a", "1", "U", link="https://example.org/")).link
    'https://example.org/'
    """
    gained: dict[str, Any] = {}
    for each in fields(first):
        mine, theirs = getattr(first, each.name), getattr(other, each.name)
        if each.name not in TEXT and mine in (None, ()) and theirs not in (None, ()):
            gained[each.name] = theirs
    if isinstance(first, Sighting) and isinstance(other, Sighting):
        if first.description is None and first.html is None:
            gained.update({name: getattr(other, name) for name in TEXT})
        schemes: set[str] = {scheme for scheme, _ in first.ids}
        gained["ids"] = (*first.ids, *(each for each in other.ids if each[0] not in schemes))
        gained["notes"] = (*first.notes, *(each for each in other.notes if each not in first.notes))
    return replace(first, **gained)


def first_seen(ledger: Ledger, feed: str) -> Mapping[str, datetime]:
    """When each sighting of the feed was first remembered, by its id."""
    return {each.sighting.id: each.first_seen for each in sightings(ledger, feed)}


def shows(ledger: Ledger, feed: str) -> Mapping[str, Show]:
    """What each source last said of the show itself, by the source's name."""
    table = shows_table
    query = select(table.c.source, table.c.document, table.c.record).where(table.c.feed == feed)
    with reading(ledger) as connection:
        rows = sorted(connection.execute(query), key=lambda row: (row.source, row.document))
    said: dict[str, Show] = {}
    for row in rows:
        show = records.decode(Show, row.record)
        said[row.source] = complete(said[row.source], show) if row.source in said else show
    return said


def sources(ledger: Ledger, feed: str) -> Mapping[str, Source]:
    """Every source that ever spoke for the feed, with the kind and trust it had when it last did, by its name."""
    table = shelves_table
    query = select(table.c.source, table.c.record).where(table.c.feed == feed)
    with reading(ledger) as connection:
        rows = sorted(connection.execute(query), key=lambda row: row.source)
    return {row.source: records.decode(Source, row.record) for row in rows}
