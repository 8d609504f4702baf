"""Each rule of serving feeds, against a real server on loopback."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from email.utils import formatdate, parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple

import brotli
import pytest
from starlette.types import ASGIApp

from aggregator.service import web

Serving = Callable[[ASGIApp], AbstractContextManager[int]]

FEED = b'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>x</title></channel></rss>\n' * 40
# A whole second long past, so that times are told apart from the clock's.
THEN = 1_700_000_000


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes
    raw: tuple[tuple[str, str], ...]


def publish(folder: Path, name: str, body: bytes, at: int = THEN) -> None:
    """What generator.files does, as far as a server sees it."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending, packed in (("", body), (".gz", gzip.compress(body, mtime=0)), (".br", brotli.compress(body))):
        part = folder / f".{name}{ending}.part"
        part.write_bytes(packed)
        os.utime(part, (at, at))
        part.replace(folder / (name + ending))


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("served")
    folder = top / "output"
    for name in ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "report.json", "index.html"):
        publish(folder / "show", name, FEED + name.encode())
    publish(folder, "index.html", b"<!doctype html><title>Feeds</title>")
    publish(folder, "feeds.opml", b"<opml/>")
    (top / "secret.xml").write_bytes(b"<secret/>")
    (folder / ".ledger.xml").write_bytes(b"<secret/>")
    (folder / ".git").mkdir()
    (folder / ".git" / "a.xml").write_bytes(b"<secret/>")
    (folder / "show" / ".feed.xml.0123456789abcdef.part").write_bytes(b"<secret/>")
    (folder / "show" / "feed.xml.part").write_bytes(b"<secret/>")
    (folder / "notes.txt").write_bytes(b"secret")
    (folder / "out.xml").symlink_to(top / "secret.xml")
    (folder / "way").symlink_to(top)
    (folder / "hidden.xml").symlink_to(folder / ".ledger.xml")
    os.mkfifo(folder / "pipe.xml")
    return folder


@pytest.fixture(scope="module")
def port(output: Path, serving: Serving) -> Iterator[int]:
    with serving(web.app(output)) as number:
        yield number


def ask(port: int, path: str, method: str = "GET", **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        raw = tuple((name.lower(), value) for name, value in answer.getheaders())
        return Answer(answer.status, dict(raw), answer.read(), raw)
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/show/podcast.xml", "application/rss+xml; charset=utf-8"),
        ("/show/feed.xml", "application/rss+xml; charset=utf-8"),
        ("/show/feed.atom", "application/atom+xml; charset=utf-8"),
        ("/show/feed.json", "application/feed+json; charset=utf-8"),
        ("/show/report.json", "application/json; charset=utf-8"),
        ("/show/index.html", "text/html; charset=utf-8"),
        ("/feeds.opml", "text/x-opml; charset=utf-8"),
    ],
)
def test_each_file_has_its_media_type(port: int, path: str, expected: str) -> None:
    answer = ask(port, path)
    assert answer.status == 200
    assert answer.headers["content-type"] == expected


def test_the_body_is_the_file(port: int, output: Path) -> None:
    answer = ask(port, "/show/feed.xml")
    assert answer.body == (output / "show" / "feed.xml").read_bytes()
    assert answer.headers["content-length"] == str(len(answer.body))


def test_the_tag_is_strong_and_of_the_content(port: int) -> None:
    answer = ask(port, "/show/feed.xml")
    assert answer.headers["etag"] == f'"{hashlib.sha256(answer.body).hexdigest()[:32]}"'


def test_the_tag_has_a_suffix_for_each_encoding(port: int) -> None:
    plain, packed, smaller = (ask(port, "/show/feed.xml", accept_encoding=each) for each in ("identity", "gzip", "br"))
    assert packed.headers["content-encoding"] == "gzip"
    assert smaller.headers["content-encoding"] == "br"
    assert "content-encoding" not in plain.headers
    assert packed.headers["etag"] == plain.headers["etag"][:-1] + '-gzip"'
    assert smaller.headers["etag"] == plain.headers["etag"][:-1] + '-br"'
    assert gzip.decompress(packed.body) == brotli.decompress(smaller.body) == plain.body


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("GZIP", "gzip"),
        ("x-gzip", "gzip"),
        ("br;q=0.3, gzip;q=0.8", "gzip"),
        ("gzip;q=0, br;q=0", None),
        ("gzip;q=0, *", "br"),
        ("identity, gzip;q=0.5", None),
        ("gzip;q=0.5, identity;q=0.1", "gzip"),
        ("zstd", None),
        ("*", "br"),
        ("identity;q=0, zstd", None),
        ("gzip;q=nonsense", None),
        ("", None),
    ],
)
def test_the_encoding_is_one_that_the_client_takes(port: int, accepted: str, expected: str | None) -> None:
    answer = ask(port, "/show/feed.xml", accept_encoding=accepted)
    assert answer.status == 200
    assert answer.headers.get("content-encoding") == expected


def test_vary_names_accept_encoding_on_every_answer(port: int) -> None:
    tag = ask(port, "/show/feed.xml").headers["etag"]
    for headers in ({}, {"accept_encoding": "gzip"}, {"if_none_match": tag}):
        assert ask(port, "/show/feed.xml", **headers).headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', '"a,b",  W/{} ,"c"', "*", ' {} , "x"', '"x",{}'])
def test_if_none_match_takes_lists_weak_tags_and_the_star(port: int, form: str) -> None:
    first = ask(port, "/show/feed.xml", accept_encoding="gzip")
    answer = ask(port, "/show/feed.xml", accept_encoding="gzip", if_none_match=form.format(first.headers["etag"]))
    assert answer.status == 304
    assert answer.body == b""
    for name in ("etag", "cache-control", "vary", "last-modified", "access-control-allow-origin"):
        assert answer.headers[name] == first.headers[name], name
    assert "date" in answer.headers


@pytest.mark.parametrize("tag", ['"other"', "", "{bare}", '"{bare}', 'w/"{bare}"', '"*"', '"{bare}x"'])
def test_another_tag_gets_the_file(port: int, tag: str) -> None:
    bare = ask(port, "/show/feed.xml").headers["etag"].strip('"')
    assert ask(port, "/show/feed.xml", if_none_match=tag.replace("{bare}", bare)).status == 200


def test_a_tag_of_another_encoding_does_not_match(port: int) -> None:
    packed = ask(port, "/show/feed.xml", accept_encoding="gzip").headers["etag"]
    assert ask(port, "/show/feed.xml", if_none_match=packed).status == 200


def test_last_modified_is_when_the_content_changed(port: int) -> None:
    assert ask(port, "/show/feed.xml").headers["last-modified"] == formatdate(THEN, usegmt=True)


@pytest.mark.parametrize(
    ("since", "status"),
    [
        (formatdate(THEN, usegmt=True), 304),
        (formatdate(THEN + 1, usegmt=True), 304),
        (formatdate(THEN - 1, usegmt=True), 200),
        ("Tuesday, 14-Nov-23 22:13:20 GMT", 304),
        ("Tue Nov 14 22:13:20 2023", 304),
        ("Tue Nov 14 22:13:19 2023", 200),
        ("soon", 200),
        ("", 200),
        ("Tue, 99 Nov 2023 22:13:20 GMT", 200),
    ],
)
def test_if_modified_since_in_every_form_of_date(port: int, since: str, status: int) -> None:
    assert ask(port, "/show/feed.xml", if_modified_since=since).status == status


def test_if_none_match_beats_if_modified_since(port: int) -> None:
    tag = ask(port, "/show/feed.xml").headers["etag"]
    late, early = formatdate(THEN + 9, usegmt=True), formatdate(THEN - 9, usegmt=True)
    assert ask(port, "/show/feed.xml", if_none_match='"other"', if_modified_since=late).status == 200
    assert ask(port, "/show/feed.xml", if_none_match=tag, if_modified_since=early).status == 304


@pytest.mark.parametrize("headers", [{}, {"accept_encoding": "gzip"}, {"if_none_match": "*"}])
@pytest.mark.parametrize("path", ["/show/feed.xml", "/", "/show/", "/nowhere.xml", "/show"])
def test_head_is_get_without_the_body(port: int, path: str, headers: dict[str, str]) -> None:
    get, head = ask(port, path, "GET", **headers), ask(port, path, "HEAD", **headers)
    assert head.status == get.status
    assert head.body == b""
    assert {**head.headers, "date": ""} == {**get.headers, "date": ""}


def test_the_cache_may_keep_it_for_five_minutes(port: int) -> None:
    assert ask(port, "/show/feed.xml").headers["cache-control"] == "public, max-age=300"


def test_no_cookies_no_server_name_nosniff(port: int) -> None:
    for path in ("/", "/show/feed.xml", "/show/index.html", "/nowhere"):
        answer = ask(port, path, cookie="a=b")
        assert "set-cookie" not in answer.headers
        assert "server" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert len(answer.raw) == len({name for name, _ in answer.raw})


def test_feeds_are_open_to_players_in_browsers(port: int) -> None:
    assert ask(port, "/show/feed.json", origin="https://player.example").headers["access-control-allow-origin"] == "*"
    asked = ask(
        port, "/show/feed.json", "OPTIONS", origin="https://player.example", access_control_request_method="GET"
    )
    assert asked.status == 204
    assert "If-None-Match" in asked.headers["access-control-allow-headers"]
    assert "access-control-allow-origin" not in ask(port, "/show/index.html").headers


def test_a_feed_may_load_nothing_but_its_stylesheet(port: int) -> None:
    policy = ask(port, "/show/feed.xml").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self';")
    assert "frame-ancestors 'none'" in ask(port, "/show/index.html").headers["content-security-policy"]


def test_a_folder_answers_with_its_page(port: int, output: Path) -> None:
    assert ask(port, "/").body == (output / "index.html").read_bytes()
    assert ask(port, "/show/").body == (output / "show" / "index.html").read_bytes()
    moved = ask(port, "/show")
    assert moved.status == 308
    assert moved.headers["location"] == "show/"


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
        "/.ledger.xml",
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
def test_nothing_but_what_is_published_can_be_reached(port: int, path: str) -> None:
    answer = ask(port, path)
    assert answer.status == 404
    assert b"secret" not in answer.body
    assert answer.body == b"not here\n"


def test_a_query_changes_nothing(port: int) -> None:
    assert ask(port, "/show/feed.xml?utm=1").headers["etag"] == ask(port, "/show/feed.xml").headers["etag"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE"])
def test_other_methods_are_refused_with_what_is_allowed(port: int, method: str) -> None:
    answer = ask(port, "/show/feed.xml", method)
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


def test_a_missing_feed_is_never_told_to_be_gone_or_forbidden(port: int) -> None:
    answer = ask(port, "/later/podcast.xml")
    assert answer.status == 404
    assert answer.headers["cache-control"] == "public, max-age=60"


def test_health_says_whether_the_folder_is_there(port: int, tmp_path: Path, serving: Serving) -> None:
    answer = ask(port, "/healthz")
    assert (answer.status, answer.body, answer.headers["cache-control"]) == (200, b"ok\n", "no-store")
    with serving(web.app(tmp_path / "none")) as other:
        assert ask(other, "/healthz").status == 503


def test_overload_is_503_with_when_to_come_back(output: Path, serving: Serving) -> None:
    with serving(web.app(output, most=0)) as busy:
        answer = ask(busy, "/show/feed.xml")
        assert answer.status == 503
        assert answer.headers["retry-after"] == "30"
        assert ask(busy, "/healthz").status == 200


def test_a_new_version_is_seen_at_once_even_of_equal_size_and_second(tmp_path: Path, serving: Serving) -> None:
    publish(tmp_path, "feed.xml", b"<a>1</a>", THEN)
    with serving(web.app(tmp_path)) as number:
        first = ask(number, "/feed.xml", accept_encoding="gzip")
        publish(tmp_path, "feed.xml", b"<a>2</a>", THEN)
        second = ask(number, "/feed.xml", accept_encoding="gzip", if_none_match=first.headers["etag"])
        assert second.status == 200
        assert gzip.decompress(second.body) == b"<a>2</a>"


def test_the_tag_outlives_a_restart_and_a_rewrite_of_the_same_bytes(tmp_path: Path, serving: Serving) -> None:
    publish(tmp_path, "feed.xml", FEED, THEN)
    with serving(web.app(tmp_path)) as number:
        first = ask(number, "/feed.xml").headers["etag"]
    publish(tmp_path, "feed.xml", FEED, THEN + 60)
    with serving(web.app(tmp_path)) as number:
        assert ask(number, "/feed.xml", if_none_match=first).status == 304


def test_a_packed_form_of_another_version_is_not_offered(tmp_path: Path, serving: Serving) -> None:
    publish(tmp_path, "feed.xml", b"<a>old</a>", THEN)
    (tmp_path / "feed.xml").write_bytes(b"<a>new</a>")
    with serving(web.app(tmp_path)) as number:
        answer = ask(number, "/feed.xml", accept_encoding="gzip, br")
        assert (answer.headers.get("content-encoding"), answer.body) == (None, b"<a>new</a>")
        publish(tmp_path, "feed.xml", b"<a>new</a>", THEN + 60)
        assert ask(number, "/feed.xml", accept_encoding="gzip, br").headers["content-encoding"] == "br"


def test_a_file_that_left_is_not_served_from_memory(tmp_path: Path, serving: Serving) -> None:
    publish(tmp_path, "feed.xml", FEED)
    with serving(web.app(tmp_path)) as number:
        assert ask(number, "/feed.xml").status == 200
        (tmp_path / "feed.xml").unlink()
        assert ask(number, "/feed.xml").status == 404


def test_a_time_ahead_of_the_clock_is_not_said(tmp_path: Path, serving: Serving) -> None:
    publish(tmp_path, "feed.xml", FEED, int(time.time()) + 3600)
    with serving(web.app(tmp_path)) as number:
        answer = ask(number, "/feed.xml")
        assert "last-modified" not in answer.headers
        assert ask(number, "/feed.xml", if_modified_since=formatdate(time.time() + 7200, usegmt=True)).status == 200


def test_no_answer_is_half_old_and_half_new_while_publishing(tmp_path: Path, serving: Serving) -> None:
    versions = [bytes([65 + number]) * 40_000 for number in range(12)]
    publish(tmp_path, "feed.xml", versions[0], THEN)
    stop = threading.Event()

    def keep_publishing() -> None:
        for number in range(1, 200):
            if stop.is_set():
                return
            publish(tmp_path, "feed.xml", versions[number % 12], THEN + number)

    with serving(web.app(tmp_path)) as number:
        writer = threading.Thread(target=keep_publishing)
        writer.start()
        for turn in range(150):
            answer = ask(number, "/feed.xml", accept_encoding=("gzip", "br", "identity")[turn % 3])
            packed = answer.headers.get("content-encoding")
            unpack = {"gzip": gzip.decompress, "br": brotli.decompress}.get(packed or "", bytes)
            body = unpack(answer.body)
            assert body in versions
            assert answer.headers["etag"].startswith(f'"{hashlib.sha256(body).hexdigest()[:32]}')
        stop.set()
        writer.join()


def test_the_date_is_the_clocks(port: int) -> None:
    said = parsedate_to_datetime(ask(port, "/show/feed.xml").headers["date"])
    assert abs(said.timestamp() - time.time()) < 5
