"""gPodder, the real one, subscribes to what we publish, and sees nothing twice when everything around it moves."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from aggregator.generator import feed_files, files
from aggregator.generator.content.prepared import prepare
from aggregator.model.feed import Feed
from tests.support.web import Media, Served

FIRST = 6


def publish(folder: Path, feed: Feed, window: int | None = None) -> None:
    files.publish(
        folder / feed.channel.name, dict(feed_files.render_files(prepare(feed), window=window)), compress=True
    )


def titles(listing: str) -> list[str]:
    """The episodes that ``gpo episodes`` lists, in its order."""
    return [line.strip() for line in re.findall(r"^\s*\d+\.\s+\S?\s{2}(.*)$", listing, re.MULTILINE)]


def downloaded(printed: str) -> int:
    found = re.search(r"(\d+) episodes? downloaded", printed)
    return int(found[1]) if found else 0


def new(printed: str) -> int:
    found = re.search(r"(\d+) new episodes?", printed)
    assert found is not None, printed
    return int(found[1])


def test_gpodder_lists_and_downloads_all_then_exactly_what_is_new(
    gpo: Callable[..., str], served: Served, media: Media, made: ModuleType
) -> None:
    address = f"{served.url}/quiet-machines/podcast.xml"
    then = made.history(served.url, media.url, range(FIRST))
    publish(served.folder, then)
    gpo("subscribe", address)
    assert titles(gpo("episodes")) == [item.title for item in then.items if item.enclosure]
    assert downloaded(gpo("download")) == FIRST
    assert sum(media.asked.values()) == FIRST

    publish(served.folder, made.moved(then))
    assert new(gpo("update")) == 0
    assert downloaded(gpo("download")) == 0
    assert sum(media.asked.values()) == FIRST

    for added in (1, 3):
        then = made.grown(then, added)
        publish(served.folder, made.moved(then))
        assert new(gpo("update")) == added
        before = sum(media.asked.values())
        assert downloaded(gpo("download")) == added
        assert sum(media.asked.values()) == before + added
        assert len(titles(gpo("episodes"))) == sum(item.enclosure is not None for item in then.items)


def test_gpodder_follows_the_pages_to_the_oldest_episode(
    gpo: Callable[..., str], served: Served, media: Media, made: ModuleType
) -> None:
    then = made.history(served.url, media.url, range(25))
    publish(served.folder, then, window=10)
    gpo("subscribe", f"{served.url}/quiet-machines/podcast.xml")
    listed = titles(gpo("episodes"))
    assert listed == [item.title for item in then.items if item.enclosure]
    assert len(listed) == 25


def test_gpodder_loses_nothing_when_the_server_is_away(
    gpo: Callable[..., str], served: Served, media: Media, made: ModuleType
) -> None:
    then = made.history(served.url, media.url, range(FIRST))
    publish(served.folder, then)
    gpo("subscribe", f"{served.url}/quiet-machines/podcast.xml")
    before = titles(gpo("episodes"))
    away = served.folder.with_name("away")
    served.folder.rename(away)
    gpo("update")
    assert titles(gpo("episodes")) == before
    away.rename(served.folder)
    assert new(gpo("update")) == FIRST
    assert titles(gpo("episodes")) == before
