"""A page that is no feed: ways to read it, elements that are chosen of it, selectors that are typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from aggregator.config.load import load
from tests.integration.service.desk.conftest import Visitor
from tests.integration.service.desk.test_hostile import ATTACK
from tests.integration.service.desk.test_pages import wait
from tests.support.origin import Site, serving

ENTRY = '<div class="row"><b>{title}</b> <i>{n} May 2024</i> <a href="/m/{n}.mp3">hear</a></div>'
BARE = "<div class='row'><b>Row {n}</b></div>"


def make_page(line: str, title: str = "Part") -> str:
    rows = "".join(line.format(n=n, title=f"{title} {n}") for n in range(1, 6))
    return f"<!doctype html><html><head><title>A show</title></head><body><h1>All of it</h1>{rows}</body></html>"


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site()) as opened:
        opened.serve("/page", make_page(ENTRY))
        opened.serve("/bare", make_page(BARE))
        opened.serve("/evil", make_page(ENTRY, ATTACK.replace("{{7*7}}", "")))
        yield opened


def open_page(visitor: Visitor, url: str) -> str:
    """The address of the page on which elements of a page are chosen."""
    visitor.get("/add")
    assert visitor.press("Look", url=url).status_code == 200
    assert visitor.press("Choose on the page").status_code == 200, visitor.page.text
    return visitor.page.url.removeprefix(f"{visitor.url}/desk")


def find_piece(visitor: Visitor, path: str, text: str) -> str:
    frame = visitor.get(path.replace("/add/page?", "/add/outline?")).text
    return next(number for number, shown in re.findall(r'value="(\d+)"[^>]*>(.*?)</button>', frame) if text in shown)


def test_proposals_are_listed_and_one_is_added(visitor: Visitor, site: Site, home: Path) -> None:
    visitor.get("/add")
    found = visitor.press("Look", url=site.url("/page")).text
    assert "repeated elements" in found
    assert "Part 3" in found
    assert visitor.press("Add", name="parts", feed="").status_code == 200
    plan = load(home / "config.yaml").plan("parts")
    assert plan.sources[0].kind == "page"


def test_elements_are_chosen_without_script_and_the_page_is_asked_once(
    visitor: Visitor, site: Site, home: Path
) -> None:
    path = open_page(visitor, site.url("/page"))
    asked = list(site.asked)
    path += f"&field=items&pick={find_piece(visitor, path, 'Part 2')}"
    page = visitor.json(path.replace("/add/page?", "/add/page.json?"))
    assert page["options"]["items"] == "div.row"
    assert (page["total"], page["entries"][0]["title"]) == (5, "Part 1")
    assert page["feed"] == "a-show"
    query = {"page": page["number"], "field": "date", **page["options"]}
    number = find_piece(visitor, f"/add/page?{urlencode(query)}", "3 May 2024")
    visitor.get(f"/add/page?{urlencode({**query, 'pick': number})}")
    assert "1 May 2024" in visitor.page.text
    assert site.asked == asked
    assert visitor.press("Add", name="parts").status_code == 200, visitor.page.text
    plan = load(home / "config.yaml").plan("parts")
    assert plan.channel.title == "A show"
    assert dict(plan.sources[0].options)["date"] == "i"
    assert "# kept" in (home / "config.yaml").read_text()


def test_selectors_are_typed_where_nothing_is_proposed(visitor: Visitor, site: Site) -> None:
    path = open_page(visitor, site.url("/bare"))
    assert "What they yield" in visitor.get(f"{path}&items=div.row&title=b").text
    page = visitor.json(f"{path.replace('/add/page?', '/add/page.json?')}&items=div.row&title=b")
    assert [entry["title"] for entry in page["entries"]] == [f"Row {n}" for n in range(1, 6)]
    wrong = visitor.json(f"{path.replace('/add/page?', '/add/page.json?')}&items=div[&title=b")
    assert "no CSS selector" in wrong["problem"]
    assert visitor.get("/add/page?page=none").status_code == 404


def test_the_frame_is_closed_to_script_and_shows_a_hostile_page_as_text(visitor: Visitor, site: Site) -> None:
    path = open_page(visitor, site.url("/evil"))
    frame = visitor.get(path.replace("/add/page?", "/add/outline?"))
    policy = frame.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox allow-forms allow-top-navigation-by-user-activation" in policy
    assert "script" not in policy
    assert "<script" not in frame.text
    assert "<img" not in frame.text
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", frame.text)
    assert parse_qs(urlsplit(path).query).keys() == {"page"}


def test_other_elements_are_chosen_for_a_source_and_previewed(visitor: Visitor, site: Site, home: Path) -> None:
    with (home / "config.yaml").open("a") as config:
        config.write(f"      page: {{kind: page, url: '{site.url('/page')}', options: {{items: div.row, title: i}}}}\n")
    visitor.get("/feeds/crumb-talk/sources/page/settings")
    shown = visitor.press("Choose on the page").text
    assert 'id="option-title" name="title" value="i"' in shown
    assert "5 items" in shown
    chosen = urlsplit(visitor.page.url)
    query = {name: value for name, (value,) in parse_qs(chosen.query).items()} | {"title": "b", "date": "i"}
    visitor.get(f"/add/page?{urlencode(query)}")
    visitor.press("Preview")
    wait(visitor, "/jobs/1.json")
    visitor.get(visitor.json("/jobs/1.json")["then"].removeprefix("/desk"))
    assert "Part 3" in visitor.page.text
    visitor.press("Save")
    sources = {source.name: source for source in load(home / "config.yaml").plan("crumb-talk").sources}
    assert dict(sources["page"].options) == {"items": "div.row", "title": "b", "date": "i"}
