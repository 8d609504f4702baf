"""What an address leads to: the feed that is meant, or one line that says where, what is there, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from aggregator.detection import find_ways, list_candidates
from aggregator.errors import ReadError
from aggregator.model.source import DetectedSource
from tests.support.origin import Site, serving
from tests.support.rss import Episode, make_rss

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(Site()) as opened:
        played = [Episode(f"g{n}", f"Lamp {n}", audio=f"https://cdn.example/{n}.mp3") for n in range(3)]
        posts = [Episode(f"p{n}", f"Post {n}", text="We light a lamp.") for n in range(3)]
        opened.serve("/talk.xml", make_rss(*played, title="Lamp Talk"))
        opened.serve("/posts.xml", make_rss(*posts, title="Lamp Blog"))
        opened.serve("/empty.xml", make_rss(title="Lamp Talk"))
        yield opened


def look_at(site: Site, path: str) -> list[DetectedSource]:
    return find_ways(None, list_candidates(site.url(path), allow=["127.0.0.0/8"]), NOW)


def link(href: str, title: str = "") -> str:
    return f'<link rel="alternate" type="application/rss+xml" title="{title}" href="{href}">'


@pytest.mark.parametrize(
    ("head", "ways"),
    [
        (
            link("/posts.xml", "Lamps") + link("/talk.xml", "Lamp Podcast"),
            [("/talk.xml", "feed", "/show"), ("/posts.xml", "blog", "/show")],
        ),
        (link("/gone.xml") + link("/talk.xml"), [("/talk.xml", "feed", "/talk.xml")]),
        (
            link("/empty.xml") + link("/talk.xml"),
            [("/talk.xml", "feed", "/talk.xml"), ("/empty.xml", "feed", "/show")],
        ),
        (link("/empty.xml"), [("/empty.xml", "feed", "/show")]),
    ],
)
def test_of_the_feeds_that_a_page_names_the_one_that_is_meant_comes_first(
    site: Site, head: str, ways: list[tuple[str, str, str]]
) -> None:
    site.serve("/show", f"<!doctype html><html lang=en><head>{head}</head><body>Lamps</body></html>", kind="text/html")
    found = look_at(site, "/show")
    assert [(site.base + feed, kind, site.url(path)) for feed, kind, path in ways] == [
        (each.label.rpartition(" ")[2], each.source.kind, each.source.url) for each in found
    ]


def test_a_list_is_read_before_the_one_episode_that_stands_apart(site: Site) -> None:
    latest = '{"@type": "PodcastEpisode", "name": "Lamp 1", "datePublished": "2026-04-01", "audio": "/1.mp3"}'
    rows = "".join(f"<li><h3>Lamp {n}</h3><time datetime=2026-04-0{n}>x</time></li>" for n in range(1, 5))
    body = f"<html><script type='application/ld+json'>{latest}</script><ul>{rows}</ul></html>"
    site.serve("/both", body, kind="text/html")
    assert len(look_at(site, "/both")[0].listing.entries) == 4


def test_a_list_of_what_was_is_read_before_one_of_what_is_to_come(site: Site) -> None:
    row = "<li><h3><a href=/{0}{1}>{0} {1}</a></h3><time datetime=2026-0{2}-0{1}>x</time></li>"
    lists = [[row.format(name, n, month) for n in range(1, 5 + month)] for name, month in (("Lamp", 4), ("Fair", 6))]
    body = "".join(f"<ul>{''.join(rows)}</ul>" for rows in lists)
    site.serve("/fairs", f"<html>{body}</html>", kind="text/html")
    assert [each.title for each in look_at(site, "/fairs")[0].listing.entries[:2]] == ["Lamp 1", "Lamp 2"]


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("<html><title>Not found</title><h1>Oh no</h1></html>", "text/html", 'episodes found at {} ("Not found"); a'),
        (
            "<html><title>Hello</title><form><input name=u><input name=p type='password'></form></html>",
            "text/html",
            "{}: the page asks for a login: give",
        ),
        ('<html><script id="anubis_challenge">{}</script></html>', "text/html", r"{}: blocked by .* \(Anubis\): ask"),
        ('{"error": "no key"}', "application/json", "{}: no list of episodes found in this JSON: aggregator add URL"),
        (
            "<urlset><url/></urlset>",
            "application/xml",
            "{}: it is a file of type application/xml, neither a feed nor a page",
        ),
        (b"ID3\4\0\0\0\0", "audio/mpeg", "{}: it is a file of type audio/mpeg, neither a feed nor a page"),
    ],
)
def test_what_is_no_list_of_episodes_is_named(site: Site, body: str | bytes, kind: str, said: str) -> None:
    site.serve("/what", body, kind=kind)
    with pytest.raises(ReadError) as caught:
        look_at(site, "/what")
    pattern = said if ".*" in said else re.escape(said).replace(r"\{\}", "{}")
    assert re.search(pattern.format(re.escape(site.url("/what"))), str(caught.value))
    assert "\n" not in str(caught.value)
