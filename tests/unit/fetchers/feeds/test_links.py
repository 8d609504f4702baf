"""Links that lead to no item of their own are left out."""

from __future__ import annotations

from aggregator.fetchers.feeds import feed
from aggregator.model.source import Document, Source


def links(urls: list[str], home: str = "https://example.org/") -> list[str | None]:
    items = "".join(f"<item><title>T{at}</title><link>{url}</link></item>" for at, url in enumerate(urls))
    body = f"<rss><channel><title>T</title><link>{home}</link>{items}</channel></rss>".encode()
    return [entry.link for entry in feed.read(Document(Source("x", "feed"), home, body)).entries]


def test_one_address_under_many_items_is_no_link_of_theirs() -> None:
    own = "https://example.org/episodes/7"
    for shared in (
        ["https://example.org/show"] * 3,
        ["https://example.org/show#1", "https://example.org/show#2", "http://www.example.org/show/"],
        ["https://example.org/show?utm_source=a", "https://example.org/show?utm_source=b", "https://example.org/show"],
        ["https://example.org/", "https://www.example.org/"],
    ):
        assert links([*shared, own]) == [None] * len(shared) + [own]
