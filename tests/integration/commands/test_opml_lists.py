"""The config is kept in step with OPML lists: what is new is added, a removal is asked, a damaged list does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from aggregator.config.load import load
from aggregator.opml_lists import find_unlisted, keep
from aggregator.store import database
from tests.integration.commands.test_edit import FEED, POSTS
from tests.integration.service.desk.conftest import opened
from tests.support.origin import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site()) as each:
        each.serve("/crumb.xml", FEED)
        each.serve("/desk.xml", POSTS)
        yield each


def write_list(site: Site, *names: str, etag: str | None = None) -> None:
    lines = "".join(f'<outline type="rss" text="The {name}" xmlUrl="{site.url(f"/{name}.xml")}"/>' for name in names)
    site.serve("/mine.opml", f'<opml version="2.0"><body>{lines}</body></opml>', kind="text/x-opml")
    site.fields["/mine.opml"] = {"ETag": f'"{etag or "-".join(names)}"'}


@pytest.fixture
def config(tmp_path: Path, site: Site) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(f"# mine\nopml: {site.url('/mine.opml')}\nallow_networks: [127.0.0.0/8]\nfeeds: {{}}\n")
    return path


def read(config: Path) -> list[str]:
    return list(yaml.safe_load(config.read_text())["feeds"])


def at(hour: int) -> tuple[str, str]:
    return ("--at", f"2024-06-01T{hour:02}:00:00Z")


def test_new_subscriptions_are_added_and_refreshed_once_an_hour(config: Path, site: Site, run) -> None:
    write_list(site, "crumb")
    first = run("refresh", *at(1))
    assert first.returncode == 0, first.stderr
    assert f"{site.url('/mine.opml')}: a feed added: the-crumb" in first.stdout
    assert read(config) == ["the-crumb"]
    assert config.read_text().startswith("# mine\n")
    assert (config.parent / "output" / "the-crumb" / "feed.xml").exists()

    run("refresh", *at(2))
    asked = site.asked.count("/mine.opml")
    write_list(site, "crumb", "desk")
    run("refresh", "--at", "2024-06-01T02:20:00Z")
    assert site.asked.count("/mine.opml") == asked, "twenty minutes later"
    run("refresh", "--feed", "the-crumb", *at(4))
    assert site.asked.count("/mine.opml") == asked, "one feed alone"
    assert "a feed added: the-desk" in run("refresh", *at(4)).stdout
    assert read(config) == ["the-crumb", "the-desk"]
    run("refresh", *at(6))
    assert site.heads[-1 - site.asked[::-1].index("/mine.opml")]["If-None-Match"] == '"crumb-desk"'


def test_a_removed_feed_is_not_added_again_and_a_feed_that_is_listed_no_more_is_asked(
    config: Path, site: Site, run
) -> None:
    write_list(site, "crumb", "desk")
    run("refresh", *at(1))
    run("refresh", *at(2))
    run("remove", "--feed", "the-desk", "--yes")
    write_list(site, "crumb", "desk", etag="again")
    run("refresh", *at(4))
    assert read(config) == ["the-crumb"]

    write_list(site, "desk")
    gone = run("refresh", *at(6))
    assert "The crumb is listed no more; to remove it: aggregator remove --feed the-crumb" in gone.stdout
    assert read(config) == ["the-crumb"]
    assert "listed no more" not in run("refresh", *at(8)).stdout, "told once"
    with opened(config.parent) as visitor:
        page = visitor.get("/").text
        assert "has it no more" in page
        assert 'href="/desk/feeds/the-crumb/remove"' in page
        assert visitor.press("Keep").status_code == 200
        assert "has it no more" not in visitor.get("/").text
    loaded = load(config)
    with database.open_store(loaded.state) as store:
        assert list(find_unlisted(store, loaded.opml, loaded.plans)) == []
        keep(store, "http://nobody.example/")
    write_list(site, "crumb", "desk", etag="back")
    run("refresh", *at(10))
    assert read(config) == ["the-crumb"]


@pytest.mark.parametrize("damage", ["gone", "empty", "page", "nothing", "cut"])
def test_a_list_that_cannot_be_read_changes_nothing_and_is_told(damage: str, config: Path, site: Site, run) -> None:
    write_list(site, "crumb", "desk")
    run("refresh", *at(1))
    run("refresh", *at(2))
    before = config.read_text()
    if damage == "gone":
        del site.pages["/mine.opml"]
    else:
        body = {
            "empty": "",
            "page": "<html><body>Sign in</body></html>",
            "nothing": "<opml><body/></opml>",
            "cut": "<op",
        }
        site.serve("/mine.opml", body[damage])
    site.fields.pop("/mine.opml")
    answer = run("refresh", *at(4))
    assert answer.returncode == 0
    assert config.read_text() == before
    told = [line for line in answer.stderr.splitlines() if "/mine.opml" in line]
    assert len(told) == 1, answer.stderr
    assert told[0].endswith("no feed was added for it")
    write_list(site, "crumb", "desk", etag="well")
    assert "listed no more" not in run("refresh", *at(9)).stdout


def test_a_file_is_a_list_too(config: Path, site: Site, run) -> None:
    write_list(site, "crumb")
    (config.parent / "mine.opml").write_bytes(site.pages["/mine.opml"][2])
    config.write_text(config.read_text().replace(site.url("/mine.opml"), "mine.opml"))
    answer = run("refresh", *at(1))
    assert (answer.returncode, read(config)) == (0, ["the-crumb"])
    assert f"{config.parent / 'mine.opml'}: a feed added: the-crumb" in answer.stdout
    assert ":///" not in answer.stdout
    (config.parent / "mine.opml").unlink()
    answer = run("refresh", *at(3))
    assert answer.returncode == 0
    assert answer.stderr.count("mine.opml") == 1
    assert "mine.opml cannot be read: no such file or directory; no feed was added for it" in answer.stderr
    assert read(config) == ["the-crumb"]
