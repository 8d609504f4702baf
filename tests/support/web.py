"""What tests of servers share: a feed to serve, an answer, and the fixtures that ask, serve and publish."""

from __future__ import annotations

import http.client
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from starlette.types import ASGIApp

FEED = b'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>x</title></channel></rss>\n' * 40
THEN = 1_700_000_000
"""A whole second long past, so that times of files are told apart from the clock's."""

Serving = Callable[[ASGIApp], AbstractContextManager[int]]


class Answer(NamedTuple):
    """One answer; the names of ``headers`` are in lower case, ``raw`` has them in their order."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    raw: tuple[tuple[str, str], ...]


class Ask(Protocol):
    def __call__(self, port: int, path: str, method: str = "GET", **headers: str) -> Answer: ...


class Publish(Protocol):
    def __call__(self, folder: Path, name: str, body: bytes, at: int = THEN) -> None: ...


class Served(NamedTuple):
    """A folder that is being served, and where."""

    folder: Path
    url: str


class Media(NamedTuple):
    """A server that has sound at every path, and how often each path was asked."""

    url: str
    asked: Counter[str]


def ask(port: int, path: str, method: str = "GET", **headers: str) -> Answer:
    """Ask a server on loopback; ``if_none_match`` is sent as ``if-none-match``."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        raw = tuple((name.lower(), value) for name, value in answer.getheaders())
        return Answer(answer.status, dict(raw), answer.read(), raw)
    finally:
        connection.close()
