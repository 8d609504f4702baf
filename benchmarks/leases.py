"""Claims of due feeds on a PostgreSQL store with a million feeds: milliseconds a claim, and its plan.

    python benchmarks/leases.py [feeds]

The rows are made, nothing is fetched. A server of its own is started, with fsync.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import event, insert

from aggregator.store import database, leases
from aggregator.store.schema import leases as table
from aggregator.store.schema import stamp
from tests.support.servers import running_postgresql

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
CLAIMS = 100


def main(count: int) -> None:
    """Print the figures."""
    with running_postgresql() as server, database.open_store(server.make_database("leases")) as store:
        with database.writing(store) as connection:
            for start in range(0, count, 10_000):
                rows = [
                    {"feed": f"feed-{n}", "due_at": stamp(NOW + timedelta(seconds=3600 * n / count - 1800)), "again": 0}
                    for n in range(start, min(start + 10_000, count))
                ]
                connection.execute(insert(table), rows)
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE leases")
        print(f"{count} feeds, half of them due; {CLAIMS} claims of 100, milliseconds: median, 99 %, most")
        statements: list[tuple[str, object]] = []
        event.listen(store.engine, "before_cursor_execute", lambda *given: statements.append((given[2], given[3])))
        claims = [leases.claim_due(store, NOW, NOW, most=100)[0] for _ in range(9)]
        due = NOW + timedelta(hours=1)

        def claim() -> None:
            claims.append(leases.claim_due(store, NOW, NOW, most=100)[0])

        def finish() -> None:
            leases.finish(store, begun, dict.fromkeys(begun.feeds, due), NOW)

        show(
            "claim", claim, after=lambda: leases.finish(store, claims[0], dict.fromkeys(claims.pop(0).feeds, due), NOW)
        )
        query, values = next(each for each in statements if "SKIP LOCKED" in each[0])
        show("count claimed", lambda: leases.count_claimed(store, NOW))
        begun = cut(claims[0])
        show("begin 7", lambda: leases.begin(store, begun, NOW + leases.LEASE, "me"), times=1)
        show("finish 7", finish, times=1)
        show("metrics", lambda: leases.count(store, NOW, NOW), times=5)
        with store.engine.connect() as connection:
            plan = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, BUFFERS) {query}", values)  # type: ignore[arg-type]
            print(*plan.scalars(), sep="\n")


def cut(claim: database.Claim) -> database.Claim:
    """Return the feeds of one message."""
    return database.Claim(claim.token, claim.feeds[:7])


def show(
    name: str, work: Callable[[], object], times: int = CLAIMS, after: Callable[[], object] = lambda: None
) -> None:
    """Print how long the work takes, without what is done after it."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append((time.perf_counter() - begun) * 1000)
        after()
    taken.sort()
    print(f"{name:14} {statistics.median(taken):7.1f} {taken[max(int(times * 0.99) - 1, 0)]:7.1f} {taken[-1]:7.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
