"""What is remembered of the robots.txt of each origin: no feed's and no source's own, so that nobody asks twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aggregator.ledger import facts, records
from aggregator.ledger.ledger import Ledger, transaction
from aggregator.ledger.schema import mark
from aggregator.model.source import Robots

ROBOTS: Final = "robots/"
"""Before its address: the fact under which one is kept."""


def robots(ledger: Ledger, url: str) -> Robots | None:
    """What is remembered of the robots.txt at the address, ``None`` where it was never asked for."""
    kept = facts.facts(ledger, "", ROBOTS + mark(url))
    return None if kept is None else records.decode(Robots, kept.decode())


def keep_robots(ledger: Ledger, learned: Sequence[Robots]) -> None:
    """Remember these in place of what was remembered of the same addresses; nothing is written where none is given."""
    if not learned:
        return
    with transaction(ledger) as page:
        for each in learned:
            facts.keep_fact(page, "", ROBOTS + mark(each.memory.url), records.encode(each).encode())
