"""Every machine-readable file of one feed, its archives among them."""

from __future__ import annotations

from collections.abc import Iterator

from aggregator.generator import atom, jsonfeed, report, rss
from aggregator.generator.content.prepared import prepare
from aggregator.generator.paging import Sheet, archive_name, count
from aggregator.model.feed import Feed


def render(feed: Feed, *, window: int | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file, one after the other.

    ``window`` is the most items of a page (RFC 5005); ``None`` puts all on one.
    """
    prepared = prepare(feed)
    yield "report.json", report.render(prepared)
    playable = sum(item.playable for item in prepared.items)
    for number in range(count(playable, window) + 1):
        yield _name("podcast.xml", number), rss.render(prepared, episodes_only=True, sheet=Sheet(window, number))
    for number in range(count(len(prepared.items), window) + 1):
        sheet = Sheet(window, number)
        yield _name("feed.xml", number), rss.render(prepared, episodes_only=False, sheet=sheet)
        yield _name(atom.NAME, number), atom.render(prepared, sheet=sheet)
        yield _name(jsonfeed.NAME, number), jsonfeed.render(prepared, sheet=sheet)


def _name(name: str, number: int) -> str:
    return archive_name(name, number) if number else name
