"""How many questions reach one host at a time and in a second, and who must stay silent, within one run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import chain, zip_longest
from typing import TypeVar

from aggregator.fetchers import manners, web
from aggregator.fetchers.web import Policy
from aggregator.model.source import Answer, Memory, Source

T = TypeVar("T")


class Gate:
    """One gate for all threads of a run; ``held`` is which hosts asked for silence, as `holds` tells."""

    def __init__(self, policy: Policy, held: Mapping[str, datetime] | None = None) -> None:
        """Open to every host, but for those held."""
        self._policy = policy
        self._held = dict(held or {})
        self._busy: dict[str, int] = {}
        self._next: dict[str, float] = {}
        self._changed = threading.Condition()

    def ask(self, source: Source, memory: Memory, now: datetime, *, force: bool = False) -> Answer:
        """As `web.ask`, once it is the host's turn; what the host asked of one source holds for all of them."""
        if manners.due(self._under(memory), now, force):
            with self.turn(manners.address(memory)):
                answer = web.ask(source, self._under(memory), self._policy, now, force=force)
        else:
            answer = web.ask(source, self._under(memory), self._policy, now, force=force)
        with self._changed:
            for host, until in holds((answer.memory,), now).items():
                self._held[host] = max(until, self._held.get(host, until))
        return answer

    @contextmanager
    def turn(self, url: str) -> Iterator[None]:
        """Wait until the address's host may be asked, and keep the place while the block runs."""
        host = manners.host(url)
        self._enter(host)
        try:
            yield
        finally:
            with self._changed:
                self._busy[host] -= 1
                self._changed.notify_all()

    def _enter(self, host: str) -> None:
        with self._changed:
            while (patience := self._patience(host)) != 0:
                self._changed.wait(patience)
            self._busy[host] = self._busy.get(host, 0) + 1
            self._next[host] = time.monotonic() + 1 / self._policy.host_rate

    def _patience(self, host: str) -> float | None:
        """Seconds until the host may be asked by the rate; ``None`` where another question must end first."""
        if self._busy.get(host, 0) >= self._policy.host_concurrency:
            return None
        return max(self._next.get(host, 0.0) - time.monotonic(), 0)

    def _under(self, memory: Memory) -> Memory:
        with self._changed:
            return with_hold(memory, self._held)


def holds(memories: Iterable[Memory], now: datetime) -> Mapping[str, datetime]:
    """The hosts that asked for silence (429, 503 with Retry-After), and until when."""
    held: dict[str, datetime] = {}
    for memory in memories:
        until = memory.hold_until
        if until is not None and until > now:
            name = memory.hold_host or manners.host(manners.address(memory))
            held[name] = max(until, held.get(name, until))
    return held


def with_hold(memory: Memory, held: Mapping[str, datetime]) -> Memory:
    """The memory under what its host asked of any source; the same where the host asked nothing."""
    name = manners.host(manners.address(memory))
    until = held.get(name)
    if until is None or (memory.hold_until is not None and memory.hold_until >= until):
        return memory
    return replace(memory, hold_until=until, hold_host=name)


def spread(things: Iterable[T], url: Callable[[T], str]) -> tuple[T, ...]:
    """The things with their hosts in turn, so that threads do not all wait at the gate of one.

    >>> spread(["http://a/1", "http://a/2", "http://b/1"], str)
    ('http://a/1', 'http://b/1', 'http://a/2')
    """
    hosts: dict[str, list[T]] = {}
    for thing in things:
        hosts.setdefault(manners.host(url(thing)), []).append(thing)
    missing = object()
    rows = chain.from_iterable(zip_longest(*hosts.values(), fillvalue=missing))
    return tuple(thing for thing in rows if thing is not missing)  # type: ignore[misc]  # the filler is gone
