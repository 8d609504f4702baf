"""An origin on loopback whose documents a test sets, and a feed made from it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from aggregator import refresh
from aggregator.config.load import load
from aggregator.result import Outcome
from tests.support.origin import Site, serving

START = datetime(2024, 6, 1, 12, tzinfo=UTC)
FILES = ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "index.html", "report.json")


@pytest.fixture
def origin() -> Iterator[Site]:
    with serving(Site()) as site:
        yield site


@dataclass(frozen=True)
class Episode:
    """One episode as a made-up host lists it; ``turn`` tells them apart."""

    turn: int
    guid: str | None = None
    title: str | None = None
    audio: str | None = None
    day: int | None = None
    text: str | None = None

    def xml(self) -> str:
        published = START - timedelta(days=100) + timedelta(days=self.turn if self.day is None else self.day)
        title = self.title or f"{NAMES[self.turn % len(NAMES)]} in chapter {self.turn}"
        text = (
            self.text
            or f"Today we look at {title.lower()}, why it was made, and what it costs to keep number {self.turn}."
        )
        audio = self.audio or f"https://cdn.host.example/show/{self.turn}.mp3"
        return (
            f'<item><guid isPermaLink="false">{escape(self.guid or f"host-{self.turn}")}</guid>'
            f"<title>{escape(title)}</title><pubDate>{format_datetime(published)}</pubDate>"
            f"<description>{escape(text)}</description>"
            f'<enclosure url="{audio}" length="{40000 + self.turn}" type="audio/mpeg"/>'
            f"<itunes:duration>{1200 + self.turn}</itunes:duration></item>"
        )


NAMES = ("Strides", "Lighthouses", "Tide tables", "Sextants", "Rope work", "Harbour pilots", "Dead reckoning")


def rss(*episodes: Episode, title: str = "Sea Room") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>'
        f"<title>{title}</title><link>https://show.example/</link><description>About the sea.</description>"
        + "".join(episode.xml() for episode in episodes)
        + "</channel></rss>"
    )


@pytest.fixture
def episode() -> type[Episode]:
    return Episode


@pytest.fixture(name="rss")
def rss_fixture() -> Callable[..., str]:
    return rss


@dataclass
class Stage:
    """A config in a folder of its own, and its refreshes; each is a day after the one before."""

    folder: Path
    sources: dict[str, str]
    extra: str = ""
    turn: int = 0

    def config(self) -> Path:
        lines = ["state: store.db", "output: output", "allow_networks: [127.0.0.0/8]", "feeds:", "  sea:"]
        lines += ["    title: Sea Room", *(f"    {line}" for line in self.extra.splitlines()), "    sources:"]
        lines += [f"      {name}: {{{keys}}}" for name, keys in self.sources.items()]
        path = self.folder / "config.yaml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def refresh(self, *, at: datetime | None = None, force: bool = True) -> Outcome:
        self.turn += 1
        now = at or START + timedelta(days=2 * self.turn)
        return refresh.refresh(load(self.config()), at=now, force=force)[0]

    def published(self) -> dict[str, bytes]:
        return {name: (self.folder / "output" / "sea" / name).read_bytes() for name in FILES}

    def items(self) -> list[dict[str, object]]:
        return json.loads(self.published()["feed.json"])["items"]

    def report(self) -> dict[str, object]:
        return json.loads(self.published()["report.json"])


@pytest.fixture
def stage(tmp_path: Path, origin: Site) -> Stage:
    return Stage(tmp_path, {"host": f"kind: feed, url: '{origin.url('/feed.xml')}'"})
