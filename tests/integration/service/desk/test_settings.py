"""The settings of a source: seen before they are saved, undone, and not lost to another; a poll of one source."""

from __future__ import annotations

from pathlib import Path

import lxml.html
import yaml

from tests.integration.service.desk.conftest import Visitor
from tests.integration.service.desk.test_pages import wait

SOURCE = "/feeds/crumb-talk/sources/topic"


def test_a_change_is_previewed_saved_and_undone(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    before = config.read_text()
    assert '<select id="full_text"' in visitor.get(f"{SOURCE}/settings").text
    visitor.press("Preview", **{"trust": "0.4", "exclude.title": "Rye\r\n^Nothing"})
    wait(visitor, "/jobs/1.json")
    then = visitor.json("/jobs/1.json")["then"].removeprefix("/desk")
    assert f'http-equiv="refresh" content="0; url=/desk{then}"' in visitor.get("/jobs/1").text
    shown = visitor.get(then).text
    assert 'value="0.4"' in shown
    page = visitor.json(then.replace("/settings?", "/settings.json?"))
    changed = page["preview"]["feeds"][0]["changed"]
    assert [each["title"] for each in changed] == ["Rye without fear"]
    assert config.read_text() == before
    assert [each.name for each in home.glob(".config*")] == []
    other = Visitor(visitor.url, visitor.desk)
    other.get(then)
    assert "it counts from the next refresh on" in visitor.press("Save").text
    undo = next(form for form in visitor.forms() if form["label"] == "Undo")
    topic = '      topic: {kind: listing, path: topic.txt, trust: 0.4, exclude: {title: [Rye, "^Nothing"]}} # kept'
    assert topic in config.read_text().splitlines()
    assert other.press("Save").status_code == 409
    assert "was changed meanwhile" in other.page.text
    assert visitor.post(undo.pop("action"), **undo).status_code == 200
    assert config.read_text() == before


def test_the_settings_of_a_feed_and_of_the_server_are_changed_and_no_secret_is_in_their_forms(
    visitor: Visitor, home: Path
) -> None:
    config = home / "config.yaml"
    private = f"    title: Crumb Talk\n    token: {'x' * 20}"
    config.write_text(config.read_text().replace("    title: Crumb Talk", private))
    feed = "/feeds/crumb-talk"
    shown = visitor.get(f"{feed}/settings").text
    assert 'value="Crumb Talk"' in shown
    assert "<option>topic</option>" in shown
    visitor.press("Preview", **{"title": "Crumb Talks", "primary": "topic", "show_sources": "no", "only.since": "2024"})
    then = visitor.page.url.removeprefix(f"{visitor.url}/desk")
    assert 'class="bad"' in visitor.page.text, "no day"
    visitor.get(then)
    visitor.press("Preview", title="Crumb Talks", primary="topic", show_sources="no")
    wait(visitor, "/jobs/1.json")
    visitor.get(visitor.json("/jobs/1.json")["then"].removeprefix("/desk"))
    assert "Crumb Talks" in visitor.page.text
    visitor.press("Save")
    assert "x" * 20 not in visitor.page.text
    written = yaml.safe_load(config.read_text())["feeds"]["crumb-talk"]
    assert (written["title"], written["primary"], written["show_sources"]) == ("Crumb Talks", "topic", False)
    assert len(written["sources"]) == 2
    assert "# kept" in config.read_text()
    undo = next(form for form in visitor.forms() if form["label"] == "Undo")
    assert visitor.post(undo.pop("action"), **undo).status_code == 200
    assert yaml.safe_load(config.read_text())["feeds"]["crumb-talk"]["title"] == "Crumb Talk"
    visitor.get("/system/settings")
    visitor.press("Preview", base_url="https://feeds.example.org", websub="yes")
    wait(visitor, "/jobs/2.json")
    visitor.get(visitor.json("/jobs/2.json")["then"].removeprefix("/desk"))
    assert visitor.press("Save").url.startswith(f"{visitor.url}/desk/system")
    written = yaml.safe_load(config.read_text())
    assert (written["base_url"], written["websub"]) == ("https://feeds.example.org", True)
    assert config.read_text().index("base_url") < config.read_text().index("feeds:")


def test_the_server_is_set_before_there_is_a_feed(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    config.write_text("feeds: {}\n")
    visitor.get("/system/settings")
    assert "Nothing of what is published would change" in visitor.press("Preview", allow_networks="10.1.2.3/32").text
    assert config.read_text() == "feeds: {}\n"
    visitor.press("Save")
    assert yaml.safe_load(config.read_text()) == {"allow_networks": ["10.1.2.3/32"], "feeds": {}}
    assert [each.name for each in home.glob(".config*draft*")] == []


def test_a_mistake_is_shown_beside_what_was_typed(visitor: Visitor, home: Path) -> None:
    visitor.get(f"{SOURCE}/settings")
    answer = visitor.press("Preview", **{"trust": "much", "only.title": "("})
    assert answer.status_code == 200
    assert 'value="much"' in answer.text
    assert answer.text.count('class="bad"') == 2
    assert "Save" not in [form["label"] for form in visitor.forms()]
    assert visitor.desk.jobs.newest("preview", "crumb-talk") is None
    assert [each.name for each in home.glob(".config*")] == []


def test_a_config_that_became_wrong_has_no_settings(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    text = config.read_text()
    for wrong in ("path: topic.txt, only: [Rye]}", "path: topic.txt, options: 1}"):
        config.write_text(text.replace("path: topic.txt}", wrong))
        assert visitor.get(f"{SOURCE}/settings").status_code == 422
        assert "feeds.crumb-talk.sources.topic" in visitor.page.text
    config.unlink()
    assert "cannot be read" in visitor.get(f"{SOURCE}/settings").text


def test_one_source_is_polled(visitor: Visitor, home: Path) -> None:
    for name in ("topic", "numbered"):
        path = home / f"{name}.txt"
        path.write_text(path.read_text().replace("Rye", "Wheat"))
    visitor.get(SOURCE)
    assert "Poll of topic</h1>" in visitor.press("Poll now").text
    wait(visitor, "/jobs/1.json")
    assert visitor.json("/jobs/1.json")["code"] == 0
    polls = {name: visitor.json(f"/feeds/crumb-talk/sources/{name}.json")["polls"] for name in ("topic", "numbered")}
    assert {name: len(made) for name, made in polls.items()} == {"topic": 2, "numbered": 1}


def fill_in(page: str) -> dict[str, str]:
    """What a browser sends of the settings' form if nothing is typed."""
    (form,) = (each for each in lxml.html.fromstring(page).forms if each.action.endswith("/settings/preview"))
    return dict(form.form_values())


def test_settings_that_are_sent_as_they_are_shown_leave_the_config_as_it_is(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    topic = "topic: {kind: listing, path: topic.txt, trust: 0.5, only: {title: Rye}, exclude: {category: [a, b]}}"
    text = config.read_text().replace("topic: {kind: listing, path: topic.txt}", topic)
    config.write_text(f"contact: mailto:a@b.example\n{text}".replace("    title:", "    explicit: false\n    title:"))
    before = config.read_text()
    for page in ("/system", "/feeds/crumb-talk", SOURCE):
        fields = fill_in(visitor.get(f"{page}/settings").text)
        answer = visitor.post(f"/desk{page}/settings/save", **fields)
        assert "it counts from the next refresh on" in answer.text, page
        assert config.read_text() == before, page
    fields = fill_in(visitor.get("/system/settings").text)
    assert fields["allow_networks"] == "127.0.0.0/8"
    visitor.post("/desk/system/settings/save", **fields | {"allow_networks": "10.0.0.0/8\r\n127.0.0.0/8"})
    assert yaml.safe_load(config.read_text())["allow_networks"] == ["10.0.0.0/8", "127.0.0.0/8"]
