"""One request over one guarded connection, under one deadline and one count of bytes."""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from typing import Any

from aggregator.fetchers.dial import Meter, Terms, dial
from aggregator.fetchers.target import Target

IDLE_SECONDS = 4.0  # below the 5 s after which Apache closes; longer and a request may meet a closing connection
IDLE_TOTAL = 64  # connections kept between requests; more only costs file descriptors
HEADER_BYTES = 128 * 1024  # status line, headers and all 1xx together; the largest of honest origins are below 16 KB


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
        wire: Any = line.sock or dial(where, terms, meter)
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


def _waiting(line: HTTPConnection) -> bool:
    """Whether bytes or an end wait on a connection that should be silent."""
    poll = select.poll()
    poll.register(line.sock, select.POLLIN)
    return bool(poll.poll(0))
