"""Lease each host while a run polls it, so that several machines keep the limits of a host together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Lock
from uuid import uuid4

from msgspec.structs import replace

from aggregator.errors import AggregatorError, BusyHostError
from aggregator.model.source import Robots
from aggregator.store import hosts, leases
from aggregator.store.database import Store
from aggregator.translation.marks import N_

_LONGEST = timedelta(minutes=2)
"""After which the hosts of a worker that died are free: longer than a poll with its robots.txt may take."""

_WAIT_SECONDS = 20.0
"""How long a run waits for a host that another polls; then its sources at that host are put off."""

_LOOK_SECONDS = 0.1
"""Between two looks at such a host."""


class HostLeases:
    """Lets one run poll a host while no other does; for use in several threads, each between enter and leave."""

    def __init__(self, store: Store, rate: float, lease: timedelta) -> None:
        """Begin with no host; ``rate`` is how many requests a second a host may get from all runs together.

        A lease of a host lasts no longer than ``lease``, that of a feed.
        """
        self._lease = min(_LONGEST, lease)
        self._claimed, self._store = store, replace(store, claim=None)  # a host is not under the lease of a feed
        self._pause, self._owner = timedelta(seconds=1 / rate), uuid4().hex
        self._begun, self._clock = time.monotonic(), leases.read_clock(store)
        self._entered: dict[str, int] = {}
        self._busy: set[str] = set()
        self._lock = Lock()

    def enter(self, host: str) -> datetime | None:
        """Wait until the host may be asked by this run alone; return until when its Retry-After forbids it.

        Raises BusyHostError if another run keeps it for too long, and at once for the rest of this run.
        """
        with self._lock:
            self._entered[host] = self._entered.get(host, 0) + 1
        try:
            return self._take(host)
        except AggregatorError:
            self._drop(host)
            raise

    def leave(self, host: str, held_until: datetime | None, robots: Sequence[Robots]) -> None:
        """Store what all runs must know of the host, and let others ask it once no thread of this run does."""
        with suppress(AggregatorError):  # its lease ends by itself
            hosts.write_robots(self._claimed, robots)
            if held_until is not None:
                hosts.hold(self._store, host, held_until)
            self._drop(host)

    def _take(self, host: str) -> datetime | None:
        end = time.monotonic() + _WAIT_SECONDS
        while host not in self._busy:
            now = self._clock + timedelta(seconds=time.monotonic() - self._begun)
            found = hosts.enter(self._store, host, self._owner, now, lease=self._lease, pause=self._pause)
            if found is not None:
                at, held_until = found
                time.sleep(max(0.0, (at - now).total_seconds()))
                return held_until
            if time.monotonic() > end:
                self._busy.add(host)
            time.sleep(_LOOK_SECONDS)
        raise BusyHostError(N_(f"put off: another worker is asking {host}"))

    def _drop(self, host: str) -> None:
        with self._lock:
            self._entered[host] -= 1
            if not self._entered[host]:
                hosts.leave(self._store, host, self._owner)
