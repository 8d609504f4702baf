"""A person at held items and at a source to be forgotten: what is shown, what is done, what is put back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

ITEM = (
    '<item><title>{title}</title><guid isPermaLink="false">{guid}</guid>'
    "<pubDate>Mon, {day:02} Jan 2024 06:00:00 +0000</pubDate><description>{title}, from seed to jar, told slowly."
    '</description><enclosure url="https://cdn.example/{guid}.mp3" type="audio/mpeg" length="9"/></item>'
)
CONFIG = """\
feeds:
  pickles:
    title: Pickle Hour
    sources:
      host: {kind: feed, path: host.xml}
      mirror: {kind: feed, path: mirror.xml, trust: 0.3}
"""
SHOW = (("Gherkins", "a", 1), ("Kimchi in March", "b", 8), ("Lime and chilli", "c", 15))
FAKE = ("Win a car today", "fake", 29)
OLD = ("Brine", "old", 1)

Run = Callable[..., object]


def write(path: Path, prefix: str, *items: tuple[str, str, int]) -> None:
    listed = "".join(ITEM.format(title=title, guid=f"{prefix}{guid}", day=day) for title, guid, day in items)
    head = "<title>Pickle Hour</title><link>https://pickle.example/</link><description>Jars.</description>"
    path.write_text(f'<rss version="2.0"><channel>{head}{listed}</channel></rss>', encoding="utf-8")


@pytest.fixture
def beside(tmp_path: Path, run: Run) -> Path:
    """A host, and a mirror that also lists an older episode; then the mirror lists a fake on top."""
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    write(tmp_path / "host.xml", "h-", *SHOW)
    write(tmp_path / "mirror.xml", "m-", *SHOW, OLD)
    refresh(run, 2)
    write(tmp_path / "mirror.xml", "m-", FAKE, *SHOW, OLD)
    refresh(run, 3)
    return tmp_path


def refresh(run: Run, day: int) -> str:
    answer = run("refresh", "--at", at(day))
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def at(day: int) -> str:
    return f"2024-02-{day:02}T03:04:05Z"


def items(folder: Path) -> dict[str, tuple[str, str, str]]:
    found = json.loads((folder / "output" / "pickles" / "feed.json").read_text(encoding="utf-8"))["items"]
    return {item["title"]: (item["id"], item["date_published"], item["content_html"]) for item in found}


def review(run: Run, *words: str) -> str:
    answer = run("review", *words, "--at", at(3))
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_a_held_item_is_listed_and_published_when_a_person_wants_it(beside: Path, run: Run) -> None:
    assert "Win a car today" not in items(beside)
    assert review(run, "--list").splitlines() == [
        "held (unconfirmed, until 2024-02-10)  mirror/m-fake  Win a car today",
        "0 near misses, 1 item held",
    ]
    said = run("explain", "mirror/m-fake").stdout  # by the wall clock, long after it was due
    assert said == 'mirror: 1 new item is held until the next refresh: "Win a car today"\n'
    assert review(run, "--publish", "mirror/m-fake") == "pickles: mirror/m-fake: published from the next refresh on\n"
    refresh(run, 4)
    assert "Win a car today" in items(beside)


def test_a_held_item_is_never_published_until_that_is_taken_back(beside: Path, run: Run) -> None:
    answer = run("review", "--at", at(3), stdin="x\n")
    assert "held 1 of 1: unconfirmed, until 2024-02-10" in answer.stdout
    assert "pickles: mirror/m-fake: never published from the next refresh on" in answer.stdout
    assert "mirror: 1 new item is held as you decided" in refresh(run, 20)
    assert "Win a car today" not in items(beside)
    assert "never publish: mirror/m-fake" in run("events").stdout
    review(run, "--wait", "mirror/m-fake")
    refresh(run, 21)
    assert "Win a car today" in items(beside)


def test_a_new_item_is_held_back_whoever_lists_it_until_it_is_released(beside: Path, run: Run) -> None:
    said = review(run, "--hold", "mirror/m-fake")
    assert said == "pickles: mirror/m-fake: held back until it is released with --wait\n"
    assert "mirror: 1 new item is held as you decided" in refresh(run, 20)
    assert review(run, "--wait", "mirror/m-fake") == "pickles: mirror/m-fake: released\n"
    refresh(run, 21)
    assert "Win a car today" in items(beside)
    late = run("review", "--hold", "mirror/m-fake", "--at", at(22))
    assert (late.returncode, "published already" in late.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--publish", "mirror/m-fage"), 'no held item has the id "mirror/m-fage"; did you mean "mirror/m-fake"?'),
        (("--hold", "mirrow/m-fake"), '"mirrow/m-fake" is no entry of a source'),
        (("--wait", "mirror/m-fake"), 'no decision is stored about "mirror/m-fake"'),
    ],
)
def test_what_is_not_held_is_told(beside: Path, run: Run, words: tuple[str, str], said: str) -> None:
    assert beside.exists()
    answer = run("review", *words, "--at", at(3))
    assert answer.returncode == 2
    assert said in answer.stderr


def test_a_source_is_forgotten_and_put_back_exactly(beside: Path, run: Run) -> None:
    before = items(beside)
    assert set(before) == {"Gherkins", "Kimchi in March", "Lime and chilli", "Brine"}
    shown = run("forget", "mirror", "--dry-run", "--at", at(4))
    assert "“Brine” left the feed" in shown.stdout.replace("\u2068", "").replace("\u2069", "")
    assert "5 entries would be ignored; nothing was changed" in shown.stdout
    refused = run("forget", "mirror", "--at", at(4), stdin="n\n")
    assert refused.returncode == 1
    refresh(run, 4)
    assert items(beside) == before

    done = run("forget", "mirror", "--yes", "--at", at(5))
    assert "5 entries ignored from the next refresh on" in done.stdout
    assert "mirror is still in the config" in done.stdout
    refresh(run, 5)
    assert set(items(beside)) == {"Gherkins", "Kimchi in March", "Lime and chilli"}
    report = json.loads((beside / "output" / "pickles" / "report.json").read_text(encoding="utf-8"))
    assert report["held"] == []
    assert "mirror: forgotten, its entries take no part in the feed" in report["remarks"]
    assert run("forget", "mirror", "--yes").returncode == 2

    run("forget", "mirror", "--undo", "--yes", "--at", at(6))
    assert "1 new item is held" in refresh(run, 6)
    assert items(beside) == before
    assert "forgotten: mirror" in run("events").stdout


def test_a_source_that_was_never_read_is_told_with_the_nearest(beside: Path, run: Run) -> None:
    assert beside.exists()
    answer = run("forget", "miror", "--yes")
    assert answer.returncode == 2
    assert 'no entries of a source "miror" are stored; did you mean "mirror"?' in answer.stderr


def test_a_held_item_that_a_person_joined_is_held_again_once_that_is_undone(beside: Path, run: Run) -> None:
    before, pair = items(beside), ("host/h-c", "mirror/m-fake")
    assert run("review", "--same", *pair, "--at", at(4)).returncode == 0
    refresh(run, 4)
    assert run("review", "--undo", *pair, "--at", at(5)).returncode == 0
    refresh(run, 5)
    assert items(beside) == before
    assert "held (unconfirmed" in run("review", "--list", "--at", at(5)).stdout


def test_a_held_item_that_a_person_joins_to_a_published_one_takes_its_guid(beside: Path, run: Run) -> None:
    """Also where the held one's source is trusted more: subscribers know the other."""
    before = items(beside)
    dates = {guid: date for guid, date, _ in before.values()}
    config = (beside / "config.yaml").read_text(encoding="utf-8")
    late = "      late: {kind: feed, path: late.xml, trust: 0.5, adds: confirmed}"
    (beside / "config.yaml").write_text(f"{config}{late}\n", encoding="utf-8")
    write(beside / "late.xml", "l-", ("The salt of it all", "x", 3))
    refresh(run, 4)
    assert items(beside) == before
    assert run("review", "--same", "mirror/m-old", "late/l-x", "--yes", "--at", at(5)).returncode == 0
    refresh(run, 6)
    assert {guid: date for guid, date, _ in items(beside).values()} == dates
    assert run("review", "--undo", "mirror/m-old", "late/l-x", "--at", at(7)).returncode == 0
    refresh(run, 8)
    assert items(beside) == before
