"""Only the address that a source itself has in the config may be private: nothing that is public leads there.

Public hosts have public addresses, for which a proxy stands in on loopback; the private ones are on loopback.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from aggregator.fetchers.fetch import FetchContext, Resources, fetch
from aggregator.fetchers.http.client import Client
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.host_limits import HostLimiter
from aggregator.fetchers.http.polling import Policy
from aggregator.model.entry import Enclosure
from aggregator.model.source import PollState, Source
from tests.support.origin import Origin, Request, answer, head, playing
from tests.support.polls import POLICY, RSS, START
from tests.support.proxy import Proxy, proxying

ADDRESSES = {
    "public.example": "93.184.215.14",
    "other.example": "93.184.215.15",
    "nas.example": "127.0.0.1",
    "router.example": "127.0.0.2",
}
LOOPBACK = ("127.0.0.0/8",)
REFUSED = "is not a public address; if it is the source's own, write allow_networks: [127.0.0."


class Web:
    """Hosts that answer with a feed, lead elsewhere, or have a page that names a feed; ``asked`` are their requests."""

    def __init__(self, origin: Origin, proxy: Proxy) -> None:
        self.origin, self.proxy = origin, proxy
        self.leads: Mapping[str, str] = {}
        self.pages: Mapping[str, str] = {}

    def url(self, place: str) -> str:
        host, _, path = place.partition("/")
        return f"http://{host}:{self.origin.port}/{path}"

    def policy(self, *networks: str, **more: Any) -> Policy:
        return replace(POLICY, proxy=self.proxy.url(), allow_networks=networks, host_rate=1000.0, **more)

    @property
    def asked(self) -> list[str]:
        return [(each.get("Host") or "").partition(":")[0] + each.path for each in self.origin.requests]


def play(web: Web, request: Request) -> bytes:
    place = (request.get("Host") or "").partition(":")[0] + request.path
    if place.endswith("/robots.txt"):
        return answer(404)
    if request.method == "HEAD":
        return head(200, ("Content-Type", "audio/mpeg"), ("Content-Length", "5000"))
    if place in web.leads:
        return answer(302, b"", ("Location", web.url(web.leads[place])))
    if place in web.pages:
        link = f"<html><link rel=alternate type=application/rss+xml href={web.url(web.pages[place])}><p>A show</html>"
        return answer(200, link.encode(), ("Content-Type", "text/html"))
    return answer(200, RSS)


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    real = socket.getaddrinfo

    def resolve(host: str, port: int, *given: Any, **more: Any) -> Any:
        return real(ADDRESSES.get(host, host), port, *given, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    public = tuple(each for each in ADDRESSES.values() if not each.startswith("127."))
    made: list[Web] = []
    with proxying(Proxy(public=public)) as proxy, playing(lambda request: play(made[0], request)) as origin:
        made.append(Web(origin, proxy))
        yield made[0]


class Case(NamedTuple):
    own: str
    leads: Mapping[str, str]
    asked: tuple[str, ...]
    reached: bool
    networks: tuple[str, ...] = LOOPBACK


CASES = {
    "a public source": Case("public.example/", {}, ("public.example/",), reached=True, networks=()),
    "a private source": Case("nas.example/", {}, ("nas.example/",), reached=True),
    "a private source that nothing allows": Case("nas.example/", {}, (), reached=False, networks=()),
    "a private source in another network": Case("nas.example/", {}, (), reached=False, networks=("10.0.0.0/8",)),
    "public to public": Case(
        "public.example/", {"public.example/": "other.example/"}, ("public.example/", "other.example/"), reached=True
    ),
    "public to private": Case(
        "public.example/", {"public.example/": "nas.example/"}, ("public.example/",), reached=False
    ),
    "public to an address of loopback": Case(
        "public.example/", {"public.example/": "127.0.0.1/"}, ("public.example/",), reached=False
    ),
    "public over public to private": Case(
        "public.example/",
        {"public.example/": "other.example/", "other.example/": "nas.example/"},
        ("public.example/", "other.example/"),
        reached=False,
    ),
    "private to the same host": Case(
        "nas.example/", {"nas.example/": "nas.example/new"}, ("nas.example/", "nas.example/new"), reached=True
    ),
    "private to public": Case(
        "nas.example/", {"nas.example/": "public.example/"}, ("nas.example/", "public.example/"), reached=True
    ),
    "private to another private host": Case(
        "nas.example/", {"nas.example/": "router.example/"}, ("nas.example/",), reached=False
    ),
    "private over public back to private": Case(
        "nas.example/",
        {"nas.example/": "public.example/", "public.example/": "nas.example/admin"},
        ("nas.example/", "public.example/"),
        reached=False,
    ),
}


@pytest.mark.parametrize("obey_robots", [False, True])
@pytest.mark.parametrize("for_source_alone", [False, True])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_table_of_redirects(web: Web, case: Case, *, for_source_alone: bool, obey_robots: bool) -> None:
    web.leads = case.leads
    url = web.url(case.own)
    policy = web.policy(*(() if for_source_alone else case.networks), obey_robots=obey_robots)
    source = Source("show", "feed", url, allow_networks=case.networks if for_source_alone else ())
    with closing(HostLimiter(policy)) as limiter:
        got = limiter.poll(PollRequest(source, PollState(url), START)).result()
    assert got.status == ("ok" if case.reached else "failed")
    assert case.reached or REFUSED in got.message
    assert tuple(each for each in web.asked if not each.endswith("/robots.txt")) == case.asked
    assert {each.partition("/")[0] for each in web.asked} == {each.partition("/")[0] for each in case.asked}


def test_what_one_source_may_reach_another_may_not(web: Web) -> None:
    url = web.url("nas.example/")
    with closing(Client(web.policy())) as client:
        assert (
            client.poll(PollRequest(Source("a", "feed", url, allow_networks=LOOPBACK), PollState(url), START)).status
            == "ok"
        )
        assert REFUSED in client.poll(PollRequest(Source("b", "feed", url), PollState(url), START)).message
    assert web.asked == ["nas.example/"]


def test_a_connection_that_one_source_left_open_serves_no_other(web: Web) -> None:
    web.leads = {"public.example/": "nas.example/admin"}
    with closing(Client(web.policy(*LOOPBACK))) as client:
        for place, status in (("nas.example/", "ok"), ("public.example/", "failed"), ("nas.example/", "ok")):
            assert (
                client.poll(PollRequest(Source("a", "feed", web.url(place)), PollState(web.url(place)), START)).status
                == status
            )
    assert web.asked == ["nas.example/", "public.example/", "nas.example/"]


def test_where_a_public_address_has_moved_for_good_is_not_private(web: Web) -> None:
    url = web.url("public.example/")
    moved = PollState(url, moved_to=web.url("nas.example/"), moved_seen=9)
    with closing(Client(web.policy(*LOOPBACK))) as client:
        assert REFUSED in client.poll(PollRequest(Source("a", "feed", url), moved, START)).message
    assert web.asked == []


def test_the_robots_txt_of_a_private_host_is_asked_for_its_own_source_alone(web: Web) -> None:
    web.leads = {"public.example/": "nas.example/"}
    with closing(HostLimiter(web.policy(*LOOPBACK, obey_robots=True))) as limiter:
        for place, status in (("public.example/", "failed"), ("nas.example/", "ok")):
            url = web.url(place)
            assert limiter.poll(PollRequest(Source("a", "feed", url), PollState(url), START)).result().status == status
    assert web.asked == ["public.example/robots.txt", "public.example/", "nas.example/robots.txt", "nas.example/"]


@pytest.mark.parametrize(
    ("own", "leads", "page", "reached"),
    [
        ("public.example/", {}, "public.example/", False),
        ("nas.example/", {}, "nas.example/", True),
        ("nas.example/", {"nas.example/": "public.example/"}, "public.example/", False),
    ],
    ids=["on a public page", "on the source's own page", "on a public page it leads to"],
)
def test_a_feed_that_a_page_names(web: Web, own: str, leads: dict[str, str], page: str, *, reached: bool) -> None:
    web.leads, web.pages = leads, {page: "nas.example/feed"}
    source = Source("show", "feed", web.url(own))
    states: Mapping[str, PollState] = {}
    for _ in range(2):
        with closing(Resources(web.policy(*LOOPBACK))) as resources:
            got = fetch(source, states, FetchContext(resources, START, lambda *_: None, force=True)).result(60)
        states = {each.url: each for each in got.poll_states}
        assert (got.status in {"ok", "unchanged"}) == reached, got.message
    assert any(each.startswith("nas.example/feed") for each in web.asked) == reached


def test_a_probe_reaches_a_private_host_for_its_own_source_alone(web: Web) -> None:
    media = web.url("nas.example/1.mp3")
    own, public = Source("own", "feed", web.url("nas.example/")), Source("public", "feed", web.url("public.example/"))
    with closing(Client(web.policy(*LOOPBACK))) as client:
        assert client.head(media) is None
        assert client.head(media, source=public) is None
        assert web.asked == []
        assert client.head(media, source=own) == Enclosure(media, "audio/mpeg", 5000)
        assert client.head(web.url("public.example/1.mp3")) is not None
