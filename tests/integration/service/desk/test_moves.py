"""A source goes to another feed or leaves, a feed leaves: seen before it is done, done by one button, undone by one."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from aggregator.config.load import load
from aggregator.store import database, decisions
from tests.integration.service.desk.conftest import Visitor
from tests.integration.service.desk.test_pages import wait

SOURCE = "/feeds/crumb-talk/sources/topic"
WALK = "  walk:\n    title: Walk\n    sources:\n      host: {kind: listing, path: numbered.txt}\n"


def read(home: Path) -> dict[str, list[str]]:
    feeds = yaml.safe_load((home / "config.yaml").read_text())["feeds"] or {}
    return {name: list(feed["sources"]) for name, feed in feeds.items()}


def preview(visitor: Visitor, label: str, **typed: str) -> dict:
    """Press the button, wait for its job, look at the page that it leads to, and return what that shows."""
    path = visitor.press(label, **typed).url.removeprefix(f"{visitor.url}/desk")
    wait(visitor, f"{path}.json")
    then = visitor.json(f"{path}.json")["then"].removeprefix("/desk")
    visitor.get(then)
    return visitor.json(then.replace("/move?", "/move.json?"))["preview"]


def list_forgotten(home: Path) -> set[str]:
    config = load(home / "config.yaml")
    with database.open_store(config.state) as store:
        return set(decisions.read_forgotten(store, "crumb-talk"))


def undo(visitor: Visitor) -> int:
    form = next(form for form in visitor.forms() if form["label"] == "Undo")
    return visitor.post(form.pop("action"), **form).status_code


def test_a_source_is_moved_and_moved_back(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    config.write_text(config.read_text() + WALK)
    before = config.read_text()
    assert f'href="/desk{SOURCE}/move"' in visitor.get(f"{SOURCE}/settings").text
    visitor.get(f"{SOURCE}/move")
    shown = preview(visitor, "Preview the move", to="walk", alone="leaves")
    assert {each["name"] for each in shown["feeds"]} == {"crumb-talk", "walk"}
    assert "removed" in {word for each in shown["feeds"] for word, _ in each["moved"]}
    assert config.read_text() == before
    here = visitor.page.url.partition("/desk")[2]
    german = visitor.get(here, **{"accept-language": "de"}).text
    assert "<dt><bdi>topic</bdi></dt><dd><del><bdi>listing</bdi>, in Ordnung</del>" in german
    assert "lang=" not in german.partition("<main")[2].partition("</main>")[0]
    visitor.get(here)
    assert visitor.press("Move topic to Walk").url.startswith(f"{visitor.url}/desk/feeds/walk")
    assert read(home) == {"crumb-talk": ["numbered"], "walk": ["host", "topic"]}
    assert "# kept" in config.read_text()
    assert list_forgotten(home) == {"topic"}
    assert undo(visitor) == 200
    assert config.read_text() == before
    assert list_forgotten(home) == set()


def test_a_source_is_removed_and_what_was_changed_meanwhile_stays(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    visitor.get(f"{SOURCE}/move")
    assert preview(visitor, "Preview the removal", alone="stays")["problems"] == []
    visitor.press("Remove topic")
    assert read(home) == {"crumb-talk": ["numbered"]}
    changed = config.read_text() + "# of an editor\n"
    config.write_text(changed)
    assert undo(visitor) == 409
    assert config.read_text() == changed
    visitor.get("/feeds/crumb-talk/sources/numbered/move")
    assert "It is the only source of Crumb Talk" in visitor.page.text
    assert [form for form in visitor.forms() if form["label"].startswith("Preview")] == []


def test_a_feed_is_removed_and_had_back(visitor: Visitor, home: Path) -> None:
    before = (home / "config.yaml").read_text()
    visitor.get("/feeds/crumb-talk/settings")
    assert 'href="/desk/feeds/crumb-talk/remove"' in visitor.page.text
    visitor.get("/feeds/crumb-talk/remove")
    assert "stay as they are for a week" in visitor.page.text
    assert visitor.press("Remove the feed").status_code == 200
    assert read(home) == {}
    assert undo(visitor) == 200
    assert (home / "config.yaml").read_text() == before


@pytest.mark.parametrize("number", ["", "nothing"])
def test_a_move_that_nobody_previewed_is_not_made(number: str, visitor: Visitor, home: Path) -> None:
    before = (home / "config.yaml").read_text()
    visitor.get(f"{SOURCE}/move")
    token = {name: value for name, value in visitor.forms()[-1].items() if name not in {"action", "label"}}
    for action, field in ((f"/desk{SOURCE}/move", "draft"), ("/desk/moves/undo", "number")):
        assert visitor.post(action, **{**token, field: number}).status_code == (404 if number else 422)
    assert (home / "config.yaml").read_text() == before
