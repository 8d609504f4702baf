"""The WebSub hub that a feed names, in each format."""

from __future__ import annotations

import json

import pytest

from aggregator.fetchers import parse
from aggregator.model.source import Document, Source

URL = "https://host.example/feed"
HUB, TOPIC = "https://hub.example/", "https://host.example/feed?all"
ATOM = 'xmlns:atom="http://www.w3.org/2005/Atom"'
LINKS = (
    f'<atom:link rel="hub" href="{HUB}"/><atom:link rel="hub" href="https://b.example/"/>'
    f'<atom:link rel="self" href="{TOPIC}"/>'
)
ITEM = "<item><title>One</title><guid>1</guid></item>"
RSS = f'<rss version="2.0" {ATOM}><channel><title>T</title>{LINKS}{ITEM}</channel></rss>'
CASES = {
    "RSS": RSS,
    "RSS, read by feedparser": f"<!DOCTYPE rss>{RSS}",
    "Atom": f'<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>t</id><link rel="hub" href="{HUB}"/>'
    f'<link rel="self" href="{TOPIC}"/><entry><id>1</id><title>One</title></entry></feed>',
    "JSON Feed": json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1", "title": "T", "feed_url": TOPIC,
            "hubs": [{"type": "rssCloud", "url": "https://c.example/"}, {"type": "WebSub", "url": HUB}],
            "items": [{"id": "1", "title": "One", "content_text": "Text"}],
        }
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_first_hub_of_a_feed_is_known_with_its_own_address(name: str) -> None:
    kind = "jsonfeed" if name == "JSON Feed" else "feed"
    listing = parse.read(Document(Source("host", kind, url=URL), URL, CASES[name].encode()))
    assert (listing.hub, listing.show.feed_url, len(listing.entries)) == (HUB, TOPIC, 1)
