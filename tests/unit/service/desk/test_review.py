"""Deciding about a pair: what it would do is shown, the decision counts, and it is taken back."""

from __future__ import annotations

from pathlib import Path

from tests.unit.service.desk.conftest import Visitor
from tests.unit.service.desk.test_item import published

REVIEW = "/feeds/crumb-talk/review"


def test_a_pair_is_shown_decided_and_taken_back(visitor: Visitor, home: Path) -> None:
    assert visitor.json("/review.json")["feeds"][0]["pairs"] == 1
    page = visitor.json(f"{REVIEW}.json")
    assert ["removed", "cold"] in page["left"]["title"]
    assert ["added", "alive"] in page["right"]["title"]
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
