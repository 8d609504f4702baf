"""What is read back from the files of a published feed."""

from __future__ import annotations

from pathlib import Path

import pytest

from aggregator.generator import feed_files, files
from aggregator.generator.changes.published import PublishedFiles, read_published
from aggregator.generator.content.prepared import prepare
from tests.support import sample_feed as made


@pytest.mark.parametrize(
    ("name", "find", "put"),
    [
        ("report.json", '"entries": [', '"entries": 5, "x": ['),
        ("report.json", '"items": [', '"items": 7, "x": ['),
        ("report.json", '"sources": [', '"sources": [7], "x": ['),
        ("feed.json", '"items": [', '"items": [7], "x": ['),
        ("feed.xml", "<pubDate>", "<pubDate>x</pubDate><pubDate>"),
        ("feed.xml", "<channel>", "<channel"),
    ],
)
def test_damaged_files_are_as_none(tmp_path: Path, name: str, find: str, put: str) -> None:
    files.publish(tmp_path, feed_files.render_files(prepare(made.feed())))
    assert read_published(tmp_path).items
    text = (tmp_path / name).read_text("utf-8")
    assert find in text
    (tmp_path / name).write_text(text.replace(find, put), "utf-8")
    assert read_published(tmp_path) == PublishedFiles()
