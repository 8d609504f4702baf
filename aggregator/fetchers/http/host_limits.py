"""Polls of one run: a queue for each host, so many at once and in a second; Retry-After and robots.txt are obeyed."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.fetchers.credentials import Secrets
from aggregator.fetchers.http import polling, robots
from aggregator.fetchers.http.client import Client, Headers, Permit
from aggregator.fetchers.http.connections import Meter
from aggregator.fetchers.http.polling import Policy
from aggregator.fetchers.http.target import Target
from aggregator.model.entry import Enclosure
from aggregator.model.source import Answer, PollState, Robots, Source
from aggregator.text.urls import find_host

_THREADS = 64  # requests at once to all hosts; a thread waits for the network, so more cost memory and no time

R = TypeVar("R")


class _Host(Struct):
    """The queue of one host: how many of its tasks run, and when the next may begin (`time.monotonic`)."""

    running: int = 0
    next_start: float = 0.0
    waiting: deque[tuple[Future[Any], Callable[[], Any]]] = field(default_factory=deque)


class HostLimiter:
    """Polls the hosts of one run in threads; a task that waits for its host holds no thread, nor up another host.

    ``held`` says which hosts asked for silence and until when; ``read_robots`` returns what is
    remembered of a robots.txt by its address. May be used from several threads.
    """

    def __init__(
        self,
        policy: Policy,
        held: Mapping[str, datetime] | None = None,
        read_robots: Callable[[str], Robots | None] = lambda _url: None,
        *,
        threads: int = _THREADS,
    ) -> None:
        """Make it when the clock of the run is read: Retry-After counts from when the answer came."""
        self._begun = time.monotonic()
        self._policy = policy
        self._held = dict(held or {})
        self._client = Client(policy)
        self._read_robots = read_robots
        self._robots: robots.RobotsChecker | None = None
        self._hosts: dict[str, _Host] = {}
        self._lock = threading.RLock()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="poll")
        self._closed = threading.Event()

    def poll(  # noqa: PLR0913  # options of one poll
        self,
        source: Source,
        poll_state: PollState,
        now: datetime,
        *,
        force: bool = False,
        found_by: str | None = None,
        headers: Headers = (),
        secrets: Secrets = (),
    ) -> Future[Answer]:
        """Poll the address in memory once it is the turn of its host; what a host asked of one source holds for all.

        ``found_by`` is the address of the document in which we found this one ourselves: then the robots.txt of its
        origin is obeyed, whatever the config says of the addresses that it names. An address that is not due has its
        answer at once. ``headers`` are sent to the origin of the address alone; ``secrets`` are the names and
        values for ``${NAME}`` in it.
        """
        if polling.explain_rest(self._under_hold(poll_state), now, force=force):
            resting: Future[Answer] = Future()
            resting.set_result(self._client.poll(source, self._under_hold(poll_state), now, force=force))
            return resting
        task = partial(
            self._poll, source, poll_state, now, force=force, found_by=found_by, headers=headers, secrets=secrets
        )
        return self.submit(polling.find_address(poll_state), task)

    def ask(self, source: Source, poll_state: PollState, now: datetime, **options: Any) -> Answer:
        """Poll as `poll` does with the same options, and wait for the answer."""
        return self.poll(source, poll_state, now, **options).result()

    def head(self, url: str, now: datetime, seconds: float, source: Source | None = None) -> Future[Enclosure | None]:
        """Ask for length and type of a media file, as `Client.head`, once it is the turn of its host."""
        permit = self._permit(now, found=False)
        return self.submit(url, partial(self._client.head, url, permit, source=source, seconds=seconds))

    def submit(self, url: str, task: Callable[[], R]) -> Future[R]:
        """Run the task in a thread once the host of the address may be asked; cancelled if this is closed before."""
        future: Future[R] = Future()
        with self._lock:
            if self._closed.is_set():
                future.cancel()
                return future
            queue = self._hosts.setdefault(find_host(url), _Host())
            queue.waiting.append((future, task))
            if queue.running < self._policy.host_concurrency:
                queue.running += 1
                self._threads.submit(self._work, queue).add_done_callback(partial(self._end_worker, queue))
        return future

    def take_new_robots(self) -> tuple[Robots, ...]:
        """Return what was learned of robots.txt since this was last called."""
        return self._robots.take_new_robots() if self._robots else ()

    def close(self) -> None:
        """Cancel what has not begun, wait for what has, and close the connections."""
        with self._lock:
            self._closed.set()
            waiting = [future for queue in self._hosts.values() for future, _ in queue.waiting]
            self._hosts.clear()
        for future in waiting:
            future.cancel()
        self._threads.shutdown(cancel_futures=True)
        self._client.close()

    def _work(self, queue: _Host) -> None:
        """Run the tasks of one host, one after the other, until none is left."""
        while True:
            with self._lock:
                if not queue.waiting:
                    queue.running -= 1
                    return
                start = max(time.monotonic(), queue.next_start)
                queue.next_start = start + 1 / self._policy.host_rate
                future, task = queue.waiting.popleft()
            try:
                closed = self._closed.wait(max(0.0, start - time.monotonic()))
                if closed or not future.set_running_or_notify_cancel():
                    future.cancel()
                    continue
                future.set_result(task())
            except BaseException as error:  # noqa: BLE001  # the caller of result() meets it
                future.set_exception(error)

    def _end_worker(self, queue: _Host, worker: Future[None]) -> None:
        """Fail what waits for a worker that ended by a defect; without this a refresh would wait for ever."""
        error = None if worker.cancelled() else worker.exception()
        if error is None:
            return
        with self._lock:
            waiting = list(queue.waiting)
            queue.waiting.clear()
            queue.running -= 1
        for future, _ in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)

    def _poll(  # noqa: PLR0913  # the same
        self,
        source: Source,
        poll_state: PollState,
        now: datetime,
        *,
        force: bool,
        found_by: str | None,
        headers: Headers,
        secrets: Secrets,
    ) -> Answer:
        """Poll now: what the host asked for meanwhile holds, and what it asks for is kept for all."""
        late = timedelta(seconds=int(time.monotonic() - self._begun))
        answer = self._client.poll(
            source,
            self._under_hold(poll_state),
            now,
            force=force,
            late=late,
            found_by=found_by,
            permit=self._permit(now, found=found_by is not None),
            secret=headers,
            secrets=secrets,
        )
        with self._lock:
            for name, until in _find_holds((answer.poll_state,), now).items():
                self._held[name] = max(until, self._held.get(name, until))
        return answer

    def _permit(self, now: datetime, *, found: bool) -> Permit | None:
        """Return what is asked before each hop; ``None`` if no robots.txt is obeyed."""
        if not found and not self._policy.obey_robots:
            return None
        with self._lock:
            checker = self._robots or robots.RobotsChecker(self._client, self._policy, self._read_robots, self._begun)
            self._robots = checker

        def permit(where: Target, meter: Meter, networks: tuple[str, ...]) -> None:
            if checker.check(where, meter, now, self._under_hold, networks):
                time.sleep(1 / self._policy.host_rate)

        return permit

    def _under_hold(self, poll_state: PollState) -> PollState:
        with self._lock:
            return _apply_hold(poll_state, self._held)


def _find_holds(poll_states: Iterable[PollState], now: datetime) -> Mapping[str, datetime]:
    """Return the hosts that asked for silence (429, 503 with Retry-After), and until when."""
    held: dict[str, datetime] = {}
    for poll_state in poll_states:
        until = poll_state.hold_until
        if until is not None and until > now:
            name = poll_state.hold_host or find_host(polling.find_address(poll_state))
            held[name] = max(until, held.get(name, until))
    return held


def _apply_hold(poll_state: PollState, held: Mapping[str, datetime]) -> PollState:
    """Return the memory with what its host asked of any source; the same if the host asked for nothing."""
    name = find_host(polling.find_address(poll_state))
    until = held.get(name)
    if until is None or (poll_state.hold_until is not None and poll_state.hold_until >= until):
        return poll_state
    return replace(poll_state, hold_until=until, hold_host=name)
