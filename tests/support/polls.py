"""Polls of one address, one after the other, by a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from aggregator.fetchers.http.client import Client
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.host_limits import HostLimiter
from aggregator.fetchers.http.polling import Policy
from aggregator.model.source import Answer, PollState, Source
from tests.support.origin import Request, answer

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
POLICY = Policy(contact="https://example.org/about", allow_networks=("127.0.0.0/8", "::1/128"), deadline=60.0)
RSS = b"<rss version='2.0'><channel><title>A show</title></channel></rss>"


ETAG = ("ETag", '"one"')


def feed(*fields: tuple[str, str], body: bytes = RSS) -> Callable[[Request], bytes]:
    """An origin that answers conditional requests with 304, as it should."""

    def play(request: Request) -> bytes:
        if request.get("If-None-Match") or request.get("If-Modified-Since"):
            return answer(304, b"", *fields)
        return answer(200, body, *fields)

    return play


_CLIENTS: dict[Policy, Client] = {}
_LIMITERS: list[HostLimiter] = []


def client(policy: Policy) -> Client:
    """One client for a policy, as a run has one; its connections are kept until the test ends."""
    if policy not in _CLIENTS:
        _CLIENTS[policy] = Client(policy)
    return _CLIENTS[policy]


def limiter(policy: Policy, held: Mapping[str, datetime] | None = None, **given: Any) -> HostLimiter:
    """The polls of one run, closed when the test ends."""
    _LIMITERS.append(HostLimiter(policy, held, **given))
    return _LIMITERS[-1]


def close() -> None:
    """Close what is kept open."""
    while _CLIENTS:
        _CLIENTS.popitem()[1].close()
    while _LIMITERS:
        _LIMITERS.pop().close()


@dataclass
class Polls:
    """One source's polls: each goes on from the memory of the one before, as after a restart."""

    url: str
    policy: Policy = POLICY
    now: datetime = START
    distrust: int | None = None
    poll_state: PollState = field(init=False)

    def __post_init__(self) -> None:
        self.poll_state = PollState(self.url)

    def ask(self, *, force: bool = False, **later: float) -> Answer:
        """One poll, so much later than the one before."""
        self.now += timedelta(**later)
        source = Source("show", "feed", self.url, distrust_304_after=self.distrust)
        answer = client(self.policy).poll(PollRequest(source, self.poll_state, self.now, force=force))
        self.poll_state = replace(answer.poll_state)
        return answer

    def every_minute(self, minutes: int) -> list[float]:
        """Ask as an impatient cron does; after how many minutes of those something was really asked."""
        states = [(minute, self.ask(minutes=1).status) for minute in range(1, minutes + 1)]
        return [minute for minute, state in states if state != "not due"]
