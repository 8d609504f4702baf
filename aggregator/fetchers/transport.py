"""One request over one guarded connection, under one deadline and one count of bytes.

The limits live in the sockets themselves: each `recv` waits no longer than what is left until the deadline, and what
came is counted. That holds for slow headers, slow bodies and endless 1xx alike, and needs no watchdog thread. Tried
and dropped: timeouts given to a client (they start anew with each byte), and a thread a request that shuts sockets.
"""

from __future__ import annotations

import errno
import select
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from http.client import HTTPConnection, HTTPResponse
from typing import Any

from aggregator.errors import FetchError
from aggregator.fetchers import guard
from aggregator.fetchers.target import Target

IDLE_SECONDS = 4.0  # below the 5 s after which Apache closes; longer and a request may meet a closing connection
IDLE_TOTAL = 64  # connections kept between requests; more only costs file descriptors
CONNECT_SECONDS = 10.0  # for one address of a host, so that a dead IPv6 leaves time for IPv4
_OUR_SIDE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL}  # no way out of here
HEADER_BYTES = 128 * 1024  # status line, headers and all 1xx together; the largest of honest origins are below 16 KB


@dataclass(slots=True)
class Meter:
    """What one fetch may still cost: until when (`time.monotonic`), and how many bytes from the wire.

    ``reached`` is whether any origin took a connection, or refused it itself.
    """

    deadline: float
    bytes_left: int
    reached: bool = False

    def patience(self) -> float:
        """Seconds left, above 0; FetchError where there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise FetchError("took longer than its deadline")
        return left

    def count(self, size: int) -> int:
        """The size, once it is taken off what is left; FetchError where it is more."""
        self.bytes_left -= size
        if self.bytes_left < 0:
            raise FetchError("sent more bytes than are taken")
        return size


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms connections are made: which private networks are allowed, whose certificates too."""

    allowed: tuple[str, ...] = ()
    ca_files: tuple[str, ...] = ()


class _Metered(socket.socket):
    """A socket whose reading is under a Meter; `makefile` reads through `recv_into` alone."""

    meter: Meter

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        self.settimeout(self.meter.patience())
        return self.meter.count(super().recv_into(buffer, nbytes, flags))


class _MeteredTLS(ssl.SSLSocket):
    """The same over TLS."""

    meter: Meter

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        self.settimeout(self.meter.patience())
        return self.meter.count(super().recv_into(buffer, nbytes, flags))


@dataclass(slots=True)
class Lines:
    """Connections kept open between requests, at most a few seconds; may be used from several threads."""

    _idle: dict[tuple[object, ...], list[tuple[float, HTTPConnection]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, key: tuple[object, ...]) -> HTTPConnection | None:
        """A connection that is still good, or None; one at whose end something waits was closed or lies."""
        with self._lock:
            stack = self._idle.get(key, [])
            while stack:
                since, line = stack.pop()
                if time.monotonic() - since < IDLE_SECONDS and not _waiting(line):
                    return line
                line.close()
        return None

    def keep(self, key: tuple[object, ...], line: HTTPConnection) -> None:
        """Keep the connection for the next request of the same origin and terms."""
        with self._lock:
            if sum(map(len, self._idle.values())) >= IDLE_TOTAL:
                self._close_all()
            self._idle.setdefault(key, []).append((time.monotonic(), line))

    def close(self) -> None:
        """Close all that is kept."""
        with self._lock:
            self._close_all()

    def _close_all(self) -> None:
        for stack in self._idle.values():
            for _, line in stack:
                line.close()
        self._idle.clear()


@dataclass(slots=True)
class Call:
    """An answer whose headers have come; `end` must be called when the body was read or is not wanted."""

    response: HTTPResponse
    _line: HTTPConnection
    _key: tuple[object, ...]
    _lines: Lines

    def end(self) -> None:
        """Keep the connection where the answer was read to its end and the origin keeps it too; else close it."""
        if self.response.length == 0:
            self.response.read()  # nothing will come (304, or an empty body), but http.client wants to be asked
        if self.response.isclosed() and not self.response.will_close:
            self._lines.keep(self._key, self._line)
        else:
            self.response.close()
            self._line.close()


def call(
    lines: Lines, where: Target, method: str, headers: Sequence[tuple[str, str]], under: tuple[Terms, Meter]
) -> Call:
    """Send one request and read the answer's headers; OSError, HTTPException or FetchError where that fails.

    A kept connection that ends before one byte of an answer had been closed by the origin meanwhile: the request goes
    once more, over a new one (RFC 9110 section 9.2.2). That is the only second try there is.
    """
    terms, meter = under
    key = (*where.origin, terms)
    kept, left = lines.take(key), meter.bytes_left
    fields = (("Host", where.authority), *headers)
    if kept is not None:
        try:
            return Call(_sent(kept, method, (where, fields), under), kept, key, lines)
        except ConnectionError:
            if meter.bytes_left not in {left, HEADER_BYTES}:
                raise
            meter.bytes_left = left
    line = HTTPConnection(where.host, where.port)
    return Call(_sent(line, method, (where, fields), under), line, key, lines)


def _sent(
    line: HTTPConnection, method: str, what: tuple[Target, Sequence[tuple[str, str]]], under: tuple[Terms, Meter]
) -> HTTPResponse:
    """The answer to a request over this line, which is closed where there is none."""
    (where, fields), (terms, meter) = what, under
    with ExitStack() as unless_answered:
        unless_answered.callback(line.close)
        wire: Any = line.sock or _dial(where, terms, meter)
        line.sock, wire.meter = wire, meter
        wire.settimeout(meter.patience())
        meter.reached = True
        line.putrequest(method, where.path, skip_host=True, skip_accept_encoding=True)
        for name, value in fields:
            line.putheader(name, value)
        line.endheaders()
        response = _answer(line, meter)
        unless_answered.pop_all()
    return response


def _answer(line: HTTPConnection, meter: Meter) -> HTTPResponse:
    """The final answer's headers: interim ones (1xx) are read past, all under one limit of bytes."""
    afterwards = meter.bytes_left - HEADER_BYTES
    meter.bytes_left = HEADER_BYTES
    response = line.getresponse()
    while response.status // 100 == 1:
        response.headers = None  # type: ignore[assignment]  # `begin` reads a new head where there is none
        response.begin()
    meter.bytes_left += afterwards
    return response


def _dial(where: Target, terms: Terms, meter: Meter) -> socket.socket:
    """A connection to the first address of the host that takes one, of those that may be reached."""
    failure: OSError = OSError("no address")
    for address in guard.resolve(where.host, where.port, meter.patience(), terms.allowed):
        line = _Metered(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        line.meter = meter
        try:
            line.settimeout(min(meter.patience(), CONNECT_SECONDS))
            line.connect((address, where.port))
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line.settimeout(meter.patience())
            return _secured(line, where, terms) if where.scheme == "https" else line
        except OSError as error:
            line.close()
            failure = error
            meter.reached = meter.reached or error.errno not in _OUR_SIDE
        except FetchError:
            line.close()
            raise
    raise failure


def _secured(line: socket.socket, where: Target, terms: Terms) -> socket.socket:
    """The same connection under TLS; name and certificate are checked against the host that was asked for."""
    return _context(terms.ca_files).wrap_socket(line, server_hostname=where.host)


@lru_cache(maxsize=4)
def _context(ca_files: tuple[str, ...]) -> ssl.SSLContext:
    """The system's certificates and those named; built once, because reading them takes 30 ms."""
    context = ssl.create_default_context()
    for name in ca_files:
        context.load_verify_locations(name)
    context.sslsocket_class = _MeteredTLS
    return context


def _waiting(line: HTTPConnection) -> bool:
    """Whether bytes or an end wait on a connection that should be silent."""
    poll = select.poll()
    poll.register(line.sock, select.POLLIN)
    return bool(poll.poll(0))
