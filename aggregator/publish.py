"""Feed -> files: what each feed's folder and the folder of all feeds hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from aggregator.generator import feed_files, files, opml, paging
from aggregator.generator.changes import changes_page
from aggregator.generator.changes.history import History
from aggregator.generator.content import feed_channel
from aggregator.generator.feed_files import Pieces
from aggregator.generator.files import Content, Written
from aggregator.generator.pages import pages as page
from aggregator.model.feed import Cover, Feed


def render(feed: Feed, window: int | None = None, past: History | None = None) -> Mapping[str, bytes]:
    """The files of one feed by name: the same feed and the same history give the same bytes.

    ``window`` is the most items of the page that is polled; older ones go to archives (RFC 5005). ``past`` is what
    the changes page tells; without it there is none.
    """
    pages = {name: body if isinstance(body, bytes) else b"".join(body) for name, body in _pages(feed, past)}
    return feed_files.render(feed, window=window) | pages


def publish(  # noqa: PLR0913 - the last three are what the caller may have
    output: Path,
    feed: Feed,
    window: int | None = None,
    past: History | None = None,
    made: Iterable[Pieces] | None = None,
    *,
    cards: Iterable[str] | None = None,
) -> tuple[Written, ...]:
    """Write the feed's folder whole or not at all; raises PublishError with the old files standing.

    ``made`` gives the items as every format writes them, in the feed's order, and ``cards`` those that the page shows,
    as it shows them, where the caller has them. No file is held in memory whole but the changes. Archives of this feed
    that are none any more (a window that grew) are removed afterwards, when no page names them.
    """
    folder = output / feed.channel.name
    streamed: Iterator[tuple[str, Content]] = feed_files.stream(feed, window=window, beside=folder, made=made)
    contents = chain(streamed, _pages(feed, past, cards))
    written = files.publish(folder, contents, compress=True)
    files.remove(folder, paging.forsaken(folder, feed_channel.of(feed).guid, {each.name for each in written}))
    return tuple(replace(each, name=f"{feed.channel.name}/{each.name}") for each in written)


def _pages(feed: Feed, past: History | None, cards: Iterable[str] | None = None) -> Iterator[tuple[str, Content]]:
    """The pages for people."""
    yield "index.html", page.stream(feed, changes=past is not None, cards=cards)
    if past is not None:
        yield "changes.html", changes_page.render(feed, past)
        yield "changes.atom", changes_page.atom(feed, past)


def publish_index(output: Path, covers: Sequence[Cover]) -> tuple[Written, ...]:
    """Write the page and the OPML that list every feed; raises PublishError as ``publish``."""
    return files.publish(
        output,
        {"index.html": page.index(covers), "feeds.opml": opml.render(covers), "feed.css": page.stylesheet()},
        compress=True,
    )
