"""A private feed: its token, and secrets of its sources and of the desk, are in no page, no JSON and no line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import requests

from aggregator.service.desk.access import hash_password
from aggregator.service.desk.app import PAGES
from tests.integration.service.desk.conftest import Visitor, opened
from tests.integration.service.desk.test_pages import wait
from tests.support.origin import Site, serving
from tests.support.program import run_program
from tests.support.rss import make_rss
from tests.support.workspace import make_item

TOKEN, KEY, LOGIN, HEADER, NEW = "t0kent0kent0kent0ken", "k3yk3yk3y", "s3cr3t", "h3ad3rh3ad3r", "n3wn3wn3w"
API = "4pit0ken-4pit0ken"
RIGHT = "open sesame"


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Visitor, list[str]]]:
    """A desk over a private feed with a login, a header and a key; and what must be seen nowhere."""
    monkeypatch.setitem(os.environ, "FEED_KEY", KEY)
    hashed = hash_password(RIGHT)
    with serving(Site()) as site:
        site.serve("/feed.xml", make_rss(*(make_item(each) for each in range(4))))
        host = site.url("").removeprefix("http://")
        sources = (
            f"      host: {{kind: feed, url: 'http://ann:{LOGIN}@{host}/feed.xml', headers: {{X-Key: {HEADER}}}}}\n"
            f"      keyed: {{kind: feed, url: 'http://{host}/feed.xml?key=${{FEED_KEY}}', trust: 0.5}}\n"
        )
        head = f"allow_networks: [127.0.0.0/8]\ndesk: {{password: '{hashed}'}}\napi: {{token: {API}}}\nfeeds:\n"
        config = f"{head}  talk:\n    title: Talk\n    token: {TOKEN}\n    sources:\n{sources}"
        (tmp_path / "config.yaml").write_text(config)
        done = run_program(tmp_path, "refresh", "--at", "2026-01-02T03:04:05Z")
        assert done.returncode == 0, done.stderr
        site.serve("/feed.xml", make_rss(*(make_item(each) for each in range(5))))
        with opened(tmp_path) as visitor:
            visitor.get("/")
            visitor.press("Enter", password=RIGHT)
            yield visitor, [TOKEN, KEY, LOGIN, HEADER, NEW, hashed, API]


def test_no_secret_is_in_any_page(private: tuple[Visitor, list[str]]) -> None:
    visitor, secrets = private
    seen: list[tuple[str, str]] = []
    press(visitor, seen, "/feeds/talk/changes", "Compare")
    press(visitor, seen, "/feeds/talk/sources/host/settings", "Preview", trust="0.2")
    press(visitor, seen, "/feeds/talk/sources/keyed", "Poll now")
    press(visitor, seen, "/feeds/talk", "Validate")
    visitor.get("/feeds/talk/sources/host")
    seen.append(("look", visitor.press("Look at the document").text))
    guid = visitor.json("/feeds/talk.json")["items"][0]["guid"]
    for page in PAGES:
        for ending in ("", ".json"):
            path = page.path.format(feed="talk", source="host", number=1) + ending
            seen.append((path, visitor.get(f"{path}?guid={quote(guid)}").text))
        asked = "".join(f"&{name}={quote(guid)}" for name in page.needs)
        path = f"/api{page.path}?{asked}".format(feed="talk", source="host", number=1)
        headers = {"authorization": f"Bearer {API}"}
        seen.append((path, requests.get(visitor.url + path, headers=headers, timeout=60).text))
    config = Path(visitor.desk.config.path)
    config.write_text(config.read_text().replace("title: Talk", "titel: Talk"))
    seen += [(path, visitor.get(path).text) for path in ("/", "/system", "/system.json")]
    source = f"      new:\n        kind: feed\n        headers:\n          X-Key: {NEW}\n        trst: 1\n"
    text = config.read_text().replace("titel: Talk", "title: Talk")
    config.write_text(text.replace("    sources:\n", f"    sources:\n{source}"))
    assert "trst" in visitor.get("/system").text
    seen += [(path, visitor.get(path).text) for path in ("/", "/system", "/system.json")]
    assert [(path, secret) for path, text in seen for secret in secrets if secret in text] == []
    assert "Talk" in dict(seen)["/feeds/talk"]


def press(visitor: Visitor, seen: list[tuple[str, str]], path: str, label: str, **typed: str) -> None:
    visitor.get(path)
    visitor.press(label, **typed)
    job = visitor.page.url.removeprefix(f"{visitor.url}/desk")
    wait(visitor, f"{job}.json")
    page = visitor.json(f"{job}.json")
    assert page["code"] in (0, 1), page
    seen += [(job, visitor.get(job).text), (label, visitor.get(page["then"].removeprefix("/desk") or "/").text)]
