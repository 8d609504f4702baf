"""Batches of a catalogue on the queue: sent by ``aggregator match --queue``, matched by any worker.

Each batch is a message, and its answers go to a list in Redis that belongs to the run. What is lost with a worker or
with Redis is sent again; an answer that comes twice is the same.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Final

import msgspec
from msgspec import Struct, field

from aggregator.errors import QueueError
from aggregator.merger.matching import catalogue
from aggregator.merger.matching.catalogue import Answers, Batch
from aggregator.model.record import make_json_decoder
from aggregator.service import queue
from aggregator.service.queue import Broker

_QUEUE: Final = "matches"
_BATCHES = make_json_decoder(Batch)
_ACTOR: Final = "match"

_MAX_BATCHES = 64
"""Batches that are sent, or answered before an earlier one: each has some 0.6 MB, and takes 0.6 s of a core."""

_TIMES = 3
"""How often a batch is sent before the run fails."""

_KEPT_SECONDS = 3600
"""After which Redis deletes the answers of a run that no longer reads them."""

_SILENCE = 30.0
"""Seconds without an answer after which that is reported."""


class _Sent(Struct):
    """A batch on its way: what is sent, how often it was, and when last (monotonic seconds)."""

    message: dict[str, object]
    times: int = 0
    at: float = 0.0


class _Run(Struct):
    """A run: the Redis list of its answers, batches without an answer, and answers that wait for an earlier one.

    ``reached`` and ``answered`` are the monotonic seconds at which Redis and a worker answered last.
    """

    broker: Broker
    url: str
    lease: float
    tell: Callable[[str], object]
    key: str = field(default_factory=lambda: f"{queue.NAMESPACE}:matched:{uuid.uuid4().hex}")
    sent: dict[int, _Sent] = field(default_factory=dict)
    answers: dict[int, Answers] = field(default_factory=dict)
    reached: float = field(default_factory=time.monotonic)
    answered: float = field(default_factory=time.monotonic)
    is_reported: bool = False

    def add(self, number: int, batch: Batch) -> None:
        self.sent[number] = _Sent({"run": self.key, "number": number, "batch": msgspec.json.encode(batch).decode()})

    def exchange(self) -> None:
        """Send what is due, and keep the next answer if one comes within a second; raise QueueError."""
        due = [each for each in self.sent.values() if not each.times or time.monotonic() - each.at > self.lease]
        if any(each.times == _TIMES for each in due):
            raise QueueError(f"queue: no worker answered {_TIMES} messages; is `aggregator worker` running?")
        try:
            for each in due:
                queue.send_message(self.broker, self.url, _QUEUE, _ACTOR, each.message)
                each.times, each.at = each.times + 1, time.monotonic()
            with queue.translating_errors(self.url):
                found = self.broker.client.blpop(self.key, timeout=1)
            self.reached = time.monotonic()
        except QueueError:
            if time.monotonic() - self.reached > self.lease:
                raise
            time.sleep(1)
            return
        if found is not None:
            self.answered, self.is_reported = self.reached, False
            number, answers = json.loads(found[1])
            if self.sent.pop(number, None):
                self.answers[number] = [(record, cluster) for record, cluster in answers]
        elif self.reached - self.answered > _SILENCE and not self.is_reported:
            self.tell(f"no worker has answered for {_SILENCE:.0f} s; is `aggregator worker` running?")
            self.is_reported = True

    def end(self) -> None:
        with suppress(QueueError), queue.translating_errors(self.url):
            self.broker.client.delete(self.key)


def match_on_workers(
    broker: Broker, url: str, lease: timedelta, tell: Callable[[str], object], batches: Iterable[Batch]
) -> Iterator[Answers]:
    """Yield the answers of workers for the batches, in their order.

    A batch without an answer after the lease is sent again; ``tell`` is called if no worker answers. Raises QueueError
    if a batch was sent three times in vain, or if Redis cannot be reached for as long as the lease.
    """
    run = _Run(broker, url, lease.total_seconds(), tell)
    numbered = enumerate(batches)
    turn = 0
    try:
        while True:
            while len(run.sent) + len(run.answers) < _MAX_BATCHES and (batch := next(numbered, None)) is not None:
                run.add(*batch)
            if not run.sent:
                return
            run.exchange()
            while turn in run.answers:
                yield run.answers.pop(turn)
                turn += 1
    finally:
        run.end()


def add_matching(broker: Broker, url: str, lease: timedelta, tell: Callable[[str], object]) -> None:
    """Have a worker match what runs send, beside its feeds; before it begins its work.

    ``tell`` is called with a line about a batch whose answer is not sent: the run sends it again.
    """

    def match(run: str, number: int, batch: str) -> None:
        answers = json.dumps((number, catalogue.match_batch(_BATCHES.decode(batch))))
        try:
            with queue.translating_errors(url):
                broker.client.pipeline().rpush(run, answers).expire(run, _KEPT_SECONDS).execute()
        except QueueError as error:
            tell(str(error))

    def end(number: int, **_: object) -> None:
        tell(
            f"match: batch {number + 1} took nine tenths of lease_seconds and was ended; give more lease_seconds to "
            "workers and run"
        )

    queue.add_actor(broker, _QUEUE, _ACTOR, lease, match, end)
