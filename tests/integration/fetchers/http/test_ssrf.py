"""Which addresses may be reached: as addresses, as names, in every spelling, as a redirect, and when they change."""

import socket
import threading
from contextlib import suppress
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator.errors import FetchError, ReadError
from aggregator.fetchers import parse, registry
from aggregator.fetchers.http import ssrf
from aggregator.model.source import Document, Source
from tests.support.origin import Request, answer, playing
from tests.support.polls import POLICY, RSS, Polls

CLOSED = replace(POLICY, allow_networks=())
LINES = (Path(__file__).parent / "data" / "addresses.tsv").read_text("utf-8").splitlines()
CASES = [tuple(line.split("\t")) for line in LINES if not line.startswith("#")]


@pytest.mark.parametrize(("verdict", "address", "why"), CASES)
def test_addresses_are_judged_as_the_list_says(verdict: str, address: str, why: str) -> None:
    assert (ssrf._explain_refusal(address) is None) == (verdict == "yes"), why


@pytest.mark.parametrize(("verdict", "address", "why"), [case for case in CASES if case[0] == "no"])
def test_no_request_leaves_for_a_private_address(verdict: str, address: str, why: str) -> None:
    host = f"[{address}]" if ":" in address else address
    got = Polls(f"http://{host}:1/feed", CLOSED).ask()
    assert got.status == "failed", (verdict, why)
    assert "refused: " in got.message
    parsed = ip_address(address)
    network = ip_network(getattr(parsed, "ipv4_mapped", None) or parsed)
    assert f"write allow_networks: [{network}] into the config, or add it with --allow {network}" in got.message
    assert ssrf._explain_refusal(address, (str(network),)) is None, "the line that is told allows it"


@pytest.mark.parametrize(
    "host",
    [
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "0177.0.0.01",
        "017700000001",
        "0",
        "0.0.0.0",  # noqa: S104  # nothing is bound to it
        "①②⑦.⓪.⓪.①",
        "１２７.０.０.１",
        "127。0。0。1",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "127.0.0.1.",
        "[::ffff:127.0.0.1]",
        "[::FFFF:7F00:1]",
        "[0:0:0:0:0:ffff:127.0.0.1]",
        "[::1]",
        "[0000::0001]",
        "%31%32%37.0.0.1",
        "user@127.0.0.1",
        "example.org@127.0.0.1",
        "example.org:80@127.0.0.1",
    ],
)
def test_no_spelling_of_loopback_is_reached_as_address_or_redirect(host: str) -> None:
    with playing(lambda _: answer(200, RSS)) as inside, playing(lambda _: answer(200, RSS), "::1") as inside6:
        for port in (inside.port, inside6.port):
            assert Polls(f"http://{host}:{port}/feed", CLOSED).ask().status == "failed"
        leading = answer(302, b"", ("Location", f"http://{host}:{inside.port}/feed"))
        with playing(lambda _: leading, "::1") as outside:
            assert Polls(outside.url(), replace(POLICY, allow_networks=("::1/128",))).ask().status == "failed"
            assert len(outside.requests) == 1
        assert not inside.requests
        assert not inside6.requests


def test_only_the_networks_allowed_are_reached() -> None:
    with playing(lambda _: answer(200, RSS)) as four, playing(lambda _: answer(200, RSS), "::1") as six:
        assert Polls(four.url(), replace(POLICY, allow_networks=("::1/128",))).ask().status == "failed"
        assert Polls(six.url(), replace(POLICY, allow_networks=("127.0.0.0/8",))).ask().status == "failed"
        assert Polls(four.url(), replace(POLICY, allow_networks=("127.0.0.1/32",))).ask().status == "ok"
        assert Polls(six.url(), replace(POLICY, allow_networks=("::1",))).ask().status == "ok"
        assert (len(four.requests), len(six.requests)) == (1, 1)


def test_a_connection_kept_open_does_not_pass_the_guard_for_a_stricter_policy() -> None:
    with playing(lambda _: answer(200, RSS, ("ETag", '"1"'))) as origin:
        assert Polls(origin.url()).ask().status == "ok"
        assert Polls(origin.url(), CLOSED).ask().status == "failed"
        assert len(origin.requests) == 1


class Resolver:
    """The system's resolver, for one name that changes its mind with every question."""

    def __init__(self, *answers: tuple[str, ...]) -> None:
        self.answers, self.asked = list(answers), 0
        self.real = socket.getaddrinfo

    def __call__(self, host: str, port: int, **given: int) -> list[tuple[object, ...]]:
        if host != "rebinding.example":
            return [*self.real(host, port, **given)]
        self.asked += 1
        found = self.answers.pop(0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]


def test_rebinding_has_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    one = replace(POLICY, allow_networks=("127.0.0.1/32",))
    with playing(lambda _: answer(200, RSS)) as origin:
        url = f"http://rebinding.example:{origin.port}/"
        resolver = Resolver(("127.0.0.9",), ("127.0.0.1",))
        monkeypatch.setattr(socket, "getaddrinfo", resolver)
        assert Polls(url, one).ask().status == "failed"
        assert (resolver.asked, len(origin.requests)) == (1, 0)
        resolver = Resolver(("127.0.0.1",), ("127.0.0.9",))
        monkeypatch.setattr(socket, "getaddrinfo", resolver)
        assert Polls(url, one).ask().status == "ok"
        assert (resolver.asked, len(origin.requests)) == (1, 1)


def test_of_mixed_addresses_only_the_good_ones_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    one = replace(POLICY, allow_networks=("127.0.0.1/32",))
    with playing(lambda _: answer(200, RSS)) as origin:
        monkeypatch.setattr(socket, "getaddrinfo", Resolver(("10.0.0.1", "127.0.0.9", "127.0.0.1")))
        assert Polls(f"http://rebinding.example:{origin.port}/", one).ask().status == "ok"


def test_each_hop_is_resolved_and_judged_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(request: Request) -> list[bytes]:
        here = f"http://rebinding.example:{origin.port}"
        leave = ("Connection", "close")
        return (
            [answer(302, b"", ("Location", here + "/next"), leave)] if request.path == "/feed" else [answer(200, RSS)]
        )

    one = replace(POLICY, allow_networks=("127.0.0.1/32",))
    with playing(play) as origin:
        monkeypatch.setattr(socket, "getaddrinfo", Resolver(("127.0.0.1",), ("169.254.169.254",)))
        got = Polls(f"http://rebinding.example:{origin.port}/feed", one).ask()
        assert got.status == "failed"
        assert "169.254.169.254 is not a public address" in got.message
        assert [request.path for request in origin.requests] == ["/feed"]


def test_a_name_nobody_knows_or_that_takes_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not known" in Polls("http://nowhere.invalid/").ask().message
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: threading.Event().wait(0.3) or [])
    with pytest.raises(FetchError, match="not resolved in time"):
        ssrf.resolve("slow.example", 80, 0.05)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"])
def test_proxies_of_the_environment_are_not_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with playing(lambda _: answer(200, RSS)) as proxy, playing(lambda _: answer(200, RSS)) as origin:
        monkeypatch.setenv(name, proxy.url(""))
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert Polls(origin.url()).ask().status == "ok"
        assert (len(proxy.requests), len(origin.requests)) == (0, 1)


def test_logins_of_netrc_are_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n", "ascii")
    monkeypatch.setenv("NETRC", str(netrc))
    with playing(lambda _: answer(200, RSS)) as origin:
        Polls(origin.url()).ask()
        assert origin.requests[0].get("Authorization") is None


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.org/", "feed", "", "//example.org/", "http://", "http:///x", "http://:80/"],
)
def test_only_http_and_https_with_a_host_are_asked(url: str) -> None:
    assert Polls(url).ask().status == "failed"


@pytest.mark.parametrize("kind", registry.KINDS)
def test_a_document_that_is_an_address_or_a_path_is_not_opened(kind: str, tmp_path: Path) -> None:
    secret = tmp_path / "feed.xml"
    secret.write_bytes(RSS.replace(b"A show", b"A secret"))
    with playing(lambda _: answer(200, RSS.replace(b"A show", b"A secret"))) as origin:
        for body in (origin.url("/feed"), str(secret), secret.as_uri(), f"feed:{origin.url()}"):
            with suppress(ReadError):
                document = Document(Source("show", kind), "https://example.org/", body.encode())
                assert "A secret" not in repr(parse.read(document))
        assert origin.requests == []
