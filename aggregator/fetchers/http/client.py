"""The one door to the network: a question to an origin, and what came of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import requests
from requests.adapters import BaseAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH

from aggregator.errors import FetchError
from aggregator.fetchers import meaning, transport
from aggregator.fetchers.heads import Response
from aggregator.fetchers.http import content_coding, errors, headers, polling
from aggregator.fetchers.http.connections import Meter, Terms
from aggregator.fetchers.http.target import Target, follow, shown, target
from aggregator.fetchers.meaning import Trail
from aggregator.fetchers.policy import Policy
from aggregator.fetchers.waits import ALONE, Asking, answered
from aggregator.model.sighting import Enclosure
from aggregator.model.source import Answer, Memory, Source

_MAKING = threading.Lock()
_REDIRECTS = {301: True, 302: False, 303: False, 307: False, 308: True}  # status: whether for good


Permit = Callable[[Target, Meter], None]
"""What is asked before each hop whether it may be: errors.BarredError where it may not."""


def ask(source: Source, memory: Memory, policy: Policy, now: datetime, *, force: bool = False) -> Answer:
    """As :func:`asking`, waited for in this thread."""
    return answered(asking(source, memory, policy, now, force=force))


def asking(  # noqa: PLR0913  # the last three are about the run
    source: Source,
    memory: Memory,
    policy: Policy,
    now: datetime,
    *,
    force: bool = False,
    late: timedelta = timedelta(),
    permit: Permit | None = None,
) -> Asking[Answer]:
    """What one question to the address in memory came to; one request for each hop.

    ``now`` is the run's clock, by which all is decided, and ``late`` how long ago it was read; the wall clock only
    bounds how long it takes. Whatever an origin does is an Answer: nothing is raised.
    """
    if resting := polling.resting(memory, now, force=force):
        return Answer("resting", memory, message=f"{shown(memory.url)}: {resting}")
    begun = time.monotonic()
    meter = Meter(begun + policy.deadline, policy.raw_bytes)
    try:
        conditions = polling.questions(memory, source.distrust_304_after, now)
        came = yield from _fetched(polling.address(memory), conditions, policy, meter, permit)
    except errors.BarredError as error:
        barred = meaning.barred(memory, error.memory, now)
        return Answer("silent", barred, message=f"{shown(polling.address(memory))}: {error}")
    except FetchError as error:
        miss = polling.failed if meter.reached else polling.unreached
        missed = miss(memory, now, _later(now, begun), policy.pace)
        return Answer("silent", missed, message=f"{shown(polling.address(memory))}: {error}")
    return meaning.answer(source, memory, *came, meaning.When(now, _later(now, begun), late, policy.pace))


def head(url: str, policy: Policy, permit: Permit | None = None) -> Enclosure | None:
    """Type and length of a media file as its origin gives them for HEAD; ``None`` where it does not answer so."""
    meter = Meter(time.monotonic() + policy.deadline, policy.raw_bytes)
    try:
        fields = headers.introduction(policy.contact, codings="identity")
        trail = answered(_followed("HEAD", url, fields, policy, meter, permit=permit))
        trail.call.end()
    except FetchError:
        return None
    if trail.status not in polling.USABLE:
        return None
    kind, _ = headers.media_type(trail.fields.get("content-type", ""))
    return Enclosure(url, kind, headers.length(trail.fields.get("content-length", "")))


def beginning(
    url: str, conditions: tuple[tuple[str, str], ...], policy: Policy, meter: Meter, most: int
) -> tuple[Trail, bytes]:
    """The answer of an address and the first bytes of its body, none where the status brings none; FetchError."""
    trail = answered(_followed("GET", url, (*headers.introduction(policy.contact), *conditions), policy, meter))
    try:
        with errors.told():
            brings = trail.status // 100 == 2  # noqa: PLR2004  # successful, RFC 9110 section 15.3
            coding = trail.fields.get("content-encoding", "")
            said = content_coding.beginning(trail.call.response, coding, most) if brings else b""
    finally:
        trail.call.end()
    return trail, said


def close() -> None:
    """Close what is kept open between requests."""
    _session().close()


def _later(now: datetime, begun: float) -> datetime:
    """The run's clock once the request has ended, in whole seconds so that a quick replay is an equal one."""
    return now + timedelta(seconds=int(time.monotonic() - begun))


def _fetched(
    url: str, conditions: tuple[tuple[str, str], ...], policy: Policy, meter: Meter, permit: Permit | None
) -> Asking[tuple[Trail, bytes]]:
    fields = (*headers.introduction(policy.contact), *conditions)
    trail = yield from _followed("GET", url, fields, policy, meter, permit=permit)
    try:
        if trail.status not in polling.USABLE:
            return trail, b""
        if trail.call.response.length != 0:
            yield ALONE
        with errors.told():
            coding = trail.fields.get("content-encoding", "")
            return trail, content_coding.whole(trail.call.response, coding, policy.decoded_bytes)
    finally:
        trail.call.end()


def _followed(  # noqa: PLR0913  # how and where to ask, what it may cost, and who permits it
    method: str,
    url: str,
    fields: tuple[tuple[str, str], ...],
    policy: Policy,
    meter: Meter,
    *,
    permit: Permit | None = None,
) -> Asking[Trail]:
    """The first answer that is no redirect; each hop is guarded anew and its body never read."""
    where, permanent = target(url), True
    terms = Terms(policy.allow_networks, (DEFAULT_CA_BUNDLE_PATH, *policy.ca_files), policy.proxy)
    for hops in range(policy.hops + 1):
        if permit is not None:
            yield ALONE
            permit(where, meter)
        with errors.told():
            errand, session = _Errand(method, where, fields, (terms, meter)), _session()
            errand.begun = yield from transport.ahead(session.door.lines, errand.asked)
            reply = session.send(errand, stream=True, allow_redirects=False, proxies={})
        call: transport.Call = reply.raw  # type: ignore[assignment]  # our own door gives nothing else
        said = headers.joined(call.response.getheaders())
        location = said.get("location")
        if reply.status_code not in _REDIRECTS or not location:
            return Trail(call, reply.status_code, said, where, hops, permanent)
        call.end()
        where = follow(where, location)
        permanent = permanent and _REDIRECTS[reply.status_code]
    raise errors.LostError(f"redirected more than {policy.hops} times")


def _session() -> _Session:
    """The session of this process, made by one thread: of two, the lines of one would be closed by nobody."""
    with _MAKING:
        return _made()


@cache
def _made() -> _Session:
    """A session that knows no other way out than our door, and nothing of the environment."""
    session = _Session()
    session.trust_env = False
    session.adapters.clear()
    for scheme in ("http://", "https://"):
        session.mount(scheme, session.door)
    return session


class _Session(requests.Session):
    """A session that follows nothing by itself: `requests` would read the whole body of a redirect."""

    def __init__(self) -> None:
        super().__init__()
        self.door = _Door()

    def resolve_redirects(self, *_: Any, **__: Any) -> Iterator[Any]:
        """Nowhere."""
        return iter(())


class _Errand(requests.PreparedRequest):
    """A request that is ready as it is: `prepare` would rewrite the address, which must go as configured."""

    def __init__(
        self, method: str, where: Target, fields: tuple[tuple[str, str], ...], under: tuple[Terms, Meter]
    ) -> None:
        super().__init__()
        login = (("Authorization", where.login),) if where.login is not None else ()
        self.method, self.url = method, where.url
        self.asked = transport.request(where, method, (*fields, *login), under)
        self.begun: Response | None = None  # its answer where it went ahead over a kept connection


class _Reply(requests.Response):
    """An answer with its body unread; ``raw`` is the Call. It has no jar of cookies, which takes long to make."""

    def __init__(self, errand: _Errand, call: transport.Call) -> None:  # all else that a session asks of an answer
        self.request, self.url, self.history = errand, errand.asked.where.url, []
        self.raw, self.status_code = call, call.response.status


class _Door(BaseAdapter):
    """The adapter that every request goes through: guarded connections, no proxy, no cookie; bodies stay unread."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = transport.Lines()

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        if not isinstance(request, _Errand):
            raise TypeError("only our own errands go out")
        return _Reply(request, transport.call(self.lines, request.asked, request.begun))

    def close(self) -> None:
        """Close the connections kept."""
        self.lines.close()
