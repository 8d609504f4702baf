"""Publish a feed: the files of its folder, and those of the folder of all feeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from aggregator.generator import feed_files, files, opml, paging
from aggregator.generator.changes import changes_page
from aggregator.generator.changes.changes import History
from aggregator.generator.content import feed_channel
from aggregator.generator.files import WrittenFile
from aggregator.generator.pages import pages
from aggregator.model.feed import Cover, Feed


def render(feed: Feed, window: int | None = None, past: History | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of one feed; the same feed and history give the same bytes.

    ``window`` is the most items of the page that is polled; older ones go to archives (RFC 5005). ``past`` is the
    history that the changes page lists; with ``None`` there is no changes page.
    """
    yield from feed_files.render_files(feed, window=window)
    yield "index.html", pages.render_feed_page(feed, changes=past is not None)
    if past is not None:
        yield "changes.html", changes_page.render_changes_page(feed, past)
        yield "changes.atom", changes_page.render_changes_feed(feed, past)


def publish(
    output: Path, feed: Feed, window: int | None = None, past: History | None = None
) -> tuple[WrittenFile, ...]:
    """Write the feed's folder whole or not at all; raises PublishError with the old files standing.

    Archives of this feed that are none any more (after ``window`` grew) are removed at the end, when no page names
    them.
    """
    folder = output / feed.channel.name
    written = files.publish(folder, render(feed, window, past), compress=True)
    standing = {each.name for each in written}
    files.remove(folder, paging.find_stale_archives(folder, feed_channel.make_feed_channel(feed).guid, standing))
    return tuple(replace(each, name=f"{feed.channel.name}/{each.name}") for each in written)


def publish_index(output: Path, covers: Sequence[Cover]) -> tuple[WrittenFile, ...]:
    """Write the page and the OPML that list every feed; raises PublishError as ``publish``."""
    return files.publish(
        output,
        {
            "index.html": pages.render_index_page(covers),
            "feeds.opml": opml.render(covers),
            "feed.css": pages.feed_stylesheet(),
        },
        compress=True,
    )
