"""Divide feeds into pages by RFC 5005: the newest items on the page that is polled, older ones in archives.

Archive ``k`` has the items from the ``(k-1)·window``-th to the ``k·window``-th, counted from the oldest: it is full
when it first appears and changes only when an old item is found late. The newest page always has ``window`` items and
may repeat some of the newest archive, so that apps without support for archives always have these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from aggregator.generator.content.feed_channel import FeedChannel
from aggregator.generator.content.feed_item import FeedItem
from aggregator.generator.content.passed_tags import Row
from aggregator.generator.storage.names import is_archive

_T = TypeVar("_T")

# Every archive names its feed's guid before its first item; a channel of the longest texts takes some 30 kB.
_FRONT: Final = 1 << 16
_TYPES = {"xml": "application/rss+xml", "atom": "application/atom+xml", "json": "application/feed+json"}


class FeedPage(Struct, frozen=True):
    """One page: at most ``window`` items (``None`` for all), of the newest, or of archive ``number`` from 1."""

    window: int | None = None
    number: int = 0

    def cut(self, items: Sequence[_T]) -> Sequence[_T]:
        """Return the items of this page, newest first."""
        if not self.window:
            return items
        if self.number == 0:
            return items[: self.window]
        oldest = len(items) - self.number * self.window
        return items[max(oldest, 0) : oldest + self.window]

    def updated_at(self, part: Sequence[FeedItem], updated: datetime) -> datetime:
        """Return when this page last changed: an archive changes with its own items only."""
        if self.number == 0:
            return updated
        times = (item.updated or item.published for item in part)
        return min(updated, max((time for time in times if time), default=updated))

    def file_name(self, name: str) -> str:
        """Return the name of this page's file in a format.

        >>> FeedPage(10, 3).file_name("feed.xml"), FeedPage().file_name("feed.xml")
        ('feed-archive-3.xml', 'feed.xml')
        """
        stem, _, extension = name.rpartition(".")
        return f"{stem}-archive-{self.number}.{extension}" if self.number else name

    def find_older(self, total: int) -> FeedPage | None:
        """Return the page of the next older items of so many, ``None`` if there is none."""
        older = self.number - 1 if self.number else count_archives(total, self.window)
        return FeedPage(self.window, older) if older > 0 else None

    def make_links(self, channel: FeedChannel, name: str, total: int) -> tuple[Row, ...]:
        """Return the atom:link rows of this page, and the element that marks an archive."""
        kind = _TYPES[name.rpartition(".")[2]]

        def link(rel: str, name: str) -> Row:
            return "atom:link", None, {"rel": rel, "type": kind, "href": channel.address(name)}, ()

        rows = [link("self", self.file_name(name))]
        if self.number:
            rows.append(link("current", name))
        else:
            rows += [("atom:link", None, {"rel": "hub", "href": hub}, ()) for hub in channel.hubs]
        if older := self.find_older(total):
            rows += [link(rel, older.file_name(name)) for rel in ("prev-archive", "next")]
        if self.number:
            rows.append(("fh:archive", None, {}, ()))
        return tuple(rows)


def count_archives(total: int, window: int | None) -> int:
    """Return how many archives so many items need.

    >>> [count_archives(total, 10) for total in (0, 10, 11, 20, 21)]
    [0, 0, 1, 1, 2]
    """
    return 0 if not window or total <= window else -(-(total - window) // window)


def find_stale_archives(folder: Path, guid: str, current: Collection[str]) -> Iterator[str]:
    """Yield the archives of the feed of this guid that stand in the folder and are not among ``current``.

    A file of such a name without the guid is not an archive of this feed and stays.
    """
    for path in sorted(folder.iterdir()):
        if is_archive(path.name) and path.name not in current and path.is_file() and not path.is_symlink():
            with path.open("rb") as handle:
                if guid.encode() in handle.read(_FRONT):
                    yield path.name
