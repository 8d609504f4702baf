"""A person at the near misses: what is shown, what is taken, what can be taken back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

HEAD = '<?xml version="1.0"?><rss version="2.0"><channel><title>Crumb Talk</title><link>https://crumb.example/</link>'
ITEM = (
    '<item><title>{title}</title><guid isPermaLink="false">{guid}</guid>'
    "<pubDate>Mon, {day:02} Jan 2024 06:00:00 +0000</pubDate><description><![CDATA[<p>All about <b>{word}</b> &amp; "
    "the sour that makes it rise at all in a cold kitchen.</p>]]></description>"
    '<enclosure url="https://{guid}.example/a.mp3" type="audio/mpeg" length="1"/></item>'
)
CONFIG = """\
feeds:
  crumb-talk:
    title: Crumb Talk
    link: https://crumb.example/
    sources:
      host: {kind: feed, path: host.xml}
      other: {kind: feed, path: other.xml}
"""
LENGTH = '<itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">18:20</itunes:duration></item>'
TWO = ("host/h1", "other/o1")

Run = Callable[..., object]


def feed(part: int, one: str, other: str) -> str:
    items = (
        ITEM.format(title=f"Rye without fear (Part {part})", guid=one, day=1, word="rye"),
        ITEM.format(title="Ovens and steam", guid=other, day=8, word="ovens"),
    )
    return f"{HEAD}<description>Bread.</description>{''.join(items)}</channel></rss>"


@pytest.fixture
def parted(tmp_path: Path, run: Run) -> Path:
    """A feed of two sources that agree in all but the part of one item, after a refresh."""
    (tmp_path / "host.xml").write_text(feed(1, "h1", "h2"), encoding="utf-8")
    (tmp_path / "other.xml").write_text(feed(2, "o1", "o2"), encoding="utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    assert refreshed(run, tmp_path, 1) == 3
    return tmp_path


def refreshed(run: Run, folder: Path, day: int) -> int:
    """How many items there are after a refresh."""
    answer = run("refresh", "--force", "--at", f"2026-01-{day:02}T03:04:05Z")
    assert answer.returncode == 0
    return len(items(folder))


def items(folder: Path) -> dict[str, list[str]]:
    report = json.loads((folder / "output" / "crumb-talk" / "report.json").read_text(encoding="utf-8"))
    return {item["guid"]: item["entries"] for item in report["items"]}


def published(folder: Path) -> dict[str, dict]:
    """What subscribers see of each item, but for when it was last changed."""
    feed = json.loads((folder / "output" / "crumb-talk" / "feed.json").read_text(encoding="utf-8"))
    return {item["id"]: {key: item[key] for key in item if key != "date_modified"} for item in feed["items"]}


def at(day: int) -> tuple[str, str]:
    return "--at", f"2026-01-{day:02}T04:00:00Z"


@pytest.mark.usefixtures("parted")
def test_review_shows_text_not_markup_and_what_forbids_the_pair(run: Run) -> None:
    told = run("review", *at(1), stdin="q\n").stdout
    assert "All about rye & the sour that makes it rise" in told
    assert "[-1)-]" in told
    assert "{+2)+}" in told
    assert "2024-01-01 06:00:00" in told
    assert "If they are the same: Merging removes the item “Rye without fear (Part" in told
    assert "from the feed; subscribers who have it keep it." in told
    assert "<b>" not in told
    assert "host/h1 and other/o1: " in told
    assert "never merged: different parts" in told
    assert "69 characters" in told


@pytest.mark.usefixtures("parted")
@pytest.mark.parametrize("answer", ["u", "", "q", "b\nq", "s\nn\nq"])
def test_who_does_not_decide_is_asked_again(run: Run, answer: str) -> None:
    assert run("review", *at(1), stdin=f"{answer}\n").returncode == 0
    assert run("review", "--list", *at(1)).stdout.endswith("1 near miss\n")


def test_same_different_and_undo_hold_in_every_later_refresh(run: Run, parted: Path) -> None:
    first = items(parted)
    assert run("review", *at(1), stdin="s\ny\n").returncode == 0
    assert [refreshed(run, parted, day) for day in (2, 3)] == [2, 2]
    one = items(parted)
    assert one.keys() < first.keys(), "what is one keeps one of the two guids"
    assert run("review", "--different", *TWO, *at(4)).returncode == 0
    assert [refreshed(run, parted, day) for day in (5, 6)] == [3, 3]
    assert items(parted) == first, "each has its own guid back"
    undone = run("review", "--undo", *TWO, *at(6)).stdout
    assert "without it" not in undone
    assert refreshed(run, parted, 7) == 3


def test_undo_gives_back_both_items_as_they_were(run: Run, parted: Path) -> None:
    first = published(parted)
    assert run("review", "--same", *TWO, "--yes", *at(1)).returncode == 0
    assert refreshed(run, parted, 2) == 2
    undone = run("review", "--undo", *TWO, *at(3)).stdout
    assert "are one item without it" not in undone
    assert run("diff", *at(3)).stdout.count("parted") == 1
    assert refreshed(run, parted, 4) == 3
    assert published(parted) == first
    assert {item["date_published"] for item in first.values()} > {"2024-01-08T06:00:00+00:00"}


def test_what_was_parted_and_undone_is_one_again(run: Run, parted: Path) -> None:
    first = published(parted)
    two = next(entries for entries in items(parted).values() if len(entries) > 1)
    assert run("review", "--different", *two, *at(1)).returncode == 0
    assert refreshed(run, parted, 2) == 4
    apart = items(parted)
    assert run("review", "--undo", *two, *at(3)).returncode == 0
    assert refreshed(run, parted, 4) == 3
    assert published(parted) == first
    assert run("review", "--different", *two, *at(5)).returncode == 0
    assert refreshed(run, parted, 6) == 4
    assert items(parted) == apart, "parted again it has the guid that it had"


def test_an_answer_is_taken_back_with_back(run: Run, parted: Path) -> None:
    """Two pairs are open: the first is decided, taken back, and left open; so is the second."""
    for name, numbers in (("host", "13"), ("other", "24")):
        items = "".join(
            ITEM.format(title=f"Rye without fear (Part {part})", guid=f"{name}{part}", day=day, word=f"rye {day}")
            for part, day in zip(numbers, (1, 9), strict=True)
        )
        body = f"{HEAD}<description>Bread.</description>{items}</channel></rss>"
        (parted / f"{name}.xml").write_text(body, encoding="utf-8")
    refreshed(run, parted, 2)
    known = run("review", "--list", *at(2)).stdout
    assert int(known.splitlines()[-1].split()[0]) > 1, known
    told = run("review", *at(2), stdin="d\nb\nu\nq\n").stdout
    assert "are two items from the next refresh on" in told
    assert run("review", "--list", *at(2)).stdout == known
    assert "different: " in run("events").stdout


def test_before_two_published_items_become_one_it_asks(run: Run, parted: Path) -> None:
    refused = run("review", "--same", *TWO, *at(1), stdin="n\n")
    assert refused.returncode == 1
    assert "Merging removes the item" in refused.stdout
    assert refreshed(run, parted, 2) == 3
    removed = refused.stdout.partition("(Part")[2].partition("from the feed")[0].split("(")[-1].rstrip(") ")
    assert run("review", "--same", *TWO, "--yes", *at(2)).returncode == 0
    before = items(parted)
    assert refreshed(run, parted, 3) == 2
    assert before.keys() - items(parted).keys() == {removed}, "what was said is what happened"


@pytest.mark.usefixtures("parted")
def test_the_effect_of_an_answer_is_told_as_text_and_as_json(run: Run) -> None:
    shown = run("review", "--same", *TWO, "--dry-run", *at(1)).stdout
    effect = json.loads(run("review", "--same", *TWO, "--dry-run", "--json", *at(1)).stdout)
    (removed,) = effect["removed"]
    assert effect["added"] == []
    for item in (removed, removed["into"]):
        assert f"“{item['title']}” ({item['guid']})" in shown
    assert "1 near miss" in run("review", "--list", *at(1)).stdout


def test_a_merge_that_is_right_leaves_no_question(run: Run, parted: Path) -> None:
    """Two listings with the same times and lengths: entries that have their partners are no near misses."""
    for name in ("host", "other"):
        body = feed(1, f"{name}1", f"{name}2").replace("08 Jan", "01 Jan")
        (parted / f"{name}.xml").write_text(body.replace("</item>", LENGTH), encoding="utf-8")
    for old in ("output", ".aggregator"):
        shutil.rmtree(parted / old)
    assert refreshed(run, parted, 2) == 2
    assert run("review", "--list", *at(2)).stdout == "0 near misses\n"


def test_the_config_decides_and_is_undone_where_it_stands(run: Run, parted: Path) -> None:
    config = parted / "config.yaml"
    config.write_text(f"{CONFIG}    decisions: [{{same: [{', '.join(TWO)}]}}]\n", encoding="utf-8")
    assert run("review", "--list", *at(1)).stdout == "0 near misses\n"
    assert refreshed(run, parted, 2) == 2
    undone = run("review", "--undo", *TWO, *at(2))
    assert undone.returncode == 2
    assert "the decision is in the config: remove it there" in undone.stderr
    assert run("review", "--different", *TWO, *at(2)).returncode == 0
    assert refreshed(run, parted, 3) == 3, "what was said last, at the desk, counts"


def test_an_override_survives_every_refresh_until_it_is_taken_out(run: Run, parted: Path) -> None:
    config = parted / "config.yaml"
    config.write_text(f"{CONFIG}    overrides: {{h2: {{title: Ovens and no steam}}}}\n", encoding="utf-8")
    guid = next(guid for guid, entries in items(parted).items() if "host/h2" in entries)
    config.write_text(config.read_text(encoding="utf-8").replace("h2", guid), encoding="utf-8")
    for day in (2, 3):
        refreshed(run, parted, day)
        assert "Ovens and no steam" in run("explain", guid).stdout.splitlines()[0]
    config.write_text(CONFIG, encoding="utf-8")
    refreshed(run, parted, 4)
    assert run("explain", guid).stdout.splitlines()[0] == "Ovens and steam"
