"""Every machine-readable file of one feed, its archives among them."""

from __future__ import annotations

from collections.abc import Iterator

from aggregator.generator import atom, chapters, jsonfeed, report, rss
from aggregator.generator.content.prepared import prepare
from aggregator.generator.paging import FeedPage, count_archives
from aggregator.model.feed import Feed


def render_files(feed: Feed, *, window: int | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file, one after the other.

    ``window`` is the most items of a page (RFC 5005); ``None`` puts all on one.
    """
    prepared = prepare(feed)
    yield "report.json", report.render(prepared)
    yield from chapters.render(prepared)
    playable = sum(item.playable for item in prepared.items)
    for number in range(count_archives(playable, window) + 1):
        page = FeedPage(window, number)
        yield page.file_name("podcast.xml"), rss.render(prepared, page, episodes_only=True)
    for number in range(count_archives(len(prepared.items), window) + 1):
        page = FeedPage(window, number)
        yield page.file_name("feed.xml"), rss.render(prepared, page)
        yield page.file_name(atom.NAME), atom.render(prepared, page)
        yield page.file_name(jsonfeed.NAME), jsonfeed.render(prepared, page)
