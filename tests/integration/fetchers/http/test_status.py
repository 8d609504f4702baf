"""The status rules, one test or more a row, against a real origin."""

import pytest
from msgspec.structs import replace

from aggregator.errors import GoneError
from aggregator.fetchers.http import polling
from aggregator.model.entry import Enclosure
from aggregator.model.source import Source
from tests.support.origin import Pieces, Play, Request, answer, playing
from tests.support.polls import POLICY, RSS, Polls, client

ETAG = ("ETag", '"one"')


@pytest.mark.parametrize(
    "status", [204, 205, 300, 304, 305, 399, 400, 401, 403, 404, 405, 418, 451, 500, 502, 504, 599, 299, 777]
)
def test_what_is_no_document_is_an_error_and_its_body_unused(status: int) -> None:
    with playing(lambda _: [answer(status, RSS, ETAG)]) as origin:
        polls = Polls(origin.url())
        got = polls.ask()
        assert got.status == "failed"
        assert got.document is None
        assert got.message.startswith(f"{origin.url()}: {status}")
        assert polls.poll_state.errors == 1
        assert polls.poll_state.validators.etag is None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_without_location_is_an_error(status: int) -> None:
    with playing(lambda _: answer(status)) as origin:
        assert Polls(origin.url()).ask().status == "failed"


def test_304_to_a_question_without_validators_is_an_error() -> None:
    with playing(lambda _: answer(304)) as origin:
        got = Polls(origin.url()).ask()
        assert got.status == "failed"
        assert "nothing was asked conditionally" in got.message


@pytest.mark.parametrize("status", [206, 226])
def test_partial_answers_are_taken_as_such_and_never_asked_for(status: int) -> None:
    with playing(lambda _: answer(status, RSS, ETAG)) as origin:
        document = Polls(origin.url()).ask().document
        assert document is not None
        assert document.partial
        assert origin.requests[0].get("Range") is None
        assert origin.requests[0].get("A-IM") is None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_by_hand_with_the_conditional_fields(status: int) -> None:
    def play(request: Request) -> bytes:
        if request.path == "/feed":
            return answer(status, b"moved", ("Location", "/real?x=1"))
        return answer(304) if request.get("If-None-Match") == '"one"' else answer(200, RSS, ETAG)

    with playing(play) as origin:
        polls = Polls(origin.url())
        document = polls.ask().document
        assert document is not None
        assert document.url == origin.url("/real?x=1")
        assert polls.ask(hours=1).status == "unchanged"
        assert [request.path for request in origin.requests] == ["/feed", "/real?x=1"] * 2
        assert origin.requests[2].get("If-None-Match") == '"one"'


@pytest.mark.parametrize(("hops", "state"), [(5, "ok"), (6, "failed")])
def test_five_redirects_are_followed_and_no_sixth(hops: int, state: str) -> None:
    def play(request: Request) -> bytes:
        number = int(request.path[1:])
        return answer(302, b"", ("Location", f"/{number - 1}")) if number else answer(200, RSS)

    with playing(play) as origin:
        assert Polls(origin.url(f"/{hops}")).ask().status == state
        assert len(origin.requests) == 6


def test_the_body_of_a_redirect_is_never_read() -> None:
    sent = []

    def play(request: Request) -> Pieces:
        if request.path == "/feed":
            return endless()
        return answer(200, RSS)

    def endless() -> Pieces:
        yield b"HTTP/1.1 302 Found\r\nLocation: /real\r\nTransfer-Encoding: chunked\r\n\r\n"
        while True:
            sent.append(1)
            yield b"10000\r\n" + b"x" * 65_536 + b"\r\n"

    with playing(play) as origin:
        assert Polls(origin.url()).ask().status == "ok"
    assert len(sent) < 100  # what the kernel's buffers took


def moving(statuses: dict[str, tuple[int, str]]) -> Play:
    def play(request: Request) -> bytes:
        if request.path in statuses:
            status, location = statuses[request.path]
            return answer(status, b"", ("Location", location)) if location else answer(status)
        return answer(304) if request.get("If-None-Match") else answer(200, RSS, ETAG)

    return play


@pytest.mark.parametrize("status", [301, 308])
def test_a_permanent_move_is_remembered_after_several_entries_only(status: int) -> None:
    with playing(moving({"/feed": (status, "/new")})) as origin:
        polls = Polls(origin.url())
        for _ in range(polling._MOVED_AFTER):
            polls.ask(hours=1)
        assert [request.path for request in origin.requests] == ["/feed", "/new"] * polling._MOVED_AFTER
        polls.ask(hours=1)
        polls.ask(hours=1)
        assert [request.path for request in origin.requests[2 * polling._MOVED_AFTER :]] == ["/new", "/new"]
        assert polls.poll_state.url == origin.url()


@pytest.mark.parametrize(
    "moves",
    [
        {"/feed": (302, "/new")},
        {"/feed": (303, "/new")},
        {"/feed": (307, "/new")},
        {"/feed": (301, "/mid"), "/mid": (302, "/new")},
        {"/feed": (302, "/mid"), "/mid": (301, "/new")},
    ],
)
def test_a_chain_with_one_temporary_hop_is_never_remembered(moves: dict[str, tuple[int, str]]) -> None:
    with playing(moving(moves)) as origin:
        polls = Polls(origin.url())
        for _ in range(3 * polling._MOVED_AFTER):
            polls.ask(hours=1)
        assert origin.requests[-1 - len(moves)].path == "/feed"
        assert polls.poll_state.moved_to is None


def test_a_move_that_changes_its_mind_is_counted_anew() -> None:
    moves = {"/feed": (301, "/new")}
    with playing(moving(moves)) as origin:
        polls = Polls(origin.url())
        for _ in range(polling._MOVED_AFTER - 1):
            polls.ask(hours=1)
        moves["/feed"] = (301, "/other")
        polls.ask(hours=1)
        assert (polls.poll_state.moved_to, polls.poll_state.moved_seen) == (origin.url("/other"), 1)


@pytest.mark.parametrize("status", [404, 410, 500])
def test_a_remembered_move_falls_back_when_its_target_fails(status: int) -> None:
    moves = {"/feed": (301, "/new")}
    with playing(moving(moves)) as origin:
        polls = Polls(origin.url())
        for _ in range(polling._MOVED_AFTER + 1):
            polls.ask(hours=1)
        moves.update({"/new": (status, ""), "/feed": (302, "/back")})
        assert polls.ask(hours=1).status == "failed"
        assert not polls.poll_state.gone
        assert polls.ask(hours=2).status == "unchanged"
        assert [request.path for request in origin.requests[-2:]] == ["/feed", "/back"]


@pytest.mark.parametrize(("status", "gone"), [(301, True), (308, True), (302, False), (303, False), (307, False)])
def test_what_a_temporary_redirect_leads_to_may_be_gone_without_the_source(status: int, *, gone: bool) -> None:
    with playing(moving({"/feed": (status, "/dead"), "/dead": (410, "")})) as origin:
        polls = Polls(origin.url())
        assert polls.ask().status == "failed"
        assert polls.poll_state.gone == gone


def test_a_host_that_asks_for_silence_after_a_redirect_is_named() -> None:
    with (
        playing(lambda _: answer(429, b"", ("Retry-After", "600"))) as busy,
        playing(lambda _: answer(302, b"", ("Location", busy.url("/x")))) as shared,
    ):
        polls = Polls(shared.url())
        assert "not asked before" in polls.ask().message
        assert polls.poll_state.hold_host == f"127.0.0.1:{busy.port}"


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "gopher://127.0.0.1:70/_x",
        "data:text/xml,<rss/>",
        "javascript:alert(1)",
        "http://[::1",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:0/",
        "http://a\\@127.0.0.1/",
    ],
)
def test_a_redirect_leads_only_to_http(location: str) -> None:
    with playing(lambda _: answer(302, b"", ("Location", location))) as origin:
        got = Polls(origin.url()).ask()
        assert got.status == "failed"
        assert len(origin.requests) == 1


def test_a_redirect_may_be_spelt_in_utf8_or_with_spaces() -> None:
    def play(request: Request) -> Pieces:
        if request.path == "/feed":
            return "HTTP/1.1 302 x\r\nContent-Length: 0\r\nLocation:  /é ü \r\n\r\n".encode()
        return answer(200, RSS)

    with playing(play) as origin:
        assert Polls(origin.url()).ask().status == "ok"
        assert origin.requests[1].path == "/%C3%A9%20%C3%BC"


def test_head_tells_type_and_length_without_a_body() -> None:
    def play(request: Request) -> bytes:
        if request.path == "/a.mp3":
            return answer(302, b"", ("Location", "/b.mp3"))
        return answer(200 if request.path == "/b.mp3" else 404, b"", ("Content-Type", "audio/mpeg"), length=12345)

    with playing(play) as origin:
        source = Source("show", "feed", origin.url())
        assert client(POLICY).head(origin.url("/a.mp3"), source=source) == Enclosure(
            origin.url("/a.mp3"), "audio/mpeg", 12345
        )
        with pytest.raises(GoneError):
            client(POLICY).head(origin.url("/c.mp3"), source=source)
        assert client(replace(POLICY, allow_networks=())).head(origin.url("/b.mp3"), source=source) is None
        assert {request.method for request in origin.requests} == {"HEAD"}
