"""What can be reached, by which method, and what is said of the rest; against a real server on loopback."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from aggregator.service import web
from tests.support.web import Ask, Serving


def test_a_folder_answers_with_its_page(port: int, output: Path, ask: Ask) -> None:
    assert ask(port, "/").body == (output / "index.html").read_bytes()
    assert ask(port, "/show/").body == (output / "show" / "index.html").read_bytes()
    moved = ask(port, "/show")
    assert moved.status == 308
    assert moved.headers["location"] == "show/"


def test_a_folder_of_any_name_leads_to_its_page(tmp_path: Path, serving: Serving, ask: Ask) -> None:
    (tmp_path / "本:1").mkdir()
    (tmp_path / "本:1" / "index.html").write_text("<!doctype html>")
    with serving(web.app(tmp_path)) as port:
        moved = ask(port, "/%E6%9C%AC%3A1")
    assert (moved.status, moved.headers["location"]) == (308, "%E6%9C%AC%3A1/")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.xml",
        "/show/../../secret.xml",
        "/%2e%2e/secret.xml",
        "/show/%2e%2e/%2e%2e/secret.xml",
        "/..%2fsecret.xml",
        "/..%5csecret.xml",
        "/%252e%252e/secret.xml",
        "//secret.xml",
        "//etc/passwd",
        "/.store.xml",
        "/.git/a.xml",
        "/.git/",
        "/show/.feed.xml.0123456789abcdef.part",
        "/show/feed.xml.part",
        "/show/feed.xml.gz",
        "/show/feed.xml.br",
        "/notes.txt",
        "/out.xml",
        "/way/secret.xml",
        "/hidden.xml",
        "/pipe.xml",
        "/show/feed.xml/",
        "/show/feed.xml%00",
        "/show/feed.xml%00.html",
        "/show//feed.xml",
        "/./show/feed.xml",
        "/SHOW/feed.xml",
        "/" + "a" * 5000 + ".xml",
        "/%ff%fe.xml",
        "/nowhere.xml",
        "//evil.example/",
    ],
)
def test_nothing_but_what_is_published_can_be_reached(port: int, path: str, ask: Ask) -> None:
    answer = ask(port, path)
    assert answer.status == 404
    assert b"secret" not in answer.body
    assert answer.body == b"not here\n"


def test_a_query_changes_nothing(port: int, ask: Ask) -> None:
    assert ask(port, "/show/feed.xml?utm=1").headers["etag"] == ask(port, "/show/feed.xml").headers["etag"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE"])
def test_other_methods_are_refused_with_what_is_allowed(port: int, method: str, ask: Ask) -> None:
    answer = ask(port, "/show/feed.xml", method)
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


def test_a_missing_feed_is_never_told_to_be_gone_or_forbidden(port: int, ask: Ask) -> None:
    answer = ask(port, "/later/podcast.xml")
    assert answer.status == 404
    assert answer.headers["cache-control"] == "public, max-age=60"


def test_health_says_whether_the_folder_is_there(port: int, tmp_path: Path, serving: Serving, ask: Ask) -> None:
    answer = ask(port, "/healthz")
    assert (answer.status, answer.body, answer.headers["cache-control"]) == (200, b"ok\n", "no-store")
    with serving(web.app(tmp_path / "none")) as other:
        assert ask(other, "/healthz").status == 503


@pytest.mark.parametrize(("minutes", "status"), [(14, 200), (119, 200), (120, 503), (9000, 503)])
def test_health_says_for_how_long_a_feed_is_overdue(
    output: Path, serving: Serving, ask: Ask, minutes: int, status: int
) -> None:
    with serving(web.app(output, find_overdue=lambda _: ("plus", timedelta(minutes=minutes)))) as port:
        answer = ask(port, "/healthz")
    line = f"the oldest overdue feed has been due for {minutes} min\n"
    assert (answer.status, answer.body.decode()) == (status, f"ok\n{line}" if status == 200 else line)


def test_overload_is_503_with_when_to_come_back(output: Path, serving: Serving, ask: Ask) -> None:
    with serving(web.app(output, most=0)) as busy:
        answer = ask(busy, "/show/feed.xml")
        assert answer.status == 503
        assert answer.headers["retry-after"] == "30"
        assert ask(busy, "/healthz").status == 200
