"""Edition: every machine-readable file of one feed, the archives among them, as publish takes them."""

from __future__ import annotations

from aggregator.generator import atom, jsonfeed, leaf, report, rss
from aggregator.generator.archive import Sheet, archive_name, count
from aggregator.model.feed import Feed


def render(feed: Feed, *, window: int | None = None) -> dict[str, bytes]:
    """The files by name; ``window`` is the most items of a page (RFC 5005), ``None`` for all on one page."""
    files = {"report.json": report.render(feed)}
    episodes = sum(leaf.playable(item) for item in feed.items)
    for number in range(count(episodes, window) + 1):
        files[_name("podcast.xml", number)] = rss.render(feed, episodes_only=True, sheet=Sheet(window, number))
    for number in range(count(len(feed.items), window) + 1):
        sheet = Sheet(window, number)
        files[_name("feed.xml", number)] = rss.render(feed, episodes_only=False, sheet=sheet)
        files[_name("feed.atom", number)] = atom.render(feed, sheet=sheet)
        files[_name("feed.json", number)] = jsonfeed.render(feed, sheet=sheet)
    return files


def _name(name: str, number: int) -> str:
    return archive_name(name, number) if number else name
