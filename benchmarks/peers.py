"""What others do with the same feeds, run by the Python of `benchmarks/requirements.txt`.

    python benchmarks/peers.py naive OUT FEED...      feedparser each document, dateutil each date, keep the first of
                                                      each guid, sort, feedgen
    python benchmarks/peers.py reader DATABASE URL... lemon24/reader: one update of all feeds

The naive pipeline keeps nothing between polls and does not repair, match, reconcile or sanitise across sources.
"""

from __future__ import annotations

import sys
from pathlib import Path


def naive(out: str, *feeds: str) -> int:
    """Write one feed of all items with different guids; how many they are."""
    import feedparser  # noqa: PLC0415 -- each peer pays for its own
    from dateutil import parser, tz  # noqa: PLC0415 -- each peer pays for its own
    from feedgen.feed import FeedGenerator  # noqa: PLC0415 -- each peer pays for its own

    kept = {}
    for path in feeds:
        for entry in feedparser.parse(Path(path).read_bytes()).entries:
            when = parser.parse(entry.published)
            kept.setdefault(entry.id, (when if when.tzinfo else when.replace(tzinfo=tz.UTC), entry))
    made = FeedGenerator()
    made.load_extension("podcast")
    made.title("Naive")
    made.link(href="https://example.org/")
    made.description("All of them")
    for when, entry in sorted(kept.values(), key=lambda one: one[0], reverse=True):
        item = made.add_entry(order="append")
        item.guid(entry.id)
        item.title(entry.title)
        item.link(href=entry.link)
        item.published(when)
        item.description(entry.summary)
        if "content" in entry:
            item.content(entry.content[0].value, type="CDATA")
        for file in entry.enclosures:
            item.enclosure(file.href, file.length, file.type)
        if "itunes_duration" in entry and entry.itunes_duration.isdecimal():
            item.podcast.itunes_duration(int(entry.itunes_duration))
    Path(out).write_bytes(made.rss_str(pretty=True))
    return len(kept)


def reader(database: str, *urls: str) -> int:
    """Update all feeds once; how many entries the database has."""
    from reader import make_reader  # noqa: PLC0415 -- each peer pays for its own

    with make_reader(database) as made:
        for url in urls:
            made.add_feed(url, exist_ok=True)
        made.update_feeds(scheduled=False)  # all, as ``refresh --force`` does: by itself it asks once an hour
        return made.get_entry_counts().total


if __name__ == "__main__":
    print({"naive": naive, "reader": reader}[sys.argv[1]](*sys.argv[2:]))
