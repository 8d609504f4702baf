"""The origin server of all tests, on loopback: it plays what a test tells it to and records every request.

``playing`` gives answers byte for byte; ``Site`` has documents at paths, as most tests want them.
"""

from __future__ import annotations

import mimetypes
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path
from typing import BinaryIO, TypeVar


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire."""

    method: str
    path: str
    fields: tuple[tuple[str, str], ...]
    raw: bytes = b""
    body: bytes = b""

    def get(self, name: str) -> str | None:
        """The value of a header field, None where it was not sent."""
        return next((value for key, value in self.fields if key.lower() == name.lower()), None)


Pieces = Iterable[bytes] | bytes
Play = Callable[[Request], Pieces]


def answer(status: int = 200, body: bytes = b"", *fields: tuple[str, str], length: int | None = None) -> bytes:
    """An HTTP/1.1 answer with a Content-Length."""
    size = len(body) if length is None else length
    return head(status, *fields, *([] if status == 304 else [("Content-Length", str(size))])) + body


def head(status: int, *fields: tuple[str, str]) -> bytes:
    """An HTTP/1.1 answer without a body, and with no fields but these."""
    text = "\r\n".join([f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in fields)])
    return text.encode("utf-8" if max(text) > "\xff" else "latin-1") + b"\r\n\r\n"


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
            thread.join(60)

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
            line.settimeout(120)
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
            whole = pieces if isinstance(pieces, bytes) else None
            for piece in () if isinstance(pieces, bytes) else pieces:
                if self.stopped.is_set():
                    break
                line.sendall(piece)
        finally:
            with self._lock:
                self.busy -= 1  # before a whole answer goes out: the next request may come before sendall returns
        if whole is not None:
            line.sendall(whole)
        return whole is not None


def _request(reader: BinaryIO) -> Request | None:
    lines: list[bytes] = []
    for line in reader:
        if line == b"\r\n":
            break
        lines.append(line)
    if not lines:
        return None
    method, path, _ = lines[0].decode("latin-1").split(" ", 2)
    pairs = (line.decode("latin-1").rstrip("\r\n").split(": ", 1) for line in lines[1:])
    fields = tuple((pair[0], pair[1]) for pair in pairs)
    size = next((int(value) for name, value in fields if name.lower() == "content-length"), 0)
    return Request(method, path, fields, b"".join(lines), reader.read(size))


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


@dataclass(kw_only=True)
class Site:
    """Documents by path, and what was asked.

    ``fields`` are further header fields of a path's answer; with an ETag among them the path knows 304. A path
    that is not among the pages is looked up in the folder ``files``, if there is one, else it is 404. While ``door`` is
    shut, no answer goes out; ``came`` is set by each request.
    """

    pages: dict[str, tuple[int, str, bytes]] = field(default_factory=dict)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    files: Path | None = None
    asked: list[str] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    came: threading.Event = field(default_factory=threading.Event)
    door: threading.Event = field(default_factory=threading.Event)
    base: str = ""

    def __post_init__(self) -> None:
        self.door.set()

    def url(self, path: str = "") -> str:
        return self.base + path

    def source(self, path: str, kind: str = "feed", **keys: object) -> dict[str, object]:
        """The keys of a source at a path, as a config has them."""
        return {"kind": kind, "url": self.url(path), **keys}

    def serve(self, path: str, body: bytes | str, *, status: int = 200, kind: str = "application/rss+xml") -> None:
        self.pages[path] = (status, kind, body.encode() if isinstance(body, str) else body)

    def play(self, request: Request) -> bytes:
        self.asked.append(request.path)
        self.heads.append(dict(request.fields))
        self.came.set()
        self.door.wait(300)
        fields = self.fields.get(request.path, {})
        file = self.files / request.path.lstrip("/") if self.files else None
        if request.path not in self.pages and file is not None and file.is_file():
            kind, body = mimetypes.guess_type(file.name)[0] or "application/octet-stream", file.read_bytes()
            status, fields = 200, {"Last-Modified": formatdate(file.stat().st_mtime, usegmt=True), **fields}
        else:
            status, kind, body = self.pages.get(request.path, (404, "text/plain", b"no such page"))
        if "ETag" in fields and request.get("If-None-Match") == fields["ETag"]:
            status, body = 304, b""
        length = len(body)
        if request.method == "HEAD":
            body = b""
        return answer(status, body, ("Content-Type", kind), *fields.items(), length=length)


SiteType = TypeVar("SiteType", bound=Site)


@contextmanager
def serving(site: SiteType, host: str = "127.0.0.1") -> Iterator[SiteType]:
    """The site, served until the block ends."""
    with playing(site.play, host) as origin:
        site.base = origin.url("")
        try:
            yield site
        finally:
            site.door.set()
