"""What is published of one known feed, byte for byte. ``GOLDEN=write`` writes the files anew: then read the diff."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from aggregator.generator.content.prepared import prepare
from aggregator.generator.feed_files import render_files
from aggregator.model.feed import Feed

DATA = Path(__file__).parent / "data"

WHOLE = ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "report.json")
PAGES = {
    "feed-archive-1.xml": "feed-archive-1.xml",
    "feed-archive-1.atom": "feed-archive-1.atom",
    "feed-newest.json": "feed.json",
}
DOCUMENTS: dict[str, Callable[[Feed], bytes]] = {
    **{name: lambda feed, name=name: dict(render_files(prepare(feed)))[name] for name in WHOLE},
    **{name: lambda feed, of=of: dict(render_files(prepare(feed), window=2))[of] for name, of in PAGES.items()},
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_golden(name: str, harbour: Feed) -> None:
    made = DOCUMENTS[name](harbour)
    golden = DATA / name
    if os.environ.get("GOLDEN") == "write":
        golden.write_bytes(made)
    assert golden.read_bytes() == made
