"""What a robots.txt permits is asked for and nothing else: had once in a day, remembered, obeyed (RFC 9309)."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain, repeat

import pytest
from msgspec.structs import replace

from aggregator.fetchers.http import robots
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.model.source import Answer, PollState, Robots, Source
from tests.support.origin import Origin, Pieces, Request, answer, playing
from tests.support.polls import POLICY, RSS, START, limiter

OBEDIENT = replace(POLICY, obey_robots=True, host_rate=1000.0)
CLOSED = b"User-agent: *\nDisallow: /\n"
OPEN = b"User-agent: *\nDisallow: /private\n"
ETAG = ("ETag", '"one"')


def origin_with(body: bytes, *fields: tuple[str, str], status: int = 200) -> Callable[[Request], Pieces]:
    def play(request: Request) -> Pieces:
        if request.path != "/robots.txt":
            return answer(304) if request.get("If-None-Match") else answer(200, RSS, ETAG)
        if request.get("If-None-Match"):
            return answer(304)
        return answer(status, body, *fields)

    return play


@dataclass
class Runs:
    """Runs of one source, one after the other; what is learned of robots.txt goes on, as the store lets it."""

    url: str
    kept: dict[str, Robots] = field(default_factory=dict)
    now: timedelta = timedelta()
    poll_state: PollState = field(init=False)

    def __post_init__(self) -> None:
        self.poll_state = PollState(self.url)

    def ask(self, *, force: bool = False, found: bool = False, obey: bool = True, **later: float) -> Answer:
        self.now += timedelta(**later)
        way = limiter(replace(OBEDIENT, obey_robots=obey), read_robots=self.kept.get)
        by = self.url if found else None
        source = Source("show", "feed", self.url)
        given = way.poll(PollRequest(source, self.poll_state, START + self.now, force=force, found_by=by)).result()
        self.poll_state = given.poll_state
        self.kept |= {each.poll_state.url: each for each in way.take_new_robots()}
        return given


def paths(origin: Origin) -> list[str]:
    return [request.path for request in origin.requests]


def test_nobody_asks_for_a_robots_txt_unless_the_config_says_so() -> None:
    with playing(origin_with(CLOSED)) as origin:
        assert Runs(origin.url()).ask(obey=False).status == "ok"
        assert paths(origin) == ["/feed"]


def test_an_address_that_we_found_ourselves_is_asked_only_where_its_robots_txt_permits() -> None:
    with playing(origin_with(CLOSED)) as origin:
        assert Runs(origin.url()).ask(obey=False, found=True).status == "failed"
        assert paths(origin) == ["/robots.txt"]


def test_what_is_disallowed_is_not_asked_and_the_reason_is_told() -> None:
    with playing(origin_with(CLOSED)) as origin:
        runs = Runs(origin.url("/feed?token=secret"))
        given = runs.ask()
        assert (given.status, given.document) == ("failed", None)
        name = origin.url("/robots.txt")
        shown = origin.url("/feed?…")
        assert given.message == f"{shown}: not asked, {name} disallows {shown}"
        assert runs.ask(hours=1).status == "not due"
        assert runs.ask(hours=1, force=True).status == "failed"
        assert paths(origin) == ["/robots.txt"]


def test_what_is_allowed_is_asked_after_one_question_that_names_us() -> None:
    with playing(origin_with(OPEN)) as origin:
        assert Runs(origin.url()).ask().status == "ok"
        assert paths(origin) == ["/robots.txt", "/feed"]
        first, second = origin.requests
        assert first.get("User-Agent") == second.get("User-Agent")
        assert first.get("Authorization") is None


def test_no_login_of_the_address_goes_to_the_robots_txt() -> None:
    with playing(origin_with(OPEN)) as origin:
        assert Runs(origin.url().replace("//", "//me:secret@")).ask().status == "ok"
        assert [request.get("Authorization") is not None for request in origin.requests] == [False, True]


def test_it_is_had_once_in_a_day_and_then_asked_for_conditionally() -> None:
    with playing(origin_with(OPEN, ETAG, ("Cache-Control", "max-age=60"))) as origin:
        runs = Runs(origin.url())
        for _ in range(25):
            runs.ask(hours=1)
        assert paths(origin).count("/feed") == 25
        second = [request for request in origin.requests if request.path == "/robots.txt"]
        assert [request.get("If-None-Match") for request in second] == [None, '"one"']
        assert runs.kept[origin.url("/robots.txt")].rules == "disallow: /private"


def test_what_is_allowed_anew_is_asked_the_next_day() -> None:
    said = iter([CLOSED, OPEN])
    with playing(lambda r: answer(200, next(said) if r.path == "/robots.txt" else RSS)) as origin:
        runs = Runs(origin.url())
        states = [runs.ask(hours=1).status for _ in range(26)]
        assert (states[0], set(states[1:24]), states[24]) == ("failed", {"not due"}, "ok")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_where_there_is_none_everything_may_be_asked(status: int) -> None:
    with playing(origin_with(CLOSED, status=status)) as origin:
        runs = Runs(origin.url())
        assert [runs.ask(hours=1).status for _ in range(3)] == ["ok", "unchanged", "unchanged"]
        assert paths(origin).count("/robots.txt") == 1


@pytest.mark.parametrize("status", [429, 500, 503, 599, 302])
def test_where_it_cannot_be_had_nothing_is_asked(status: int) -> None:
    with playing(origin_with(OPEN, status=status)) as origin:
        given = Runs(origin.url()).ask()
        assert given.status == "failed"
        assert f"not asked, {origin.url('/robots.txt')} cannot be had: {status}" in given.message
        assert paths(origin) == ["/robots.txt"]


def test_what_cannot_be_had_is_tried_ever_less_and_bars_nothing_after_30_days() -> None:
    with playing(origin_with(b"", status=500)) as origin:
        runs = Runs(origin.url())
        states = [runs.ask(hours=1).status for _ in range(24 * 32)]
        heard = [hour for hour, state in enumerate(states, 1) if state in {"ok", "unchanged"}]
        assert 30 * 24 < heard[0] <= 31 * 24 + 3
        assert 32 < paths(origin)[: paths(origin).index("/feed")].count("/robots.txt") < 40


def test_a_host_that_does_not_answer_is_silent_with_its_reason() -> None:
    with playing(lambda _: answer(200)) as origin:
        url = origin.url()
    given = Runs(url).ask()
    assert "robots.txt cannot be had: the connection was refused" in given.message
    assert given.status == "failed"


def test_what_it_said_before_stands_while_it_cannot_be_had() -> None:
    broken = threading.Event()

    def play(request: Request) -> Pieces:
        if request.path != "/robots.txt":
            return answer(200, RSS, ETAG)
        return answer(500) if broken.is_set() else answer(200, OPEN)

    with playing(play) as origin:
        runs, barred = Runs(origin.url()), Runs(origin.url("/private/feed"))
        barred.kept = runs.kept
        assert (runs.ask().status, barred.ask().status) == ("ok", "failed")
        broken.set()
        assert (runs.ask(days=2).status, barred.ask(days=2).status) == ("unchanged", "failed")
        assert paths(origin) == ["/robots.txt", "/feed", "/robots.txt", "/feed"]


@pytest.mark.parametrize(("seconds", "force"), [(3599, True), (3599, False)])
def test_a_silence_that_it_asks_for_holds_for_its_host(seconds: int, *, force: bool) -> None:
    with playing(origin_with(b"", ("Retry-After", "3600"), status=503)) as origin:
        runs = Runs(origin.url())
        assert "not asked before" in runs.ask().message
        assert runs.poll_state.hold_until is not None
        assert runs.ask(seconds=seconds, force=force).status == "not due"
        assert paths(origin) == ["/robots.txt"]


def test_a_silence_asked_for_in_place_of_known_rules_holds_too() -> None:
    said = iter([answer(200, OPEN), answer(429, b"", ("Retry-After", "7200"))])
    with playing(lambda r: next(said) if r.path == "/robots.txt" else answer(200, RSS, ETAG)) as origin:
        runs = Runs(origin.url())
        runs.ask()
        assert f"as the Retry-After of {origin.host}:{origin.port} says" in runs.ask(days=1).message
        assert runs.ask(hours=1, force=True).status == "not due"


@pytest.mark.parametrize(("hops", "state"), [(5, "failed"), (6, "ok")])
def test_five_redirects_lead_to_it_and_more_are_none(hops: int, state: str) -> None:
    def play(request: Request) -> bytes:
        if request.path == "/feed":
            return answer(200, RSS)
        turn = 0 if request.path == "/robots.txt" else int(request.path[1:])
        return answer(302, b"", ("Location", f"/{turn + 1}")) if turn < hops else answer(200, CLOSED)

    with playing(play) as origin:
        assert Runs(origin.url()).ask().status == state


def test_a_robots_txt_elsewhere_speaks_for_the_origin_that_leads_there() -> None:
    with (
        playing(lambda _: answer(200, CLOSED)) as other,
        playing(lambda _: answer(301, b"", ("Location", other.url("/any.txt")))) as origin,
    ):
        assert Runs(origin.url()).ask().status == "failed"
        assert (paths(origin), paths(other)) == (["/robots.txt"], ["/any.txt"])


def test_every_hop_must_be_permitted_by_its_own_origin() -> None:
    with (
        playing(origin_with(CLOSED)) as closed,
        playing(
            lambda r: answer(404) if r.path == "/robots.txt" else answer(302, b"", ("Location", closed.url("/f")))
        ) as origin,
    ):
        given = Runs(origin.url()).ask()
        assert given.status == "failed"
        assert given.message.startswith(f"{origin.url()}: not asked, {closed.url('/robots.txt')} disallows")
        assert (paths(origin), paths(closed)) == (["/robots.txt", "/feed"], ["/robots.txt"])


def test_it_is_had_behind_the_guard() -> None:
    with playing(origin_with(OPEN)) as origin:
        way = limiter(replace(OBEDIENT, allow_networks=()))
        given = way.poll(PollRequest(Source("show", "feed", origin.url()), PollState(origin.url()), START)).result()
        assert "127.0.0.1 is not a public address" in given.message
        assert origin.connections == 0


def test_a_robots_txt_without_end_is_read_as_far_as_500_kb() -> None:
    def play(request: Request) -> Pieces:
        if request.path != "/robots.txt":
            return answer(200, RSS)
        return chain([b"HTTP/1.1 200 OK\r\n\r\n", CLOSED, b"Allow: /feed\n"], repeat(b"Allow: /more\n" * 100))

    with playing(play) as origin:
        runs = Runs(origin.url())
        assert runs.ask().status == "ok"
        assert 490_000 < len(runs.kept[origin.url("/robots.txt")].rules or "") < 512_000


def test_one_that_never_ends_its_answer_meets_the_deadline() -> None:
    def slow(_: Request) -> Pieces:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            time.sleep(0.1)
            yield b"#"

    with playing(slow) as origin:
        way = limiter(replace(OBEDIENT, deadline=1.0))
        begun = time.monotonic()
        given = way.poll(PollRequest(Source("show", "feed", origin.url()), PollState(origin.url()), START)).result()
        assert "cannot be had: took longer than its deadline" in given.message
        assert time.monotonic() - begun < 15
        assert len(way.take_new_robots()) == 1


def test_many_sources_of_one_host_ask_for_it_once() -> None:
    def play(request: Request) -> bytes:
        time.sleep(0.05)
        return answer(200, OPEN if request.path == "/robots.txt" else RSS)

    with playing(play) as origin, ThreadPoolExecutor(16) as threads:
        way = limiter(OBEDIENT)
        urls = [origin.url(f"/{n}") for n in range(40)]
        given = threads.map(
            lambda url: way.poll(PollRequest(Source("s", "feed", url), PollState(url), START)).result(), urls
        )
        assert {each.status for each in given} == {"ok"}
        assert paths(origin).count("/robots.txt") == 1
        assert origin.busiest <= 2
        assert len(way.take_new_robots()) == 1
        assert way.take_new_robots() == ()


RULES = [
    ("", "/a", True),
    ("User-agent: *\nDisallow: /", "/a", False),
    ("User-agent: *\nDisallow:", "/a", True),
    ("User-agent: *\nDisallow: /a", "/b", True),
    ("User-agent: aggregator\nDisallow: /a", "/a/b", False),
    ("User-agent: AGGREGATOR\nDisallow: /a", "/a", False),
    ("User-agent: aggregator/2.0 (of feeds)\nDisallow: /a", "/a", False),
    ("User-agent: aggregator-news\nDisallow: /", "/a", True),
    ("User-agent: agg\nDisallow: /", "/a", True),
    ("User-agent: other\nDisallow: /", "/a", True),
    ("User-agent: *\nDisallow: /\n\nUser-agent: aggregator\nAllow: /", "/a", True),
    ("User-agent: *\nDisallow: /\n\nUser-agent: aggregator", "/a", True),
    (
        "User-agent: aggregator\nDisallow: /a\n\nUser-agent: x\nDisallow: /\nUser-agent: aggregator\nDisallow: /b",
        "/b",
        False,
    ),
    (
        "User-agent: aggregator\nDisallow: /a\n\nUser-agent: x\nDisallow: /\nUser-agent: aggregator\nDisallow: /b",
        "/c",
        True,
    ),
    ("User-agent: x\n\nUser-agent: aggregator\nDisallow: /a", "/a", False),
    ("User-agent: aggregator\nSitemap: /s.xml\nUser-agent: x\nDisallow: /a", "/a", False),
    ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
    ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", False),
    ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
    ("User-agent: *\nDisallow: /*.xml$", "/a/feed.xml", False),
    ("User-agent: *\nDisallow: /*.xml$", "/a/feed.xml?page=2", True),
    ("User-agent: *\nDisallow: /*?page=", "/feed?page=2", False),
    ("User-agent: *\nDisallow: /f%C3%A9ed", "/féed", False),
    ("User-agent: *\nDisallow: /féed", "/f%c3%a9ed", False),
    ("User-agent: *\nDisallow: /a # not this", "/a", False),
    ("# User-agent: *\n# Disallow: /", "/a", True),
    ("\ufeffUSER-AGENT : *\r\nDISALLOW : /a\r", "/a", False),
    ("User-agent: *\rDisallow: /a", "/a", False),
    ("Disallow: /", "/a", True),
    ("User-agent: *\nDisallow: /", "/robots.txt", True),
    ("User-agent: *\nDisallow: /b\u2028User-agent: aggregator", "/a", True),
    ("<html><body>User-agent: *<br>Disallow: /</body></html>", "/a", True),
]


@pytest.mark.parametrize(("text", "path", "allowed"), RULES)
def test_the_rules_mean_what_the_standard_says(text: str, path: str, *, allowed: bool) -> None:
    assert robots.permits(robots._extract_rules(text.encode()), f"https://h.example{path}") is allowed


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: a\n" * 18_000 + "Disallow: /a\n" * 19_000,
        "\n".join(f"User-agent: a{n}" for n in range(12_000)) + "\n" + "Disallow: /a\n" * 18_000,
        "User-agent: *\n" + "Disallow: /$a\n" * 36_000,
        "User-agent: *\n" + "\n".join(f"Allow: /*a*a*a*{n}$" for n in range(24_000)),
        "User-agent: *\nDisallow: /" + "*a" * 250_000,
        "User-agent: *\nDisallow: /" + "%" * 500_000,
    ],
    ids=["names", "names and rules", "dollars", "stars", "one of stars", "one of percents"],
)
def test_no_robots_txt_costs_more_than_its_share(text: str) -> None:
    begun = time.thread_time()
    robots.permits(robots._extract_rules(text.encode()), "https://h.example/" + "a" * 7_900)
    assert time.thread_time() - begun < 5
