"""`rewrite`: rules of a source before matching, of a feed as it would be published; shown, undone, and bounded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.errors import PublishError
from aggregator.merger.rewriting import rewrite_entry, rewrite_item
from aggregator.model.entry import Enclosure, Entry
from aggregator.model.item import Item, Provenance
from aggregator.model.source import Rewrite
from tests.support.config import Keys, make_feed, make_source, write_config
from tests.support.program import run_program
from tests.support.rss import make_rss
from tests.support.workspace import make_item

PREFIX = {"field": "title", "pattern": "^Talk Show Radio - ", "with": ""}
PART = {"field": "title", "pattern": r"(?i)part (\d+)$", "with": r"(Part \1)"}


def configure(folder: Path, of_shelf: Sequence[Keys] = (), of_feed: Sequence[Keys] = ()) -> None:
    sources = {"host": "host.xml", "shelf": make_source("shelf.xml", rewrite=of_shelf)}
    write_config(folder, {"talk": make_feed("Talk", sources, rewrite=of_feed)})


def refresh(folder: Path, hour: int) -> None:
    done = run_program(folder, "refresh", "--at", f"2026-01-02T{hour:02}:00:00Z")
    assert done.returncode == 0, done.stderr


def read(folder: Path) -> list[dict]:
    return json.loads((folder / "output" / "talk" / "feed.json").read_text())["items"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    configure(tmp_path)
    titles = ["Lamps and buoys part 1", "Lamps and buoys part 2", "Fog"]
    host = [make_item(n, name=titles[n]) for n in range(3)]
    (tmp_path / "host.xml").write_text(make_rss(*host))
    shelf = [each.replace("<title>", "<title>Talk Show Radio - ") for each in host]
    (tmp_path / "shelf.xml").write_text(make_rss(*shelf))
    return tmp_path


def test_rules_count_for_stored_items_are_shown_before_and_undone(folder: Path) -> None:
    refresh(folder, 1)
    before = read(folder)
    configure(folder, [PREFIX], [PART])
    shown = run_program(folder, "diff", "--json", "--at", "2026-01-02T02:00:00Z")
    changed = json.loads(shown.stdout)["talk"]["changed"]
    assert sorted(each["fields"]["title"]["after"] for each in changed) == [
        "Lamps and buoys (Part 1)",
        "Lamps and buoys (Part 2)",
    ]
    assert read(folder) == before
    refresh(folder, 2)
    after = read(folder)
    assert sorted(each["title"] for each in after) == ["Fog", "Lamps and buoys (Part 1)", "Lamps and buoys (Part 2)"]
    assert sorted(each["id"] for each in after) == sorted(each["id"] for each in before)
    told = run_program(folder, "explain", "Lamps and buoys (Part 1)", "--feed", "talk").stdout
    assert "rewritten" in told
    configure(folder)
    refresh(folder, 3)
    assert [(each["id"], each["title"]) for each in read(folder)] == [(each["id"], each["title"]) for each in before]


def test_a_pattern_that_takes_too_long_leaves_the_feed_as_it_was(folder: Path) -> None:
    refresh(folder, 1)
    before = read(folder)
    configure(folder, of_feed=[{"field": "description", "pattern": "^(a|a|aa)+$", "with": "b"}])
    (folder / "host.xml").write_text(make_rss(make_item(3, text=f"{'a' * 60}!")))
    done = run_program(folder, "refresh", "--at", "2026-01-02T02:00:00Z")
    assert done.returncode == 1
    assert "feeds.talk.rewrite[0]: the pattern" in done.stderr
    assert read(folder) == before


ENTRY = Entry(
    "host", "1", "Talk | Fog", description="Fog. Follow us.", html="<p>Fog. Follow us.</p>",
    link="https://host.example/1?utm=1", enclosure=Enclosure("https://track.example/cdn.example/1.mp3"),
)  # fmt: skip


def test_each_field_is_rewritten_by_its_rules_in_their_order() -> None:
    rules = (
        Rewrite("title", r"^(\w+) \| (.*)$", r"\2 of \1"),
        Rewrite("title", "of", "by"),
        Rewrite("description", " Follow us[.]"),
        Rewrite("enclosure", r"https://track\.example/", "https://"),
        Rewrite("link", r"\?.*"),
    )
    after = rewrite_entry(ENTRY, rules, "place")
    assert (after.title, after.description, after.html) == ("Fog by Talk", "Fog.", "<p>Fog.</p>")
    assert after.enclosure == Enclosure("https://cdn.example/1.mp3")
    assert after.link == "https://host.example/1"
    assert [(note.field, note.cause) for note in after.notes] == [
        (name, "rewritten") for name in ("title", "title", "description", "enclosure", "link")
    ]


def test_no_rule_takes_a_title_or_makes_an_address_of_something_else() -> None:
    rules = (Rewrite("title", ".*"), Rewrite("link", "https", "javascript"), Rewrite("enclosure", ".+"))
    assert rewrite_entry(ENTRY, rules, "place") == ENTRY
    assert rewrite_entry(ENTRY, (Rewrite("description", "(?s).*"),), "place").description is None


def test_the_provenance_of_an_item_names_its_change() -> None:
    item = Item("Fog", ("host/1",), provenance=(Provenance("title", "host"),), prefix="4. ")
    after = rewrite_item(item, (Rewrite("title", "g", "ggy"),), "place")
    assert (after.title, after.prefix) == ("Foggy", None)
    assert [note.after for note in after.provenance[0].notes] == ["Foggy"]


def test_a_pattern_without_end_is_an_error() -> None:
    slow = replace(ENTRY, title="a" * 40 + "!")
    with pytest.raises(
        PublishError, match=r"^place\.rewrite\[0\]: the pattern .* takes more than 1 s of processor time"
    ):
        rewrite_entry(slow, (Rewrite("title", "^(a|a|aa)+$", "b"),), "place")


@given(st.text(min_size=1, max_size=30), st.text(max_size=10), st.sampled_from(["title", "summary", "author"]))
def test_a_rule_that_finds_nothing_changes_nothing(text: str, new: str, field: str) -> None:
    entry = Entry("host", "1", text, summary=text, author=text)
    rule = Rewrite(field, "\U0010fffd", new.replace("\\", ""))  # type: ignore[arg-type]
    if "\U0010fffd" not in text:
        assert rewrite_entry(entry, (rule,), "place") == entry
