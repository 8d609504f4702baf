"""An origin on loopback whose documents a test sets, and a feed made from it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from aggregator.config.load import load
from aggregator.model.results import Outcome
from tests.support.composing import refresh_here
from tests.support.config import make_feed, write_config
from tests.support.origin import Site, serving
from tests.support.rss import Episode, make_rss

START = datetime(2024, 6, 1, 12, tzinfo=UTC)
FILES = ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "index.html", "report.json")


@pytest.fixture
def origin() -> Iterator[Site]:
    with serving(Site()) as site:
        yield site


NAMES = ("Strides", "Lighthouses", "Tide tables", "Sextants", "Rope work", "Harbour pilots", "Dead reckoning")


def make_episode(turn: int, *, day: float | None = None, **fields: Any) -> Episode:
    """Return an episode of a made-up host; ``turn`` chooses what ``fields`` does not give."""
    title = fields.get("title") or f"{NAMES[turn % len(NAMES)]} in chapter {turn}"
    defaults = {
        "guid": f"host-{turn}",
        "title": title,
        "at": START - timedelta(days=100) + timedelta(days=turn if day is None else day),
        "text": f"Today we look at {title.lower()}, why it was made, and what it costs to keep number {turn}.",
        "audio": f"https://cdn.host.example/show/{turn}.mp3",
        "seconds": 1200 + turn,
        "size": 40000 + turn,
    }
    return Episode(**defaults | fields)


@pytest.fixture
def episode() -> Callable[..., Episode]:
    return make_episode


@pytest.fixture
def rss() -> Callable[..., str]:
    return make_rss


@dataclass
class Project:
    """A config in a folder of its own, and its refreshes; each is a day after the one before."""

    folder: Path
    sources: dict[str, Any]
    keys: dict[str, Any] = field(default_factory=dict)
    turn: int = 0

    def config(self) -> Path:
        return write_config(self.folder, {"sea": make_feed("Sea Room", self.sources, **self.keys)})

    def refresh(self, *, at: datetime | None = None, force: bool = True, new: bool = False) -> Outcome:
        self.turn += 1
        now = at or START + timedelta(days=2 * self.turn)
        return refresh_here(load(self.config()), at=now, force=force, new=new)[0]

    def published(self) -> dict[str, bytes]:
        return {name: (self.folder / "output" / "sea" / name).read_bytes() for name in FILES}

    def items(self) -> list[dict[str, object]]:
        return json.loads(self.published()["feed.json"])["items"]

    def report(self) -> dict[str, object]:
        return json.loads(self.published()["report.json"])


@pytest.fixture
def project(tmp_path: Path, origin: Site) -> Project:
    return Project(tmp_path, {"host": origin.source("/feed.xml")})
