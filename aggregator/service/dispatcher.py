"""The dispatcher: claim the feeds that are due, in bulk, and send them to the workers. It has no state of its own.

Any number of dispatchers may run; one is enough.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from aggregator.errors import AggregatorError
from aggregator.service import queue, workers
from aggregator.service.metrics import QueueCounts
from aggregator.service.workers import Worker
from aggregator.store import leases
from aggregator.store.database import Claim, Store

TICK: Final = timedelta(seconds=1)
"""How late a feed may be sent; each tick at which none is due costs three reads of the store."""

_CLAIM: Final = 100
"""Feeds claimed in one transaction."""

_MESSAGES: Final = 16
"""Messages that the feeds of one claim are sent in at most: feeds that are refreshed together cost less each."""


class Dispatcher(Struct):
    """Sends feeds of the store that are due to the queue; ``most`` are claimed at once.

    ``at`` is the clock of the schedule, ``None`` for that of the store. ``claims`` and ``lost`` count the feeds that
    were claimed, and those of them whose last lease had ended without a result.
    """

    worker: Worker
    store: Store
    broker: queue.Broker
    url: str
    most: int
    at: datetime | None = None
    claims: int = 0
    lost: int = 0

    def tick(self) -> int:
        """Send what is due, up to the most that may be claimed, and return how many; raise QueueError."""
        config, before = self.worker.reload(), self.claims
        now = leases.read_clock(self.store)
        at = self.at or now.replace(microsecond=0)
        if self.worker.fresh:
            workers.schedule(self.store, config, at, everything=True)
            self.worker.fresh = False
        while (room := self.most - leases.count_claimed(self.store, now)) > 0:
            claim, lost = workers.claim_due(self.store, at, most=min(room, _CLAIM), lease=config.lease, owner="")
            self.claims, self.lost = self.claims + len(claim.feeds), self.lost + lost
            if not claim.feeds:
                break
            self._send(claim)
        return self.claims - before

    def is_done(self) -> bool:
        """Return whether no feed is due or in work any more."""
        found = self._count_feeds()
        return not found.waiting + found.queued + found.working

    def count(self) -> QueueCounts:
        """Return how much there is to do, and how late it is."""
        waiting = queue.count_waiting(self.broker, self.url)
        return QueueCounts(self._count_feeds(), waiting, self.claims, self.lost)

    def _count_feeds(self) -> leases.Counts:
        now = leases.read_clock(self.store)
        return leases.count(self.store, self.at or now, now)

    def _send(self, claim: Claim) -> None:
        """Send the feeds of a claim in some messages; what cannot be sent is due again at once."""
        size = -(-len(claim.feeds) // _MESSAGES)
        for place in range(0, len(claim.feeds), size):
            try:
                queue.send(self.broker, self.url, Claim(claim.token, claim.feeds[place : place + size]), self.at)
            except AggregatorError:
                leases.release(self.store, Claim(claim.token, claim.feeds[place:]))
                raise
