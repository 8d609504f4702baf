"""What a refresh keeps in memory, and how long."""

import gc
from datetime import UTC, datetime
from pathlib import Path

from aggregator import refresh
from aggregator.config.load import load
from aggregator.model.entry import Entry, Listing
from aggregator.model.results import Progress
from tests.support.rss import Episode, make_rss

AT = datetime(2024, 6, 1, 12, tzinfo=UTC)
CONFIG = """
state: store.db
output: output
base_url: http://localhost:8000
contact: https://example.org/about
feeds:
  tide: {title: Tide, sources: {host: {kind: feed, path: tide.xml}, mirror: {kind: feed, path: quay.xml}}}
"""


def test_what_was_read_is_let_go_before_it_is_composed(tmp_path: Path) -> None:
    for name in ("tide", "quay"):
        episodes = [Episode(f"{name}-{turn}", f"{name} {turn}") for turn in range(30)]
        (tmp_path / f"{name}.xml").write_text(make_rss(*episodes), encoding="utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    held: list[tuple[str, int]] = []

    def listen(progress: Progress) -> None:
        if progress.stage in ("compose", "publish"):
            held.append((progress.stage, sum(type(each) in {Listing, Entry} for each in gc.get_objects())))

    gc.collect()  # what other tests left
    before = sum(type(each) in {Listing, Entry} for each in gc.get_objects())
    outcomes = refresh.refresh(load(tmp_path / "config.yaml"), at=AT, listen=listen)
    assert [each.published.items for each in outcomes] == [60]
    assert [stage for stage, _ in held] == ["compose", "publish"]
    assert max(count for _, count in held) <= before
