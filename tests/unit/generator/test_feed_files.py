"""All files of one feed, and its archives."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator import publish as publication
from aggregator.generator import feed_files
from aggregator.generator.content.prepared import prepare
from aggregator.generator.files import publish
from aggregator.generator.storage.output import Output
from aggregator.model.entry import Moment
from aggregator.model.feed import Feed
from aggregator.model.files import WrittenFile
from aggregator.processes import editions


@pytest.fixture(scope="module")
def many(harbour: Feed) -> Feed:
    """25 items, every third a post."""
    first, post, _ = harbour.items
    assert first.published is not None
    assert first.enclosure is not None
    items = []
    for number in range(25, 0, -1):
        day = Moment(first.published.at + timedelta(days=number))
        audio = replace(first.enclosure, url=f"https://cdn.example.com/{number}.mp3")
        base = replace(post) if number % 3 == 0 else replace(first, enclosure=audio)
        items.append(replace(base, guid=f"g{number}", title=f"Number {number}", published=day, updated=None))
    return replace(harbour, items=tuple(items), updated=first.published.at + timedelta(days=40))


def test_archives_are_stable_when_new_items_arrive(many: Feed) -> None:
    before = dict(feed_files.render_files(prepare(replace(many, items=many.items[5:])), window=6))
    after = dict(feed_files.render_files(prepare(many), window=6))
    kept = [name for name in before if "-archive-" in name and name.startswith(("podcast", "feed"))]
    assert len(kept) > 3
    assert {name: before[name] for name in kept} == {name: after[name] for name in kept}


def test_newest_page_and_archives_hold_every_item(many: Feed) -> None:
    for window in (1, 3, 7, 24):
        files = dict(feed_files.render_files(prepare(many), window=window))
        pages = [body for name, body in files.items() if name.startswith("feed") and name.endswith(".xml")]
        for item in many.items:
            assert any(f">{item.guid}<".encode() in page for page in pages)


def older(name: str, body: bytes) -> str | None:
    """The name of the next older page, as this one says it."""
    if name.endswith(".json"):
        said = json.loads(body).get("next_url")
    else:
        found = re.search(rb'rel="next" type="[^"]+" href="([^"]+)"', body)
        said = found[1].decode() if found else None
    return said.rpartition("/")[2] if said else None


@pytest.mark.parametrize("first", ["podcast.xml", "feed.xml", "feed.atom", "feed.json"])
def test_from_page_to_older_page_all_are_read_once(many: Feed, first: str) -> None:
    files = dict(feed_files.render_files(prepare(many), window=4))
    stem, _, ending = first.partition(".")
    name, read = first, []
    while name is not None:
        read.append(name)
        assert len(read) < 10
        name = older(name, files[name])
    assert len(read) > 3
    assert sorted(read) == sorted(one for one in files if one.startswith(stem) and one.endswith(ending))


def test_a_feed_without_items_is_a_feed(harbour: Feed, tmp_path: Path) -> None:
    publish(tmp_path, feed_files.render_files(prepare(replace(harbour, items=())), window=5))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "feed.atom", "feed.json", "feed.xml", "podcast.xml", "report.json",
    ]  # fmt: skip


def _publish(output: Path, feed: Feed, window: int | None) -> tuple[WrittenFile, ...]:
    return editions.place(Output(output), feed.channel.name, publication.stage(output, feed, window))


@pytest.mark.parametrize("window", [None, 4])
def test_what_is_published_is_what_is_rendered(many: Feed, tmp_path: Path, window: int | None) -> None:
    _publish(tmp_path, many, window)
    folder = tmp_path / many.channel.name
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".gz"}
    assert dict(publication.render(many, window)) == found


def test_archives_of_a_smaller_window_go_and_nobody_elses(many: Feed, tmp_path: Path) -> None:
    folder = tmp_path / many.channel.name
    _publish(tmp_path, many, 4)
    (folder / "feed-archive-9.xml").write_text("<rss>kept by a person</rss>")
    (folder / "notes.xml").write_text(f"of {many.channel.guid}")
    before = {path.name for path in folder.iterdir()}
    assert {"feed-archive-6.xml", "feed-archive-6.xml.gz", "podcast-archive-4.xml.gz"} <= before
    _publish(tmp_path, many, 10)
    after = {path.name for path in folder.iterdir() if "archive" in path.name or path.name == "notes.xml"}
    names = {f"feed-archive-{number}.{kind}" for number in (1, 2) for kind in ("xml", "atom", "json")}
    names |= {"podcast-archive-1.xml"}
    packed = {f"{name}.gz" for name in names}
    assert names | packed | {"feed-archive-9.xml", "notes.xml"} == after
    assert _publish(tmp_path, many, 10) == tuple(replace(each, changed=False) for each in _publish(tmp_path, many, 10))
