"""The queue between a sender and the workers: Dramatiq on Redis. It only carries; all of it may be lost.

Feeds that are lost are claimed and sent again when their lease in the store has ended, and batches of a catalogue when
their answer is late, so messages are never retried here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from aggregator.errors import FetchError, QueueError
from aggregator.fetchers import credentials
from aggregator.store.database import Claim
from aggregator.version import name_install

try:
    import dramatiq
    from dramatiq.brokers.redis import RedisBroker
    from dramatiq.errors import BrokerConnectionError
    from dramatiq.middleware import TimeLimit, TimeLimitExceeded
    from redis.exceptions import RedisError
except ModuleNotFoundError as error:
    raise QueueError(f"queue: {error.name} is not installed: {name_install('scale')}") from error

NAMESPACE: Final = "aggregator"
QUEUE: Final = "feeds"
"""The Redis list ``aggregator:feeds`` has the messages that no worker has taken yet."""

_ACTOR: Final = "refresh"
_HEARTBEAT_MILLISECONDS = 15_000
"""After which the messages of a worker that died are given to another one."""

_MAINTENANCE_CHANCE = 20_000
"""Commands in a million that look for such messages; Dramatiq's own 1,000 leave them for minutes."""

_CONNECT_SECONDS = 5

Broker = Any
"""A ``RedisBroker``, which has no types."""

_Work = Callable[[Claim, datetime | None], object]


def open_queue(url: str) -> Broker:
    """Return the queue at the address, with ``${NAME}`` for secrets; raise QueueError if it cannot be reached."""
    try:
        url = credentials.fill_address(url, credentials.read_named_secrets(url))
        broker: Broker = RedisBroker(  # type: ignore[no-untyped-call]
            url=f"{url}{'&' if '?' in url else '?'}socket_connect_timeout={_CONNECT_SECONDS}",
            middleware=[TimeLimit()],
            namespace=NAMESPACE,
            heartbeat_timeout=_HEARTBEAT_MILLISECONDS,
            maintenance_chance=_MAINTENANCE_CHANCE,
        )
        with translating_errors(url):
            broker.client.ping()
    except FetchError as error:
        raise QueueError(f"queue: {error}") from error
    except ValueError as error:
        raise QueueError("queue: its address cannot be read") from error
    return broker


@contextmanager
def translating_errors(url: str) -> Iterator[None]:
    """Raise QueueError for what Redis and Dramatiq raise; the address is named without its password."""
    try:
        yield
    except (RedisError, BrokerConnectionError) as error:
        place = url.rpartition("@")[2].removeprefix("redis://").removeprefix("rediss://")
        raise QueueError(f"queue: Redis at {place} cannot be reached: {' '.join(str(error).split())}") from error


def send(broker: Broker, url: str, claim: Claim, at: datetime | None) -> None:
    """Send the feeds of a claim to the workers; raise QueueError. ``at`` is the clock of their refresh, if not now."""
    kwargs: dict[str, object] = {"token": claim.token, "feeds": list(claim.feeds), "at": at.isoformat() if at else None}
    send_message(broker, url, QUEUE, _ACTOR, kwargs)


def send_message(broker: Broker, url: str, queue: str, actor: str, kwargs: dict[str, object]) -> None:
    """Send what an actor is called with; raise QueueError."""
    message: Any = dramatiq.Message(queue_name=queue, actor_name=actor, args=(), kwargs=kwargs, options={})
    with translating_errors(url):
        broker.enqueue(message)


def count_waiting(broker: Broker, url: str) -> int:
    """Return how many messages no worker has taken yet."""
    with translating_errors(url):
        return int(broker.client.llen(f"{NAMESPACE}:{QUEUE}"))


@contextmanager
def working(  # noqa: PLR0913 - what a worker does, and its limits
    broker: Broker,
    work: _Work,
    on_timeout: Callable[[Claim], object],
    *,
    threads: int,
    lease: timedelta,
    tell: Callable[[str], object],
) -> Iterator[None]:
    """Do the work of messages in so many threads while the body runs; at its end those at work are finished.

    A message may take nine tenths of the lease: then it is ended, before another worker begins it anew, and
    ``on_timeout`` is called. ``tell`` is called with what Dramatiq logs, line by line.
    """
    logger: Any = logging.getLogger("dramatiq")
    logger.propagate, logger.handlers = False, [_Lines(tell)]

    def run(token: str, feeds: Sequence[str], at: str | None) -> None:
        work(Claim(token, tuple(feeds)), datetime.fromisoformat(at) if at else None)

    def end(token: str, feeds: Sequence[str], **_: object) -> None:
        on_timeout(Claim(token, tuple(feeds)))

    add_actor(broker, QUEUE, _ACTOR, lease, run, end)
    broker.emit_after("process_boot")
    worker = dramatiq.Worker(broker, worker_threads=threads)
    worker.start()
    try:
        yield
    finally:
        worker.stop()
        broker.close()


def add_actor(  # noqa: PLR0913, PLR0917 - what an actor is
    broker: Broker,
    queue: str,
    actor: str,
    lease: timedelta,
    run: Callable[..., None],
    on_timeout: Callable[..., None],
) -> None:
    """Have messages of a queue done by a function, in nine tenths of the lease; before `working` begins.

    One that takes longer is ended, and ``on_timeout`` called with it.
    """

    def act(**values: object) -> None:
        try:
            run(**values)
        except TimeLimitExceeded:
            on_timeout(**values)

    dramatiq.actor(actor_name=actor, queue_name=queue, broker=broker, time_limit=lease.total_seconds() * 900)(act)


class _Lines(logging.Handler):
    """Tells each record of a log in one line, and a defect with its traceback."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        """Take errors and worse."""
        super().__init__(logging.ERROR)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(f"queue: {self.format(record)}")
