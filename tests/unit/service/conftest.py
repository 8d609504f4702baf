"""A real server on loopback, for every test of this room that asks one: a folder to serve, and how to ask."""

from __future__ import annotations

import gzip
import http.client
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import brotli
import pytest
import uvicorn
from starlette.types import ASGIApp

from aggregator.service import web

Serving = Callable[[ASGIApp], AbstractContextManager[int]]

FEED = b'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>x</title></channel></rss>\n' * 40
THEN = 1_700_000_000


@contextmanager
def started(app: ASGIApp) -> Iterator[int]:
    """The port of a real uvicorn that serves the application until the end of the block."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


@pytest.fixture(scope="session")
def serving() -> Serving:
    return started


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes
    raw: tuple[tuple[str, str], ...]


def placed(folder: Path, name: str, body: bytes, at: int = THEN) -> None:
    """What generator.files does, as far as a server sees it."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending, packed in (("", body), (".gz", gzip.compress(body, mtime=0)), (".br", brotli.compress(body))):
        part = folder / f".{name}{ending}.part"
        part.write_bytes(packed)
        os.utime(part, (at, at))
        part.replace(folder / (name + ending))


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("served")
    folder = top / "output"
    for name in ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "report.json", "index.html"):
        placed(folder / "show", name, FEED + name.encode())
    placed(folder, "index.html", b"<!doctype html><title>Feeds</title>")
    placed(folder, "feeds.opml", b"<opml/>")
    (top / "secret.xml").write_bytes(b"<secret/>")
    (folder / ".store.xml").write_bytes(b"<secret/>")
    (folder / ".git").mkdir()
    (folder / ".git" / "a.xml").write_bytes(b"<secret/>")
    (folder / "show" / ".feed.xml.0123456789abcdef.part").write_bytes(b"<secret/>")
    (folder / "show" / "feed.xml.part").write_bytes(b"<secret/>")
    (folder / "notes.txt").write_bytes(b"secret")
    (folder / "out.xml").symlink_to(top / "secret.xml")
    (folder / "way").symlink_to(top)
    (folder / "hidden.xml").symlink_to(folder / ".store.xml")
    os.mkfifo(folder / "pipe.xml")
    return folder


@pytest.fixture(scope="module")
def port(output: Path, serving: Serving) -> Iterator[int]:
    with serving(web.app(output)) as number:
        yield number


def asked(port: int, path: str, method: str = "GET", **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
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


@pytest.fixture(scope="session")
def ask() -> Callable[..., Answer]:
    return asked


@pytest.fixture(scope="session")
def publish() -> Callable[..., None]:
    return placed
