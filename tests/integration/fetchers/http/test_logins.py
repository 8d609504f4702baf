"""Credentials: for their own origin and nobody else, and in no message."""

from datetime import timedelta

from aggregator.fetchers.http.exchange import PollRequest
from aggregator.model.source import PollState, Request, Source
from tests.support import origin as played
from tests.support.origin import answer, playing
from tests.support.polls import POLICY, RSS, START, Polls, limiter


def test_credentials_of_the_address_are_sent_to_their_origin_alone() -> None:
    with (
        playing(lambda _: answer(200, RSS)) as other,
        playing(lambda r: answer(302, b"", ("Location", "/in" if r.path == "/feed" else other.url("/out")))) as origin,
    ):
        url = origin.url().replace("http://", "http://me:s%40fe@")
        polls = Polls(url)
        document = polls.ask().document
        assert document is not None
        assert [r.get("Authorization") for r in origin.requests] == ["Basic bWU6c0BmZQ=="] * 2
        assert [r.get("Authorization") for r in other.requests] == [None]


def test_credentials_are_in_no_message_and_no_document() -> None:
    answers = iter([answer(200, RSS), answer(500), answer(302, b"", ("Location", "http://10.0.0.1/?key=s3cret"))])
    with playing(lambda _: next(answers)) as origin:
        polls = Polls(origin.url("/feed?key=s3cret").replace("http://", "http://me:s3cret@"))
        first = polls.ask()
        assert first.document is not None
        assert "me:s3cret" not in first.document.url
        others = [polls.ask(minutes=30), polls.ask(days=3), polls.ask(minutes=1)]
        assert [each.status for each in others] == ["not due", "failed", "not due"]
        others.append(polls.ask(days=3))
        assert all("s3cret" not in each.message for each in others)
        assert all(each.message.isprintable() for each in others)


def test_credentials_invented_by_a_redirect_are_not_sent() -> None:
    def play(request: played.Request) -> bytes:
        there = origin.url("/real").replace("http://", "http://a:b@")
        return answer(302, b"", ("Location", there)) if request.path == "/feed" else answer(200, RSS)

    with playing(play) as origin:
        assert Polls(origin.url()).ask().status == "ok"
        assert [request.get("Authorization") for request in origin.requests] == [None, None]


def test_header_fields_of_a_request_are_sent_to_its_own_origin_alone() -> None:
    token = (("Authorization", "Bearer s3cret"), ("X-Key", "k3y"))
    with (
        playing(lambda _: answer(200, RSS)) as other,
        playing(lambda r: answer(301, b"", ("Location", "/in" if r.path == "/" else other.url("/out")))) as origin,
    ):
        poll_state, request = PollState(origin.url("/")), Request(origin.url("/"), token)
        assert "s3cret" not in repr(request)
        for poll in range(7):  # the fifth has seen the permanent redirect often enough to ask the other origin itself
            now = START + timedelta(days=2 * poll)
            polled = (
                limiter(POLICY)
                .poll(PollRequest(Source("show", "feed"), poll_state, now, own_fields=request.headers))
                .result()
            )
            poll_state = polled.poll_state
        assert {(r.get("Authorization"), r.get("X-Key")) for r in origin.requests} == {("Bearer s3cret", "k3y")}
        assert len(origin.requests) == 10
        assert {(r.get("Authorization"), r.get("X-Key")) for r in other.requests} == {(None, None)}
        assert len(other.requests) == 7
        assert "s3cret" not in repr(polled)


def test_a_token_that_cannot_be_sent_is_in_no_message() -> None:
    with playing(lambda _: answer(200, RSS)) as origin:
        headers = (("Authorization", "s3cret\r\nX: y"),)
        polled = (
            limiter(POLICY)
            .poll(PollRequest(Source("show", "feed"), PollState(origin.url()), START, own_fields=headers))
            .result()
        )
        assert (polled.status, origin.requests) == ("failed", [])
        assert "s3cret" not in polled.message
        assert "the header field Authorization has a character that HTTP does not allow" in polled.message
