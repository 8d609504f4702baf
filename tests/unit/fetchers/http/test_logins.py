"""Credentials: for their own origin and nobody else, and in no message."""

from tests.support.origin import Request, answer, playing
from tests.support.polls import RSS, Polls


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
        others = [polls.ask(hours=1), polls.ask(days=3), polls.ask(minutes=1)]
        assert [each.state for each in others] == ["resting", "silent", "resting"]
        others.append(polls.ask(days=3))
        assert all("s3cret" not in each.message for each in others)
        assert all(each.message.isprintable() for each in others)


def test_credentials_invented_by_a_redirect_are_not_sent() -> None:
    def play(request: Request) -> bytes:
        there = origin.url("/real").replace("http://", "http://a:b@")
        return answer(302, b"", ("Location", there)) if request.path == "/feed" else answer(200, RSS)

    with playing(play) as origin:
        assert Polls(origin.url()).ask().state == "heard"
        assert [request.get("Authorization") for request in origin.requests] == [None, None]
