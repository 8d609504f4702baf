"""The podcast namespace is read under every address that feeds declare for it, by both readers."""

import pytest

from aggregator.fetchers.feeds import feed
from aggregator.fetchers.feeds.podcast import is_podcast
from aggregator.model.entry import Listing, Tag
from aggregator.model.source import Document, Source

GITHUB = "github.com/Podcastindex-org/podcast-namespace"
ADDRESSES = (
    "https://podcastindex.org/namespace/1.0",
    "https://podcastindex.org/namespace/1.0/",
    "http://podcastindex.org/namespace/1.0",
    "HTTPS://PodcastIndex.org/Namespace/1.0",
    "https://www.podcastindex.org/namespace/1.0",
    "https://podcastindex.org/namespace",
    f"https://{GITHUB}",
    f"https://{GITHUB}/blob/main/docs/1.0.md",
    f"https://{GITHUB}/blob/master/docs/1.0.md",
    f"http://{GITHUB}/blob/main/docs/1.0.md#transcript",
    f"https://{GITHUB}/tree/main/docs",
    "https://raw.githubusercontent.com/Podcastindex-org/podcast-namespace/main/docs/1.0.md",
)
OTHERS = (
    "", "http://www.itunes.com/dtds/podcast-1.0.dtd", "https://podcastindex.org.example/namespace/1.0",
    "https://github.com/someone/podcast-namespace", "https://example.org/?https://podcastindex.org/namespace/1.0",
    "https://podcastindex.org/namespaces",
)  # fmt: skip
FEED = """<rss version="2.0" xmlns:{prefix}="{address}"><channel><title>Harbour talk</title>
<{prefix}:guid>5f2e6a9c-0c0f-5b8e-9d53-5f6f0d8a7c11</{prefix}:guid>{items}</channel></rss>"""
ITEM = """<item><title>Tide {n}</title><guid>tide-{n}</guid><{prefix}:season name="North">3</{prefix}:season>
<{prefix}:transcript url="https://cdn.example/{n}.vtt" type="text/vtt"/>
<{prefix}:value type="lightning"><{prefix}:valueRecipient name="Ines" split="100"/></{prefix}:value></item>"""


def read(address: str, prefix: str, count: int, end: str = "") -> Listing:
    items = "".join(ITEM.format(n=number, prefix=prefix) for number in range(count))
    body = FEED.format(address=address, prefix=prefix, items=items).encode() + end.encode()
    return feed.read(Document(Source("x", "feed"), "https://example.org/feed.xml", body))


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("prefix", ["podcast", "pc"])
@pytest.mark.parametrize(("count", "end"), [(1, ""), (20, ""), (1, "<oops>")], ids=["one", "many", "broken"])
def test_every_address_of_the_namespace_is_read(address: str, prefix: str, count: int, end: str) -> None:
    listing = read(address, prefix, count, end)
    assert listing.show.guid == "5f2e6a9c-0c0f-5b8e-9d53-5f6f0d8a7c11"
    assert len(listing.entries) == count
    for number, entry in enumerate(listing.entries):
        assert entry.season == 3
        assert entry.tags == (
            Tag("podcast:season", "3", (("name", "North"),)),
            Tag("podcast:transcript", None, (("url", f"https://cdn.example/{number}.vtt"), ("type", "text/vtt"))),
            Tag(
                "podcast:value",
                None,
                (("type", "lightning"),),
                (Tag("podcast:valueRecipient", None, (("name", "Ines"), ("split", "100"))),),
            ),
        )


@pytest.mark.parametrize("address", OTHERS)
def test_other_namespaces_are_not_taken_for_it(address: str) -> None:
    assert not is_podcast(address)
