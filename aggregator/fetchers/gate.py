"""How many questions reach one host at a time and in a second, and who must stay silent, within one run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.fetchers import manners, permission, web
from aggregator.fetchers.dial import Meter
from aggregator.fetchers.target import Target
from aggregator.fetchers.web import Permit, Policy
from aggregator.model.source import Answer, Memory, Robots, Source
from aggregator.text.hosts import host


class Gate:
    """One gate for all threads of a run; ``held`` is which hosts asked for silence, as `holds` tells.

    ``recall`` is what is remembered of a robots.txt, by its address.
    """

    def __init__(
        self,
        policy: Policy,
        held: Mapping[str, datetime] | None = None,
        recall: Callable[[str], Robots | None] = lambda _url: None,
    ) -> None:
        """Open to every host, but for those held; made when the run's clock is read."""
        self._begun = time.monotonic()
        self._policy = policy
        self._held = dict(held or {})
        self._recall = recall
        self._permission: permission.Permission | None = None
        self._lanes: dict[str, _Lane] = {}
        self._lock = threading.Lock()

    def ask(self, source: Source, memory: Memory, now: datetime, *, force: bool = False, found: bool = False) -> Answer:
        """As `web.ask`, once it is the host's turn; what the host asked of one source holds for all of them.

        ``found`` is whether we found the address ourselves: then its origin's robots.txt is obeyed, whatever the config
        says of those that it names.
        """
        if manners.due(self._under(memory), now, force):
            permit = self.permit(now, found=found)
            with self.turn(manners.address(memory)):
                late = timedelta(seconds=int(time.monotonic() - self._begun))
                known = self._under(memory)
                answer = web.ask(source, known, self._policy, now, force=force, late=late, permit=permit)
        else:
            answer = web.ask(source, self._under(memory), self._policy, now, force=force)
        with self._lock:
            for name, until in holds((answer.memory,), now).items():
                self._held[name] = max(until, self._held.get(name, until))
        return answer

    def permit(self, now: datetime, *, found: bool = False) -> Permit | None:
        """Who is asked before each hop, ``None`` where no robots.txt is obeyed."""
        if not found and not self._policy.obey_robots:
            return None
        with self._lock:
            self._permission = self._permission or permission.Permission(self._policy, self._recall, self._begun)
            current = self._permission

        def permit(where: Target, meter: Meter) -> None:
            if current.check(where, meter, now, self._under):
                time.sleep(1 / self._policy.host_rate)

        return permit

    def news(self) -> tuple[Robots, ...]:
        """What was learned of robots.txt since this was last asked."""
        return self._permission.news() if self._permission else ()

    @contextmanager
    def turn(self, url: str) -> Iterator[None]:
        """Wait until the address's host may be asked, and keep the place while the block runs."""
        with self._lock:
            lane = self._lanes.setdefault(host(url), _Lane())
        lane.enter(self._policy)
        try:
            yield
        finally:
            lane.leave()

    def _under(self, memory: Memory) -> Memory:
        with self._lock:
            return with_hold(memory, self._held)


class _Lane(Struct):
    """The way to one host: how many are on it, and when the next one may enter (`time.monotonic`).

    One after the other passes its turnstile, where the rate is kept: those behind wait for no time, but for the one
    before them. Whoever leaves wakes one that waits. One lane for all hosts and waking all doubled the cost of a 304
    (16 threads); all of them waiting for the same time took a fifth of it.
    """

    busy: int = 0
    following: float = 0.0
    turnstile: threading.Lock = field(default_factory=threading.Lock)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def enter(self, policy: Policy) -> None:
        """Wait for one's turn by the number at once and by the rate."""
        with self.turnstile:
            with self.changed:
                while self.busy >= policy.host_concurrency:
                    self.changed.wait()
                self.busy += 1
            if (pause := self.following - time.monotonic()) > 0:
                time.sleep(pause)
            self.following = time.monotonic() + 1 / policy.host_rate

    def leave(self) -> None:
        """Make place for another."""
        with self.changed:
            self.busy -= 1
            self.changed.notify()


def holds(memories: Iterable[Memory], now: datetime) -> Mapping[str, datetime]:
    """The hosts that asked for silence (429, 503 with Retry-After), and until when."""
    held: dict[str, datetime] = {}
    for memory in memories:
        until = memory.hold_until
        if until is not None and until > now:
            name = memory.hold_host or host(manners.address(memory))
            held[name] = max(until, held.get(name, until))
    return held


def with_hold(memory: Memory, held: Mapping[str, datetime]) -> Memory:
    """The memory under what its host asked of any source; the same where the host asked nothing."""
    name = host(manners.address(memory))
    until = held.get(name)
    if until is None or (memory.hold_until is not None and memory.hold_until >= until):
        return memory
    return replace(memory, hold_until=until, hold_host=name)
