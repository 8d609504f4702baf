"""A real server on loopback, for every test of this room that asks one: a folder to serve, and how to ask."""

from __future__ import annotations

import gzip
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from starlette.types import ASGIApp

from aggregator.generator.storage.names import PRIVATE_MARK
from aggregator.service import web
from aggregator.service.connection import limit_connections
from tests.support.web import FEED, THEN, Ask, Serving
from tests.support.web import ask as web_ask


@contextmanager
def started(app: ASGIApp) -> Iterator[int]:
    """The port of a real uvicorn that serves the application until the end of the block."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app,
        http=limit_connections(),
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()


@pytest.fixture(scope="session")
def serving() -> Serving:
    return started


def placed(folder: Path, name: str, body: bytes, at: int = THEN) -> None:
    """What generator.files does, as far as a server sees it."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending, packed in (("", body), (".gz", gzip.compress(body, mtime=0))):
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
    placed(folder / "plus-T0ken", "podcast.xml", FEED)
    placed(folder / "plus-T0ken", "index.html", f"<!doctype html><head>{PRIVATE_MARK}<title>Plus</title>".encode())
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


@pytest.fixture(scope="session")
def ask() -> Ask:
    return web_ask


@pytest.fixture(scope="session")
def publish() -> Callable[..., None]:
    return placed
