"""An origin on loopback that plays what a test tells it to, and writes down every request byte for byte."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire."""

    method: str
    path: str
    fields: tuple[tuple[str, str], ...]
    raw: bytes = b""

    def get(self, name: str) -> str | None:
        """The value of a header field, None where it was not sent."""
        return next((value for key, value in self.fields if key.lower() == name.lower()), None)


Pieces = Iterable[bytes] | bytes
Play = Callable[[Request], Pieces]


def answer(status: int = 200, body: bytes = b"", *fields: tuple[str, str], length: int | None = None) -> bytes:
    """An HTTP/1.1 answer with a Content-Length."""
    size = len(body) if length is None else length
    head = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in fields)]
    if status != 304:
        head.append(f"Content-Length: {size}")
    text = "\r\n".join(head)
    return text.encode("utf-8" if max(text) > "\xff" else "latin-1") + b"\r\n\r\n" + body


@dataclass
class Origin:
    """A server on its own thread; each connection is one more. ``requests`` are all that came, in their order."""

    play: Play
    host: str = "127.0.0.1"
    context: ssl.SSLContext | None = None
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    busy: int = 0
    busiest: int = 0
    _listener: socket.socket = field(init=False)
    _open: set[socket.socket] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _threads: list[threading.Thread] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((self.host, 0))
        self._listener.listen(256)
        self._start(self._accept)

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def url(self, path: str = "/feed") -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.context else 'http'}://{host}:{self.port}{path}"

    def stop(self) -> None:
        self.stopped.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for line in self._open:
                _shut(line)
        for thread in list(self._threads):
            thread.join(5)

    def _start(self, work: Callable[..., None], *given: object) -> None:
        thread = threading.Thread(target=work, args=given, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.stopped.is_set():
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            line.settimeout(20)
            with self._lock:
                self.connections += 1
                self._open.add(line)
            self._start(self._serve, line)

    def _serve(self, line: socket.socket) -> None:
        plain = line
        try:
            if self.context is not None:
                line = self.context.wrap_socket(line, server_side=True)
                with self._lock:
                    self._open.add(line)
            with line, line.makefile("rb") as reader:
                while (request := _request(reader)) is not None and self._play(request, line):
                    pass
        except (OSError, ValueError):
            pass
        finally:
            plain.close()
            with self._lock:
                self._open -= {plain, line}

    def _play(self, request: Request, line: socket.socket) -> bool:
        with self._lock:
            self.requests.append(request)
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
        try:
            pieces = self.play(request)
            for piece in [pieces] if isinstance(pieces, bytes) else pieces:
                if self.stopped.is_set():
                    break
                line.sendall(piece)
        finally:
            with self._lock:
                self.busy -= 1
        return isinstance(pieces, bytes)


def _request(reader: Iterable[bytes]) -> Request | None:
    lines: list[bytes] = []
    for line in reader:
        if line == b"\r\n":
            break
        lines.append(line)
    if not lines:
        return None
    method, path, _ = lines[0].decode("latin-1").split(" ", 2)
    pairs = (line.decode("latin-1").rstrip("\r\n").split(": ", 1) for line in lines[1:])
    return Request(method, path, tuple((pair[0], pair[1]) for pair in pairs), b"".join(lines))


def _shut(line: socket.socket) -> None:
    try:
        line.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


@contextmanager
def playing(play: Play, host: str = "127.0.0.1", context: ssl.SSLContext | None = None) -> Iterator[Origin]:
    """An origin that stops when the test does. Generators end the connection; bytes keep it."""
    origin = Origin(play, host, context)
    try:
        yield origin
    finally:
        origin.stop()
