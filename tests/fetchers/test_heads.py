"""A head that is read by one pattern says what the standard library reads in it, to the last byte of the body."""

import socket
from http.client import HTTPException, HTTPResponse

import pytest
from hypothesis import given
from hypothesis import strategies as st
from origin import answer, playing
from polls import POLICY, RSS, START

from aggregator.fetchers import heads
from aggregator.fetchers.http import client
from aggregator.model.source import Memory, Source, Validators

PLAIN = (
    b'HTTP/1.1 304 Not Modified\r\nETag: "one"\r\nDate: Fri, 20 Nov 2026 12:00:00 GMT\r\n\r\n',
    b"HTTP/1.1 304 Not Modified\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: a:b: c \r\nContent-Type:text/xml\r\n\r\nhelloHTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 200 \r\nConnection: Close\r\ncontent-length: 2\r\n\r\nab",
    b"HTTP/1.1 200 OK\r\n\r\nuntil the end",
    b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n",
    b"HTTP/1.1 404 Not  Found \r\nContent-Length: 000\r\nContent-Length: 9\r\n\r\n",
    b"HTTP/1.1 301 Moved\r\nLocation: /x\r\nX-Empty:\r\nX-Empty:   \r\n\r\n",
)

OTHER = (
    b"HTTP/1.1 404   Not Found\r\nContent-Length: 1\r\n\r\na",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX: folded\r\n  line\r\nContent-Length: 1\r\n\r\na",
    b"HTTP/1.1 200 OK\r\nX: \xe9\r\nContent-Length: 1\r\n\r\na",
    b"HTTP/1.1 200 OK\nX: y\nContent-Length: 1\n\na",
    b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\na",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1_0\r\n\r\n0123456789",
    b"HTTP/1.1 200 OK\r\nno field\r\nContent-Length: 1\r\n\r\na",
    b"HTTP/1.1 200 OK\r\nX : y\r\nContent-Length: 1\r\n\r\na",
    b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
    b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na",
    b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
    b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 120 + b"\r\n",
    b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX: " + b"y" * 20_000 + b"\r\n\r\nabc",
    b"HTTP/1.1 99 No\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Le",
    b"nonsense\r\n\r\n",
    b"",
)

FIELDS = (
    *(b"Content-Length: 3", b"content-length:4", b"Connection: close", b"Transfer-Encoding: chunked", b'ETag: "a"'),
    *(b"X:\t y\t", b" folded", b"X", b":", b"X-\xff: y", b"X: \xff", b"X: \x00", b"X: a\rb", b"", b"From me", b"X : y"),
)
LINES = st.lists(st.sampled_from(FIELDS), max_size=6)


def read(kind: type[HTTPResponse], said: bytes, method: str) -> object:
    """Everything that a reader of the answer sees, or the error that it meets."""
    here, there = socket.socketpair()
    with here, there:
        there.sendall(said)
        there.shutdown(socket.SHUT_WR)
        response = kind(here, method=method)
        try:
            response.begin()  # and then what is left is read, so that both end at the same byte
            rest = (response.status, response.reason, response.version, response.getheaders(), response.will_close)
            framed = (response.length, response.chunked)
            return (*rest, *framed, response.read(), response.isclosed())
        except (HTTPException, OSError, ValueError) as error:
            return type(error)
        finally:
            response.close()


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("said", [*PLAIN, *OTHER], ids=range(len(PLAIN) + len(OTHER)))
def test_a_head_is_read_as_the_standard_library_reads_it(said: bytes, method: str) -> None:
    assert read(heads.Response, said, method) == read(HTTPResponse, said, method)


@given(
    st.sampled_from((b"HTTP/1.1 200 OK", b"HTTP/1.1 304 ", b"HTTP/1.1 200", b"HTTP/1.0 200 OK", b"HTTP/1.1 2x0 OK")),
    LINES,
    st.binary(max_size=20),
)
def test_any_head_is_read_as_the_standard_library_reads_it(first: bytes, lines: list[bytes], body: bytes) -> None:
    said = b"\r\n".join((first, *lines, b"", body))
    assert read(heads.Response, said, "GET") == read(HTTPResponse, said, "GET")


def test_a_plain_head_needs_no_parser_of_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [read(HTTPResponse, said, "GET") for said in PLAIN]
    monkeypatch.setattr("http.client.parse_headers", None)
    assert expected == [read(heads.Response, said, "GET") for said in PLAIN]


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nX: y", "a\r", "\x00", "a\x0bb"])
def test_no_value_of_a_field_begins_another_line(value: str) -> None:
    with playing(lambda _: answer(200, RSS)) as origin:
        memory = Memory(origin.url(), Validators(etag=value))
        said = client.ask(Source("show", "feed", memory.url), memory, POLICY, START)
        assert said.state == "silent"
        assert not origin.requests
