"""`mixed`: a feed of several shows, of which no two items become one; mirrors of one show still do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.merger.mixed_shows import find_shows
from aggregator.model.entry import Entry, Show
from tests.support.config import make_feed, write_config
from tests.support.program import run_program
from tests.support.rss import make_rss
from tests.support.workspace import make_item

SOURCES = {name: f"{name}.xml" for name in ("talk", "walk", "shelf")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two shows with the same titles, texts, days and lengths, as of one studio, and a directory's copy of one."""
    items = [make_item(n) for n in range(4)]
    other = [each.replace("host-", "w-").replace("media.example/", "media.example/w") for each in items]
    copy = [each.replace("w-", "shelf-") for each in other]
    (tmp_path / "talk.xml").write_text(make_rss(*items, title="Talk"))
    (tmp_path / "walk.xml").write_text(make_rss(*other, title="Walk"))
    (tmp_path / "shelf.xml").write_text(make_rss(*copy, title="Walk – PodShelf"))
    return tmp_path


def refresh(folder: Path, sources: Mapping[str, str] = SOURCES, **keys: bool) -> tuple[list[dict], list[str]]:
    write_config(folder, {"all": make_feed("All of it", sources, **keys)})
    done = run_program(folder, "refresh", "--at", "2026-01-02T03:00:00Z")
    assert done.returncode == 0, done.stderr
    report = json.loads((folder / "output/all/report.json").read_text())
    return json.loads((folder / "output/all/feed.json").read_text())["items"], report["remarks"]


def test_items_of_different_shows_stay_apart_and_mirrors_join(folder: Path) -> None:
    items, remarks = refresh(folder, mixed=True, show_in_titles=True)
    assert len(items) == 8
    sources = sorted(sorted({name.partition("/")[0] for name in each["_aggregator"]["entries"]}) for each in items)
    assert sources == [["shelf", "walk"]] * 4 + [["talk"]] * 4
    assert {each["title"].partition("] ")[0] for each in items} == {"[Talk", "[Walk"}
    assert not [each for each in remarks if "show" in each and "matches" in each]
    listed = run_program(folder, "review", "--list").stdout
    assert "different shows" not in listed
    assert run_program(folder, "check").returncode == 0


def test_without_it_they_are_one(folder: Path) -> None:
    items, _ = refresh(folder)
    assert len(items) == 4


def test_a_show_that_is_added_later_is_published_at_once(folder: Path) -> None:
    refresh(folder, {name: SOURCES[name] for name in ("walk", "shelf")}, mixed=True)
    items, _ = refresh(folder, mixed=True)
    assert len(items) == 8


def seen(source: str, show: str | None = None) -> Entry:
    return Entry(source, show or source, "Fog", show=show)


def test_an_entry_is_of_the_show_that_it_names_else_of_its_source_s() -> None:
    shows = {"host": Show("Walk"), "shelf": Show("PodShelf: Walk"), "other": Show("Walk Extra"), "list": Show("All")}
    entries = [*map(seen, ("host", "shelf", "other", "nameless")), seen("list", "WALK"), seen("list", "Talk")]
    assert list(find_shows(entries, shows).values()) == ["Walk", "Walk", "Walk Extra", "nameless", "Walk", "Talk"]


@given(st.lists(st.text(max_size=12), min_size=1, max_size=8))
def test_every_entry_has_a_show_and_equal_names_are_one(names: list[str]) -> None:
    entries = [Entry(str(number), "1", "Fog", show=name or None) for number, name in enumerate(names)]
    found = find_shows(entries, {})
    assert list(found) == [each.id for each in entries]
    for one in entries:
        for other in entries:
            if one.show == other.show is not None:
                assert found[one.id] == found[other.id]
