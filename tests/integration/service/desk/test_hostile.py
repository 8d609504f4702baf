"""A hostile feed changes nothing on any page: no markup, no text turned around, no page that is too large."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest
from lxml import html

from tests.integration.service.desk.conftest import Visitor, opened
from tests.support.config import make_feed, write_config
from tests.support.program import run_program

APPS = "feed|podcast|overcast|pktc|castro|podcastaddict|gpodder"
ATTACK = "\"'><script>alert(1)</script><img src=x onerror=alert(2)><a href=javascript:alert(3)>\u202e\u2066{{7*7}}&amp;"
LARGEST = 100_000
RSS = """<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>{attack}</title>
<link>https://a.example/</link><description>{attack}</description>{items}</channel></rss>"""
ITEM = """<item><title>{title}</title><guid isPermaLink="false">{number}{attack}</guid><description>{text}</description>
<author>{attack}</author><category>{attack}</category><link>https://a.example/{number}</link>
<pubDate>Tue, 0{number} May 2024 06:00:00 GMT</pubDate>
<enclosure url="https://a.example/{number}.mp3?{attack}" type="{attack}" length="1"/></item>"""


MORE = (
    *("/review", "/changes", "/add", "/import", "/system", "/feeds/evil/review", "/feeds/evil/changes"),
    *(
        "/feeds/evil/sources/one",
        "/feeds/evil/sources/one/settings",
        "/feeds/evil/sources/broken",
        "/feeds/" + quote(ATTACK),
    ),
)


def write_feed(path: Path, tail: str) -> None:
    attack = escape(ATTACK + tail)
    items = "".join(
        ITEM.format(number=each, attack=attack, title=f"{each} {attack}{'x ' * 50_000 * (each == 3)}", text=attack * 9)
        for each in range(1, 9)
    )
    path.write_text(RSS.format(attack=attack, items=items))


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder = tmp_path_factory.mktemp("attacked")
    for name in ("one", "two"):
        write_feed(folder / f"{name}.xml", "" if name == "one" else " and more words of another")
    (folder / "page.txt").write_text(ATTACK)
    sources = {"one": "one.xml", "two": "two.xml", "broken": "page.txt"}
    write_config(folder, {"evil": make_feed("<b>Evil</b>", sources)})
    done = run_program(folder, "refresh", "--at", "2026-01-02T03:04:05Z")
    assert done.returncode == 0, done.stderr
    with opened(folder) as visitor:
        yield visitor


def list_pages(visitor: Visitor) -> list[str]:
    items = visitor.json("/feeds/evil.json")["items"]
    assert items
    own = [f"/feeds/evil/item?guid={quote(item['guid'], safe='')}" for item in items[:3]]
    return ["/", "/?q=" + quote(ATTACK), "/feeds/evil", "/feeds/evil?q=" + quote(ATTACK), *own, *MORE]


def test_no_page_is_changed_by_a_hostile_feed(attacked: Visitor) -> None:
    for path in list_pages(attacked):
        text = attacked.get(path).text
        check(text, path)
        assert len(text.encode()) < LARGEST, path
    json.loads(attacked.get("/feeds/evil.json").text)
    attacked.get("/feeds/evil/sources/one")
    check(attacked.press("Look at the document").text, "document")


def check(text: str, path: str) -> None:
    tree = html.document_fromstring(text)
    for element in tree.iter():
        where = path, html.tostring(element)[:300]
        if element.tag == "script":
            assert element.get("src", "").startswith("/desk/static/desk.js"), where
            assert not element.text, where
        assert element.tag not in {"b2", "iframe", "object", "embed", "base"}, where
        assert not [name for name in element.attrib if name.startswith("on") or name == "style"], where
        for name in ("href", "action", "src"):
            assert re.match(rf"(/|#|https?://|data:,|({APPS}):|$)", element.get(name, "")), where
    assert "alert(2)" not in "".join(element.get("src", "") for element in tree.iter("img"))
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", re.sub(r'value="[^"]*"', "", text)), path
