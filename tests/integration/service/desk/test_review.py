"""Deciding about a pair: what it would do is shown, the decision counts, and it is taken back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from msgspec.structs import replace

from aggregator.store import database, publications
from tests.integration.service.desk.conftest import Visitor
from tests.integration.service.desk.test_item import published
from tests.integration.service.desk.test_pages import wait
from tests.support.program import run_program

REVIEW = "/feeds/crumb-talk/review"


def test_a_pair_is_shown_decided_and_taken_back(visitor: Visitor, home: Path) -> None:
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
    assert "Nothing to decide" in visitor.get(REVIEW).text


def test_the_pairs_of_all_feeds_are_one_queue_and_the_menu_counts_them(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    _, sources = config.read_text().split("    sources:\n")
    config.write_text(f"{config.read_text()}  second:\n    title: Second Helping\n    sources:\n{sources}")
    done = run_program(home, "refresh", "--at", "2026-01-03T03:04:05Z")
    assert done.returncode == 0, done.stderr
    counted = '<span class="unseen">2 pairs to decide</span>'
    assert counted in visitor.get("/").text
    assert visitor.page.text.count("1 pair of <bdi>") == 2
    asked = [visitor.json(f"/review.json?at={place}") for place in range(2)]
    assert [(page["feed"], page["total"]) for page in asked] == [("crumb-talk", 2), ("second", 2)]
    visitor.get("/review?at=1")
    shown = visitor.press("Different")
    assert shown.url.startswith(f"{visitor.url}/desk/review?at=1")
    assert "Crumb Talk" in shown.text
    assert '<span class="unseen">1 pair to decide</span>' in shown.text
    assert visitor.json("/feeds/second.json")["near_misses"] == 0
    visitor.press("Back")
    assert visitor.json("/review.json")["total"] == 2


def test_a_pair_whose_entry_is_gone_says_so_and_the_next_can_be_asked(visitor: Visitor) -> None:
    with database.open_store(visitor.desk.config.state) as store:
        last = publications.read_publications(store)["crumb-talk"]
        gone = (("topic/gone", last.undecided[0][1]),)
        publications.write_publication(store, "crumb-talk", replace(last, undecided=gone))
    shown = visitor.get(REVIEW).text
    assert "One of the two entries is gone" in shown
    assert f'href="/desk{REVIEW}?at=0">Next</a>' in shown


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
            looker.session.get(f"{looker.url}/desk/review", timeout=120)
            assert not any(answer.done() for answer in answers)
        finally:
            ended.set()
        assert [answer.result()["lines"] for answer in answers] == [["It would merge."]] * 8
