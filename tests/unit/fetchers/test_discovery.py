"""The feeds that a page names, in the order in which they are asked."""

from __future__ import annotations

import pytest

from aggregator.fetchers import parse
from aggregator.fetchers.directories import proposals
from aggregator.model.source import Document, Source

RSS = 'type="application/rss+xml"'


def discover(head: str, kind: str = "feed") -> list[str]:
    body = f"<!doctype html><html lang=en-GB><head>{head}</head><body>Lamps</body></html>".encode()
    page = Document(Source("s", kind), "https://l.example/show", body, "text/html")
    return [url.removeprefix("https://l.example/") for url in parse.discover(page)]


def link(href: str, title: str = "", more: str = f"rel=alternate {RSS}") -> str:
    return f'<link {more} title="{title}" href="/{href}">'


@pytest.mark.parametrize(
    ("head", "feeds"),
    [
        (link("a", "Lamps") + link("b", "Lamps podcast"), ["b", "a"]),
        (link("a", "Podcast (Ogg)") + link("b", "Podcast (MP3)") + link("c", "Podcast"), ["b", "c", "a"]),
        (link("comments") + link("a"), ["a"]),
        (link("comments"), ["comments"]),
        (link("a", more=f"rel=alternate hreflang=de {RSS}") + link("b", more=f"rel=alternate hreflang=en {RSS}"), "ba"),
        (link("a", more="rel=alternate") + link("feed/", more="rel=alternate"), ["feed/"]),
        (link("de/feed", more="rel=alternate hreflang=de") + link("app", more='rel=alternate type="text/html"'), []),
        (link("a", more=f"rel=feed {RSS}") + link("b", more=f"rel=nofollow {RSS}"), ["a"]),
        (link("wp-json/feed", more="rel=alternate type='application/json'"), []),
    ],
)
def test_the_feed_that_is_meant_comes_first(head: str, feeds: list[str] | str) -> None:
    assert discover(head) == list(feeds)


def test_beside_its_podcast_a_blog_is_its_own_feed() -> None:
    assert discover(link("a", "Lamps") + link("b", "Lamps podcast"), "blog") == ["a", "b"]


def test_a_page_of_soundcloud_names_its_feed_by_its_app() -> None:
    meta = '<meta property="al:ios:url" content="soundcloud://{}:17">'
    url = "https://feeds.soundcloud.com/users/soundcloud:users:17/sounds.rss"
    assert [discover(meta.format(what)) for what in ("users", "sounds")] == [[url], []]


@pytest.mark.parametrize(
    "link",
    [
        "https://geo.itunes.apple.com/ca/podcast/x/id12?at=1",
        "http://pca.st/itunes/12",
        "https://overcast.fm/itunes12/x",
    ],
)
def test_a_page_that_links_to_a_show_at_apple_leads_there_and_not_to_an_app(link: str) -> None:
    app = "https://itunes.apple.com/us/app/player/id888"
    body = f"<html><body><a href='{app}'>Get it</a><a href='{link}'>Listen</a></body></html>".encode()
    page = Document(Source("s", "page"), "https://l.example/show", body, "text/html")
    assert [each.show for each in proposals.propose(page).sources] == ["12"]
