"""Names that are looked up slowly or not at all, addresses with an interface, and hosts that do not answer."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator.errors import FetchError
from aggregator.fetchers.http import ssrf
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.target import parse_target, redact
from aggregator.model.source import PollState, Source
from tests.support.origin import Pieces, Request, answer, playing
from tests.support.polls import POLICY, RSS, START, Polls, limiter

LINK_LOCAL = [
    (line.split()[0], line.split()[5])
    for line in (Path("/proc/net/if_inet6").read_text().splitlines() if Path("/proc/net/if_inet6").exists() else ())
    if line.startswith("fe80")
]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (socket.EAI_AGAIN, "the name of the host cannot be looked up now: no name server answers"),
        (socket.EAI_SYSTEM, "the name of the host cannot be looked up now (Name or service)"),
        (socket.EAI_NONAME, "the name of the host is not known"),
    ],
)
def test_a_name_that_cannot_be_looked_up_now_is_not_unknown(
    code: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(code, "Name or service")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    got = Polls("http://oven.example/feed").ask()
    assert (got.status, got.message, got.unanswered) == ("failed", f"http://oven.example/feed: {expected}", True)


def test_a_name_that_the_resolver_refuses_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("embedded null character")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    assert Polls("http://oven.example/feed").ask().message.endswith("the name of the host is not known")


def test_a_name_server_that_does_not_answer_meets_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [] if ended.wait(60) else None)
    begun = time.monotonic()
    got = Polls("http://oven.example/feed", replace(POLICY, deadline=0.2)).ask()
    ended.set()
    assert got.unanswered
    assert got.message == "http://oven.example/feed: the name was not resolved in time: no name server answered"
    assert time.monotonic() - begun < 15


def test_an_address_with_an_interface_is_read_and_judged() -> None:
    for url in ("http://[fe80::1%25lo]:8080/x", "http://[FE80::1%lo]:8080/x"):
        assert parse_target(url).host == "fe80::1%lo"
        assert parse_target(url).url == "http://[fe80::1%25lo]:8080/x"
    assert ssrf.resolve("fe80::1%1", 80, 5, ("fe80::/10",)) == ("fe80::1%1",)
    with pytest.raises(ssrf.RefusedAddressError, match="fe80::1%1 is not a public address"):
        ssrf.resolve("fe80::1%1", 80, 5)
    with pytest.raises(FetchError, match="name of the host is not known"):
        ssrf.resolve("fe80::1%none", 80, 5, ("fe80::/10",))


@pytest.mark.skipif(not LINK_LOCAL, reason="no interface of this machine has a link-local address")
def test_a_link_local_address_is_polled_through_its_interface() -> None:
    digits, interface = LINK_LOCAL[0]
    address = ":".join(digits[at : at + 4] for at in range(0, 32, 4))
    asked = []
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as server:
        server.bind((address, 0, 0, socket.if_nametoindex(interface)))
        server.listen()

        def serve() -> None:
            line, _ = server.accept()
            with line:
                asked.append(line.recv(10_000))
                line.sendall(answer(200, RSS))

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://[{address}%25{interface}]:{server.getsockname()[1]}/feed"
        got = Polls(url, replace(POLICY, allow_networks=("fe80::/10",))).ask()
        thread.join(60)
    assert (got.status, got.message) == ("ok", "")
    assert b"%" not in asked[0]


def test_a_login_with_a_slash_is_in_no_message() -> None:
    assert redact("https://me:pa/ss@a.example/feed") == "(an address that cannot be read)"
    assert "ss@" not in Polls("https://me:pa/ss@a.example/feed").ask().message


def test_a_host_that_is_down_is_not_asked_for_each_of_its_sources() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=100) as mute, playing(lambda _: answer(200, RSS)) as sound:
        run = limiter(replace(POLICY, deadline=0.2, host_rate=100.0))
        urls = [f"http://127.0.0.1:{mute.getsockname()[1]}/{number}" for number in range(200)]
        polled = [
            run.poll(PollRequest(Source("show", "feed", url), PollState(url), START)) for url in (*urls, sound.url())
        ]
        answers = [each.result() for each in polled]
    assert "not asked" not in answers.pop().message, "it is another host"
    assert {each.status for each in answers} == {"failed"}
    assert sum("deadline" in each.message for each in answers) <= 6
    left = [each for each in answers if "deadline" not in each.message]
    assert {each.message.partition(": ")[2] for each in left} == {
        "not asked: the last 5 requests to its host had no answer"
    }
    assert all(each.poll_state.errors == 1 for each in answers)


def test_a_host_that_leaves_some_polls_without_an_answer_is_asked_on() -> None:
    def play(request: Request) -> Pieces:
        return [] if int(request.path[1:]) % 5 else answer(200, RSS)

    with playing(play) as origin:
        run = limiter(replace(POLICY, host_rate=100.0, host_concurrency=1))
        urls = [origin.url(f"/{number}") for number in range(11)]
        polled = [run.poll(PollRequest(Source("show", "feed", url), PollState(url), START)) for url in urls]
        assert [each.result().status for each in polled].count("ok") == 3


def test_a_target_that_is_down_does_not_count_against_who_redirects_there() -> None:
    with resetting() as down:

        def play(request: Request) -> bytes:
            return answer(200, RSS) if request.path == "/sound" else answer(302, b"", ("Location", down))

        with playing(play) as origin:
            run = limiter(replace(POLICY, host_rate=100.0))
            urls = [*(origin.url(f"/{number}") for number in range(8)), origin.url("/sound")]
            polled = [run.poll(PollRequest(Source("show", "feed", url), PollState(url), START)) for url in urls]
            assert [each.result().status for each in polled] == [*["failed"] * 8, "ok"]


@contextmanager
def resetting() -> Iterator[str]:
    """Give the address of a host that resets each connection."""
    with socket.create_server(("127.0.0.1", 0), backlog=300) as server:

        def reset() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                connection.close()

        threading.Thread(target=reset, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/feed"
        server.shutdown(socket.SHUT_RDWR)


def test_a_host_that_resets_each_connection_is_told_as_such() -> None:
    """Whether the request was sent before the reset, or while it came, or could not be: by chance, so often."""
    with resetting() as url:
        messages = {Polls(url).ask().message for _ in range(200)}
    assert messages <= {f"{url}: the connection broke", f"{url}: closed the connection without an answer"}


def test_a_host_that_takes_or_keeps_no_connection_is_not_asked_for_each_of_its_sources(free_port: int) -> None:
    with resetting() as broken:
        for url in (f"http://127.0.0.1:{free_port}/feed", broken, "http://nobody.invalid/feed"):
            run = limiter(replace(POLICY, host_rate=100.0))
            polled = [run.poll(PollRequest(Source("show", "feed", url), PollState(url), START)) for _ in range(50)]
            messages = Counter(each.result().message for each in polled)
            assert messages[f"{url}: not asked: the last 5 requests to its host had no answer"] in (44, 45), messages


def test_a_host_whose_answers_are_no_use_is_asked_for_each_of_its_sources() -> None:
    with playing(lambda _: answer(500, b"")) as origin:
        run = limiter(replace(POLICY, host_rate=100.0))
        polled = [
            run.poll(PollRequest(Source("show", "feed", origin.url()), PollState(origin.url()), START))
            for _ in range(8)
        ]
        assert {each.result().message for each in polled} == {f"{origin.url()}: 500 Internal Server Error"}
