"""One request over one guarded connection, under one deadline and one count of bytes."""

from __future__ import annotations

import re
import select
import threading
import time
from collections.abc import Sequence
from http.client import HTTPException
from socket import socket
from ssl import SSLSocket
from typing import Any

from msgspec import Struct, field

from aggregator.errors import FetchError
from aggregator.fetchers.heads import Response
from aggregator.fetchers.http.connections import Meter, Terms, dial
from aggregator.fetchers.http.target import Target
from aggregator.fetchers.waits import ALONE, Asking, Wait

IDLE_SECONDS = 4.0  # below the 5 s after which Apache closes; longer and a request may meet a closing connection
IDLE_TOTAL = 64  # connections kept between requests; more only costs file descriptors
HEADER_BYTES = 128 * 1024  # status line, headers and all 1xx together; the largest of honest origins are below 16 KB

_SENDABLE = re.compile(rb"[A-Z]+ /[!-~]* HTTP/1\.1\r\n(?:[!-9;-~]+: [\t -~\x80-\xff]*\r\n)+\r\n")
"""A request whose lines are what they should be; that no field began another of them is seen by their number."""


class Lines(Struct):
    """Connections kept open between requests, at most a few seconds; may be used from several threads."""

    _idle: dict[tuple[object, ...], list[tuple[float, socket]]] = field(default_factory=dict)
    _kept: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, key: tuple[object, ...]) -> socket | None:
        """A connection that is still good, or None; one at whose end something waits was closed or lies."""
        with self._lock:
            stack = self._idle.get(key)
            while stack:
                since, line = stack.pop()
                self._kept -= 1
                if time.monotonic() - since < IDLE_SECONDS and not _waiting(line):
                    return line
                line.close()
        return None

    def keep(self, key: tuple[object, ...], line: socket) -> None:
        """Keep the connection for the next request of the same origin and terms."""
        with self._lock:
            if self._kept >= IDLE_TOTAL:
                self._close_all()
            self._idle.setdefault(key, []).append((time.monotonic(), line))
            self._kept += 1

    def close(self) -> None:
        """Close all that is kept."""
        with self._lock:
            self._close_all()

    def _close_all(self) -> None:
        for stack in self._idle.values():
            for _, line in stack:
                line.close()
        self._idle.clear()
        self._kept = 0


class Call(Struct):
    """An answer whose headers have come; `end` must be called when the body was read or is not wanted."""

    response: Response
    _key: tuple[object, ...]
    _lines: Lines

    def end(self) -> None:
        """Keep the connection where the answer was read to its end and the origin keeps it too; else close it."""
        if self.response.length == 0:
            self.response.read()  # nothing will come (304, or an empty body), but http.client wants to be asked
        if self.response.isclosed() and not self.response.will_close:
            self._lines.keep(self._key, self.response.line)
        else:
            _shut(self.response.line, self.response)


class Request(Struct, frozen=True):
    """One request as it goes over the wire: where to, on what terms, and what its answer may cost."""

    where: Target
    method: str
    text: bytes
    terms: Terms
    meter: Meter

    @property
    def key(self) -> tuple[object, ...]:
        """What a connection for it has in common with others."""
        return (*self.where.origin, self.terms)


def request(where: Target, method: str, headers: Sequence[tuple[str, str]], under: tuple[Terms, Meter]) -> Request:
    """The request, unsent; HTTPException where a field of it would begin another line."""
    lines = [f"{method} {where.path} HTTP/1.1\r\nHost: {where.authority}\r\n"]
    lines += [f"{name}: {value}\r\n" for name, value in headers]
    text = "".join((*lines, "\r\n")).encode("latin-1")
    if text.count(b"\n") != len(lines) + 2 or not _SENDABLE.fullmatch(text):
        raise HTTPException("a field of the request cannot be sent")
    return Request(where, method, text, *under)


def ahead(lines: Lines, asked: Request) -> Asking[Response | None]:
    """The answer that has begun to come over a kept connection; ``None`` where `call` is to make one.

    A kept connection that ends before one byte of an answer had been closed by the origin meanwhile: the request goes
    once more, over a new one (RFC 9110 section 9.2.2). That is the only second try there is.
    """
    line = lines.take(asked.key)
    response = None if line is None else (yield from _begun(line, asked))
    if response is None:
        yield ALONE
    return response


def call(lines: Lines, asked: Request, begun: Response | None = None) -> Call:
    """The answer with its headers read, that has ``begun`` or of a request sent now.

    OSError, HTTPException or FetchError where that fails.
    """
    response = begun or _sent(dial(asked.where, asked.terms, asked.meter), asked)
    return Call(_answer(response, asked.meter), asked.key, lines)


def _begun(line: Any, asked: Request) -> Asking[Response | None]:
    """The answer to the request sent over this line, once it has begun; ``None`` where the line ended before."""
    response: Response | None = None
    try:
        response = _sent(line, asked)
        yield Wait(asked.meter.deadline, line)
        if isinstance(line, SSLSocket):  # what came may be a part of a record
            yield ALONE
        if response.begun():
            if not response.plain():
                yield ALONE
            return response
    except ConnectionError:
        pass
    except (OSError, FetchError, GeneratorExit):
        _shut(line, response)
        raise
    _shut(line, response)
    return None


def _sent(line: Any, asked: Request) -> Response:
    """The answer to come to the request, sent over this line, which is closed where it cannot be."""
    try:
        line.meter = asked.meter
        line.settimeout(asked.meter.patience())
        asked.meter.reached = True
        line.sendall(asked.text)
        return Response(line, asked.method)
    except (OSError, FetchError):
        line.close()
        raise


def _answer(response: Response, meter: Meter) -> Response:
    """The final answer's headers: interim ones (1xx) are read past, all under one limit of bytes."""
    afterwards = meter.bytes_left - HEADER_BYTES
    meter.bytes_left = HEADER_BYTES
    try:
        response.begin()
        while response.status // 100 == 1:
            response.headers = None  # type: ignore[assignment]  # `begin` reads a new head where there is none
            response.begin()
    except (OSError, HTTPException, FetchError):
        _shut(response.line, response)
        raise
    meter.bytes_left += afterwards
    return response


def _shut(line: Any, response: Response | None) -> None:
    """Close the connection, which is open for as long as an answer reads from it."""
    if response is not None:
        response.close()
    line.close()


def _waiting(line: socket) -> bool:
    """Whether bytes or an end wait on a connection that should be silent."""
    poll = select.poll()
    poll.register(line, select.POLLIN)
    return bool(poll.poll(0))
