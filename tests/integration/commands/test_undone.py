"""Whatever a person decides, once all of it is undone the feed is as if nothing had been decided."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aggregator.config.load import load
from tests.integration.commands.test_forget import CONFIG, FAKE, OLD, SHOW, at, write
from tests.support.composing import refresh_here
from tests.support.program import run_program

Words = tuple[str, ...]
ENTRIES = ("host/h-c", "host/h-b", "mirror/m-b", "mirror/m-old", "mirror/m-fake")
PAIRS = [
    (("review", verdict, *pair), ("review", "--undo", *pair))
    for pair in combinations(ENTRIES, 2)
    for verdict in ("--same", "--different")
]
ACTS: list[tuple[Words, Words]] = [
    *PAIRS,
    *((("review", word, "mirror/m-fake"), ("review", "--wait", "mirror/m-fake")) for word in ("--never", "--hold")),
    (("correct", "h-b", "--part", "mirror/m-b"), ("correct", "h-b", "--join", "mirror/m-b")),
    (("correct", "h-c", "title=Lime"), ("correct", "h-c", "--unset", "title")),
    (("correct", "m-old", "--take-out", "not ours"), ("correct", "m-old", "--take-back")),
    (("forget", "mirror"), ("forget", "mirror", "--undo")),
]


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A host, and a mirror with an older episode that is published and a newer one that is held."""
    folder = tmp_path_factory.mktemp("before")
    (folder / "config.yaml").write_text(CONFIG, encoding="utf-8")
    write(folder / "host.xml", "h-", *SHOW)
    write(folder / "mirror.xml", "m-", *SHOW, OLD)
    assert run_program(folder, "refresh", "--at", at(2)).returncode == 0
    write(folder / "mirror.xml", "m-", FAKE, *SHOW, OLD)
    assert run_program(folder, "refresh", "--at", at(3)).returncode == 0
    assert [each["entries"] for each in read(folder)[1]] == [["mirror/m-fake"]]
    return folder


def read_items(folder: Path) -> dict[str, object]:
    """What is published, by guid."""
    items = json.loads((folder / "output/pickles/feed.json").read_text(encoding="utf-8"))["items"]
    return {each["id"]: (each["title"], each["date_published"], each["content_html"]) for each in items}


def read(folder: Path) -> tuple[dict[str, object], list[dict]]:
    """What is published, by guid, and what is held."""
    shown = read_items(folder)
    return shown, json.loads(run_program(folder, "review", "--list", "--json", "--at", at(3)).stdout)["held"]


def decide(folder: Path, words: Words, minute: int) -> bool:
    """Decide, unless that is refused, and refresh."""
    now = datetime(2024, 2, 3, 4, minute, tzinfo=UTC)
    sure = ("--yes",) if words[0] == "forget" or "--same" in words else ()
    if run_program(folder, *words, *sure, "--at", now.isoformat()).returncode:
        return False
    refresh_here(load(folder / "config.yaml"), at=now)
    return True


def check(before: Path, folder: Path, acts: list[tuple[Words, Words]]) -> None:
    """Decide, undo all, and compare; an item that was published meanwhile is not lost by the undoing.

    If "mirror/m-fake" is said to be "mirror/m-b", and that is parted from its item, both are an item and published.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(before, folder)
    published, done = set[str](), []
    for number, (act, undo) in enumerate(acts):
        done += [undo] * decide(folder, act, number)
        published |= read_items(folder).keys()
    for number, undo in enumerate(reversed(done), 10):
        decide(folder, undo, number)
    (shown, held), (wanted, waiting) = read(folder), read(before)
    kept = shown.keys() & published - wanted.keys()
    assert {guid: shown[guid] for guid in shown.keys() - kept} == wanted
    assert held == [each for each in waiting if kept.isdisjoint(name.partition("/")[2] for name in each["entries"])]


CHOSEN = st.lists(st.sampled_from(ACTS), min_size=1, max_size=3, unique=True)
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.mark.parametrize("act", [PAIRS[6], PAIRS[12], PAIRS[18]], ids=lambda act: " ".join(act[0][2:]))
def test_a_decision_about_a_held_entry_leaves_no_trace(before: Path, tmp_path: Path, act: tuple[Words, Words]) -> None:
    check(before, tmp_path / "feed", [act])


def test_a_parted_entry_that_is_joined_to_a_held_one_keeps_its_guid(before: Path, tmp_path: Path) -> None:
    part = next(each for each in ACTS if "--part" in each[0])
    same = next(each for each in PAIRS if each[0][1:] == ("--same", "mirror/m-b", "mirror/m-fake"))
    check(before, tmp_path / "feed", [part, same])
    different = next(each for each in PAIRS if each[0][1:] == ("--different", "mirror/m-b", "mirror/m-fake"))
    check(before, tmp_path / "other", [part, same, different])
    shutil.copytree(before, tmp_path / "third")
    assert decide(tmp_path / "third", part[0], 1)
    parted = read(tmp_path / "third")[0].keys()
    assert decide(tmp_path / "third", same[0], 2)
    assert read(tmp_path / "third")[0].keys() == parted


def test_what_was_published_meanwhile_is_not_lost(before: Path, tmp_path: Path) -> None:
    part = next(each for each in ACTS if "--part" in each[0])
    same = next(each for each in PAIRS if each[0][1:] == ("--same", "mirror/m-b", "mirror/m-fake"))
    check(before, tmp_path / "feed", [same, part])
    assert "m-fake" in read_items(tmp_path / "feed")


@settings(CALM, max_examples=3)
@given(acts=CHOSEN)
def test_decisions_that_are_undone_leave_no_trace(
    before: Path, tmp_path: Path, acts: list[tuple[Words, Words]]
) -> None:
    check(before, tmp_path / "feed", acts)


@pytest.mark.heavy
@settings(CALM, max_examples=150)
@given(acts=CHOSEN)
def test_many_decisions_that_are_undone_leave_no_trace(
    before: Path, tmp_path: Path, acts: list[tuple[Words, Words]]
) -> None:
    check(before, tmp_path / "feed", acts)
