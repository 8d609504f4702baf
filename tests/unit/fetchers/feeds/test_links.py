"""Links that lead to no item of their own are left out, and nobody looks for them where there can be none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aggregator.fetchers.feeds import feed
from aggregator.model.source import Document, Source
from aggregator.text.urls import canonical

PIECES = st.text(st.sampled_from("aA1é%2/?#&=;:+ .~\\"), max_size=6)
SITES = st.sampled_from(
    ("https://example.org/", "https://example.org/", "http://example.org/", "https://www.example.org/", "http://x", "")
)
LINKS = st.builds(lambda site, path: (site + path).strip(), SITES, PIECES)


def links(urls: list[str], home: str = "https://example.org/") -> list[str | None]:
    items = "".join(f"<item><title>T{at}</title><link>{url}</link></item>" for at, url in enumerate(urls))
    body = f"<rss><channel><title>T</title><link>{home}</link>{items}</channel></rss>".encode()
    return [entry.link for entry in feed.read(Document(Source("x", "feed"), home, body)).entries]


@given(st.lists(LINKS, max_size=8))
def test_links_that_are_seen_to_stand_apart_do(found: list[str]) -> None:
    if feed.stand_apart(found):
        assert len(set(map(canonical, found))) == len(found)


def test_links_of_their_own_are_seen_to_stand_apart() -> None:
    own = [f"https://example.org/episodes/{at}" for at in range(40)]
    assert feed.stand_apart(own)
    assert links(own) == own


def test_one_address_under_many_items_is_no_link_of_theirs() -> None:
    own = "https://example.org/episodes/7"
    for shared in (
        ["https://example.org/show"] * 3,
        ["https://example.org/show#1", "https://example.org/show#2", "http://www.example.org/show/"],
        ["https://example.org/show?utm_source=a", "https://example.org/show?utm_source=b", "https://example.org/show"],
        ["https://example.org/", "https://www.example.org/"],
    ):
        assert links([*shared, own]) == [None] * len(shared) + [own]
