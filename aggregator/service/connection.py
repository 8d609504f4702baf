"""Connections of the server, within limits: no client can use up its memory, its connections or its open files.

uvicorn limits answers under way and the time between requests, but not what comes before a request is complete.
"""

from __future__ import annotations

import asyncio
import re
import resource
from functools import partial
from typing import Any, Final

import httptools
from msgspec import Struct, field
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_HOST: Final = re.compile(rb"(?:[\w.~!$&'()*+,;=%-]*|\[[\w:.%~-]+\])(?::\d{0,5})?", re.ASCII)
"""The value of ``Host``: a host with or without a port (RFC 9110, section 7.2; RFC 3986, section 3.2)."""

_LARGEST_HEAD: Final = 32_768
"""Bytes of the lines before a body; browsers with all their cookies send less than 8 kB."""

_REQUEST_SECONDS: Final = 10.0
"""Seconds for a whole request, from the connection or from the last answer on."""

_UNREAD_SECONDS: Final = 30.0
"""Seconds in which a client must read something of its answer."""

_PIPELINED: Final = 16
"""Requests sent ahead of their answers; feed readers and browsers send none."""

_CONNECTIONS: Final = 2048
_SPARE_FILES: Final = 512  # for refreshes: 64 requests, 200 connections kept, parser processes, files
_FILES: Final = 8192
_SWEEP_SECONDS: Final = 1.0


class _RefusedError(Exception):
    """A request that is not read to its end."""


class _ConnectionLimit(Struct):
    """The connections of one server: at most ``most``, a new one in place of that which waited longest for a request.

    ``waiting`` are those without a complete request, longest first, and since when (the loop's time).
    """

    most: int
    waiting: dict[_Connection, float] = field(default_factory=dict)
    open: set[_Connection] = field(default_factory=set)
    sweeping: bool = False

    def admit(self, connection: _Connection) -> None:
        """Take a new connection, and close another one if there are too many."""
        if len(self.open) >= self.most:
            (next(iter(self.waiting), connection)).transport.abort()
        self.open.add(connection)
        if not self.sweeping:
            self.sweeping = True
            connection.loop.call_later(_SWEEP_SECONDS, self._sweep, connection.loop)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close the connections that wait too long for a request, or for their client to read."""
        now = loop.time()
        late = [each for each, since in self.waiting.items() if now - since > _REQUEST_SECONDS]
        for connection in (*late, *(each for each in self.open if each.is_stuck(now))):
            connection.transport.abort()
        self.sweeping = bool(self.open)
        if self.sweeping:
            loop.call_later(_SWEEP_SECONDS, self._sweep, loop)


class _Connection(HttpToolsProtocol):
    """A connection that closes when its client sends too much, too slowly, or reads nothing."""

    def __init__(self, limit: _ConnectionLimit, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limit = limit
        self._answer, self.app = self.app, self._run
        self._in_head, self._fields, self._pieces, self._hosts = False, 0, 0, 0
        self._unread, self._read_at = 0, self.loop.time()

    async def _run(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request; if its client has reset the connection meanwhile, end without an error."""
        try:
            await self._answer(scope, receive, send)
        except RuntimeError:  # from uvloop, which raises it for a write after a reset
            if not self.transport.is_closing():
                raise
            await asyncio.sleep(0)  # the loop calls connection_lost, then uvicorn expects no answer

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._limit.admit(self)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit.waiting.pop(self, None)
        self._limit.open.discard(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, as uvicorn does; refuse what is no request, and a head that is too long before its end."""
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # it is answered in HTTP
        except httptools.HttpParserError:
            self._refuse()
            return
        self._pieces = self._pieces + len(data) if self._in_head else 0
        if self._pieces > _LARGEST_HEAD:
            self._refuse()

    def on_message_begin(self) -> None:
        self._in_head, self._fields, self._hosts = True, 0, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count the bytes of a field, and the names of the host; one that is none counts as several."""
        self._count(len(name) + len(value) + len(b": \r\n"))
        if name.lower() == b"host":
            self._hosts += 1 if _HOST.fullmatch(value) else 2
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Answer the request, unless too many wait for their answers or it names no host (RFC 9112, section 3.2)."""
        self._in_head = False
        needed = 0 if self.parser.get_http_version() == "1.0" else 1
        if len(self.pipeline) >= _PIPELINED or not needed <= self._hosts <= 1:
            raise _RefusedError
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep what came of a form; no other request has a body that is read."""
        if self.scope["method"] == "POST":
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait no longer, or for the next request if this one was answered before its end."""
        super().on_message_complete()
        if self.cycle.response_complete:
            self._wait()
        else:
            self._limit.waiting.pop(self, None)

    def on_response_complete(self) -> None:
        """Wait for the next request if none came with this one."""
        super().on_response_complete()
        if not self.pipeline and (self.cycle is None or self.cycle.response_complete):
            self._wait()

    def is_stuck(self, now: float) -> bool:
        """Return whether the client has read nothing for too long of what was written."""
        unread = self.transport.get_write_buffer_size()
        if unread < self._unread or not unread or not self._unread:
            self._read_at = now
        self._unread = unread
        return now - self._read_at > _UNREAD_SECONDS

    def _wait(self) -> None:
        self._limit.waiting.pop(self, None)
        if not self.transport.is_closing():
            self._limit.waiting[self] = self.loop.time()

    def _count(self, size: int) -> None:
        self._fields += size
        if self._fields > _LARGEST_HEAD:
            raise _RefusedError

    def _refuse(self) -> None:
        """Answer 400 and close; without an answer while another one is being sent."""
        if self.cycle is None or self.cycle.response_complete:
            self.send_400_response("Invalid HTTP request received.")
        else:
            self.transport.abort()


def limit_connections() -> Any:
    """Return what uvicorn makes connections with, for one server; as many as leave open files for refreshes."""
    return partial(_Connection, _ConnectionLimit(_raise_file_limit()))


def _raise_file_limit() -> int:
    """Raise the limit of open files as far as needed and possible; return how many connections there may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < _FILES:
        soft = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return _CONNECTIONS if soft == resource.RLIM_INFINITY else max(32, min(_CONNECTIONS, soft - _SPARE_FILES))
