"""The politeness checklist, one test or more a point, against an origin that writes down what it was asked."""

import gzip
from datetime import timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from aggregator.model.source import PollState, Validators
from tests.support.origin import Request, answer, playing
from tests.support.polls import ETAG, RSS, START, Polls, feed


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("after", ["90", "7200", "400000"])
def test_rule_9_retry_after_in_seconds_is_waited_for_even_by_force(status: int, after: str) -> None:
    with playing(lambda _: answer(status, b"", ("Retry-After", after))) as origin:
        polls = Polls(origin.url())
        first = polls.ask()
        assert first.status == "failed"
        assert str(status) in first.message
        assert polls.ask(seconds=int(after) - 1, force=True).status == "not due"
        assert polls.ask(seconds=1, force=True).status == "failed"
        assert len(origin.requests) == 2


@pytest.mark.parametrize("skew", [timedelta(), timedelta(days=-400), timedelta(hours=5)])
def test_rule_9_retry_after_as_a_date_is_relative_to_the_origins_own_clock(skew: timedelta) -> None:
    date = format_datetime(START + skew, usegmt=True)
    until = format_datetime(START + skew + timedelta(days=2), usegmt=True)
    with playing(lambda _: answer(503, b"", ("Date", date), ("Retry-After", until))) as origin:
        polls = Polls(origin.url())
        polls.ask()
        assert polls.ask(hours=47.9, force=True).status == "not due"
        assert polls.ask(hours=0.1, force=True).status == "failed"


def test_rule_9_retry_after_beyond_a_week_is_a_week_and_nonsense_is_nothing() -> None:
    values = iter(["99999999999999999999", "soon"])
    with playing(lambda _: answer(429, b"", ("Retry-After", next(values)))) as origin:
        polls = Polls(origin.url())
        polls.ask()
        assert polls.ask(days=6.9, force=True).status == "not due"
        assert polls.ask(days=0.1, force=True).status == "failed"
        assert polls.poll_state.hold_until is not None
        assert polls.poll_state.hold_until <= polls.now


def test_rule_9_there_is_no_second_try_within_a_poll() -> None:
    statuses = (429, 500, 502, 503, 504, 404)
    with playing(lambda request: answer(int(request.path[1:]))) as origin:
        for status in statuses:
            Polls(origin.url(f"/{status}")).ask()
        assert [f"/{status}" for status in statuses] == [request.path for request in origin.requests]


def test_rule_10_no_cookie_referer_range_or_credentials() -> None:
    def play(request: Request) -> bytes:
        if request.path == "/feed":
            return answer(302, b"", ("Location", "/next"), ("Set-Cookie", "a=b; Path=/"))
        return answer(200, RSS, ETAG, ("Set-Cookie", "c=d"), ("WWW-Authenticate", "Basic realm=x"))

    with playing(play) as origin:
        polls = Polls(origin.url())
        for _ in range(3):
            polls.ask(hours=1)
        names = {name.lower() for request in origin.requests for name, _ in request.fields}
        assert {"host", "user-agent", "accept", "accept-encoding", "if-none-match"} == names


@pytest.mark.parametrize(
    "path",
    [
        "/feed?b=2&a=1",
        "/feed?a=%2f%2F%7e~",
        "/a/../b/./c//d",
        "/feed?",
        "/feed?x=a+b&&y",
        "/f%C3%A9ed;v=1",
        "/feed?q='\"<>[]{}|^`",
        "/feed?_=%",
    ],
)
def test_rule_11_the_address_goes_out_as_configured(path: str) -> None:
    with playing(feed(ETAG)) as origin:
        polls = Polls(origin.url(path))
        polls.ask()
        polls.ask(hours=1)
        assert [path, path] == [request.path for request in origin.requests]


@pytest.mark.parametrize(
    ("given", "sent"),
    [("", "/"), ("?q=1", "/?q=1"), ("/a b", "/a%20b"), ("/é?ü", "/%C3%A9?%C3%BC"), ("/feed#part", "/feed")],
)
def test_rule_11_only_what_cannot_go_over_the_wire_is_escaped(given: str, sent: str) -> None:
    with playing(feed()) as origin:
        Polls(origin.url(given)).ask()
        assert [sent] == [request.path for request in origin.requests]


def test_rule_12_the_user_agent_names_product_version_and_contact() -> None:
    with playing(feed()) as origin:
        Polls(origin.url()).ask()
        agent = origin.requests[0].get("User-Agent") or ""
        product, contact = agent.split(" ", 1)
        assert product.startswith("aggregator/")
        assert contact == "(+https://example.org/about)"


def test_rule_13_compression_and_feed_types_are_asked_for() -> None:
    with playing(feed()) as origin:
        Polls(origin.url()).ask()
        assert origin.requests[0].get("Accept-Encoding") == "gzip, deflate, br"
        accept = origin.requests[0].get("Accept") or ""
        assert accept.startswith("application/rss+xml, application/atom+xml, application/feed+json")


def test_rule_14_one_get_a_poll_and_nothing_else() -> None:
    html = b'<html><link rel=icon href=/favicon.ico><img src="/a.png"></html>'
    with playing(feed(ETAG, ("Link", "</style.css>; rel=preload"), body=html)) as origin:
        polls = Polls(origin.url())
        polls.ask()
        polls.ask(hours=1)
        assert [(request.method, request.path) for request in origin.requests] == [("GET", "/feed")] * 2


def test_rule_15_gone_ends_polling_and_says_so() -> None:
    with playing(lambda _: answer(410)) as origin:
        polls = Polls(origin.url())
        first = polls.ask()
        assert first.status == "failed"
        assert "gone for good" in first.message
        rest = [polls.ask(days=30) for _ in range(12)]
        assert {"not due"} == {each.status for each in rest}
        assert "gone (410)" in rest[-1].message
        assert len(origin.requests) == 1


def test_rule_15_a_person_may_ask_a_gone_source_by_force() -> None:
    answers = iter([answer(410), answer(200, RSS, ETAG)])
    with playing(lambda _: next(answers)) as origin:
        polls = Polls(origin.url())
        polls.ask()
        assert polls.ask(days=1, force=True).status == "ok"
        assert not polls.poll_state.gone


def test_rule_16_expires_is_honoured_relative_to_date() -> None:
    date, expires = (format_datetime(START + timedelta(days=99, hours=h), usegmt=True) for h in (0, 2))
    with playing(feed(ETAG, ("Date", date), ("Expires", expires))) as origin:
        assert Polls(origin.url()).every_minute(250) == [1, 121, 241]


@pytest.mark.parametrize("expires", ["0", "-1", "Thu, 01 Jan 1970 00:00:00 GMT", "never"])
def test_rule_16_expires_in_the_past_or_senseless_asks_for_nothing(expires: str) -> None:
    with playing(feed(ETAG, ("Expires", expires))) as origin:
        assert Polls(origin.url()).every_minute(70) == [1, 61]


def test_rule_17_persistent_errors_are_asked_ever_less() -> None:
    with playing(lambda _: answer(500)) as origin:
        polls = Polls(origin.url())
        asked = polls.every_minute(8 * 24 * 60)
        gaps = [later - sooner for sooner, later in pairwise(asked)]
        assert gaps[:6] == sorted(gaps[:6])
        assert min(gaps) >= 60
        assert 24 * 60 <= gaps[-1] <= 24 * 60 * 1.1 + 1
        assert len(origin.requests) == len(asked) < 16


def test_rule_17_one_good_answer_ends_the_backoff() -> None:
    answers = iter([answer(500), answer(500), answer(500), answer(200, RSS, ETAG), answer(304)])
    with playing(lambda _: next(answers)) as origin:
        polls = Polls(origin.url())
        for _ in range(4):
            polls.ask(days=2)
        assert polls.poll_state.errors == 0
        assert polls.ask(hours=1).status == "unchanged"


def test_what_an_error_leaves_is_the_good_of_before() -> None:
    answers = iter([answer(200, RSS, ETAG), answer(500), answer(304)])
    with playing(lambda _: next(answers)) as origin:
        polls = Polls(origin.url())
        digest = polls.ask().poll_state.digest
        polls.ask(hours=1)
        assert (digest, Validators('"one"')) == (polls.poll_state.digest, polls.poll_state.validators)
        assert polls.ask(hours=2).status == "unchanged"
        assert origin.requests[2].get("If-None-Match") == '"one"'


def test_compressed_answers_are_asked_with_the_validators_of_their_coding() -> None:
    fields = (("ETag", '"one-gzip"'), ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
    with playing(feed(*fields, body=gzip.compress(RSS))) as origin:
        polls = Polls(origin.url())
        document = polls.ask().document
        assert document is not None
        assert document.body == RSS
        polls.ask(hours=1)
        assert origin.requests[1].get("If-None-Match") == '"one-gzip"'


def test_what_reached_no_origin_is_tried_again_soon() -> None:
    polls = Polls("http://nowhere.invalid/feed")
    assert polls.every_minute(300) == [1, 6, 16, 36, 76, 136, 196, 256]


def test_what_the_config_refuses_leaves_nothing_to_wait_for() -> None:
    polls = Polls("http://10.0.0.1/feed")
    assert polls.every_minute(3) == [1, 2, 3]
    assert polls.poll_state == PollState("http://10.0.0.1/feed")


def test_what_refuses_the_connection_was_reached() -> None:
    with playing(feed()) as origin:
        url = origin.url()
    assert Polls(url).every_minute(120) == [1, 61]
