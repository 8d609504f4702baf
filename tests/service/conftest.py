"""A real server on loopback, for every test of this room that asks one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
import uvicorn
from starlette.types import ASGIApp

Serving = Callable[[ASGIApp], AbstractContextManager[int]]


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
