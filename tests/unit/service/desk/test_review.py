"""Deciding about a pair: what it would do is shown, the decision counts, and it is taken back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tests.unit.service.desk.conftest import Visitor
from tests.unit.service.desk.test_item import published
from tests.unit.service.desk.test_pages import wait

REVIEW = "/feeds/crumb-talk/review"


def test_a_pair_is_shown_decided_and_taken_back(visitor: Visitor, home: Path) -> None:
    assert visitor.json("/review.json")["feeds"][0]["pairs"] == 1
    page = visitor.json(f"{REVIEW}.json")
    assert ["removed", "cold starters"] in page["left"]["title"]
    assert ["added", "a starter"] in page["right"]["title"]
    before = published(home)
    visitor.get(REVIEW)
    shown = visitor.press("Same")
    assert "Merging removes the item" in shown.text
    other = Visitor(visitor.url, visitor.desk)
    other.get(REVIEW)
    assert "They are one item" in visitor.press("They are the same").text
    assert other.press("Different").status_code == 409
    undo = next(form for form in visitor.forms() if form["label"] == "Back")
    assert len(published(home)) == len(before) - 1
    assert visitor.post(undo.pop("action"), **undo).status_code == 200
    assert published(home) == before
    visitor.get(REVIEW)
    assert "two items" in visitor.press("Different").text
    assert visitor.json(f"{REVIEW}.json")["total"] == 0


def test_a_new_item_is_held_back_and_released(visitor: Visitor, home: Path) -> None:
    listing = home / "topic.txt"
    before = published(home)
    new = "Salt and time\n\nCrumb Talk - May 21, 2024 06:00 - 31 minutes ★★★★★ - 12 ratings\nWhy salt needs time.\n\n"
    listing.write_text(listing.read_text().replace("Episode 12:", f"{new}Crumb Talk artwork\n\nEpisode 12:"))
    visitor.get("/feeds/crumb-talk/changes")
    visitor.press("Compare")
    wait(visitor, "/jobs/1.json")
    added = visitor.json("/feeds/crumb-talk/changes.json")["feeds"][0]["moved"]
    assert [(word, item["is_held"]) for word, item in added] == [("added", False)]
    other = Visitor(visitor.url, visitor.desk)
    for each in (visitor, other):
        each.get("/feeds/crumb-talk/changes")
    assert "held back until" in visitor.press("Hold back").text
    assert visitor.json("/feeds/crumb-talk/changes.json")["feeds"][0]["moved"][0][1]["is_held"]
    assert other.press("Hold back").status_code == 409
    assert published(home) == before
    assert [each["decided"] for each in visitor.json(f"{REVIEW}.json")["held"]] == ["held back"]
    visitor.get(REVIEW)
    assert "released, from the next refresh on" in visitor.press("Release").text
    assert len(published(home)) == len(before) + 1


def test_other_pages_do_not_wait_for_what_decisions_would_do(looker: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Event()

    def call(_words: tuple[str, ...], *, seconds: float) -> tuple[str, ...]:
        ended.wait(seconds)
        return ("It would merge.",)

    monkeypatch.setattr(looker.desk.jobs, "call", call)
    page = looker.json(f"{REVIEW}.json")
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(looker.json, f"{REVIEW}/consequence.json?{page['consequence']}") for _ in range(8)]
        try:
            looker.session.get(f"{looker.url}/desk/review", timeout=20)
        finally:
            ended.set()
        assert [answer.result()["lines"] for answer in answers] == [["It would merge."]] * 8
