"""A source goes to another feed or leaves: what that changes is shown before, done after a word, and can be undone."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from subprocess import PIPE

import pytest
import yaml

from aggregator import moving
from aggregator.config.load import load
from tests.integration.commands.test_forget import SHOW, at, items, refresh, write
from tests.support.composing import refresh_here

CONFIG = """\
feeds:
  pickles:
    title: Pickle Hour
    sources:
      host: {kind: feed, path: host.xml}
      shelf: {kind: feed, path: shelf.xml} # a directory
  bread:
    title: Bread Hour
    sources:
      host: {kind: feed, path: bread.xml}
"""
BREAD = (("Rye without fear", "x", 3), ("A starter in a jar", "y", 10), ("Salt, and when", "z", 17))


@pytest.fixture
def shelved(tmp_path: Path, run) -> Path:
    """Two shows of which one has the directory's listing of the other, refreshed once."""
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    write(tmp_path / "host.xml", "h-", *SHOW)
    write(tmp_path / "bread.xml", "h-", *BREAD[:2])
    write(tmp_path / "shelf.xml", "s-", *BREAD)
    refresh(run, 2)
    return tmp_path


def list_titles(folder: Path, feed: str) -> list[str]:
    found = json.loads((folder / "output" / feed / "feed.json").read_text(encoding="utf-8"))["items"]
    return sorted(each["title"] for each in found)


def list_sources(folder: Path, feed: str) -> list[str]:
    return list(yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))["feeds"][feed]["sources"])


def test_a_source_in_the_wrong_feed_is_moved_and_moved_back(shelved: Path, run) -> None:
    before, config = items(shelved), (shelved / "config.yaml").read_text(encoding="utf-8")
    assert len(before) == len(SHOW) + len(BREAD)
    shown = run("move", "shelf", "bread", "--dry-run", "--at", at(3))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.count("removed “") == len(BREAD)
    assert "bread\n" in shown.stdout
    refused = run("move", "shelf", "bread", "--at", at(3), stdin="n\n")
    assert refused.returncode == 1
    assert (shelved / "config.yaml").read_text(encoding="utf-8") == config
    assert items(shelved) == before
    assert [each.name for each in shelved.glob(".config.yaml.draft*")] == []

    moved = run("move", "shelf", "bread", "--at", at(3), "--yes")
    assert (moved.returncode, moved.stderr) == (0, "")
    assert "feeds.pickles.sources.shelf moved to feeds.bread.sources.shelf" in moved.stdout
    assert list_sources(shelved, "bread") == ["host", "shelf"]
    assert "# a directory" in (shelved / "config.yaml").read_text(encoding="utf-8")
    assert re.search(r"shelf +feed .* not polled yet, 3 entries", run("list").stdout)
    polled = run("refresh", "--feed", "bread", "--source", "host", "--at", at(3))
    assert "  shelf  not due, 3 entries stored" in polled.stdout.splitlines()
    write(shelved / "shelf.xml", "s-", *BREAD[:2])
    refresh(run, 4)
    assert list_titles(shelved, "pickles") == sorted(title for title, _, _ in SHOW)
    assert list_titles(shelved, "bread") == sorted(title for title, _, _ in BREAD), "with what it lists no more"

    undo = moved.stdout.strip().rpartition("to undo: aggregator ")[2].split()
    assert run(*undo, "--yes", "--at", at(9)).returncode == 0
    refresh(run, 10)
    assert (shelved / "config.yaml").read_text(encoding="utf-8") == config
    assert items(shelved) == before, "guids, dates and texts"


def test_what_only_it_gave_can_be_kept(shelved: Path, run) -> None:
    before = items(shelved)
    assert run("move", "shelf", "bread", "--keep", "--yes").returncode == 0
    refresh(run, 4)
    assert items(shelved) == before


def test_two_feeds_of_one_show_become_one_and_names_stay_apart(shelved: Path, run) -> None:
    moved = run("move", "host", "pickles", "--from", "bread", "--yes")
    assert moved.returncode == 0
    assert "moved to feeds.pickles.sources.host-2; bread has no other source and is removed, too" in moved.stdout
    assert list_sources(shelved, "pickles") == ["host", "shelf", "host-2"]
    write(shelved / "bread.xml", "h-", BREAD[0])
    refresh(run, 4)
    assert list_titles(shelved, "pickles") == sorted(title for title, _, _ in (*SHOW, *BREAD))
    assert run("check", "--store").returncode == 0


def test_a_name_that_meant_another_source_is_not_used_again(shelved: Path, run) -> None:
    """Its entries are not those of the moved one, whether it was forgotten or left with its items."""
    for day, name, words in ((3, "shelf", ("--forget",)), (4, "shelf-2", ())):
        config = (shelved / "config.yaml").read_text(encoding="utf-8")
        added = config.replace("bread.xml}", f"bread.xml}}\n      {name}: {{kind: feed, path: other.xml}}")
        (shelved / "config.yaml").write_text(added, encoding="utf-8")
        write(shelved / "other.xml", f"{name}-", ("A show of somebody else", "o", 24))
        refresh(run, day)
        assert "A show of somebody else" in list_titles(shelved, "bread")
        assert run("remove", name, "--feed", "bread", "--yes", *words).returncode == 0
    moved = run("move", "shelf", "bread", "--yes", "--at", at(5))
    assert "moved to feeds.bread.sources.shelf-3" in moved.stdout
    write(shelved / "shelf.xml", "s-", *BREAD[:2])
    refresh(run, 6)
    titles = list_titles(shelved, "bread")
    assert titles == sorted(["A show of somebody else", *(title for title, _, _ in BREAD)])


def test_a_move_to_and_fro_loses_nothing_that_was_listed_meanwhile(shelved: Path, run) -> None:
    assert run("move", "shelf", "bread", "--yes", "--at", at(3)).returncode == 0
    write(shelved / "shelf.xml", "s-", *BREAD, ("Crumpets on a griddle", "n", 24))
    refresh(run, 4)
    write(shelved / "shelf.xml", "s-", *BREAD[1:])
    refresh(run, 5)
    assert run("move", "shelf", "pickles", "--yes", "--at", at(6)).returncode == 0
    refresh(run, 7)
    assert list_sources(shelved, "pickles") == ["host", "shelf"]
    expected = (*SHOW, *BREAD, ("Crumpets on a griddle", "n", 24))
    assert list_titles(shelved, "pickles") == sorted(title for title, _, _ in expected)
    assert run("check", "--store").returncode == 0


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from aggregator import moving
from aggregator.config.load import load

steps = {"rewrite", "restore", "_replace", "write_fact", "copy_source", "forget_source", "restore_source", "decide"}
left = 0

def count(frame, event, _value):
    global left
    if event == "return" and frame.f_code.co_name in steps and "aggregator" in frame.f_code.co_filename:
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

def go(is_back):
    config = load(Path("config.yaml"))
    move = moving.make_move(config, config.plan("pickles"), "shelf", "bread", forgets=True)
    if is_back:
        texts = moving.carry_out(config, move, datetime(2024, 2, 3, tzinfo=UTC))
        sys.setprofile(count)
        moving.take_back(config, move, texts, datetime(2024, 2, 4, tzinfo=UTC))
    else:
        sys.setprofile(count)
        moving.carry_out(config, move, datetime(2024, 2, 3, tzinfo=UTC))

for line in sys.stdin:
    left = int(line)
    number = os.fork()
    if not number:
        go(sys.argv[1] == "back")
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]), flush=True)
"""
"""For each number it reads, a fork moves the source and is killed behind so many steps; its exit code is printed."""


@pytest.mark.parametrize("way", ["there", "back"])
def test_a_move_that_is_killed_is_finished_or_was_never_begun(shelved: Path, bounded, way: str) -> None:
    """kill -9 behind each step: the next refresh publishes what the config says, with all that the source listed."""
    apart = {"pickles": sorted(title for title, _, _ in (*SHOW, *BREAD)), "bread": sorted(t for t, _, _ in BREAD[:2])}
    moved = {"pickles": sorted(title for title, _, _ in SHOW), "bread": sorted(title for title, _, _ in BREAD)}
    write(shelved / "shelf.xml", "s-", *BREAD[:2])
    state = Path(load(shelved / "config.yaml").state)
    kept = {path: path.read_bytes() for path in (shelved / "config.yaml", *state.parent.glob(f"{state.name}*"))}
    found = set[bool]()
    command = [sys.executable, "-c", KILLED, way]
    with bounded(subprocess.Popen(command, cwd=shelved, stdin=PIPE, stdout=PIPE, text=True)) as mover:
        for step in range(1, 99):
            shutil.rmtree(shelved / "output")
            for path in state.parent.glob(f"{state.name}*"):
                path.unlink()
            for path, content in kept.items():
                path.write_bytes(content)
            print(step, file=mover.stdin, flush=True)
            code = int(mover.stdout.readline())
            assert code in (0, -9)
            is_moved = "shelf" in list_sources(shelved, "bread")
            refresh_here(load(shelved / "config.yaml"), at=datetime(2024, 2, 9, tzinfo=UTC))
            assert {name: list_titles(shelved, name) for name in apart} == (moved if is_moved else apart), step
            found.add(is_moved)
            if code == 0:
                break
    assert found == {True, False}


def test_what_was_forgotten_before_a_move_stays_so_when_that_is_undone(shelved: Path, run) -> None:
    assert run("forget", "shelf", "--feed", "pickles", "--yes", "--at", at(3)).returncode == 0
    config = load(shelved / "config.yaml")
    move = moving.make_move(config, config.plan("pickles"), "shelf", "bread", forgets=True)
    texts = moving.carry_out(config, move, datetime(2024, 2, 4, tzinfo=UTC))
    moving.take_back(config, move, texts, datetime(2024, 2, 5, tzinfo=UTC))
    refresh(run, 6)
    assert list_titles(shelved, "pickles") == sorted(title for title, _, _ in SHOW)
    assert list_titles(shelved, "bread") == sorted(title for title, _, _ in BREAD[:2])


def test_a_forgotten_source_that_is_added_again_counts_again(tmp_path: Path, run) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    write(tmp_path / "host.xml", "h-", *SHOW)
    write(tmp_path / "bread.xml", "h-", *BREAD[:2])
    write(tmp_path / "shelf.xml", "s-", *BREAD)
    refresh(run, 2)
    before = items(tmp_path)
    assert run("remove", "shelf", "--feed", "pickles", "--forget", "--yes", "--at", at(3)).returncode == 0
    refresh(run, 4)
    assert len(items(tmp_path)) == len(SHOW)
    added = run("add", str(tmp_path / "shelf.xml"), "--feed", "pickles", "--kind", "feed", "--at", at(5))
    assert added.returncode == 0, added.stderr
    assert "feeds.pickles.sources.shelf: forgotten before, its entries count again" in added.stdout
    refresh(run, 6)
    assert items(tmp_path) == before


def test_what_cannot_be_moved_is_told_and_left(shelved: Path, run) -> None:
    config = (shelved / "config.yaml").read_text(encoding="utf-8")
    for words, said in (
        (("host", "bread"), "several feeds have a source host; name one: bread, pickles"),
        (("shelf", "bred"), 'the config has no feed "bred"; did you mean "bread"?'),
        (("shelf", "pickles"), "shelf is a source of pickles already"),
        (("shelv", "bread"), 'the config has no source "shelv"; did you mean "shelf"?'),
    ):
        answer = run("move", *words, "--yes")
        assert (answer.returncode, answer.stdout) == (2, "")
        assert said in answer.stderr
    assert (shelved / "config.yaml").read_text(encoding="utf-8") == config


def test_a_removed_source_takes_its_items_along_where_that_is_wanted(shelved: Path, run) -> None:
    before = items(shelved)
    shown = run("remove", "shelf", "--forget", "--dry-run", "--json", "--at", at(3))
    assert [each["title"] for each in json.loads(shown.stdout)["pickles"]["removed"]] != []
    assert items(shelved) == before
    removed = run("remove", "shelf", "--forget", "--yes", "--at", at(3))
    assert "items of it alone leave with the next refresh" in removed.stdout
    refresh(run, 4)
    assert list_titles(shelved, "pickles") == sorted(title for title, _, _ in SHOW)
    assert run("forget", "shelf", "--feed", "pickles", "--undo", "--yes", "--at", at(5)).returncode == 0
    refresh(run, 6)
    assert items(shelved) == before


def test_a_primary_source_takes_that_key_along(shelved: Path, run) -> None:
    config = shelved / "config.yaml"
    config.write_text(CONFIG.replace("title: Pickle Hour", "title: Pickle Hour\n    primary: shelf"), encoding="utf-8")
    shown = run("remove", "shelf", "--dry-run", "--at", at(3))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert run("move", "shelf", "bread", "--yes").returncode == 0
    assert "primary" not in config.read_text(encoding="utf-8")
    assert run("check").returncode == 0
