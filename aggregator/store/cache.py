"""Work done once for a content and kept: repaired entries, reconciled items, rendered entries.

A value is named by its kind, the digest of what it was made from, and the version of what made it. It is never the
truth: all of it may be dropped at any time, and what no run has asked for in a while is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from aggregator.store.database import Store, among, done, each, reading, writing
from aggregator.store.facts import state

KEPT_RUNS = 50
"""Runs of its feed after which a value nobody asked for is dropped: some days of hourly refreshes, so that a source
that was down over a weekend is not repaired anew. Twice as many double the rest of the table, not its live part."""

AT_ONCE = 500
"""Digests asked for in one query: SQLite before 3.32 takes 999 parameters, PostgreSQL 65,535."""


CACHED = "SELECT digest, value FROM cache WHERE feed IN {} AND kind IN {} AND version IN {} AND digest IN {}"
KEEP = (
    "INSERT INTO cache (feed, kind, version, used, digest, value) VALUES {} ON CONFLICT (feed, kind, digest)"
    " DO UPDATE SET version = excluded.version, used = excluded.used, value = excluded.value"
)
AGED = "SELECT digest FROM cache WHERE feed IN {} AND kind IN {} AND version IN {} AND used < {}"
TOUCH = "UPDATE cache SET used = {} WHERE feed IN {} AND kind IN {} AND version IN {} AND digest IN {}"
DROP = "DELETE FROM cache WHERE feed IN {} AND kind IN {} AND (used < {} OR version NOT IN {})"


def cached(store: Store, feed: str, kind: str, version: str, digests: Collection[str]) -> Mapping[str, bytes]:
    """The values kept for those of the digests that have one of this version."""
    found: dict[str, bytes] = {}
    with reading(store) as connection:
        for some in _chunks(sorted(set(digests))):
            found.update(
                (digest, value) for digest, value in among(connection, CACHED, [feed], [kind], [version], some)
            )
    return found


def keep_cached(store: Store, feed: str, kind: str, version: str, values: Mapping[str, bytes]) -> None:
    """Keep a value for each digest, in place of one of any version."""
    run = state(store, feed).runs
    with writing(store) as connection:
        for some in _chunks(sorted(values)):
            each(connection, KEEP, [(feed, kind, version, run, digest, values[digest]) for digest in some])


def sweep(store: Store, feed: str, kind: str, version: str, used: Collection[str]) -> int:
    """Drop what no run has used for long, and what another version made; how many values that were.

    ``used`` are the digests this run asked for. They are noted only when half their time has gone, so that a run
    that changes nothing writes next to nothing.
    """
    run = state(store, feed).runs
    with writing(store) as connection:
        aged = among(connection, AGED, [feed], [kind], [version], [run - KEPT_RUNS // 2])
        stale = sorted({digest for (digest,) in aged} & set(used))
        for some in _chunks(stale):
            done(connection, TOUCH, [run], [feed], [kind], [version], some)
        return done(connection, DROP, [feed], [kind], [run - KEPT_RUNS], [version]).rowcount


def _chunks(digests: Sequence[str]) -> Iterator[list[str]]:
    """The digests in lots that one query takes."""
    rest = iter(digests)
    while some := list(islice(rest, AT_ONCE)):
        yield some
