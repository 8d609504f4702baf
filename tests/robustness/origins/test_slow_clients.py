"""A server that slow clients, endless heads and requests sent ahead leave as it was, for readers and for refreshes."""

from __future__ import annotations

import http.client
import math
import resource
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.rss import make_rss
from tests.support.workspace import Workspace, make_item, read_guids

HEAD = b"GET /show/feed.xml HTTP/1.1\r\nHost: localhost\r\n"


def attempt(port: int, pieces: Iterator[bytes]) -> None:
    """Send pieces until the server has enough."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=120) as line:
        for piece in pieces:
            line.sendall(piece)


@contextmanager
def besieged(port: int, slow: int, megabytes: int, ahead: int) -> Iterator[None]:
    """Clients that send half a request, and again when they are closed; endless heads; requests without end."""
    over = threading.Event()

    def hold() -> None:
        lines: list[socket.socket] = []
        with ExitStack() as opened:
            while not over.is_set():
                for _ in range(slow - len(lines)):
                    with suppress(OSError):
                        lines.append(opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)))
                        lines[-1].sendall(HEAD)
                over.wait(2)
                lines = [line for line in lines if is_open(line)]

    def flood() -> None:
        while not over.is_set():
            attempt(port, (b"X-%d: " % n + b"a" * 1_000_000 + b"\r\n" if n else HEAD for n in range(megabytes)))
            attempt(port, (HEAD + b"\r\n" for _ in range(ahead)))
            over.wait(0.5)

    threads = [threading.Thread(target=each) for each in (hold, flood)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(60)


def is_open(line: socket.socket) -> bool:
    line.setblocking(False)
    try:
        return line.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def read_feed(port: int) -> float:
    """The seconds that an honest reader waits for the feed."""
    begun = time.monotonic()
    reader = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        reader.request("GET", "/show/feed.xml")
        answer = reader.getresponse()
        assert (answer.status, len(answer.read()) > 100) == (200, True)
    finally:
        reader.close()
    return time.monotonic() - begun


def measure_memory(number: int) -> float:
    """Megabytes that a process has resident."""
    return int(Path(f"/proc/{number}/statm").read_text("ascii").split()[1]) * resource.getpagesize() / 1_048_576


@pytest.mark.parametrize(
    ("slow", "megabytes", "ahead", "readers", "p99"),
    [
        (200, 5, 5_000, 50, math.inf),  # each is answered: how fast says more of what else the machine does
        pytest.param(1_200, 60, 200_000, 500, 0.2, marks=pytest.mark.heavy),
    ],
    ids=["small", "large"],
)
def test_a_siege_leaves_readers_and_refreshes_as_they_were(
    workspace: Workspace, free_port: int, slow: int, megabytes: int, ahead: int, readers: int, p99: float
) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    workspace.serve("/host", make_rss(make_item(1), make_item(2)))
    workspace.config("host")
    child = workspace.start("serve", "--port", str(free_port), before=("prlimit", "--nofile=1024:4096"))
    end = time.monotonic() + 180
    while len(read_guids(workspace)) < 2 and time.monotonic() < end:
        time.sleep(0.1)
    before = measure_memory(child.pid)
    with besieged(free_port, slow, megabytes, ahead):
        time.sleep(3)
        waits = sorted(read_feed(free_port) for _ in range(readers))
        workspace.serve("/host", make_rss(make_item(1), make_item(2), make_item(3)))
        workspace.config(more={"host": workspace.source("/host?new")})
        workspace.serve("/host?new", make_rss(make_item(1), make_item(2), make_item(3)))
        end = time.monotonic() + 90
        while len(read_guids(workspace)) < 3:
            assert time.monotonic() < end, "the refresh is in the way of nobody"
            time.sleep(0.5)
        grown = measure_memory(child.pid) - before
    print(f"p50 {waits[len(waits) // 2]:.3f} s, p99 {waits[int(len(waits) * 0.99)]:.3f} s, {grown:.0f} MB more")  # noqa: T201
    assert waits[int(len(waits) * 0.99)] < p99
    assert grown < 40  # a connection takes 20 kB


def test_clients_that_reset_while_they_are_answered_leave_no_error(workspace: Workspace, free_port: int) -> None:
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(400))))
    workspace.config("host")
    child = workspace.start("serve", "--port", str(free_port))
    end = time.monotonic() + 180
    while len(read_guids(workspace)) < 400 and time.monotonic() < end:
        time.sleep(0.1)
    for _ in range(300):
        line = socket.create_connection(("127.0.0.1", free_port), timeout=60)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing sends a reset
        line.sendall((HEAD + b"\r\n") * 3)
        line.recv(1)
        line.close()
    assert read_feed(free_port) > 0
    child.terminate()
    _, errors = child.communicate(timeout=120)
    assert "Traceback" not in errors
