"""How many questions reach one host at a time and in a second, and who must stay silent, within one run."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import datetime, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.fetchers.http import client, polling, robots_check
from aggregator.fetchers.http.client import Permit
from aggregator.fetchers.http.connections import Meter
from aggregator.fetchers.http.target import Target
from aggregator.fetchers.policy import Policy
from aggregator.fetchers.waits import Asking, Wait, answered
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
        self._permission: robots_check.Permission | None = None
        self._lanes: dict[str, _Lane] = {}
        self._lock = threading.Lock()

    def ask(self, source: Source, memory: Memory, now: datetime, *, force: bool = False, found: bool = False) -> Answer:
        """As :meth:`asking`, waited for in this thread."""
        return answered(self.asking(source, memory, now, force=force, found=found))

    def asking(
        self, source: Source, memory: Memory, now: datetime, *, force: bool = False, found: bool = False
    ) -> Asking[Answer]:
        """As `client.asking`, once it is the turn of the host; what that asked of one source holds for all.

        ``found`` is whether we found the address ourselves: then its origin's robots.txt is obeyed, whatever the config
        says of those that it names.
        """
        if polling.due(self._under(memory), now, force):
            permit = self.permit(now, found=found)
            lane = self._lane(polling.address(memory))
            yield from lane.enter(self._policy)
            try:
                yield from lane.pause(self._policy)
                late = timedelta(seconds=int(time.monotonic() - self._begun))
                known = self._under(memory)
                answer = yield from client.asking(
                    source, known, self._policy, now, force=force, late=late, permit=permit
                )
            finally:
                lane.leave()
        else:
            answer = client.ask(source, self._under(memory), self._policy, now, force=force)
        with self._lock:
            for name, until in holds((answer.memory,), now).items():
                self._held[name] = max(until, self._held.get(name, until))
        return answer

    def permit(self, now: datetime, *, found: bool = False) -> Permit | None:
        """Who is asked before each hop, ``None`` where no robots.txt is obeyed."""
        if not found and not self._policy.obey_robots:
            return None
        with self._lock:
            self._permission = self._permission or robots_check.Permission(self._policy, self._recall, self._begun)
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
        lane = self._lane(url)
        answered(lane.enter(self._policy))
        try:
            answered(lane.pause(self._policy))
            yield
        finally:
            lane.leave()

    def _lane(self, url: str) -> _Lane:
        with self._lock:
            return self._lanes.setdefault(host(url), _Lane())

    def _under(self, memory: Memory) -> Memory:
        with self._lock:
            return with_hold(memory, self._held)


class _Lane(Struct):
    """The way to one host: how many are on it, and when the next one may ask (`time.monotonic`).

    Who leaves gives its place to the one that has waited longest. One lane for all hosts and waking all doubled the
    cost of a 304 (16 threads); all of them waiting for the same time took a fifth of it.
    """

    busy: int = 0
    following: float = 0.0
    waiting: deque[Future[None]] = field(default_factory=deque)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def enter(self, policy: Policy) -> Asking[None]:
        """Take a place, of which there are as many as may ask at once."""
        with self.lock:
            if self.busy < policy.host_concurrency:
                self.busy += 1
                return
            place: Future[None] = Future()
            self.waiting.append(place)
        try:
            yield place
        except GeneratorExit:
            if not place.cancel():
                self.leave()
            raise

    def pause(self, policy: Policy) -> Asking[None]:
        """Wait until the host may be asked again by the rate."""
        while (until := self._following(policy)) is not None:
            yield Wait(until)

    def leave(self) -> None:
        """Make place for another."""
        with self.lock:
            place = None
            while self.waiting and place is None:
                first = self.waiting.popleft()
                place = first if first.set_running_or_notify_cancel() else None
            self.busy -= place is None
        if place is not None:
            place.set_result(None)

    def _following(self, policy: Policy) -> float | None:
        """When somebody may ask; ``None`` where that is now, and then nobody else may for a while."""
        with self.lock:
            now = time.monotonic()
            if now < self.following:
                return self.following
            self.following = now + 1 / policy.host_rate
            return None


def holds(memories: Iterable[Memory], now: datetime) -> Mapping[str, datetime]:
    """The hosts that asked for silence (429, 503 with Retry-After), and until when."""
    held: dict[str, datetime] = {}
    for memory in memories:
        until = memory.hold_until
        if until is not None and until > now:
            name = memory.hold_host or host(polling.address(memory))
            held[name] = max(until, held.get(name, until))
    return held


def with_hold(memory: Memory, held: Mapping[str, datetime]) -> Memory:
    """The memory under what its host asked of any source; the same where the host asked nothing."""
    name = host(polling.address(memory))
    until = held.get(name)
    if until is None or (memory.hold_until is not None and memory.hold_until >= until):
        return memory
    return replace(memory, hold_until=until, hold_host=name)
