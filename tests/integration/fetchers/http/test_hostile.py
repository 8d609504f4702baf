"""A hostile origin: whatever it sends, a poll ends in time, in bounded memory, and with one line that says why."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.model.source import PollState, Validators
from tests.support.origin import Origin, Pieces, answer, playing
from tests.support.polls import POLICY, RSS, Polls

HASTY = replace(POLICY, deadline=1.0, raw_bytes=2_000_000, decoded_bytes=4_000_000)
LATE = 15.0  # seconds by which a busy machine may be late; what has no end takes more
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"


def dripped(data: bytes, pause: float = 0.2) -> Iterator[bytes]:
    for byte in data:
        yield bytes([byte])
        time.sleep(pause)


def forever(start: bytes, piece: bytes) -> Iterator[bytes]:
    yield start
    while True:
        yield piece


def silent(start: bytes) -> Iterator[bytes]:
    yield start
    while True:
        time.sleep(0.05)
        yield b""


SLOW: dict[str, Callable[[], Pieces]] = {
    "nothing is ever answered": lambda: silent(b""),
    "headers one byte at a time": lambda: dripped(HEAD * 9),
    "a header line without end, slowly": lambda: dripped(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 99),
    "a body one byte at a time": lambda: dripped(HEAD + b"Content-Length: 99\r\n\r\n" + RSS, 0.05),
    "a chunked body one byte at a time": lambda: dripped(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 99
    ),
    "a body that stops": lambda: silent(HEAD + b"Content-Length: 99\r\n\r\n" + RSS[:9]),
    "a body without a length that stops": lambda: silent(HEAD + b"\r\n" + RSS[:9]),
    "interim answers one at a time": lambda: dripped(b"HTTP/1.1 100 Continue\r\n\r\n" * 9, 0.05),
    "early hints and then nothing": lambda: silent(b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "a switch of protocols": lambda: silent(b"HTTP/1.1 101 Switching\r\n\r\n"),
}


@pytest.mark.parametrize("play", SLOW.values(), ids=SLOW.keys())
def test_one_deadline_holds_against(play: Callable[[], Pieces]) -> None:
    with playing(lambda _: play()) as origin:
        begun = time.monotonic()
        got = Polls(origin.url(), HASTY).ask()
        assert time.monotonic() - begun < 1.0 + LATE
        assert got.status == "failed"
        assert got.message == f"{origin.url()}: took longer than its deadline"


def test_the_deadline_is_one_for_all_hops() -> None:
    def play(_: object) -> Pieces:
        time.sleep(0.4)
        return answer(302, b"", ("Location", f"/{len(origin.requests)}"))

    with playing(play) as origin:
        begun = time.monotonic()
        assert "deadline" in Polls(origin.url(), HASTY).ask().message
        assert time.monotonic() - begun < 1.0 + LATE


ENDLESS: dict[str, tuple[Callable[[], Pieces], str]] = {
    "a body": (lambda: forever(HEAD + b"\r\n", b"x" * 65_536), "sent more bytes than are taken"),
    "chunks": (
        lambda: forever(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"8\r\nxxxxxxxx\r\n" * 999),
        "sent more bytes than are taken",
    ),
    "one chunk": (
        lambda: forever(HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n", b"x" * 65_536),
        "sent more bytes than are taken",
    ),
    "trailers": (
        lambda: forever(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", b"X: y\r\n" * 999),
        "sent more bytes than are taken",
    ),
    "a chunk extension": (
        lambda: forever(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x" * 65_536),
        "the answer is not sound HTTP: got more than 65536 bytes when reading chunk size",
    ),
    "interim answers": (
        lambda: forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 999),
        "sent more bytes than are taken",
    ),
    "early hints": (
        lambda: forever(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 999),
        "sent more bytes than are taken",
    ),
    "header fields": (
        lambda: forever(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 999),
        "the answer is not sound HTTP: got more than 100 headers",
    ),
    "a header line": (
        lambda: forever(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 65_536),
        "the answer is not sound HTTP: got more than 65536 bytes when reading header line",
    ),
    "folded headers": (
        lambda: forever(b"HTTP/1.1 200 OK\r\nX: y\r\n", b" folded\r\n" * 999),
        "the answer is not sound HTTP: got more than 100 headers",
    ),
    "a status line": (
        lambda: forever(b"HTTP/1.1 200 ", b"x" * 65_536),
        "the answer is not sound HTTP: got more than 65536 bytes when reading status line",
    ),
    "a hundred header lines as long as one may be": (
        lambda: [b"HTTP/1.1 200 OK\r\n", *[b"X: " + b"x" * 60_000 + b"\r\n"] * 99, b"\r\n"],
        "sent more bytes than are taken",
    ),
}


@pytest.mark.parametrize(("play", "words"), ENDLESS.values(), ids=ENDLESS.keys())
def test_one_limit_of_bytes_holds_against_endless(play: Callable[[], Pieces], words: str) -> None:
    with playing(lambda _: play()) as origin:
        got = Polls(origin.url(), replace(HASTY, deadline=60.0)).ask()
        assert got.message == f"{origin.url()}: {words}"


@pytest.mark.parametrize("code", [100, 102, 103])
def test_interim_answers_are_read_past(code: int) -> None:
    interim = f"HTTP/1.1 {code} Soon\r\nLink: </style.css>\r\n\r\n".encode() * 3
    with playing(lambda _: interim + answer(200, RSS, ("ETag", '"1"'))) as origin:
        polls = Polls(origin.url())
        assert polls.ask().status == "ok"
        assert polls.ask(hours=1).status == "unchanged"
        assert origin.connections == 1


def test_what_waits_on_a_kept_connection_is_no_answer_to_the_next_question() -> None:
    poison = answer(200, b"<poison/>")
    with playing(lambda _: answer(200, RSS) + poison) as origin:
        first, second = Polls(origin.url("/a")), Polls(origin.url("/b"))
        got = [first.ask().document, second.ask().document]
        assert [document.body for document in got if document is not None] == [RSS, RSS]


def test_an_origins_words_never_reach_a_terminal_or_a_log_raw() -> None:
    nasty = "\x1b[31mred\x07\u202e \u2028 <script>"
    wire = f"HTTP/1.1 404 {nasty}\r\nContent-Type: {nasty}\r\nContent-Length: 0\r\n\r\n".encode()
    with playing(lambda _: wire) as origin:
        got = Polls(origin.url("/\u202efeed")).ask()
        assert got.message.isprintable()
        assert "red" not in got.message


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nX: y", "a\r", "\x00", "a\x0bb", "a\n b", "\u0100"])
def test_no_value_of_a_field_begins_another_line(value: str) -> None:
    with playing(lambda _: answer(200, RSS)) as origin:
        polls = Polls(origin.url())
        polls.poll_state = PollState(origin.url(), Validators(etag=value))
        assert polls.ask().status == "failed"
        assert not origin.requests


def test_one_hanging_origin_does_not_delay_the_others() -> None:
    free = threading.Event()

    def hold(_: object) -> Pieces:
        free.wait(60)
        return answer(200, RSS)

    with playing(hold) as hanging, playing(lambda _: answer(200, RSS)) as honest:
        slow = threading.Thread(target=lambda: Polls(hanging.url()).ask())
        slow.start()
        assert Polls(honest.url()).ask().status == "ok"
        assert slow.is_alive(), "the one still hangs"
        free.set()
        slow.join(60)


WORDS = [
    "HTTP/1.1 ",
    "HTTP/1.0 ",
    "200 OK",
    "304 x",
    "302 y",
    "-1",
    "\r\n",
    "\n",
    "\r\n\r\n",
    ": ",
    "Location",
    "ETag",
    "Last-Modified",
    "Content-Length\n",
    "Transfer-Encoding",
    "chunked",
    "Content-Encoding",
    "gzip",
    "Retry-After",
    "Cache-Control",
    "max-age=",
    "Expires",
    "Date\n",
    "Mon, 99 Foo 20266 99:99:99 +9999",
    "Content-Type",
    "text/xml; charset=ÿ",
    "//[",
    "http://[",
    "\x00",
    "ÿþ\n",
    "5\r\nabcde\r\n0",
    "9999999999999999999",
]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_bytes_are_an_answer_and_never_an_exception(data: st.DataObject, fuzzed: Origin) -> None:
    token = st.sampled_from([word.encode("latin-1") for word in WORDS])
    parts = data.draw(st.lists(st.one_of(token, st.binary(max_size=8)), max_size=24))
    start = data.draw(st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 503 x\r\nRetry-After: "]))
    fuzzed.play = lambda _: [start + b"".join(parts)]
    got = Polls(fuzzed.url(), replace(HASTY, deadline=0.5)).ask()
    assert got.status in {"ok", "failed"}
    assert got.message.isprintable()


@pytest.fixture
def fuzzed() -> Iterator[Origin]:
    with playing(lambda _: b"") as origin:
        yield origin
