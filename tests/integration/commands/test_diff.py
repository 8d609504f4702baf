"""``diff`` as a person reads it: what would be published, compared with what is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.integration.commands.conftest import CONFIG

AT = ("--at", "2026-01-02T03:04:05Z")
LATER = ("--at", "2026-01-03T03:04:05Z")


def add(folder: Path, *lines: str) -> None:
    """Add lines to the feed in the config."""
    (folder / "config.yaml").write_text(CONFIG + "".join(f"    {line}\n" for line in lines), encoding="utf-8")


def published(folder: Path) -> dict[str, dict]:
    """The published items by guid."""
    feed = json.loads((folder / "output" / "crumb-talk" / "feed.json").read_text(encoding="utf-8"))
    return {item["id"]: item for item in feed["items"]}


def test_new_documents_are_compared_and_nothing_is_changed(run, done: Path) -> None:
    assert run("diff", "--exit-code", *AT).returncode == 0
    assert run("diff", *AT).stdout == "crumb-talk: nothing would change\n"
    topic = done / "topic.txt"
    text = topic.read_text(encoding="utf-8")
    topic.write_text(text.replace("Rye without fear", "Spelt at last").replace("18 minutes", "19 minutes"))
    before = {file: file.read_bytes() for file in (done / "output").rglob("*") if file.is_file()}
    answer = run("diff", *AT)
    assert answer.returncode == 0
    lines = answer.stdout.splitlines()
    assert lines[0] == "crumb-talk"
    assert any(line.startswith("  added   “Spelt at last”, ") for line in lines)
    assert "    length: 18:00 → 19:00" in lines
    assert before == {file: file.read_bytes() for file in (done / "output").rglob("*") if file.is_file()}
    assert run("diff", *AT).stdout == answer.stdout
    assert run("diff", "--exit-code", *AT).returncode == 1


def test_a_long_title_is_shown_whole(run, done: Path) -> None:
    topic = done / "topic.txt"
    long = "Spelt at last, and all that two bakers and a miller found to say about it in the course of an afternoon"
    topic.write_text(topic.read_text(encoding="utf-8").replace("Rye without fear", long))
    assert f"  added   “{long}”, " in run("diff", *AT).stdout
    assert long in {item["title"] for item in json.loads(run("diff", "--json", *AT).stdout)["crumb-talk"]["added"]}


def test_the_first_diff_is_everything(run, shop: Path) -> None:
    answer = run("diff", *AT)
    first, *lines = answer.stdout.splitlines()
    assert first == "crumb-talk"
    assert len(lines) >= 3
    assert all(line.startswith("  added   “") for line in lines)
    assert not (shop / ".aggregator").exists()
    assert not (shop / "output").exists()


def test_an_override_shows_the_words_that_change(run, done: Path) -> None:
    guid = next(guid for guid, item in published(done).items() if item["title"] == "Ovens and steam")
    add(done, f"overrides: {{'{guid}': {{title: Ovens and no steam, duration: '20:00'}}}}")
    lines = run("diff", *LATER).stdout.splitlines()
    assert lines == [
        "crumb-talk",
        "  changed “Ovens and no steam”",
        "    title: Ovens and {+no+} steam",
        "    length: 18:00 → 20:00",
    ]
    found = json.loads(run("diff", "--json", *LATER).stdout)["crumb-talk"]["changed"]
    assert found[0]["fields"]["title"] == {"before": "Ovens and steam", "after": "Ovens and no steam"}
    assert run("refresh", *LATER).returncode == 0
    assert published(done)[guid]["title"] == "Ovens and no steam"
    assert run("diff", *LATER).stdout == "crumb-talk: nothing would change\n"


def test_a_buried_item_is_removed_and_a_decision_merges_and_parts(run, done: Path) -> None:
    items = published(done)
    one, *_, other = items
    add(done, f"buried: {{'{one}': the guest asked for it}}")
    assert f"  removed “{items[one]['title']}”" in run("diff", *LATER).stdout
    add(done, f"decisions: [{{same: ['{one}', '{other}']}}]")
    merged = json.loads(run("diff", "--json", *LATER).stdout)["crumb-talk"]["merged"]
    assert {(each["guid"], each["into"]) for each in merged} in ({(one, other)}, {(other, one)})
    joined = next(item for item in items.values() if len(item["_aggregator"]["entries"]) > 1)
    two = joined["_aggregator"]["entries"]
    add(done, f"decisions: [{{different: ['{two[0]}', '{two[1]}']}}]")
    assert f"  parted  “{joined['title']}” from “{joined['title']}”" in run("diff", *LATER).stdout


@pytest.mark.parametrize("edit", ["title: Crumbs", "title: Crumb Talk\n    language: de"])
def test_the_channel_of_the_config_is_compared(run, done: Path, edit: str) -> None:
    (done / "config.yaml").write_text(CONFIG.replace("title: Crumb Talk", edit), encoding="utf-8")
    said = run("diff", *LATER).stdout
    assert "\n  feed\n" in said
    assert ("no item would change" in said) == ("  changed " not in said)


def test_a_source_added_or_removed_is_shown(run, done: Path) -> None:
    shutil.copy(done / "numbered.txt", done / "third.txt")
    add(done, "  third: {kind: listing, path: third.txt}")
    lines = run("diff", *LATER).stdout.splitlines()
    assert "    listed by: numbered, topic → numbered, third, topic" in lines
    assert "    third: added (listing, ok)" in lines
    without = CONFIG.replace("      numbered: {kind: listing, path: numbered.txt}\n", "")
    (done / "config.yaml").write_text(without, encoding="utf-8")
    assert "    numbered: removed (listing, ok)" in run("diff", *LATER).stdout


def test_files_that_are_missing_are_new(run, done: Path) -> None:
    shutil.rmtree(done / "output")
    lines = run("diff", *LATER).stdout.splitlines()
    assert len(lines) > 1
    assert all(line.startswith("  added ") for line in lines[1:])
