"""Poll all hosts of one run: a queue for each, with limits at once and per second; obey Retry-After and robots.txt."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.errors import FetchError
from aggregator.fetchers import http
from aggregator.fetchers.http import polling, robots
from aggregator.fetchers.http.errors import UnavailableError
from aggregator.fetchers.http.exchange import Access, Headers, Meter, Permit, PollRequest
from aggregator.fetchers.http.polling import Policy, Reply
from aggregator.fetchers.http.target import Target, redact
from aggregator.model.entry import Enclosure
from aggregator.model.source import Answer, PollState, Robots, Source
from aggregator.text.urls import find_host
from aggregator.translation.marks import N_

_THREADS = 64  # requests at once to all hosts; a thread waits for the network, so more cost memory and no time

_MOST_UNANSWERED = 5
"""Polls of a host in a row that had no answer, after which it is not polled any more in the run.

With two at once and 30 s each that costs 75 s, where 10,000 sources of a host that is down would cost 41 hours. Of a
host that leaves one poll in twenty without an answer, one run of 10,000 in 300 ends early.
"""

R = TypeVar("R")


class HostGate(Protocol):
    """Shares hosts with the other machines that poll them."""

    def enter(self, host: str) -> datetime | None:
        """Wait until only this run polls the host; return the end of its Retry-After, if any; raise BusyHostError."""

    def leave(self, host: str, held_until: datetime | None, robots: Sequence[Robots]) -> None:
        """Let others poll the host, and give them its Retry-After and the robots.txt files that were fetched."""


class _Host(Struct):
    """The queue of one host: how many of its tasks run, and when the next may begin (`time.monotonic`).

    ``unanswered`` counts the polls in a row that had no answer.
    """

    running: int = 0
    next_start: float = 0.0
    unanswered: int = 0
    waiting: deque[tuple[Future[Any], Callable[[], Any]]] = field(default_factory=deque)


class HostLimiter:
    """Polls the hosts of one run in threads; a task that waits for its host occupies no thread and delays no other.

    ``held`` are the hosts that sent Retry-After, and until when they are not polled; ``read_robots`` returns the stored
    robots.txt of an address. ``gate`` limits polls together with those of other machines, ``None`` if there are none.
    May be used from several threads.
    """

    def __init__(
        self,
        policy: Policy,
        held: Mapping[str, datetime] | None = None,
        read_robots: Callable[[str], Robots | None] = lambda _url: None,
        *,
        gate: HostGate | None = None,
        threads: int = _THREADS,
    ) -> None:
        """Make it when the clock of the run is read: Retry-After counts from when the answer came."""
        self._begun = time.monotonic()
        self._concurrency, self._seconds_apart = policy.host_concurrency, 1 / policy.host_rate
        self._obey_robots = policy.obey_robots
        self._held = dict(held or {})
        self._gate = gate
        self._policy = policy
        self._opened: http.client.Client | None = None
        self._robots = robots.RobotsChecker(
            lambda *words: self._client.get_start(*words),  # noqa: PLW0108 - else it would be made now
            read_robots,
            self._begun,
        )
        self._hosts: dict[str, _Host] = {}
        self._lock = threading.RLock()
        self._leaving = threading.Lock()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="poll")
        self._closed = threading.Event()

    def poll(self, asked: PollRequest) -> Future[Answer]:
        """Poll an address once its host is free; Retry-After of a host holds for all its sources.

        An address that is not due has its answer at once.
        """
        now = asked.now
        if resting := polling.find_rest(self._under_hold(asked.poll_state), now, force=asked.force):
            done: Future[Answer] = Future()
            done.set_result(resting)
            return done
        address = polling.find_address(asked.poll_state)

        def poll_now() -> Answer:
            if self._is_down(address):
                why = N_(f"not asked: the last {_MOST_UNANSWERED} requests to its host had no answer")
                missed = polling.update_after_unreached(asked.poll_state, now, now)
                return Answer("failed", missed, message=f"{redact(address)}: {why}")
            with self._entered(address):
                held = replace(asked, poll_state=self._under_hold(asked.poll_state))
                permit = self._permit(now, found=asked.found_by is not None)
                answer = self._client.poll(held, permit, clock_age=self._find_clock_age())
                self._keep_hold(answer.poll_state, now)
            self._count_unanswered(address, is_unanswered=answer.unanswered)
            return answer

        return self.submit(address, poll_now)

    def head(self, url: str, now: datetime, seconds: float, source: Source | None = None) -> Future[Enclosure | None]:
        """Ask for length and type of a media file, as `Client.head`, once its host is free.

        The future raises FetchError as that does, and while the host has asked to wait (Retry-After).
        """

        def ask_now() -> Enclosure | None:
            with self._entered(url):
                if resting := polling.explain_rest(self._under_hold(PollState(url)), now, force=True):
                    raise FetchError(resting)
                try:
                    return self._client.head(url, self._permit(now, found=False), source=source, seconds=seconds)
                except UnavailableError as error:
                    reply = Reply(error.status, error.fields, now, now, self._find_clock_age(), host=error.host)
                    self._keep_hold(polling.update_after_answer(PollState(url), reply), now)
                    raise

        return self.submit(url, ask_now)

    def call(self, url: str, body: bytes | None, fields: Headers, found_by: Source | None = None) -> Future[int]:
        """Send a body, or none, as `Client.call`, once the host is free."""

        def call_now() -> int:
            with self._entered(url):
                return self._client.call(url, body, fields, found_by)

        return self.submit(url, call_now)

    def submit(self, url: str, task: Callable[[], R]) -> Future[R]:
        """Run the task in a thread once the host of the address may be asked; cancelled if this is closed before."""
        future: Future[R] = Future()
        with self._lock:
            if self._closed.is_set():
                future.cancel()
                return future
            queue = self._hosts.setdefault(find_host(url), _Host())
            queue.waiting.append((future, task))
            if queue.running < self._concurrency:
                queue.running += 1
                self._threads.submit(self._work, queue)
        return future

    def take_new_robots(self) -> tuple[Robots, ...]:
        """Return the robots.txt files that were fetched since the last call; none if a gate stores them."""
        return self._robots.take_new_robots() if self._gate is None else ()

    def close(self) -> None:
        """Cancel tasks that have not begun, wait for the others, and close the connections."""
        with self._lock:
            self._closed.set()
            waiting = [future for queue in self._hosts.values() for future, _ in queue.waiting]
            self._hosts.clear()
        for future in waiting:
            future.cancel()
        self._threads.shutdown(cancel_futures=True)
        if self._opened is not None:
            self._opened.close()

    @property
    def _client(self) -> http.client.Client:
        from aggregator.fetchers.http.client import Client  # noqa: PLC0415 - requests takes long, and few runs send one

        with self._lock:
            self._opened = self._opened or Client(self._policy)
            return self._opened

    def _work(self, queue: _Host) -> None:
        """Run the tasks of one host, one after the other, until none is left."""
        while True:
            with self._lock:
                if not queue.waiting:
                    queue.running -= 1
                    return
                start = time.monotonic()
                if queue.unanswered < _MOST_UNANSWERED:  # else nothing is sent
                    start = max(start, queue.next_start)
                    queue.next_start = start + self._seconds_apart
                future, task = queue.waiting.popleft()
            try:
                closed = self._closed.wait(max(0.0, start - time.monotonic()))
                if closed or not future.set_running_or_notify_cancel():
                    future.cancel()
                    continue
                future.set_result(task())
            except BaseException as error:  # noqa: BLE001  # raised by result()
                future.set_exception(error)

    @contextmanager
    def _entered(self, url: str) -> Iterator[None]:
        """Ask the host of the address alone while the body runs, where other machines ask it, too."""
        if self._gate is None:
            yield
            return
        host = find_host(url)
        if (held_until := self._gate.enter(host)) is not None:
            self._hold(host, held_until)
        try:
            yield
        finally:
            with self._lock:
                held_until = self._held.get(host)
            with self._leaving:  # what another thread takes of this host is written before others may ask it
                self._gate.leave(host, held_until, self._robots.take_new_robots())

    def _permit(self, now: datetime, *, found: bool) -> Permit | None:
        """Return the function that checks robots.txt before each hop; ``None`` if none is obeyed."""
        if not found and not self._obey_robots:
            return None

        def permit(where: Target, meter: Meter, access: Access) -> None:
            if self._robots.check(where, meter, now, self._under_hold, access):
                time.sleep(self._seconds_apart)

        return permit

    def _is_down(self, address: str) -> bool:
        """Return whether the host of the address left too many polls of this run without an answer."""
        with self._lock:
            return (host := self._hosts.get(find_host(address))) is not None and host.unanswered >= _MOST_UNANSWERED

    def _count_unanswered(self, address: str, *, is_unanswered: bool) -> None:
        with self._lock:
            if host := self._hosts.get(find_host(address)):
                host.unanswered = host.unanswered + 1 if is_unanswered else 0

    def _find_clock_age(self) -> timedelta:
        """Return how long ago the clock of the run was read, in whole seconds."""
        return timedelta(seconds=int(time.monotonic() - self._begun))

    def _keep_hold(self, poll_state: PollState, now: datetime) -> None:
        """Keep a Retry-After that a host has sent, for all its addresses."""
        if poll_state.hold_until is not None and poll_state.hold_until > now:
            self._hold(poll_state.hold_host or find_host(polling.find_address(poll_state)), poll_state.hold_until)

    def _hold(self, host: str, until: datetime) -> None:
        with self._lock:
            self._held[host] = max(until, self._held.get(host, until))

    def _under_hold(self, poll_state: PollState) -> PollState:
        """Return the poll state with a Retry-After that its host sent to any source; unchanged without one."""
        host = find_host(polling.find_address(poll_state))
        with self._lock:
            until = self._held.get(host)
        if until is None or (poll_state.hold_until is not None and poll_state.hold_until >= until):
            return poll_state
        return replace(poll_state, hold_until=until, hold_host=host)
