"""A proxy that the config names: every connection goes through it, to addresses that were judged here."""

from __future__ import annotations

import socket

import pytest
from msgspec.structs import replace

from tests.support.origin import answer, playing
from tests.support.polls import POLICY, RSS, Polls
from tests.support.proxy import Proxy, proxying


def through(proxy: Proxy, url: str, login: str = "", **context: object) -> Polls:
    return Polls(url, replace(POLICY, proxy=proxy.url(login), **context))  # type: ignore[arg-type]  # fields of Policy


def test_every_connection_goes_through_the_proxy_of_the_config() -> None:
    with (
        proxying(Proxy()) as proxy,
        playing(lambda _: answer(200, RSS, ("ETag", "1"))) as there,
        playing(lambda _: answer(302, b"", ("Location", there.url("/feed")))) as origin,
    ):
        assert through(proxy, origin.url("/show"), "me:secret@").ask().status == "ok"
        ends = [each.split()[1] for each in proxy.asked]
        assert [f"http://{end}" for end in ends] == [origin.url(""), there.url("")]
        assert all("Proxy-Authorization: Basic bWU6c2VjcmV0" in each for each in proxy.asked)
        assert [each.path for each in (*origin.requests, *there.requests)] == ["/show", "/feed"]
        assert all(each.get("Proxy-Authorization") is None for each in (*origin.requests, *there.requests))


def test_what_may_not_be_reached_is_not_asked_of_the_proxy() -> None:
    with proxying(Proxy()) as proxy:
        polls = through(proxy, "http://127.0.0.1:9/", allow_networks=("10.0.0.0/8",))
        assert "127.0.0.1 is not a public address" in polls.ask().message
        assert proxy.asked == []


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "the proxy gives no way: 407"),
        (b"HTTP/1.1 403 Forbidden\x1b[31m\r\n\r\n", "the proxy gives no way: 403"),
        (b"SSH-2.0-nobody\r\n\r\n", "the proxy gives no way: no HTTP"),
        (b"", "the proxy gives no way: no HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000, "the proxy gives no way"),
    ],
    ids=["407", "403", "no HTTP", "nothing", "a head without end"],
)
def test_a_proxy_that_gives_no_way_is_told_and_its_login_is_not(reply: bytes, words: str) -> None:
    with proxying(Proxy(reply)) as proxy:
        said = through(proxy, "http://127.0.0.1:9/feed?token=secret", "me:secret@").ask()
        assert (said.status, words in said.message, "secret" in said.message) == ("failed", True, False), said.message
        assert said.poll_state.not_before is not None


def test_a_proxy_that_is_not_there_or_says_nothing_is_told_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        away = Proxy(port=mute.getsockname()[1])
        assert "the proxy did not answer" in through(away, "http://127.0.0.1:9/", deadline=1.0).ask().message
    assert "the proxy could not be reached" in through(away, "http://127.0.0.1:9/").ask().message
