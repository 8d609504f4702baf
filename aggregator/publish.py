"""Feed -> files: what each feed's folder and the folder of all feeds hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aggregator.generator import archive, atom, files, jsonfeed, leaf, news, opml, page, report, rss
from aggregator.generator.archive import Sheet
from aggregator.generator.files import Written
from aggregator.generator.history import History
from aggregator.model.feed import Cover, Feed

PAGED: Mapping[str, Callable[[Feed, Sheet], bytes]] = {
    "podcast.xml": lambda feed, sheet: rss.render(feed, episodes_only=True, sheet=sheet),
    "feed.xml": lambda feed, sheet: rss.render(feed, episodes_only=False, sheet=sheet),
    "feed.atom": lambda feed, sheet: atom.render(feed, sheet=sheet),
    "feed.json": lambda feed, sheet: jsonfeed.render(feed, sheet=sheet),
}


def render(feed: Feed, window: int | None = None, past: History | None = None) -> Mapping[str, bytes]:
    """The files of one feed by name: the same feed and the same history give the same bytes.

    ``window`` is the most items of the page that is polled; older ones go to archives (RFC 5005). ``past`` is what
    the changes page tells; without it there is none.
    """
    made = {name: paged(feed, Sheet(window)) for name, paged in PAGED.items()}
    for name, paged in PAGED.items():
        total = sum(map(leaf.playable, feed.items)) if name == "podcast.xml" else len(feed.items)
        for number in range(1, archive.count(total, window) + 1):
            made[archive.archive_name(name, number)] = paged(feed, Sheet(window, number))
    made |= {"index.html": page.render(feed, changes=past is not None), "report.json": report.render(feed)}
    if past is not None:
        made |= {"changes.html": news.render(feed, past), "changes.atom": news.atom(feed, past)}
    return made


def publish(output: Path, feed: Feed, window: int | None = None, past: History | None = None) -> tuple[Written, ...]:
    """Write the feed's folder whole or not at all; raises PublishError with the old files standing."""
    written = files.publish(output / feed.channel.name, render(feed, window, past), compress=True)
    return tuple(replace(each, name=f"{feed.channel.name}/{each.name}") for each in written)


@dataclass(frozen=True, slots=True)
class FileState:
    """A published file as it stood when it was written: its name under the output folder, bytes, and time in ns."""

    name: str
    size: int
    written: int


def states(output: Path, written: Sequence[Written]) -> tuple[FileState, ...]:
    """How the files stand now."""
    found = ((each.name, (output / each.name).stat()) for each in written)
    return tuple(FileState(name, stat.st_size, stat.st_mtime_ns) for name, stat in found)


def stand(output: Path, known: Sequence[FileState]) -> bool:
    """Do all the files still stand as they were written? False where none is known."""
    try:
        return bool(known) and all(_stands(output / each.name, each) for each in known)
    except OSError:
        return False


def _stands(path: Path, known: FileState) -> bool:
    stat = path.stat()
    return (stat.st_size, stat.st_mtime_ns) == (known.size, known.written)


def publish_index(output: Path, covers: Sequence[Cover]) -> tuple[Written, ...]:
    """Write the page and the OPML that list every feed; raises PublishError as ``publish``."""
    return files.publish(
        output,
        {"index.html": page.index(covers), "feeds.opml": opml.render(covers), "feed.css": page.stylesheet()},
        compress=True,
    )
