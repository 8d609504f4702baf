"""Client of one refresh: polls addresses through one requests session and interprets their answers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
from msgspec import Struct
from msgspec.structs import replace

from aggregator.errors import FetchError, GoneError, UnansweredError
from aggregator.fetchers import credentials
from aggregator.fetchers.http import bot_protection, content_coding, errors, headers, polling, ssrf
from aggregator.fetchers.http.connections import GuardedAdapter, RequestFields, translate_errors
from aggregator.fetchers.http.exchange import Access, Exchange, Headers, Meter, Permit, PollRequest
from aggregator.fetchers.http.polling import Policy, Reply
from aggregator.fetchers.http.target import Target, follow_redirect, parse_target, redact
from aggregator.model.entry import Enclosure
from aggregator.model.source import Answer, Document, PollState, Source
from aggregator.text.urls import find_host
from aggregator.translation.marks import N_

_REDIRECTS = {301: True, 302: False, 303: False, 307: False, 308: True}  # status: whether permanent
_SENDABLE = re.compile(r"[\t -~\x80-\xff]*")  # http.client refuses line breaks alone


class _FinalAnswer(Struct, frozen=True):
    """The first answer that is no redirect, its body unread; ``permanent`` is whether all redirects before it were."""

    response: requests.Response
    fields: Mapping[str, str]
    where: Target
    hops: int
    permanent: bool

    @property
    def status(self) -> int:
        return self.response.status_code

    def read_body(self, read: Callable[[Any, str, int], bytes], limit: int) -> bytes:
        """Return the body as `content_coding` reads it, and close the answer."""
        try:
            with translate_errors():
                return read(self.response.raw, self.fields.get("content-encoding", ""), limit)
        finally:
            self.skip_body()

    def skip_body(self) -> bytes:
        """Keep the connection if the answer was read to its end, else close it; return no bytes."""
        if self.response.raw.length_remaining == 0:
            self.response.raw.drain_conn()
        self.response.close()
        return b""


class _OwnHost(Struct, frozen=True):
    """The host that the config names for a request, and what is permitted there."""

    host: str = ""
    access: Access = Access()


_NO_OWN_HOST = _OwnHost()
"""For addresses that the config does not name: they must be public."""


class Client:
    """Sends every request of a refresh through one session; may be used from several threads.

    The session uses no proxy, login or cookie of the environment, only those of the config.
    """

    def __init__(self, policy: Policy) -> None:
        """Make the session; it connects with the first request."""
        self._policy = policy
        self._session = _Session()
        self._session.trust_env = False
        self._session.cookies.set_policy(DefaultCookiePolicy(netscape=False, rfc2965=False))
        adapter = GuardedAdapter(policy.ca_files, policy.host_concurrency)
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, adapter)

    def poll(self, asked: PollRequest, permit: Permit | None = None, *, clock_age: timedelta = timedelta()) -> Answer:
        """Return the answer of one poll: one request for each hop, and no exception.

        ``clock_age`` is how long ago the clock of the run was read; the wall clock only bounds how long the poll takes.
        """
        source, poll_state, now, secrets = asked.source, asked.poll_state, asked.now, asked.secrets
        if resting := polling.find_rest(poll_state, now, force=asked.force):
            return resting
        begun = time.monotonic()
        meter = Meter(begun + self._policy.deadline, self._policy.raw_bytes)
        try:
            conditions = polling.make_conditional_headers(poll_state, source.distrust_304_after, now)
            address = polling.find_address(poll_state)
            stays = parse_target(address).origin == parse_target(poll_state.url).origin
            own_fields = asked.own_fields if stays else ()
            is_named = not asked.found_by and address == poll_state.url
            named = credentials.fill_address(address, secrets) if is_named else address
            own = _OwnHost(_find_own_host(asked), self._find_access(source))
            answer, body = self._fetch(named, conditions, meter, permit, own_fields, own)
        except FetchError as error:
            after = _update_after_error(poll_state, error, now, begun, reached=meter.reached)
            message = f"{redact(polling.find_address(poll_state))}: {credentials.hide(str(error), secrets)}"
            is_unanswered = isinstance(error, UnansweredError) and not meter.redirected
            return Answer("failed", after, message=message, unanswered=is_unanswered)
        reply = Reply(
            answer.status,
            answer.fields,
            now,
            _read_clock(now, begun),
            clock_age,
            conditional=bool(conditions),
            permanent=answer.where.url if _is_move(answer) and named == address else None,
            redirected=bool(answer.hops),
            moved=address != poll_state.url,
            host=find_host(answer.where.url),
        )
        came_from = credentials.hide(answer.where.url, secrets) if answer.hops else parse_target(address).url
        body = credentials.hide_in_body(body, secrets)
        known = _interpret(source, poll_state, came_from, body, reply)
        milliseconds = int(1000 * (time.monotonic() - begun))
        return replace(known, code=answer.status, size=len(body), milliseconds=milliseconds)

    def _find_access(self, source: Source) -> Access:
        return Access((*self._policy.allow_networks, *source.allow_networks), source.ca)

    def head(
        self, url: str, permit: Permit | None = None, *, source: Source | None = None, seconds: float | None = None
    ) -> Enclosure | None:
        """Return type and length of a media file as its origin gives them for HEAD; ``None`` if it gives none.

        It may have a private address only at the host of the ``source`` that lists it, as in ``poll``.

        ``None`` too if the address may not be asked. GoneError for 404 and 410, FetchError for a failure that may pass:
        no answer, 429, 5xx, no robots.txt.
        """
        limit = self._policy.deadline if seconds is None else min(self._policy.deadline, seconds)
        meter = Meter(time.monotonic() + limit, self._policy.raw_bytes)
        try:
            fields = headers.make_request_headers(self._policy.contact, codings="identity")
            own = _NO_OWN_HOST if source is None else _OwnHost(_find_host(source.url), self._find_access(source))
            answer = self._follow("HEAD", url, fields, meter, permit, own=own)
            answer.skip_body()
        except errors.BarredError as error:
            if error.poll_state.errors or error.poll_state.hold_until is not None:  # its robots.txt is not known
                raise
            return None
        except ssrf.RefusedAddressError:
            return None
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS or answer.status // 100 == 5:  # noqa: PLR2004  # RFC 9110 15.6
            raise errors.UnavailableError(answer.status, answer.fields, find_host(answer.where.url))
        if answer.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
            raise GoneError(f"{answer.status}")
        if answer.status not in polling.USABLE:
            return None
        kind, _ = headers.parse_content_type(answer.fields.get("content-type", ""))
        return Enclosure(url, kind, headers.parse_content_length(answer.fields.get("content-length", "")))

    def get_start(
        self, url: str, conditions: Headers, meter: Meter, most: int, access: Access
    ) -> tuple[int, Mapping[str, str], str, bytes]:
        """Return status, header fields and host of the answer of an address, and the first bytes of its body.

        Only an answer that succeeded has a body. Raises FetchError.
        """
        fields = (*headers.make_request_headers(self._policy.contact), *conditions)
        answer = self._follow("GET", url, fields, meter, own=_OwnHost(_find_host(url), access))
        succeeded = answer.status // 100 == 2  # noqa: PLR2004  # RFC 9110 section 15.3
        body = answer.read_body(content_coding.read_start, most) if succeeded else answer.skip_body()
        return answer.status, answer.fields, find_host(answer.where.url), body

    def call(self, url: str, body: bytes | None, own_fields: Headers, found_by: Source | None = None) -> int:
        """Send a body (POST), or none (GET), to an address, and return the status of the answer.

        The config names the address, or a document of the source ``found_by``: then it may be private only at the
        source's own host. No redirect is followed. Raises FetchError.
        """
        length = () if body is None else (("Content-Length", str(len(body))),)
        fields = (*headers.make_request_headers(self._policy.contact), *own_fields, *length)
        method = "GET" if body is None else "POST"
        where, meter = parse_target(url), Meter(time.monotonic() + self._policy.deadline, self._policy.raw_bytes)
        access = Access(self._policy.allow_networks)
        if found_by is not None:
            access = self._find_access(found_by) if where.host == _find_host(found_by.url) else Access()
        with translate_errors():
            response = self._send(method, where, fields, meter, access, body)
        answer = _FinalAnswer(response, headers.join_fields(response.raw.headers.items()), where, 0, permanent=False)
        answer.skip_body()
        return answer.status

    def close(self) -> None:
        """Close the connections that are kept between requests."""
        self._session.close()

    def _fetch(  # noqa: PLR0913, PLR0917  # what a request is made of
        self, url: str, conditions: Headers, meter: Meter, permit: Permit | None, own_fields: Headers, own: _OwnHost
    ) -> tuple[_FinalAnswer, bytes]:
        """Return the final answer and its decoded body, of a refusal its start; none if its status makes it neither."""
        fields = (*headers.make_request_headers(self._policy.contact), *conditions)
        answer = self._follow("GET", url, fields, meter, permit, own_fields, own)
        if answer.status in bot_protection.PAGE_STATUSES:
            return answer, _read_refusal(answer)
        if answer.status not in polling.USABLE:
            return answer, answer.skip_body()
        return answer, answer.read_body(content_coding.read_whole, self._policy.decoded_bytes)

    def _follow(  # noqa: PLR0913, PLR0917  # what a request is made of
        self,
        method: str,
        url: str,
        fields: Headers,
        meter: Meter,
        permit: Permit | None = None,
        own_fields: Headers = (),
        own: _OwnHost = _NO_OWN_HOST,
    ) -> _FinalAnswer:
        """Return the first answer that is no redirect; each hop is checked anew and its body never read.

        Once a hop has left the source's own host, none leads to a private address.
        """
        where, permanent = parse_target(url), True
        for hops in range(self._policy.hops + 1):
            own = own if where.host == own.host else _NO_OWN_HOST
            if permit is not None:
                permit(where, meter, own.access)
            with translate_errors():
                response = self._send(method, where, (*fields, *own_fields), meter, own.access)
            header = headers.join_fields(response.raw.headers.items())
            answer = _FinalAnswer(response, header, where, hops, permanent)
            location = header.get("location")
            if answer.status not in _REDIRECTS or not location:
                return answer
            answer.skip_body()
            meter.redirected = True
            there = follow_redirect(where, location)
            own_fields = own_fields if there.origin == where.origin else ()
            where = there
            permanent = permanent and _REDIRECTS[answer.status]
        raise errors.TooManyRedirectsError(f"redirected more than {self._policy.hops} times")

    def _send(  # noqa: PLR0913, PLR0917  # what a request is made of
        self, method: str, where: Target, fields: Headers, meter: Meter, access: Access, body: bytes | None = None
    ) -> requests.Response:
        """Send one request; it is prepared here, because `requests` would rewrite the address."""
        login = (("Authorization", where.login),) if where.login is not None else ()
        for name, value in fields:
            if not _SENDABLE.fullmatch(value):
                raise FetchError(f"the header field {name} has a character that HTTP does not allow")
        request = requests.PreparedRequest()
        request.method, request.url, request.body = method, where.url, body
        proxy = parse_target(self._policy.proxy) if self._policy.proxy else None
        exchange = Exchange(where, meter, access, proxy)
        request.headers = RequestFields((*fields, *login), exchange)
        return self._session.send(
            request, stream=True, timeout=meter.seconds_left(), allow_redirects=False, proxies={}, verify=True
        )


class _Session(requests.Session):
    """A session that follows no redirect by itself: `requests` would read the whole body of one first."""

    def get_redirect_target(self, resp: requests.Response) -> str | None:  # noqa: ARG002  # the signature of requests
        """Return no address to follow."""
        return None


def _is_move(answer: _FinalAnswer) -> bool:
    """Return whether every redirect was permanent, to an address that may be stored."""
    return answer.hops > 0 and answer.permanent and answer.where.login is None


def _read_refusal(answer: _FinalAnswer) -> bytes:
    """Return the start of the page of a refusal; none if it is damaged, for its status alone counts."""
    try:
        return answer.read_body(content_coding.read_start, bot_protection.READ_AT_MOST)
    except FetchError:
        return b""


def _find_own_host(asked: PollRequest) -> str:
    """Return the host that the config names for an address; "" if a document of another host names the address."""
    if asked.found_by is None:
        return _find_host(asked.poll_state.url)
    own = _find_host(asked.source.url)
    return own if _find_host(asked.found_by) == own else ""


def _find_host(url: str | None) -> str:
    try:
        return parse_target(url or "").host
    except FetchError:
        return ""


def _interpret(source: Source, poll_state: PollState, url: str, body: bytes, reply: Reply) -> Answer:
    """Interpret the answer of an address: a document, nothing new, or a failure with its reason."""
    digest = sha256(body).hexdigest() if reply.status in polling.USABLE else None
    after = polling.update_after_answer(poll_state, reply, digest)
    if after.errors:
        message = f"{redact(url)}: {errors.describe_status(reply.status, after)}"
        if wall := bot_protection.find_in_header(reply.fields) or bot_protection.find_in_page(body):
            message += f"; {bot_protection.describe(wall)}"
        return Answer("failed", after, message=message)
    if digest is None or digest == poll_state.digest:
        if after.unread:  # what is old was not believed
            return Answer("failed", after, message=N_(f"{redact(url)}: not changed since: {after.unread}"))
        return Answer("unchanged", after)
    kind, charset = headers.parse_content_type(reply.fields.get("content-type", ""))
    partial = reply.status in polling.PARTIAL
    known = replace(source, headers=())  # a parser needs none of them
    link = reply.fields.get("link", "")
    next_url = headers.find_link(link, "next", url)
    after = replace(after, hub=headers.find_link(link, "hub", url), topic=headers.find_link(link, "self", url))
    return Answer("ok", after, Document(known, url, body, kind, charset, partial, next_url, reply.asked))


def _update_after_error(
    poll_state: PollState, error: FetchError, now: datetime, begun: float, *, reached: bool
) -> PollState:
    if isinstance(error, errors.BarredError):
        return _update_after_barred(poll_state, error.poll_state, now)
    if isinstance(error, ssrf.RefusedAddressError) and not reached:  # by the config: no request, so no rest
        return poll_state
    miss = polling.update_after_failure if reached else polling.update_after_unreached
    return miss(poll_state, now, _read_clock(now, begun))


def _update_after_barred(poll_state: PollState, robots: PollState, now: datetime) -> PollState:
    """Return the poll state of an address that a robots.txt forbids: it is polled when that is fetched again."""
    waits = [until for until in (robots.not_before, poll_state.not_before) if until is not None]
    held = robots if robots.hold_until is not None and robots.hold_until > now else poll_state
    return replace(
        poll_state,
        asked=now,
        not_before=max(waits, default=None),
        hold_until=held.hold_until,
        hold_host=held.hold_host,
    )


def _read_clock(now: datetime, begun: float) -> datetime:
    """Return the run's clock at the end of a request, in whole seconds so that quick replays give equal results."""
    return now + timedelta(seconds=int(time.monotonic() - begun))
