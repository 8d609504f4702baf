"""newsboat and podboat, the real ones: every item once, every file once, whatever moves around them."""

from __future__ import annotations

import os
import pty
import select
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
import requests

from aggregator.generator import feed_files, files
from aggregator.generator.content.prepared import prepare
from aggregator.model.feed import Feed
from tests.support.web import Media, Served

FIRST = 6
CONFIG = """podcast-auto-enqueue yes
download-path "{home}/files/"
max-downloads 2
"""


class Boat(NamedTuple):
    """A home of newsboat's, with its programs."""

    newsboat: str
    podboat: str
    home: Path

    def subscribe(self, *addresses: str) -> None:
        (self.home / "files").mkdir(parents=True)
        (self.home / "urls").write_text("".join(f"{address}\n" for address in addresses), encoding="utf-8")
        (self.home / "config").write_text(CONFIG.format(home=self.home), encoding="utf-8")
        (self.home / ".newsboat").mkdir()

    def reload(self) -> int:
        """Asks every feed, and gives how many articles are unread."""
        command = [self.newsboat, "-u", "urls", "-c", "cache.db", "-C", "config", "-q", "-x", "reload", "print-unread"]
        done = subprocess.run(
            command, cwd=self.home, env=self.environment(), capture_output=True, text=True, timeout=300, check=True
        )
        return int(done.stdout.split()[0])

    def rows(self, columns: str) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(self.home / "cache.db")) as cache:
            return cache.execute(f"SELECT {columns} FROM rss_item WHERE deleted = 0 ORDER BY pubDate DESC").fetchall()  # noqa: S608

    def queue(self) -> list[str]:
        path = self.home / ".newsboat" / "queue"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def download(self, expected: int) -> None:
        """Runs podboat in a terminal until that many files are whole, at most 120 s, and ends it by its own key."""
        terminal, inside = pty.openpty()
        with subprocess.Popen(
            [self.podboat, "-C", "config", "-a"],
            cwd=self.home,
            env=self.environment(),
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
        ) as running:
            os.close(inside)
            try:
                until(terminal, lambda: len(self.whole()) >= expected, 120)
                until(terminal, lambda: False, 0.5)
                os.write(terminal, b"q")
                until(terminal, lambda: running.poll() is not None, 60)
            finally:
                running.kill()
                os.close(terminal)

    def whole(self) -> list[Path]:
        return [
            path for path in (self.home / "files").iterdir() if path.suffix != ".part" and path.stat().st_size > 16_384
        ]

    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "TERM": "xterm", "LANG": "C.UTF-8", "PATH": os.environ["PATH"]}


def until(terminal: int, done: Callable[[], bool], seconds: float) -> None:
    """Reads what the program draws until something is done or the time is over; an ended program is done."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not done():
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                os.read(terminal, 65_536)
            except OSError:
                return


def publish(folder: Path, feed: Feed) -> None:
    files.publish(folder / feed.channel.name, dict(feed_files.render_files(prepare(feed))), compress=True)


@pytest.fixture
def boat(program: Callable[[str], str], tmp_path: Path) -> Boat:
    return Boat(program("newsboat"), program("podboat"), tmp_path / "boat")


def test_newsboat_and_podboat_list_and_download_all_then_exactly_what_is_new(
    boat: Boat, served: Served, media: Media, made: ModuleType
) -> None:
    then = made.history(served.url, media.url, range(FIRST))
    publish(served.folder, then)
    boat.subscribe(f"{served.url}/quiet-machines/podcast.xml")
    assert boat.reload() == FIRST
    assert [row[0] for row in boat.rows("title")] == [item.title for item in then.items if item.enclosure]
    assert len(boat.queue()) == FIRST
    boat.download(FIRST)
    assert len(boat.whole()) == FIRST
    assert sum(media.asked.values()) == FIRST

    publish(served.folder, made.moved(then))
    assert boat.reload() == FIRST
    boat.download(FIRST)
    assert sum(media.asked.values()) == FIRST

    grown = made.grown(then, 3)
    publish(served.folder, made.moved(grown))
    assert boat.reload() == FIRST + 3
    boat.download(FIRST + 3)
    assert sum(media.asked.values()) == FIRST + 3
    assert max(media.asked.values()) == 1


@pytest.mark.parametrize("name", ["feed.xml", "feed.atom"])
def test_newsboat_reads_everything_once_in_each_format(
    boat: Boat, served: Served, media: Media, made: ModuleType, name: str
) -> None:
    then = made.history(served.url, media.url, range(FIRST))
    publish(served.folder, then)
    boat.subscribe(f"{served.url}/quiet-machines/{name}")
    assert boat.reload() == len(then.items)
    before = boat.rows("guid")
    assert len(set(before)) == len(then.items)
    links = {row[0] for row in boat.rows("enclosure_url")} - {""}
    assert links == {item.enclosure.url for item in then.items if item.enclosure}
    publish(served.folder, made.moved(then))
    assert boat.reload() == len(then.items)
    assert boat.rows("guid") == before
    publish(served.folder, made.moved(made.grown(then, 2)))
    assert boat.reload() == len(then.items) + 2


def test_newsboat_keeps_the_tag_that_earns_it_a_304(boat: Boat, served: Served, media: Media, made: ModuleType) -> None:
    publish(served.folder, made.history(served.url, media.url, range(FIRST)))
    address = f"{served.url}/quiet-machines/podcast.xml"
    boat.subscribe(address)
    # It keeps no validators at its first request (its issue 2734), so they are there after the second.
    assert boat.reload() == boat.reload() == FIRST
    with closing(sqlite3.connect(boat.home / "cache.db")) as cache:
        tag, seen = cache.execute("SELECT etag, lastmodified FROM rss_feed").fetchone()
    modified = int((served.folder / "quiet-machines" / "podcast.xml").stat().st_mtime)
    assert seen == modified
    again = requests.get(address, headers={"If-None-Match": tag, "Accept-Encoding": "gzip"}, timeout=60)
    assert again.status_code == 304
    assert boat.reload() == FIRST
