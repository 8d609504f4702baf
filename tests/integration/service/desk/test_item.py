"""Corrections of an item: each is in the feed with the next refresh, each can be undone, none is lost to another."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from aggregator.store import database, decisions
from aggregator.store.decisions import Event
from tests.integration.service.desk.conftest import Visitor
from tests.support.program import run_program


def published(home: Path) -> dict[str, str]:
    """The title of each published item, by guid."""
    done = run_program(home, "refresh", "--at", "2026-01-03T03:04:05Z")
    assert done.returncode == 0, done.stderr
    feed = json.loads((home / "output/crumb-talk/feed.json").read_bytes())
    return {item["id"]: item["title"] for item in feed["items"]}


def find(visitor: Visitor, title: str) -> str:
    items = visitor.json("/feeds/crumb-talk.json")["items"]
    return next(item["guid"] for item in items if item["title"] == title)


def test_an_item_is_explained(looker: Visitor) -> None:
    guid = find(looker, "Ovens and steam")
    page = looker.json(f"/feeds/crumb-talk/item.json?guid={guid}")
    fields = {field["name"]: field for field in page["fields"]}
    assert (fields["title"]["source"], fields["title"]["agreeing"]) == ("topic", ["numbered"])
    assert {entry["source"] for entry in page["entries"]} == {"numbered", "topic"}
    assert page["pairs"][0]["bars"][0]["name"] == "title"
    assert page["pairs"][0]["reasons"].startswith("over 99.9 %; for title (")
    shown = looker.get(f"/feeds/crumb-talk/item?guid={guid}").text
    assert all(f'<th scope="row">{name}</th>' in shown for name in fields)
    assert "<details open" not in shown
    assert '<a href="/desk/feeds/crumb-talk"><bdi>Crumb Talk</bdi></a>' in shown
    assert looker.get("/feeds/crumb-talk/item?guid=none").status_code == 404
    few = looker.json("/feeds/crumb-talk.json?q=rye&source=topic&mark=several")
    assert [item["title"] for item in few["items"]] == ["Rye without fear"]


def test_corrections_are_in_the_feed_and_are_undone(visitor: Visitor, home: Path) -> None:
    ovens, rye = find(visitor, "Ovens and steam"), find(visitor, "Rye without fear")
    starter = find(visitor, "Keeping cold starters alive")
    before = published(home)
    undone = []
    for guid, label, typed in (
        (rye, "Set", {"field": "title", "value": "Rye with fear"}),
        (ovens, "Separate numbered", {}),
        (starter, "Take out", {"reason": "not ours"}),
    ):
        visitor.get(f"/feeds/crumb-talk/item?guid={guid}")
        assert visitor.press(label, **typed).status_code == 200, visitor.page.text
        undone.append(next(form for form in visitor.forms() if form["label"] == "Undo"))
    after = published(home)
    assert after[rye] == "Rye with fear"
    assert starter not in after
    assert sorted(after.values()).count("Ovens and steam") + sum("Ovens" in each for each in after.values()) > 2
    assert "not ours" in visitor.get("/feeds/crumb-talk").text
    gone = visitor.get(f"/feeds/crumb-talk/item?guid={starter}")
    assert gone.status_code == 200
    assert "Keeping cold starters alive" in gone.text
    assert "It is not in the feed." in gone.text
    assert [form["label"] for form in visitor.forms() if "/item/" in form["action"]] == ["Take back"]
    for form in undone:
        assert visitor.post(form.pop("action"), **form).status_code == 200, visitor.page.text
    assert published(home) == before


def test_the_value_of_a_source_that_differs_is_used_and_the_published_one_is_filled_in(
    visitor: Visitor, home: Path
) -> None:
    (home / "late.txt").write_text((home / "topic.txt").read_text().replace("Rye without", "Rye bread without"))
    with (home / "config.yaml").open("a") as config:
        config.write("      late: {kind: listing, path: late.txt}\n")
    published(home)
    page, field, other = next(
        (page, field, other)
        for item in visitor.json("/feeds/crumb-talk.json")["items"]
        for page in [visitor.json(f"/feeds/crumb-talk/item.json?guid={item['guid']}")]
        for field in page["fields"]
        for other in field["others"]
        if other["value"] is not None
    )
    where = f"/feeds/crumb-talk/item?guid={page['guid']}"
    assert (
        f">{field['value']}</textarea>" in visitor.get(where).text or f'value="{field["value"]}"' in visitor.page.text
    )
    assert visitor.press(f"Use {other['source']}’s").status_code == 200
    fields = visitor.json(where.replace("item?", "item.json?"))["fields"]
    assert next(each["fixed"] for each in fields if each["name"] == field["name"]) == other["value"]


def test_the_second_of_two_who_decide_is_told(visitor: Visitor) -> None:
    guid = find(visitor, "Rye without fear")
    other = Visitor(visitor.url, visitor.desk)
    for each in (visitor, other):
        each.get(f"/feeds/crumb-talk/item?guid={guid}")
    assert visitor.press("Set", field="title", value="The first").status_code == 200
    assert other.press("Set", field="title", value="The second").status_code == 409
    assert "another person has decided" in other.page.text
    assert "The first" in other.page.text
    fields = visitor.json(f"/feeds/crumb-talk/item.json?guid={guid}")["fields"]
    assert next(field["fixed"] for field in fields if field["name"] == "title") == "The first"
    visitor.get(f"/feeds/crumb-talk/item?guid={guid}")
    assert visitor.press("Set", field="duration", value="soon").status_code == 422


def test_the_history_of_an_item_has_no_other_with_a_longer_guid(visitor: Visitor) -> None:
    guid = find(visitor, "Rye without fear")
    with database.open_store(visitor.desk.config.state) as store:
        for number in ("", "0"):
            decisions.write_event(store, "crumb-talk", Event(datetime.now(UTC), "removed", f"{guid}{number} not ours"))
    events = visitor.json(f"/feeds/crumb-talk/item.json?guid={guid}")["events"]
    assert [event["text"] for event in events if event["kind"] == "removed"] == [f"{guid} not ours"]
