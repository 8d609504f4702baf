"""What a client may send and leave unread before it costs more than its share, against a real server on loopback."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from aggregator.service import connection, web
from tests.support.web import Ask, Serving

GET = b"GET /show/feed.xml HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
def hasty(output: Path, serving: Serving, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server whose patience is short."""
    monkeypatch.setattr(connection, "_REQUEST_SECONDS", 1.0)
    monkeypatch.setattr(connection, "_UNREAD_SECONDS", 1.5)
    monkeypatch.setattr(connection, "_SWEEP_SECONDS", 0.2)
    with serving(web.app(output)) as number:
        yield number


def exchange(port: int, *pieces: bytes, seconds: float = 20) -> bytes:
    """All that the server says until it closes the connection."""
    said = b""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as line, suppress(ConnectionError):
        for piece in pieces:
            line.sendall(piece)
        while piece := line.recv(65_536):
            said += piece
    return said


@pytest.mark.parametrize("size", [40_000, 1_000_000])
@pytest.mark.parametrize(
    "head",
    [GET + b"X: %s\r\n\r\n", GET + b"%s: x\r\n\r\n", b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"],
    ids=["value", "name", "address"],
)
def test_a_head_of_more_than_32_kb_is_refused(port: int, head: bytes, size: int) -> None:
    said = exchange(port, head % (b"a" * size))
    assert said == b"" or said.startswith(b"HTTP/1.1 400 ")


def test_many_small_fields_are_refused(port: int) -> None:
    assert exchange(port, GET, b"A: b\r\n" * 6_000, b"\r\n").startswith(b"HTTP/1.1 400 ")


def test_a_head_that_comes_in_pieces_is_refused(port: int) -> None:
    pieces = [b"X: " + b"a" * 1_000 + b"\r\n"] * 60
    said = exchange(port, GET, *pieces)
    assert said == b"" or said.startswith(b"HTTP/1.1 400 ")


def test_a_head_of_30_kb_is_answered(port: int) -> None:
    said = exchange(port, GET + b"Connection: close\r\nCookie: " + b"a" * 30_000 + b"\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("start", [b"", b"\r\n", b"GET", GET, GET + b"Content-Length: 9\r\n\r\n"])
def test_a_request_that_does_not_end_is_not_waited_for(hasty: int, start: bytes) -> None:
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", hasty), timeout=60) as line, suppress(ConnectionError):
        line.sendall(start)
        while line.recv(65_536):
            pass
    assert time.monotonic() - begun > 0.9


def test_a_request_that_comes_drop_by_drop_is_not_waited_for(hasty: int) -> None:
    with socket.create_connection(("127.0.0.1", hasty), timeout=60) as line, pytest.raises(ConnectionError):  # noqa: PT012 - it comes some time
        for _ in range(600):
            line.sendall(b"\r\n")
            time.sleep(0.1)


def test_an_answer_that_is_not_read_is_not_kept(output: Path, hasty: int) -> None:
    (output / "show" / "large.xml").write_bytes(b"<rss>" + bytes(30_000_000))
    taken = 0
    with socket.create_connection(("127.0.0.1", hasty), timeout=60) as line, suppress(ConnectionError):
        line.sendall(GET.replace(b"feed.xml", b"large.xml") + b"\r\n")
        time.sleep(4)
        while piece := line.recv(1_048_576):
            taken += len(piece)
    assert taken < 30_000_000, "what the system had taken, and no more"
    assert exchange(hasty, GET + b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_a_few_requests_at_once_are_answered_in_order_and_many_are_not(port: int) -> None:
    few = exchange(port, (GET + b"\r\n") * 7 + GET + b"Connection: close\r\n\r\n")
    assert few.count(b"HTTP/1.1 200 ") == 8
    with suppress(ConnectionError):
        assert exchange(port, (GET + b"\r\n") * 2_000).count(b"HTTP/1.1 200 ") < 100


def test_a_new_client_takes_the_place_of_the_one_that_waited_longest(
    output: Path, serving: Serving, monkeypatch: pytest.MonkeyPatch, ask: Ask
) -> None:
    monkeypatch.setattr(connection, "_CONNECTIONS", 32)
    with serving(web.app(output)) as port:
        lines = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(60)]
        try:
            assert [ask(port, "/show/feed.xml").status for _ in range(40)] == [200] * 40
            with suppress(ConnectionError):
                assert lines[0].recv(1) == b"", "the first has gone"
        finally:
            for line in lines:
                line.close()


@pytest.mark.parametrize(
    ("version", "hosts", "status"),
    [("1.1", 0, 400), ("1.1", 1, 200), ("1.1", 2, 400), ("1.0", 0, 200), ("1.0", 1, 200), ("1.0", 2, 400)],
)
def test_a_request_names_one_host(port: int, version: str, hosts: int, status: int) -> None:
    fields = b"".join(b"%s: a.example\r\n" % name for name in (b"Host", b"hOST")[:hosts])
    said = exchange(port, b"GET /show/feed.xml HTTP/%s\r\nConnection: close\r\n" % version.encode() + fields + b"\r\n")
    assert said.startswith(b"HTTP/1.1 %d " % status)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (b"127.0.0.1", 200),
        (b"a.example:8000", 200),
        (b"[::1]:8000", 200),
        (b"\xc3\xa9.example", 400),
        (b"a.example, evil.example", 400),
        (b"a.example@evil.example", 400),
        (b"http://a.example", 400),
        (b"a.example:80:81", 400),
        (b"[::1", 400),
    ],
)
def test_the_host_is_one_that_an_address_can_have(port: int, host: bytes, status: int) -> None:
    said = exchange(port, b"GET /show/feed.xml HTTP/1.1\r\nConnection: close\r\nHost: " + host + b"\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 %d " % status)
