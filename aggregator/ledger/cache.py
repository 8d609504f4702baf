"""Work done once for a content and kept: repaired sightings, reconciled items, rendered entries.

A value is named by its kind, the digest of what it was made from, and the version of what made it. It is never the
truth: all of it may be dropped at any time, and what no run has asked for in a while is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from sqlalchemy import ColumnElement, bindparam, delete, insert, select, update

from aggregator.ledger.facts import state
from aggregator.ledger.ledger import Ledger, reading, writing
from aggregator.ledger.schema import cache as cache_table

KEPT_RUNS = 50
"""Runs of its feed after which a value nobody asked for is dropped: some days of hourly refreshes, so that a source
that was down over a weekend is not repaired anew. Twice as many double the rest of the table, not its live part."""

AT_ONCE = 500
"""Digests asked for in one query: SQLite before 3.32 takes 999 parameters, PostgreSQL 65,535."""


def cached(ledger: Ledger, feed: str, kind: str, version: str, digests: Collection[str]) -> Mapping[str, bytes]:
    """The values kept for those of the digests that have one of this version."""
    table = cache_table
    found: dict[str, bytes] = {}
    with reading(ledger) as connection:
        for some in _chunks(sorted(set(digests))):
            query = select(table.c.digest, table.c.value).where(*_of(feed, kind, version), table.c.digest.in_(some))
            found.update((digest, value) for digest, value in connection.execute(query))
    return found


def keep_cached(ledger: Ledger, feed: str, kind: str, version: str, values: Mapping[str, bytes]) -> None:
    """Keep a value for each digest, in place of one of any version."""
    table = cache_table
    run = state(ledger, feed).runs
    with writing(ledger) as connection:
        for some in _chunks(sorted(values)):
            same = (table.c.feed == feed, table.c.kind == kind, table.c.digest.in_(some))
            connection.execute(delete(table).where(*same))
            row = {"feed": feed, "kind": kind, "version": version, "used": run}
            connection.execute(insert(table), [{**row, "digest": digest, "value": values[digest]} for digest in some])


def sweep(ledger: Ledger, feed: str, kind: str, version: str, used: Collection[str]) -> int:
    """Drop what no run has used for long, and what another version made; how many values that were.

    ``used`` are the digests this run asked for. They are noted only when half their time has gone, so that a run
    that changes nothing writes next to nothing.
    """
    table = cache_table
    run = state(ledger, feed).runs
    with writing(ledger) as connection:
        aged = (*_of(feed, kind, version), table.c.used < run - KEPT_RUNS // 2)
        stale = set(connection.execute(select(table.c.digest).where(*aged)).scalars()) & set(used)
        if stale:
            touch = update(table).where(*_of(feed, kind, version), table.c.digest == bindparam("digest_"))
            connection.execute(touch.values(used=run), [{"digest_": digest} for digest in sorted(stale)])
        unused = (table.c.used < run - KEPT_RUNS) | (table.c.version != version)
        return connection.execute(delete(table).where(table.c.feed == feed, table.c.kind == kind, unused)).rowcount


def _of(feed: str, kind: str, version: str) -> tuple[ColumnElement[bool], ...]:
    """The values of the feed of this kind and version."""
    table = cache_table
    return table.c.feed == feed, table.c.kind == kind, table.c.version == version


def _chunks(digests: Sequence[str]) -> Iterator[list[str]]:
    """The digests in lots that one query takes."""
    rest = iter(digests)
    while some := list(islice(rest, AT_ONCE)):
        yield some
