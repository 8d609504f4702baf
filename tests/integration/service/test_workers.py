from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aggregator.config.load import load
from aggregator.errors import StoreError
from aggregator.service.workers import Worker
from tests.support.rss import Episode, make_rss

CONFIG = "feeds:\n  crumb-talk:\n    title: Crumb Talk\n    sources:\n      topic: {kind: listing, path: topic.txt}\n"


def rewrite(path: Path, text: str) -> None:
    before = path.stat().st_mtime_ns
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_a_changed_config_takes_effect_and_a_wrong_one_does_not(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    news: list[str] = []
    warnings: list[str] = []
    worker = Worker(load(path), news.append, warnings.append)
    assert worker.reload().plans[0].channel.title == "Crumb Talk"
    rewrite(path, CONFIG.replace("title: Crumb Talk", "title: Crust Talk"))
    assert worker.reload().plans[0].channel.title == "Crust Talk"
    rewrite(path, CONFIG.replace("title:", "titel:"))
    for _ in range(2):
        assert worker.reload().plans[0].channel.title == "Crust Talk"
    path.unlink()
    assert worker.reload().plans[0].channel.title == "Crust Talk"
    assert news == [f"{path}: read again"]
    assert [sum(text in each for each in warnings) for text in ("unknown key", "the previous config stays in use")] == [
        1,
        2,
    ]


def test_all_feeds_are_looked_at_once_the_store_can_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"state: state/store.db\n{CONFIG}", encoding="utf-8")
    (tmp_path / "state").write_text("")
    worker = Worker(load(path), print, print)
    with pytest.raises(StoreError):
        worker.tick(datetime(2026, 1, 1, tzinfo=UTC))
    assert worker.fresh
    at = datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(StoreError):
        worker.tick(at + timedelta(hours=1))
    assert worker.find_overdue(at + timedelta(hours=3)) == ("crumb-talk", timedelta(hours=3))


def test_a_feed_is_overdue_from_when_it_is_due(tmp_path: Path) -> None:
    (tmp_path / "topic.txt").write_text(make_rss(Episode("1", "Rye bread")), encoding="utf-8")
    path, at = tmp_path / "config.yaml", datetime(2026, 1, 1, tzinfo=UTC)
    config = CONFIG.replace("listing", "feed")
    path.write_text(f"state: store.db\noutput: output\n{config}", encoding="utf-8")
    worker = Worker(load(path), print, print)
    assert worker.find_overdue(at) is None
    worker.tick(at)
    assert worker.find_overdue(at) is None
    feed, age = worker.find_overdue(at + timedelta(days=2)) or ("", timedelta())
    assert feed == "crumb-talk"
    assert timedelta(hours=23) <= age < timedelta(days=2)
