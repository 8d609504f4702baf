"""One host's turn: at most so many at once, so many a second, and what it asked of one holds for all."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from queue import SimpleQueue

import pytest
from msgspec.structs import replace

from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.host_limits import HostLimiter
from aggregator.model.source import Answer, PollState, Source, Validators
from tests.support.origin import Origin, Pieces, Request, answer, playing
from tests.support.polls import POLICY, RSS, START, limiter

QUICK = replace(POLICY, host_rate=1_000.0)


def asked(way: HostLimiter, url: str, **later: float) -> Answer:
    return way.poll(PollRequest(Source("show", "feed", url), PollState(url), START + timedelta(**later))).result()


def addresses(origin: Origin, count: int) -> list[str]:
    return [origin.url(f"/{number}") for number in range(count)]


def all_at_once(work: Callable[[str], Answer], urls: list[str]) -> list[Answer]:
    with ThreadPoolExecutor(16) as threads:
        return list(threads.map(work, urls))


def slow(_: Request) -> Pieces:
    time.sleep(0.02)
    return answer(200, RSS)


def test_at_most_two_at_once_reach_one_host() -> None:
    with playing(slow) as origin:
        way = limiter(QUICK)
        answers = all_at_once(lambda url: asked(way, url), [origin.url(f"/{n}") for n in range(40)])
        assert {each.status for each in answers} == {"ok"}
        assert origin.busiest == 2


def test_two_hosts_are_asked_side_by_side() -> None:
    with playing(slow) as one, playing(slow) as other:
        way = limiter(QUICK)
        urls = [origin.url(f"/{n}") for n in range(20) for origin in (one, other)]
        all_at_once(lambda url: asked(way, url), urls)
        assert (one.busiest, other.busiest) == (2, 2)


def test_questions_to_one_host_keep_their_distance() -> None:
    with playing(lambda _: answer(200, RSS)) as origin:
        begun = time.monotonic()
        way = limiter(replace(POLICY, host_rate=20.0))
        all_at_once(lambda url: asked(way, url), [origin.url(f"/{n}") for n in range(11)])
        assert time.monotonic() - begun >= 0.45


def test_a_hold_asked_of_one_source_holds_for_its_host_in_this_run_and_the_next() -> None:
    with (
        playing(lambda _: answer(429, b"", ("Retry-After", "3600"))) as busy,
        playing(lambda _: answer(200, RSS)) as other,
    ):
        way = limiter(QUICK)
        first = asked(way, busy.url("/one"))
        assert [asked(way, busy.url(f"/{n}")).status for n in range(5)] == ["not due"] * 5
        assert asked(way, other.url()).status == "ok"
        assert first.poll_state.hold_until == START + timedelta(minutes=60)
        following = limiter(QUICK, {first.poll_state.hold_host: first.poll_state.hold_until})
        assert asked(following, busy.url("/new"), minutes=30).status == "not due"
        assert len(busy.requests) == 1
        assert asked(limiter(QUICK), busy.url("/new"), minutes=60).status == "failed"


def test_a_hold_counts_from_when_the_answer_came_and_not_from_the_runs_clock() -> None:
    wrong = "Sun, 01 Mar 2020 12:00:00 GMT"  # the origin's clock is six years behind
    fields = (("Retry-After", "Sun, 01 Mar 2020 12:02:00 GMT"), ("Date", wrong))
    with playing(lambda r: answer(429, b"", *(fields if r.path == "/date" else (("Retry-After", "120"),)))) as busy:
        for path in ("/seconds", "/date"):
            begun = time.monotonic()
            way = limiter(QUICK)
            time.sleep(1.1)
            held = asked(way, busy.url(path)).poll_state.hold_until
            assert held is not None
            assert 121 <= (held - START).total_seconds() <= 120 + time.monotonic() - begun


def test_many_questions_to_one_host_take_no_thread_from_another() -> None:
    free = threading.Event()

    def hold(_: Request) -> Pieces:
        free.wait(60)
        return answer(200, RSS)

    with playing(hold) as crowded, playing(slow) as other:
        way = limiter(QUICK, threads=3)
        polls = [
            way.poll(PollRequest(Source("show", "feed", url), PollState(url), START)) for url in addresses(crowded, 200)
        ]
        assert asked(way, other.url()).status == "ok"
        assert len(crowded.requests) <= 2
        free.set()
        assert {each.result(60).status for each in polls} == {"ok"}
        assert crowded.busiest <= 2


def test_where_a_run_ends_early_nobody_is_asked_any_more_in_whatever_order_they_wait() -> None:
    way = limiter(replace(POLICY, host_rate=0.01))
    with playing(lambda _: answer(200, RSS)) as origin:
        asked(way, origin.url())
        polls = [
            way.poll(PollRequest(Source("show", "feed", url), PollState(url), START)) for url in addresses(origin, 20)
        ]
        way.close()
        assert ({each.cancelled() for each in polls}, len(origin.requests)) == ({True}, 1)
        assert way.poll(PollRequest(Source("show", "feed", origin.url()), PollState(origin.url()), START)).cancelled()


def test_an_answer_that_stops_half_way_over_a_kept_connection_holds_up_no_other() -> None:
    free = threading.Event()

    def half() -> Iterator[bytes]:
        yield b"HTTP/1.1 304 Not"
        free.wait(60)
        yield b" Modified\r\n\r\n"

    def play(request: Request) -> Pieces:
        if request.path == "/half":
            return half()
        return answer(304) if request.get("If-None-Match") else answer(200, RSS, ("ETag", '"x"'))

    with playing(play) as stuck, playing(play) as good:
        way, done = limiter(QUICK, threads=2), SimpleQueue[str]()
        for origin in (stuck, good):
            assert asked(way, origin.url()).status == "ok"
        poll_state = PollState(stuck.url("/half"), Validators('"x"'))
        stopped = way.poll(PollRequest(Source("show", "feed", poll_state.url), poll_state, START))
        stopped.add_done_callback(lambda _: done.put("stuck"))
        known = replace(poll_state, url=good.url())
        for _ in range(9):
            polled = way.poll(PollRequest(Source("show", "feed", known.url), known, START))
            polled.add_done_callback(lambda _: done.put("good"))
        assert [done.get(timeout=60) for _ in range(9)] == ["good"] * 9
        free.set()
        assert done.get(timeout=60) == "stuck"
        assert (stopped.result().status, stuck.connections) == ("unchanged", 1)


def test_a_task_that_fails_is_told_and_holds_up_no_other() -> None:
    way = limiter(replace(QUICK, host_concurrency=1), threads=1)
    polls = [way.submit("http://127.0.0.1:9/", task) for task in (lambda: 1 // 0, lambda: 2, lambda: 3)]
    with pytest.raises(ZeroDivisionError):
        polls[0].result(60)
    assert [each.result(60) for each in polls[1:]] == [2, 3]


def test_a_hold_is_the_hosts_that_asked_and_not_the_redirectors() -> None:
    with (
        playing(lambda _: answer(503, b"", ("Retry-After", "3600"))) as busy,
        playing(lambda r: answer(302, b"", ("Location", busy.url())) if r.path == "/a" else answer(200, RSS)) as shared,
    ):
        way = limiter(QUICK)
        assert asked(way, shared.url("/a")).status == "failed"
        assert asked(way, shared.url("/b")).status == "ok"
        assert asked(way, busy.url("/c")).status == "not due"


def test_a_source_that_rests_does_not_wait_for_its_turn() -> None:
    way = limiter(QUICK)
    url = "http://127.0.0.1:9/"
    free = threading.Event()
    busy = [way.submit(url, lambda: free.wait(60)) for _ in range(2)]
    poll_state = PollState(url, not_before=START + timedelta(days=1))
    assert (
        way.poll(PollRequest(Source("show", "feed", url), poll_state, START)).result().status == "not due"
    )  # else it would wait for the others
    free.set()
    assert [each.result(60) for each in busy] == [True, True]


def test_a_place_is_given_back_when_the_question_fails() -> None:
    way = limiter(replace(QUICK, host_concurrency=1))
    done = threading.Event()

    def twice() -> None:
        for _ in range(2):
            asked(way, "http://10.0.0.1/")
        done.set()

    threading.Thread(target=twice, daemon=True).start()
    assert done.wait(60)
