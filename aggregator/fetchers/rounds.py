"""Many questions at once: one thread waits for all of their answers, and few others do what takes its time.

What takes no time is done by the thread that waits: to ask again over a connection that was kept, and to read that
nothing is new. Of the 0.3 ms that this took where each question had a thread, a third was threads that slept between
two questions to one host, and woke one another.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Generic

from msgspec import Struct

from aggregator.fetchers.waits import ALONE, Asking, R, Wait

_RINGS = 4_096  # bytes; as many calls of the bell are heard as one


class Errand(Struct, Generic[R], eq=False):
    """A question on its way; ``done`` is called once its answer has come, in whatever thread that is known."""

    asking: Asking[R]
    done: Callable[[], object]
    came: Any = None
    error: BaseException | None = None

    def answer(self) -> R:
        """What came of it, once it has come; raises what went wrong on its way, which is a defect."""
        if self.error is not None:
            raise self.error
        answer: R = self.came
        return answer

    def end(self, came: object, error: BaseException | None = None) -> None:
        """Tell what came of it."""
        self.came, self.error = came, error
        self.done()


@contextmanager
def rounds(threads: int) -> Iterator[Rounds]:
    """A round for as long as the block, in which so many questions take their time at once.

    Where the block ends nobody is asked any more, and those that are being asked are waited for.
    """
    made = Rounds(threads)
    try:
        yield made
    finally:
        made.close()


class Rounds:
    """The questions that wait, and the thread that waits for them, begun with the first of them."""

    def __init__(self, threads: int) -> None:
        """Nobody asked yet."""
        self._threads = ThreadPoolExecutor(threads)
        self._watcher = threading.Thread(target=self._watch, name="rounds", daemon=True)
        self._come: deque[tuple[Errand[Any], Wait]] = deque()
        self._ear, self._bell = os.pipe()
        self._asleep = self._ended = False
        self._lock = threading.Lock()

    def send(self, asking: Asking[R], done: Callable[[], object]) -> Errand[R]:
        """The question on its way; its first step is done here and now, and that may be all of it."""
        errand = Errand(asking, done)
        self._go_on(errand)
        return errand

    def close(self) -> None:
        """Ask nobody any more, and wait for those that are being asked."""
        self._ended = True
        if self._watcher.is_alive():
            os.write(self._bell, b"!")
            self._watcher.join()
        self._threads.shutdown(cancel_futures=True)
        while self._come:  # whose place is free then is the next
            self._come.popleft()[0].asking.close()
        os.close(self._ear)
        os.close(self._bell)

    def _go_on(self, errand: Errand[Any], *, alone: bool = False) -> None:
        """Let the question go on until it waits, and see to it that it is waited for.

        In a thread of its own (``alone``) it also waits for its line there, but for its turn with others: a thread in
        which one waited for its turn would be missed by whoever has it.
        """
        try:
            wait = next(errand.asking)
            while alone and isinstance(wait, Wait) and (wait is ALONE or wait.line is not None):
                wait = next(errand.asking)
        except StopIteration as done:
            errand.end(done.value)
        except BaseException as error:  # noqa: BLE001  # whoever takes the answer meets it
            errand.end(None, error)
        else:
            self._wait(errand, wait)

    def _wait(self, errand: Errand[Any], wait: Wait | Future[None]) -> None:
        if isinstance(wait, Future):
            wait.add_done_callback(lambda _: self._put(errand, Wait(0.0)))
        elif wait is not ALONE:
            self._put(errand, wait)
        elif not self._ended:
            self._threads.submit(self._go_on, errand, alone=True)

    def _put(self, errand: Errand[Any], wait: Wait) -> None:
        """Have the watcher wait for it, which is woken where it sleeps."""
        self._come.append((errand, wait))
        with self._lock:
            if self._watcher.ident is None:
                self._watcher.start()
            if self._asleep:
                self._asleep = False
                os.write(self._bell, b"!")

    def _watch(self) -> None:
        """Wait for whatever comes first, again and again, and let go on who waited for it."""
        waiting: list[tuple[Errand[Any], Wait]] = []
        while not self._ended:
            while self._come:
                waiting.append(self._come.popleft())
            came, now = self._arrived([wait for _, wait in waiting]), time.monotonic()
            due = [wait.until <= now or (wait.line is not None and wait.line.fileno() in came) for _, wait in waiting]
            ready = [errand for (errand, _), come in zip(waiting, due, strict=True) if come]
            waiting = [each for each, come in zip(waiting, due, strict=True) if not come]
            for errand in ready:
                self._go_on(errand)
        self._come.extend(waiting)

    def _arrived(self, waits: list[Wait]) -> set[int]:
        """The lines over which something came, as numbers, once there is one, or a moment is there, or somebody new."""
        poll = select.poll()
        poll.register(self._ear, select.POLLIN)
        for wait in waits:
            if wait.line is not None:
                poll.register(wait.line, select.POLLIN)
        self._asleep = True
        until = 0.0 if self._come else min((wait.until for wait in waits), default=None)
        pause = None if until is None else max(until - time.monotonic(), 0) * 1_000
        came = {number for number, _ in poll.poll(pause)}
        self._asleep = False
        if self._ear in came:
            os.read(self._ear, _RINGS)
        return came
