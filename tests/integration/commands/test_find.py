"""`find`: catalogues that answer as they did when recorded, each candidate read and matched before it is offered."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator import catalogues, finding
from aggregator.commands import find
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.errors import ConfigError
from aggregator.fetchers.show_search import (
    CATALOGUES,
    KEY,
    SECRET,
    Catalogue,
    ShowQuery,
    find_links,
    list_requests,
    read_shows,
)
from tests.integration.service.desk.conftest import opened
from tests.integration.service.desk.test_pages import wait
from tests.support.config import make_feed, write_config
from tests.support.origin import Request, Site, playing, serving
from tests.support.origin import answer as answer_bytes
from tests.support.program import run_program
from tests.support.rss import make_rss
from tests.support.workspace import make_item

NOW = datetime(2026, 1, 2, 3, tzinfo=UTC)
APPLE, INDEX, FYYD, GPODDER = CATALOGUES


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site()) as opened:
        yield opened


def configure(folder: Path, site: Site, path: str = "/host", proxy: str | None = None, **keys: str) -> Config:
    feed = make_feed("Sea Room", {"host": site.url(path)}, link=site.url("/about"), **keys)
    return load(write_config(folder, {"room": feed}, proxy=proxy))


@pytest.fixture
def config(tmp_path: Path, site: Site) -> Config:
    site.serve("/host", make_rss(*(make_item(n) for n in range(12))))
    configure(tmp_path, site)
    done = run_program(tmp_path, "refresh", "--at", "2026-01-02T01:00:00Z")
    assert done.returncode == 0, done.stderr
    return load(tmp_path / "config.yaml")


def at_home(site: Site, *catalogues: Catalogue) -> list[Catalogue]:
    return [replace(each, base=site.url()) for each in catalogues]


def answer(site: Site, path: str, value: object) -> None:
    site.serve(path, json.dumps(value), kind="application/json")


def list_answers(site: Site) -> None:
    """Answers in the forms of the catalogues: a full mirror, one with new items, another show, one that is gone."""
    site.serve("/mirror.xml", make_rss(*(make_item(n, source="mirror") for n in range(12)), title="Sea Room"))
    site.serve("/longer.xml", make_rss(*(make_item(n, source="longer") for n in range(14)), title="Sea Room"))
    site.serve("/other.xml", make_rss(*(make_item(n, name=f"Cake {n}", text="Of cake.") for n in range(40, 46))))
    results = [
        {"collectionName": "Sea Room", "feedUrl": site.url("/mirror.xml")},
        {"collectionName": "Room for Cake", "feedUrl": site.url("/unasked.xml")},
    ]
    path = "/search?media=podcast&entity=podcast&limit=10&term=Sea%20Room"
    answer(site, path, {"resultCount": 2, "results": results})
    data = [
        {"title": "sea room", "xmlURL": site.url("/longer.xml")},
        {"title": "Sea Room", "xmlURL": site.url("/mirror.xml")},
    ]
    answer(site, "/0.2/search/podcast?title=Sea%20Room&count=10", {"status": 1, "data": data})
    found = [{"title": "The Sea Room", "url": site.url(path)} for path in ("/other.xml", "/gone.xml", "/host")]
    answer(site, "/search.json?q=Sea%20Room", found)
    site.serve("/about", f'<a href="{site.url("/mirror.xml")}">RSS</a><p>no more</p>', kind="text/html")


def test_listings_of_the_show_are_found_with_what_each_would_add(config: Config, site: Site) -> None:
    list_answers(site)
    search = finding.find_listings(config, config.plans[0], NOW, at_home(site, APPLE, FYYD, GPODDER))
    shown = {urlsplit(each.url).path: (each.effect.matched, len(each.effect.new)) for each in search.listings}
    assert shown == {"/mirror.xml": (12, 0), "/longer.xml": (12, 2)}
    assert {urlsplit(each.url).path: each.named_by for each in search.listings} == {
        "/mirror.xml": ("Apple", "fyyd", "its site"),
        "/longer.xml": ("fyyd",),
    }
    assert search.others == 2, "another show, and one that is gone; the host's own is known"
    assert search.problems == ()
    assert "/unasked.xml" not in site.asked, "another title"


def test_catalogues_are_asked_once_a_day(config: Config, site: Site) -> None:
    list_answers(site)
    for hours, asked in ((0, 1), (23, 1), (24, 2)):
        finding.find_listings(config, config.plans[0], NOW + timedelta(hours=hours), at_home(site, GPODDER))
        assert sum(path.startswith("/search.json") for path in site.asked) == asked


def test_hosts_are_asked_side_by_side_and_each_politely(config: Config, site: Site) -> None:
    """Twelve mirrors at four slow hosts: two at once of each."""
    mirror = make_rss(*(make_item(n, source="mirror") for n in range(12)), title="Sea Room").encode()
    together: list[int] = []

    def play(_request: Request) -> bytes:
        together.append(sum(each.busy for each in hosts))
        time.sleep(0.5)
        return answer_bytes(200, mirror, ("Content-Type", "application/rss+xml"))

    with ExitStack() as stack:
        hosts = [stack.enter_context(playing(play)) for _ in range(4)]
        urls = [each.url(f"/{name}.xml") for each in hosts for name in ("one", "two", "three")]
        answer(site, "/search.json?q=Sea%20Room", [{"title": "Sea Room", "url": url} for url in urls])
        search = finding.find_listings(config, config.plans[0], NOW, at_home(site, GPODDER))
    assert {each.url for each in search.listings} == {*urls}
    assert all(each.busiest <= 2 for each in hosts), "one host: two requests at once"
    assert max(together) > 2, "several hosts: more"


def test_a_catalogue_that_fails_is_told_and_the_others_count(config: Config, site: Site) -> None:
    list_answers(site)
    site.serve("/search.json?q=Sea%20Room", "<html>busy</html>", kind="text/html")
    del site.pages["/about"]
    search = finding.find_listings(config, config.plans[0], NOW, at_home(site, APPLE, GPODDER))
    assert [urlsplit(each.url).path for each in search.listings] == ["/mirror.xml"]
    assert search.problems[0] == "gpodder.net: its answer cannot be read"
    assert search.problems[1].startswith("its site: ")
    assert "404" in search.problems[1]
    list_answers(site)
    again = finding.find_listings(config, config.plans[0], NOW + timedelta(minutes=10), at_home(site, APPLE, GPODDER))
    assert again.problems == (), "asked again before the day is over"


def test_the_command_says_how_to_add_what_the_show_s_site_names(
    config: Config, site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(finding, "CATALOGUES", ())  # the public ones are not asked by a test
    list_answers(site)
    find.run("room", config.path, at=NOW, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert [each["described"] for each in found["listings"]] == ["kind feed, 12 of 12 episodes, no new one"]
    assert "mirror" not in config.path.read_text()
    find.run(None, config.path, at=NOW)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{site.url('/mirror.xml')}: kind feed, 12 of 12 episodes, no new one"
    assert told[-1] == "room: 1 more listing found"
    words = told[1].partition("; aggregator ")[2].split()
    assert run_program(config.path.parent, *words).returncode == 0
    assert "mirror.xml" in config.path.read_text()


def test_a_feed_of_which_nothing_is_stored_cannot_be_searched(tmp_path: Path) -> None:
    loaded = load(write_config(tmp_path, {"room": make_feed("Sea Room", {"host": "https://a.example/"})}))
    with pytest.raises(ConfigError, match=r"^room: nothing is stored of it yet, .* run aggregator refresh$"):
        finding.find_listings(loaded, loaded.plans[0], NOW)


def test_the_key_of_podcast_index_is_in_no_address_and_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    show = ShowQuery("Sea Room", "77", "917393e3-1b1e-5cef-ace4-edaa54e1f810", ("https://host.example/feed?a=1",))
    assert list_requests(INDEX, show, NOW) == []
    monkeypatch.setenv(KEY, "UXKCGDSYGUUEVQJSYDZH")
    monkeypatch.setenv(SECRET, "yzJe2eE7XV-3eY576dyRZ6wXyAbndh6LUrCZ8KN|")
    asked = list_requests(INDEX, show, datetime(2020, 12, 7, 0, 35, 26, tzinfo=UTC))
    assert [urlsplit(each.url).path for each in asked] == [
        *(f"/api/1.0/podcasts/{name}" for name in ("byguid", "byitunesid", "byfeedurl")),
        "/api/1.0/search/byterm",
    ]
    assert parse_qs(urlsplit(asked[2].url).query) == {"url": ["https://host.example/feed?a=1"]}
    assert dict(asked[0].headers)["X-Auth-Date"] == "1607301326"
    assert len(dict(asked[0].headers)["Authorization"]) == 40
    assert not any("UXKCG" in each.url or "yzJe2" in each.url for each in asked)
    feed = {"title": "Sea Room", "url": "https://a.example/feed", "itunesId": 77}
    for body in ({"feed": feed}, {"feeds": [feed]}):
        found = read_shows(INDEX, json.dumps(body).encode(), show)
        assert [url for _, url in found] == ["https://a.example/feed", "https://podcasts.apple.com/podcast/id77"]


def test_links_are_found_in_buttons_and_in_data() -> None:
    page = b"""<a href="https://podcasts.apple.com/us/podcast/x/id77?a=1&amp;b=2">Apple</a>
    <script type="application/ld+json">{"sameAs": ["https:\\/\\/feeds.simplecast.com\\/abc"]}</script>"""
    assert list(find_links(page)) == [
        "https://podcasts.apple.com/us/podcast/x/id77?a=1&b=2",
        "https://feeds.simplecast.com/abc",
    ]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["results", "data", "feed", "feeds", "title", "url", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_values | st.binary(max_size=40))
def test_any_answer_is_read_or_refused(value: object) -> None:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    for each in CATALOGUES:
        with suppress(ValueError):
            assert isinstance(read_shows(each, body, ShowQuery("Sea Room")), list)


def test_the_desk_searches_and_says_who_did_not_answer(config: Config, site: Site) -> None:
    """The public catalogues cannot be had in a test: the config's proxy leads nowhere, and the page says so."""
    home = config.path.parent
    configure(home, site, proxy="http://127.0.0.1:9")
    with opened(home) as visitor:
        assert 'href="/desk/feeds/room/find"' in visitor.get("/feeds/room").text
        visitor.get("/feeds/room/find")
        assert "nothing is added" in visitor.page.text
        path = visitor.press("Search").url.removeprefix(f"{visitor.url}/desk")
        wait(visitor, f"{path}.json")
        found = visitor.json("/feeds/room/find.json")["found"]
        assert found["listings"] == []
        assert {each.partition(":")[0] for each in found["problems"]} == {"Apple", "fyyd", "gpodder.net", "its site"}
        assert "Searched" in visitor.get("/feeds/room/find").text


def test_a_show_is_added_by_its_name(config: Config, site: Site) -> None:
    results = [
        {"collectionName": "Sea Room", "collectionId": 77, "feedUrl": "https://sea.example/feed"},
        {"collectionName": "Sea Room Extra", "feedUrl": "https://extra.example/feed"},
    ]
    path = "/search?media=podcast&entity=podcast&limit=10&term="
    answer(site, f"{path}sea%20room", {"results": results})
    asked = at_home(site, APPLE)
    assert catalogues.find_address(config, "sea room", NOW, asked) == "https://sea.example/feed"
    for text in ("localhost:8000", "sea.example", "https://sea.example/feed", "shows/feed.xml"):
        assert catalogues.find_address(config, text, NOW, asked) == text
    other = {"collectionName": "Sea Room", "feedUrl": "https://other.example/feed"}
    answer(site, f"{path}Sea%20Room", {"results": [*results, other]})
    with pytest.raises(ConfigError) as several:
        catalogues.find_address(config, "Sea Room", NOW, asked)
    assert str(several.value).splitlines() == [
        '"Sea Room": several shows are called so; give the address of one:',
        "  Sea Room: https://sea.example/feed (Apple)",
        "  Sea Room: https://other.example/feed (Apple)",
    ]
    answer(site, f"{path}Sea", {"results": results})
    with pytest.raises(ConfigError, match="no show is called just so; give the address of one:\n  Sea Room: "):
        catalogues.find_address(config, "Sea", NOW, asked)
    with pytest.raises(ConfigError, match=r'^"Fog" is not an address, and no show of that name was found \(Apple: '):
        catalogues.find_address(config, "Fog", NOW, asked)
    answer(site, f"{path}Dr.%20Sea", {"results": [{"collectionName": "Dr. Sea", "feedUrl": "https://dr.example/feed"}]})
    assert catalogues.find_address(config, "Dr. Sea", NOW, asked) == "https://dr.example/feed"


def test_no_address_that_may_have_a_secret_is_sent_to_a_catalogue(config: Config, site: Site) -> None:
    asked: list[ShowQuery] = []
    watching = replace(GPODDER, base=site.url(), list_paths=lambda show: asked.append(show) or [])
    folder = config.path.parent
    for day, key in enumerate(("", "?auth=secret", "?token=1&x=2")):
        loaded = configure(folder, site, f"/host{key}")
        finding.find_listings(loaded, loaded.plans[0], NOW + timedelta(days=day), [watching])
    loaded = configure(folder, site, token="x" * 20)
    finding.find_listings(loaded, loaded.plans[0], NOW + timedelta(days=9), [watching])
    assert [len(show.feeds) for show in asked] == [1, 0, 0, 0]
