"""Read and write decisions of a person, and the events of each feed.

A person decides which entries are one item or two, what a field says whatever the sources do, whether held items are
published, and which sources are forgotten. A decision stands until another takes its place or it is undone; each is
also an event. Events are merges, splits, redirects, alarms and decisions, and are only ever added to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Table, bindparam, func, insert, select

from aggregator.model.cluster import Decision
from aggregator.model.item import Override
from aggregator.store import checksums, facts, records, schema
from aggregator.store.database import Store, reading, remove, transaction, upsert, writing
from aggregator.store.schema import mark, stamp

_ASSUMED: Final = "decisions"
"""The assumed fact with decisions that are read in place of those stored."""

ADMISSIONS: Final = "admissions"
"""The fact that says by entry id whether it is published now (true) or never (false)."""

HELD: Final = "held back"
"""The fact that names the entries of new items that a person holds back until they are released."""

REMOVED: Final = "removed items"
"""The fact that says by guid why a person took an item out of the feed."""

FORGOTTEN: Final = "forgotten"
"""The fact that names the sources whose entries take no part in the feed."""

_ADMISSION_TEXTS: Mapping[bool | None, str] = {True: "publish", False: "never publish", None: "no longer decided"}


class Event(Struct, frozen=True):
    """One thing that happened: when, of what kind (one word), and what in a line."""

    at: datetime
    kind: str
    text: str


_RECORDS = {
    table.name: select(table).where(table.c.feed == bindparam("feed")) for table in (schema.decisions, schema.overrides)
}
"""Made once: a refresh reads both of every feed."""


def write_event(store: Store, feed: str, event: Event) -> None:
    """Add the event to the feed's."""
    row = {"feed": feed, "at": stamp(event.at), "kind": event.kind, "record": records.encode(event)}
    with writing(store) as connection:
        connection.execute(insert(schema.events), [checksums.add(schema.events, row)])


def read_events(store: Store, feed: str, *, newest: int = 1000) -> tuple[Event, ...]:
    """Return the newest events of the feed, the oldest of them first."""
    table = schema.events
    query = select(table).where(table.c.feed == feed).order_by(table.c.number.desc()).limit(newest)
    with reading(store) as connection:
        found = [row.record for row in checksums.check(table, connection.execute(query))]
    return tuple(records.decode(Event, text) for text in reversed(found))


@contextmanager
def deciding(store: Store, feed: str) -> Iterator[Store]:
    """Give a transaction in which no other process decides about the feed: what the body reads stays until it writes.

    SQLite has one writer at a time.
    """
    with transaction(store) as tx, writing(tx) as connection:
        if connection.dialect.name == "postgresql":
            key = blake2b(f"aggregator/{feed}".encode(), digest_size=8).digest()
            connection.execute(select(func.pg_advisory_xact_lock(int.from_bytes(key, signed=True))))
        yield tx


def read_decisions(store: Store, feed: str) -> tuple[Decision, ...]:
    """Return the decisions of the feed that were not undone, sorted by the two names."""
    if (assumed := store.assumed.get((feed, _ASSUMED))) is not None:
        return records.decode_all(Decision, assumed.decode())
    found = [records.decode(Decision, text) for text in _read_records(store, schema.decisions, feed)]
    return tuple(sorted(found, key=lambda each: (each.left, each.right)))


def as_if_decided(store: Store, feed: str, decision: Decision) -> Store:
    """Return the store as if this were the last decision about its two names; nothing is written."""
    two = {decision.left, decision.right}
    others = (each for each in read_decisions(store, feed) if {each.left, each.right} != two)
    encoded = records.encode_all((*others, decision)).encode()
    return replace(store, assumed={**store.assumed, (feed, _ASSUMED): encoded})


def write_decision(store: Store, feed: str, decision: Decision, at: datetime) -> None:
    """Write the decision in place of an earlier one about the same two names, in whatever order."""
    left, right = sorted((decision.left, decision.right))
    record = records.encode(Decision(decision.verdict, left, right))
    row = {"feed": feed, "left": mark(left), "right": mark(right), "decided": stamp(at), "record": record}
    with transaction(store) as tx, writing(tx) as connection:
        upsert(connection, schema.decisions, [row])
        write_event(tx, feed, Event(at, "decided", f"{decision.verdict}: {left} | {right}"))


def undo_decision(store: Store, feed: str, left: str, right: str, at: datetime) -> bool:
    """Delete the decision about the two names, and return whether there was one."""
    left, right = sorted((left, right))
    table = schema.decisions
    with transaction(store) as tx, writing(tx) as connection:
        undone = remove(connection, table, feed, table.c.left == mark(left), table.c.right == mark(right))
        if undone:
            write_event(tx, feed, Event(at, "undone", f"{left} | {right}"))
    return undone


def read_overrides(store: Store, feed: str) -> tuple[Override, ...]:
    """Return the fields that a person fixed, sorted by guid and field."""
    found = [records.decode(Override, text) for text in _read_records(store, schema.overrides, feed)]
    return tuple(sorted(found, key=lambda each: (each.guid, each.field)))


def write_override(store: Store, feed: str, override: Override, at: datetime) -> None:
    """Write the override in place of an earlier one of the same field of the same item."""
    row = {
        "feed": feed,
        "guid": mark(override.guid),
        "field": override.field,
        "decided": stamp(at),
        "record": records.encode(override),
    }
    with transaction(store) as tx, writing(tx) as connection:
        upsert(connection, schema.overrides, [row])
        write_event(tx, feed, Event(at, "overridden", f"{override.guid} {override.field}: {override.value}"))


def undo_override(store: Store, feed: str, guid: str, field: str, at: datetime) -> bool:
    """Delete the override of the field, and return whether there was one."""
    table = schema.overrides
    with transaction(store) as tx, writing(tx) as connection:
        undone = remove(connection, table, feed, table.c.guid == mark(guid), table.c.field == field)
        if undone:
            write_event(tx, feed, Event(at, "released", f"{guid} {field}"))
    return undone


def read_admissions(store: Store, feed: str) -> Mapping[str, bool]:
    """Return what was decided about held entries, by id: true to publish, false for never."""
    return dict(_read_value(store, feed, ADMISSIONS))


def write_admission(store: Store, feed: str, entries: Iterable[str], wanted: bool | None, at: datetime) -> None:  # noqa: FBT001 - the decision itself
    """Write the decision about the entries of one held item; ``None`` undoes it."""
    chosen = sorted(entries)
    with deciding(store, feed) as tx:
        kept = {name: admitted for name, admitted in read_admissions(tx, feed).items() if name not in chosen}
        if wanted is not None:
            kept |= dict.fromkeys(chosen, wanted)
        _write_value(tx, feed, ADMISSIONS, kept)
        write_event(tx, feed, Event(at, "held", f"{_ADMISSION_TEXTS[wanted]}: {' | '.join(chosen)}"))


def read_held_back(store: Store, feed: str) -> frozenset[str]:
    """Return the entries of new items that a person holds back."""
    return frozenset(_read_value(store, feed, HELD))


def write_held_back(store: Store, feed: str, entries: Iterable[str], at: datetime, *, held: bool) -> None:
    """Hold a new item of these entries back, or release it."""
    chosen = frozenset(entries)
    with deciding(store, feed) as tx:
        known = read_held_back(tx, feed)
        kept = known | chosen if held else known - chosen
        _write_value(tx, feed, HELD, sorted(kept))
        write_event(tx, feed, Event(at, "held", f"{'hold back' if held else 'release'}: {' | '.join(sorted(chosen))}"))


def read_removed(store: Store, feed: str) -> Mapping[str, str]:
    """Return why a person took items out of the feed, by guid."""
    return dict(_read_value(store, feed, REMOVED))


def write_removed(store: Store, feed: str, guid: str, reason: str | None, at: datetime) -> None:
    """Take the item out of the feed, from the next refresh on; without a reason it is taken back."""
    with deciding(store, feed) as tx:
        kept = {name: why for name, why in read_removed(tx, feed).items() if name != guid}
        if reason is not None:
            kept[guid] = reason
        _write_value(tx, feed, REMOVED, kept)
        write_event(tx, feed, Event(at, "removed" if reason is not None else "undone", f"{guid} {reason or 'removed'}"))


def read_forgotten(store: Store, feed: str) -> frozenset[str]:
    """Return the sources that were forgotten."""
    return frozenset(_read_value(store, feed, FORGOTTEN))


def forget_source(store: Store, feed: str, source: str, at: datetime) -> None:
    """Exclude the source's entries from the feed; they stay in the store."""
    with deciding(store, feed) as tx:
        _write_value(tx, feed, FORGOTTEN, sorted({*read_forgotten(tx, feed), source}))
        write_event(tx, feed, Event(at, "forgotten", source))


def restore_source(store: Store, feed: str, source: str, at: datetime) -> None:
    """Include the source's entries in the feed again."""
    with deciding(store, feed) as tx:
        _write_value(tx, feed, FORGOTTEN, sorted(read_forgotten(tx, feed) - {source}))
        write_event(tx, feed, Event(at, "undone", f"forgotten: {source}"))


def as_if_forgotten(store: Store, feed: str, sources: Iterable[str]) -> Store:
    """Return the store as if these sources, and no others, were forgotten; nothing is written."""
    return replace(store, assumed={**store.assumed, (feed, FORGOTTEN): _encode(sorted(sources))})


def _encode(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def _read_value(store: Store, feed: str, name: str) -> Any:
    """Return the mapping or list of names that a fact holds; empty if there is none."""
    kept = facts.read_fact(store, feed, name)
    return json.loads(kept) if kept else ()


def _write_value(store: Store, feed: str, name: str, value: Mapping[str, object] | Sequence[str]) -> None:
    """Write a mapping or a list of names as a fact; an empty one deletes it."""
    facts.write_fact(store, feed, name, _encode(value) if value else None)


def _read_records(store: Store, table: Table, feed: str) -> list[str]:
    with reading(store) as connection:
        rows = checksums.check(table, connection.execute(_RECORDS[table.name], {"feed": feed}))
        return [row.record for row in rows]
