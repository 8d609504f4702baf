"""Every machine-readable file of one feed, its archives among them."""

from __future__ import annotations

from collections.abc import Iterator

from aggregator.generator import atom, jsonfeed, report, rss
from aggregator.generator.content.prepared import prepare
from aggregator.generator.paging import FeedPage, count_archives, name_archive
from aggregator.model.feed import Feed


def render_files(feed: Feed, *, window: int | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file, one after the other.

    ``window`` is the most items of a page (RFC 5005); ``None`` puts all on one.
    """
    prepared = prepare(feed)
    yield "report.json", report.render(prepared)
    playable = sum(item.playable for item in prepared.items)
    for number in range(count_archives(playable, window) + 1):
        yield (
            _name_page("podcast.xml", number),
            rss.render(prepared, episodes_only=True, sheet=FeedPage(window, number)),
        )
    for number in range(count_archives(len(prepared.items), window) + 1):
        sheet = FeedPage(window, number)
        yield _name_page("feed.xml", number), rss.render(prepared, episodes_only=False, sheet=sheet)
        yield _name_page(atom.NAME, number), atom.render(prepared, sheet=sheet)
        yield _name_page(jsonfeed.NAME, number), jsonfeed.render(prepared, sheet=sheet)


def _name_page(name: str, number: int) -> str:
    return name_archive(name, number) if number else name
