"""What is published of one known feed, byte for byte. ``GOLDEN=write`` writes the files anew: then read the diff."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from aggregator.generator import atom, jsonfeed, report, rss
from aggregator.generator.content.prepared import prepare
from aggregator.generator.paging import FeedPage
from aggregator.model.feed import Feed

DATA = Path(__file__).parent / "data"

DOCUMENTS: dict[str, Callable[[Feed], bytes]] = {
    "podcast.xml": lambda feed: rss.render(prepare(feed), episodes_only=True),
    "feed.xml": lambda feed: rss.render(prepare(feed), episodes_only=False),
    "feed.atom": lambda feed: atom.render(prepare(feed)),
    "feed.json": lambda feed: jsonfeed.render(prepare(feed)),
    "report.json": lambda feed: report.render(prepare(feed)),
    "feed-archive-1.xml": lambda feed: rss.render(prepare(feed), episodes_only=False, page=FeedPage(2, 1)),
    "feed-archive-1.atom": lambda feed: atom.render(prepare(feed), page=FeedPage(2, 1)),
    "feed-newest.json": lambda feed: jsonfeed.render(prepare(feed), page=FeedPage(2)),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_golden(name: str, harbour: Feed) -> None:
    made = DOCUMENTS[name](harbour)
    golden = DATA / name
    if os.environ.get("GOLDEN") == "write":
        golden.write_bytes(made)
    assert golden.read_bytes() == made


@pytest.mark.parametrize("name", DOCUMENTS)
def test_same_feed_same_bytes(name: str, harbour: Feed) -> None:
    assert DOCUMENTS[name](harbour) == DOCUMENTS[name](harbour)
