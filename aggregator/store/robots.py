"""What is remembered of the robots.txt of each origin: no feed's and no source's own, so that nobody asks twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aggregator.model.source import Robots
from aggregator.store import facts, records
from aggregator.store.database import Store, transaction
from aggregator.store.schema import mark

ROBOTS: Final = "robots/"
"""Before its address: the fact under which one is kept."""


def robots(store: Store, url: str) -> Robots | None:
    """What is remembered of the robots.txt at the address, ``None`` where it was never asked for."""
    kept = facts.facts(store, "", ROBOTS + mark(url))
    return None if kept is None else records.decode(Robots, kept.decode())


def keep_robots(store: Store, learned: Sequence[Robots]) -> None:
    """Remember these in place of what was remembered of the same addresses; nothing is written where none is given."""
    if not learned:
        return
    with transaction(store) as tx:
        for each in learned:
            facts.keep_fact(tx, "", ROBOTS + mark(each.memory.url), records.encode(each).encode())
