"""Every machine-readable file of one feed, its archives among them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from aggregator.generator import atom, chapters, jsonfeed, report, rss
from aggregator.generator.content.prepared import PreparedFeed
from aggregator.generator.kept import KeptItems
from aggregator.generator.paging import FeedPage, count_archives


def render_files(
    feed: PreparedFeed, *, window: int | None = None, kept: KeptItems | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file, one after the other.

    ``window`` is the most items of a page (RFC 5005); ``None`` puts all on one. Items that are ``kept`` are not
    rendered.
    """
    kept = kept or KeptItems()
    yield from kept.render(feed, "report", report.render_items, [("report.json", report.lay_out(feed))])
    yield from chapters.render(feed)
    whole, playable = (
        [FeedPage(window, number) for number in range(count_archives(total, window) + 1)]
        for total in (len(feed.items), sum(item.playable for item in feed.items))
    )
    podcast = ((page.file_name("podcast.xml"), rss.lay_out(feed, page, episodes_only=True)) for page in playable)
    everything = ((page.file_name("feed.xml"), rss.lay_out(feed, page)) for page in whole)
    yield from kept.render(feed, "rss", rss.render_items, chain(podcast, everything))
    for module in (atom, jsonfeed):
        documents = ((page.file_name(module.NAME), module.lay_out(feed, page)) for page in whole)
        yield from kept.render(feed, module.NAME, module.render_items, documents)
