"""Chapters of the notes: in the feed and as a file, of no episode that has its own; `chapters: sources` has none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.config import Keys, make_feed, make_source, write_config
from tests.support.program import run_program

LISTED = (
    "<p>About tides.</p><ul><li>0:00 Tide tables</li><li>4:10 The ferry</li><li>31:05 Letters &amp; bells</li></ul>"
)
OWN = '<psc:chapters version="1.2"><psc:chapter start="00:00:00" title="Mine"/></psc:chapters>'
ITEM = """<item><title>{title}</title><guid isPermaLink="false">{title}</guid>
<pubDate>Tue, 0{n} Oct 2024 06:00:00 GMT</pubDate>
<enclosure url="https://cdn.example/{n}.mp3" type="audio/mpeg" length="9"/><itunes:duration>3600</itunes:duration>
<description>{notes}</description>{more}</item>"""


def write(folder: Path, **keys: str) -> None:
    notes = LISTED.replace("&", "&amp;").replace("<", "&lt;")
    items = ITEM.format(title="Sea", n=1, notes=notes, more="") + ITEM.format(title="Bay", n=2, notes=notes, more=OWN)
    (folder / "show.xml").write_text(
        '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
        f'xmlns:psc="http://podlove.org/simple-chapters"><channel><title>Tides</title>{items}</channel></rss>'
    )
    write_config(folder, {"tides": make_feed("Tides", {"host": "show.xml"}, **keys)})


def refresh(folder: Path, hour: int) -> list[list[str]]:
    """The titles of the chapters in each published file of chapters."""
    done = run_program(folder, "refresh", "--at", f"2024-11-01T{hour:02}:00:00Z")
    assert done.returncode == 0, done.stderr
    files = sorted((folder / "output/tides").glob("chapters-*.json"))
    assert (folder / "output/tides/podcast.xml").read_text().count("<podcast:chapters ") == len(files)
    return sorted([each["title"] for each in json.loads(file.read_bytes())["chapters"]] for file in files)


def test_chapters_of_the_notes_are_published_unless_a_source_has_its_own_or_the_config_says_no(tmp_path: Path) -> None:
    write(tmp_path)
    assert refresh(tmp_path, 1) == [["Mine"], ["Tide tables", "The ferry", "Letters & bells"]]
    report = json.loads((tmp_path / "output/tides/report.json").read_bytes())
    sea = next(item for item in report["items"] if item["title"] == "Sea")
    (field,) = (field for field in sea["fields"] if field["field"] == "tags psc:chapters")
    assert (field["source"], field["repairs"][0]["cause"]) == ("host", "chapters of the notes")
    write(tmp_path, chapters="sources")
    assert refresh(tmp_path, 2) == [["Mine"]]


@pytest.mark.parametrize("keys", [{}, {"trust": 0.5}])
def test_a_copy_without_the_times_takes_no_chapters(tmp_path: Path, keys: Keys) -> None:
    write(tmp_path)
    shown = (tmp_path / "show.xml").read_text()
    (tmp_path / "shelf.xml").write_text(re.sub("&lt;ul>.*&lt;/ul>", "", shown))
    sources = {"host": "show.xml", "shelf": make_source("shelf.xml", **keys)}
    write_config(tmp_path, {"tides": make_feed("Tides", sources)})
    assert refresh(tmp_path, 1) == [["Mine"], ["Tide tables", "The ferry", "Letters & bells"]]
    assert "0:00 Tide tables" in (tmp_path / "output/tides/podcast.xml").read_text()
