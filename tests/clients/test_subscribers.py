"""The whole program between sources that change and a subscriber who must not notice: gPodder and newsboat.

Two sources on loopback list one show. Then titles are edited, entries are shuffled, the audio and the sources
themselves move to other addresses, guids of one are replaced, and the config names the sources in another order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape
from pathlib import Path

import pytest

from aggregator import refresh
from aggregator.config import load
from tests.support.origin import Site, serving
from tests.support.web import Media, Served

FIRST = 7
T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)
SUBJECTS = (
    "Why caches lie to you",
    "The long tail of a queue",
    "Clocks and other opinions",
    "Naming one thing twice",
    "What the kernel owes its guests",
    "Reading a flame graph aloud",
    "Letters from listeners",
    "A short history of backpressure",
    "Garbage and its collectors",
    "Seven ways to fork",
    "Nobody reads the manual",
    "The scheduler dreams",
)
CONFIG = """
state: {home}/store.db
output: {output}
base_url: {url}
allow_networks: [127.0.0.0/8]
feeds:
  quiet-machines:
    title: Quiet Machines
    sources:
{sources}
"""


@dataclass(frozen=True)
class Entry:
    """One episode as one source lists it."""

    number: int
    title: str
    guid: str
    audio: str

    def rss(self) -> str:
        at = format_datetime(T0 - timedelta(days=200) + timedelta(days=7 * self.number), usegmt=True)
        notes = f"In this one we talk at length about {self.title.lower()}, and why episode {self.number} took a while."
        return (
            f"<item><title>{escape(self.title)}</title><guid isPermaLink='false'>{self.guid}</guid>"
            f"<pubDate>{at}</pubDate><description>{escape(notes)}</description>"
            f"<enclosure url='{self.audio}' length='24044' type='audio/mpeg'/>"
            f"<itunes:duration>{900 + 61 * self.number}</itunes:duration></item>"
        )


class Host(Site):
    """A host of feeds."""

    def list(self, path: str, entries: list[Entry]) -> None:
        feed = (
            "<?xml version='1.0' encoding='UTF-8'?><rss version='2.0' "
            "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><title>Quiet Machines</title>"
            f"<link>https://quiet.example</link><description>d</description>{''.join(each.rss() for each in entries)}"
            "</channel></rss>"
        )
        self.serve(path, feed, kind="application/rss+xml; charset=utf-8")


@pytest.fixture
def host() -> Iterator[Host]:
    with serving(Host(), "127.0.0.2") as known:
        yield known


@pytest.fixture
def directory() -> Iterator[Host]:
    with serving(Host(), "127.0.0.3") as known:
        yield known


def hosted(media: str, count: int) -> list[Entry]:
    """The host's own account, newest first."""
    return [
        Entry(number, SUBJECTS[number], f"host-{number:03d}", f"{media}/a/{number:03d}.mp3")
        for number in reversed(range(count))
    ]


def mirrored(media: str, count: int) -> list[Entry]:
    """A directory's account: other guids, other capitals, the same audio behind a tracking prefix."""
    return [
        replace(
            each,
            guid=f"dir-{9000 + each.number}",
            title=each.title.upper(),
            audio=f"{media}/track/{each.audio.partition('://')[2]}",
        )
        for each in hosted(media, count)
    ]


@dataclass(frozen=True)
class Project:
    """One configuration of the program, and its refresh."""

    home: Path
    output: Path
    url: str

    def refresh(self, at: datetime, sources: dict[str, str]) -> None:
        lines = "\n".join(
            f"      {name}: {{kind: feed, url: {url}, trust: {trust}}}" for name, url, trust in told(sources)
        )
        path = self.home / "config.yaml"
        path.write_text(
            CONFIG.format(home=self.home, output=self.output, url=self.url, sources=lines), encoding="utf-8"
        )
        refresh.refresh(load.load(path), at=at, force=True)


def told(sources: dict[str, str]) -> list[tuple[str, str, float]]:
    return [(name, url, 0.9 if name == "host" else 0.4) for name, url in sources.items()]


@pytest.fixture
def project(tmp_path: Path, served: Served) -> Project:
    home = tmp_path / "home"
    home.mkdir()
    return Project(home, served.folder, served.url)


def number(printed: str, words: str) -> int:
    found = re.search(rf"(\d+) {words}", printed)
    return int(found[1]) if found else 0


def test_a_subscriber_sees_every_episode_once_whatever_the_sources_do(
    gpo: Callable[..., str], project: Project, host: Host, directory: Host, media: Media
) -> None:
    host.list("/host.xml", hosted(media.url, FIRST))
    directory.list("/dir.xml", mirrored(media.url, FIRST))
    project.refresh(T0, {"host": host.url("/host.xml"), "dir": directory.url("/dir.xml")})
    gpo("subscribe", f"{project.url}/quiet-machines/podcast.xml")
    assert number(gpo("download"), "episodes? downloaded") == FIRST

    def nothing_new() -> None:
        before = sum(media.asked.values())
        assert number(gpo("update"), "new episodes?") == 0
        assert number(gpo("download"), "episodes? downloaded") == 0
        assert sum(media.asked.values()) == before

    # Titles are edited and the entries shuffled.
    edited = [replace(each, title=f"{each.title}!") for each in hosted(media.url, FIRST)]
    host.list("/host.xml", [*edited[3:], *edited[:3]])
    project.refresh(T0 + timedelta(hours=1), {"dir": directory.url("/dir.xml"), "host": host.url("/host.xml")})
    nothing_new()

    # The audio moves to another host, then the directory replaces its guids, then the host's feed itself moves.
    moved = [replace(each, audio=each.audio.replace("/a/", "/cdn7/b/")) for each in edited]
    host.list("/host.xml", moved)
    project.refresh(T0 + timedelta(hours=2), {"dir": directory.url("/dir.xml"), "host": host.url("/host.xml")})
    nothing_new()
    directory.list("/dir.xml", [replace(each, guid=f"new-{each.guid}") for each in mirrored(media.url, FIRST)])
    project.refresh(T0 + timedelta(hours=3), {"host": host.url("/host.xml"), "dir": directory.url("/dir.xml")})
    nothing_new()
    host.list("/elsewhere.xml", moved)
    del host.pages["/host.xml"]
    project.refresh(T0 + timedelta(hours=4), {"host": host.url("/elsewhere.xml"), "dir": directory.url("/dir.xml")})
    nothing_new()

    # The host is away; then both list exactly three more.
    del host.pages["/elsewhere.xml"]
    project.refresh(T0 + timedelta(hours=5), {"host": host.url("/elsewhere.xml"), "dir": directory.url("/dir.xml")})
    nothing_new()
    host.list("/elsewhere.xml", hosted(media.url, FIRST + 3))
    directory.list("/dir.xml", mirrored(media.url, FIRST + 3))
    project.refresh(T0 + timedelta(hours=6), {"host": host.url("/elsewhere.xml"), "dir": directory.url("/dir.xml")})
    assert number(gpo("update"), "new episodes?") == 3
    assert number(gpo("download"), "episodes? downloaded") == 3
    nothing_new()
