"""Two thousand sources of one host: within its limits, each asked once, and memory stays flat."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator.fetchers import parser_process
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.model.source import Answer, PollState, Source
from tests.support.origin import Request, answer, playing
from tests.support.paths import SUPPORT
from tests.support.polls import POLICY, RSS, START, Polls, limiter

SOURCES = 2_000
ROOMY = replace(POLICY, host_rate=10_000.0)


@pytest.fixture
def crowd() -> Iterator[subprocess.Popen[str]]:
    program = [sys.executable, str(SUPPORT / "fast_origin.py"), "20000"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as origin:
        late = threading.Timer(600, origin.kill)
        late.start()
        yield origin
        late.cancel()
        origin.kill()


def resident_kilobytes() -> int:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def refreshed(poll_states: list[PollState], days: int) -> list[Answer]:
    """One run over all: asked through one gate, read in the children, documents let go."""
    way = limiter(ROOMY)

    def one(poll_state: PollState) -> Answer:
        answer = way.poll(
            PollRequest(Source("show", "feed", poll_state.url), poll_state, START + timedelta(days=days))
        ).result()
        if answer.document is not None:
            parser_process.read(answer.document)
        return replace(answer, document=None)

    with ThreadPoolExecutor(8) as threads:
        return list(threads.map(one, poll_states))


@pytest.mark.heavy
def test_two_thousand_sources_of_one_host(crowd: subprocess.Popen[str]) -> None:
    assert crowd.stdin is not None
    assert crowd.stdout is not None
    port = int(crowd.stdout.readline())
    poll_states = [PollState(f"http://127.0.0.1:{port}/{number}") for number in range(SOURCES)]
    refreshed(poll_states[:200], 0)
    before, begun = resident_kilobytes(), time.monotonic()
    first = refreshed(poll_states, 0)
    grown, seconds = resident_kilobytes() - before, time.monotonic() - begun
    begun = time.monotonic()
    second = refreshed([answer.poll_state for answer in first], 2)
    again = time.monotonic() - begun
    third = refreshed([answer.poll_state for answer in second], 2)
    crowd.stdin.close()
    requests, conditional, busiest = map(int, crowd.stdout.readline().split())
    print(f"200 and read: {seconds:.1f} s, +{grown / 1024:.1f} MB; 304: {again:.1f} s; at once: {busiest}")  # noqa: T201
    states = [{answer.status for answer in answers} for answers in (first, second, third)]
    assert states == [{"ok"}, {"unchanged"}, {"not due"}]
    assert (requests, conditional) == (2 * SOURCES + 200, SOURCES)
    assert busiest <= ROOMY.host_concurrency
    assert grown < 20_000
    assert seconds < 120
    assert again < 30


def test_polls_of_one_host_share_its_connections() -> None:
    def play(request: Request) -> bytes:
        return answer(304) if request.get("If-None-Match") else answer(200, RSS, ("ETag", '"1"'))

    with playing(play) as origin:
        polls = [Polls(origin.url(f"/{number}")) for number in range(20)]
        for hours in (0, 1, 2):
            assert {each.ask(hours=hours).status for each in polls} == {"unchanged" if hours else "ok"}
        assert origin.connections == 1


def test_a_connection_the_origin_closed_is_not_used_again() -> None:
    def play(_: Request) -> list[bytes]:
        return [answer(200, RSS, ("ETag", '"1"'))]  # says that it keeps the connection, and closes it

    with playing(play) as origin:
        polls = Polls(origin.url())
        states = []
        for _ in range(5):
            states.append(polls.ask(hours=1).status)
            end = time.monotonic() + 180
            while origin._open and time.monotonic() < end:
                time.sleep(0.01)
        assert states == ["ok", *["unchanged"] * 4]
        assert (origin.connections, len(origin.requests)) == (5, 5)


def test_a_kept_connection_that_ends_without_a_byte_is_tried_once_more_and_a_new_one_is_not() -> None:
    def play(request: Request) -> list[bytes] | bytes:
        return [] if request.get("If-None-Match") else answer(200, RSS, ("ETag", '"1"'))

    with playing(play) as origin:
        polls = Polls(origin.url())
        assert polls.ask().status == "ok"
        assert polls.ask(hours=1).message == f"{origin.url()}: closed the connection without an answer"
        assert (origin.connections, len(origin.requests)) == (2, 3)
        assert polls.ask(hours=2).status == "failed"
        assert (origin.connections, len(origin.requests)) == (3, 4)


def test_a_kept_connection_that_breaks_within_an_answer_is_an_error() -> None:
    def play(request: Request) -> list[bytes] | bytes:
        return [b"HTTP/1"] if request.get("If-None-Match") else answer(200, RSS, ("ETag", '"1"'))

    with playing(play) as origin:
        polls = Polls(origin.url())
        assert [polls.ask().status, polls.ask(hours=1).status] == ["ok", "failed"]
        assert (origin.connections, len(origin.requests)) == (1, 2)
