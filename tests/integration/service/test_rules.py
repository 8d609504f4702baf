"""Each rule of serving feeds to a client that asks properly, against a real server on loopback."""

from __future__ import annotations

import gzip
import hashlib
import time
from email.utils import formatdate, parsedate_to_datetime
from pathlib import Path

import pytest

from aggregator.generator.storage.names import PRIVATE_MARK
from aggregator.service import web
from tests.support.web import THEN, Ask, Publish, Serving


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
def test_each_file_has_its_media_type(port: int, path: str, expected: str, ask: Ask) -> None:
    answer = ask(port, path)
    assert answer.status == 200
    assert answer.headers["content-type"] == expected


def test_the_body_is_the_file(port: int, output: Path, ask: Ask) -> None:
    answer = ask(port, "/show/feed.xml")
    assert answer.body == (output / "show" / "feed.xml").read_bytes()
    assert answer.headers["content-length"] == str(len(answer.body))


def test_a_file_of_any_size_is_found(port: int, output: Path, ask: Ask) -> None:
    content = b"<rss>" + bytes(70_000_000)
    (output / "show" / "podcast.xml").write_bytes(content)
    answer = ask(port, "/show/podcast.xml", accept_encoding="identity")
    assert answer.status == 200
    assert answer.headers["content-length"] == str(len(content))
    assert answer.headers["etag"] == f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    assert hashlib.sha256(answer.body).digest() == hashlib.sha256(content).digest()
    assert ask(port, "/show/podcast.xml", if_none_match=answer.headers["etag"]).status == 304


def test_the_tag_is_strong_and_of_the_content(port: int, ask: Ask) -> None:
    answer = ask(port, "/show/feed.xml")
    assert answer.headers["etag"] == f'"{hashlib.sha256(answer.body).hexdigest()[:32]}"'


def test_the_tag_has_a_suffix_for_each_encoding(port: int, ask: Ask) -> None:
    plain, packed = (ask(port, "/show/feed.xml", accept_encoding=each) for each in ("identity", "gzip"))
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.headers["etag"] == plain.headers["etag"][:-1] + '-gzip"'
    assert gzip.decompress(packed.body) == plain.body


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("gzip, deflate, br, zstd", "gzip"),
        ("gzip, deflate", "gzip"),
        ("GZIP", "gzip"),
        ("x-gzip", "gzip"),
        ("br, gzip;q=0.8", "gzip"),
        ("gzip;q=0, br;q=0", None),
        ("gzip;q=0, *", None),
        ("identity, gzip;q=0.5", None),
        ("gzip;q=0.5, identity;q=0.1", "gzip"),
        ("zstd", None),
        ("*", "gzip"),
        ("identity;q=0, zstd", None),
        ("gzip;q=nonsense", None),
        ("", None),
    ],
)
def test_the_encoding_is_one_that_the_client_takes(port: int, accepted: str, expected: str | None, ask: Ask) -> None:
    answer = ask(port, "/show/feed.xml", accept_encoding=accepted)
    assert answer.status == 200
    assert answer.headers.get("content-encoding") == expected


def test_vary_names_accept_encoding_on_every_answer(port: int, ask: Ask) -> None:
    tag = ask(port, "/show/feed.xml").headers["etag"]
    for headers in ({}, {"accept_encoding": "gzip"}, {"if_none_match": tag}):
        assert ask(port, "/show/feed.xml", **headers).headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', '"a,b",  W/{} ,"c"', "*", ' {} , "x"', '"x",{}'])
def test_if_none_match_takes_lists_weak_tags_and_the_star(port: int, form: str, ask: Ask) -> None:
    first = ask(port, "/show/feed.xml", accept_encoding="gzip")
    answer = ask(port, "/show/feed.xml", accept_encoding="gzip", if_none_match=form.format(first.headers["etag"]))
    assert answer.status == 304
    assert answer.body == b""
    for name in ("etag", "cache-control", "vary", "last-modified", "access-control-allow-origin"):
        assert answer.headers[name] == first.headers[name], name
    assert "date" in answer.headers


@pytest.mark.parametrize("tag", ['"other"', "", "{bare}", '"{bare}', 'w/"{bare}"', '"*"', '"{bare}x"'])
def test_another_tag_gets_the_file(port: int, tag: str, ask: Ask) -> None:
    bare = ask(port, "/show/feed.xml").headers["etag"].strip('"')
    assert ask(port, "/show/feed.xml", if_none_match=tag.replace("{bare}", bare)).status == 200


def test_a_tag_of_another_encoding_does_not_match(port: int, ask: Ask) -> None:
    packed = ask(port, "/show/feed.xml", accept_encoding="gzip").headers["etag"]
    assert ask(port, "/show/feed.xml", if_none_match=packed).status == 200


def test_last_modified_is_when_the_content_changed(port: int, ask: Ask) -> None:
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
        ("Tue, 14 Nov 2023 22:13:20 +9999", 200),
        ("Tue, 14 Nov 2023 22:13:20 -99999999999999999999", 200),
        ("Fri, 31 Dec 9999 23:59:59 -2359", 200),
        ("Sat, 01 Jan 0001 00:00:00 +2359", 200),
    ],
)
def test_if_modified_since_in_every_form_of_date(port: int, since: str, status: int, ask: Ask) -> None:
    assert ask(port, "/show/feed.xml", if_modified_since=since).status == status


def test_if_none_match_beats_if_modified_since(port: int, ask: Ask) -> None:
    tag = ask(port, "/show/feed.xml").headers["etag"]
    late, early = formatdate(THEN + 9, usegmt=True), formatdate(THEN - 9, usegmt=True)
    assert ask(port, "/show/feed.xml", if_none_match='"other"', if_modified_since=late).status == 200
    assert ask(port, "/show/feed.xml", if_none_match=tag, if_modified_since=early).status == 304


@pytest.mark.parametrize("headers", [{}, {"accept_encoding": "gzip"}, {"if_none_match": "*"}])
@pytest.mark.parametrize("path", ["/show/feed.xml", "/", "/show/", "/nowhere.xml", "/show"])
def test_head_is_get_without_the_body(port: int, path: str, headers: dict[str, str], ask: Ask) -> None:
    get, head = ask(port, path, "GET", **headers), ask(port, path, "HEAD", **headers)
    assert head.status == get.status
    assert head.body == b""
    assert {**head.headers, "date": ""} == {**get.headers, "date": ""}


def test_the_cache_may_keep_it_for_five_minutes(port: int, ask: Ask) -> None:
    assert ask(port, "/show/feed.xml").headers["cache-control"] == "public, max-age=300"


@pytest.mark.parametrize("name", ["podcast.xml", "index.html", ""])
def test_a_private_feed_is_for_no_search_engine_and_no_shared_cache(port: int, ask: Ask, name: str) -> None:
    for folder, control, robots in (("show", "public", None), ("plus-T0ken", "private", "noindex")):
        answer = ask(port, f"/{folder}/{name}")
        again = ask(port, f"/{folder}/{name}", if_none_match=answer.headers["etag"])
        assert (answer.status, again.status) == (200, 304)
        for headers in (answer.headers, again.headers):
            assert headers["cache-control"] == f"{control}, max-age=300"
            assert headers.get("x-robots-tag") == robots


def test_what_leads_to_a_private_feed_and_one_without_its_page_yet_are_private_too(
    tmp_path: Path, serving: Serving, ask: Ask, publish: Publish
) -> None:
    publish(tmp_path / "plus-T0ken", "podcast.xml", b"<rss/>")
    with serving(web.app(tmp_path)) as port:
        first = ask(port, "/plus-T0ken/podcast.xml")
        publish(tmp_path / "plus-T0ken", "index.html", PRIVATE_MARK.encode())
        lead = ask(port, "/plus-T0ken")
    assert (first.status, lead.status) == (200, 308)
    for answer in (first, lead):
        assert answer.headers["cache-control"] == "private, max-age=300"
        assert answer.headers["x-robots-tag"] == "noindex"


def test_no_cookies_no_server_name_nosniff(port: int, ask: Ask) -> None:
    for path in ("/", "/show/feed.xml", "/show/index.html", "/nowhere"):
        answer = ask(port, path, cookie="a=b")
        assert "set-cookie" not in answer.headers
        assert "server" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert len(answer.raw) == len({name for name, _ in answer.raw})


def test_feeds_are_open_to_players_in_browsers(port: int, ask: Ask) -> None:
    assert ask(port, "/show/feed.json", origin="https://player.example").headers["access-control-allow-origin"] == "*"
    asked = ask(
        port, "/show/feed.json", "OPTIONS", origin="https://player.example", access_control_request_method="GET"
    )
    assert asked.status == 204
    assert "If-None-Match" in asked.headers["access-control-allow-headers"]
    assert "access-control-allow-origin" not in ask(port, "/show/index.html").headers


def test_a_feed_may_load_nothing_but_its_stylesheet(port: int, ask: Ask) -> None:
    policy = ask(port, "/show/feed.xml").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self';")
    assert "frame-ancestors 'none'" in ask(port, "/show/index.html").headers["content-security-policy"]


def test_the_date_is_the_clocks(port: int, ask: Ask) -> None:
    before = time.time()
    said = parsedate_to_datetime(ask(port, "/show/feed.xml").headers["date"])
    assert before - 60 < said.timestamp() <= time.time(), "what the server said last may be a little old"


def test_a_feed_with_a_hub_says_so_in_the_header_too(
    tmp_path: Path, serving: Serving, ask: Ask, publish: Publish
) -> None:
    head = b"<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel>"
    own = b'<atom:link rel="self" type="application/rss+xml" href="https://a.example/feed.xml?a=1&amp;b=2"/>'
    publish(tmp_path, "hub.xml", head + own + b'<atom:link rel="hub" href="https://hub.example/"/></channel></rss>')
    publish(tmp_path, "plain.xml", head + own + b"</channel></rss>")
    publish(
        tmp_path, "odd.xml", head + b'<atom:link rel="hub" href="https://hub.example/&#10;X:&gt;"/></channel></rss>'
    )
    with serving(web.app(tmp_path)) as port:
        expected = '<https://a.example/feed.xml?a=1&b=2>; rel="self", <https://hub.example/>; rel="hub"'
        assert ask(port, "/hub.xml").headers["link"] == expected
        assert "link" not in ask(port, "/plain.xml").headers
        assert "link" not in ask(port, "/odd.xml").headers


def test_without_an_output_nothing_is_served_but_the_server_is_well(serving: Serving, ask: Ask) -> None:
    with serving(web.app(None)) as port:
        assert [ask(port, path).status for path in ("/healthz", "/", "/show/feed.xml")] == [200, 404, 404]


def publish_in(folder: Path, publish: Publish, *names: str) -> None:
    """Publish a page in English and in these languages."""
    editions = {"en": "index.html", **{name: f"index.{name}.html" for name in names}}
    links = "".join(f'<link rel="alternate" hreflang="{each}" href="{name}">' for each, name in editions.items())
    for language, name in editions.items():
        publish(folder, name, f'<!doctype html>\n<html lang="{language}">\n<head>{links}'.encode())


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("ja;q=0.2, de;q=0.8", "de"),
        ("ko, en;q=0.5, de;q=0.4", "en"),
        ("de;q=0, ja", "ja"),
        ("ko", "en"),
        ("*", "en"),
        ("", "en"),
        ("de;q=nonsense", "en"),
    ],
)
def test_a_folder_answers_in_the_language_of_its_visitor(
    tmp_path: Path, serving: Serving, publish: Publish, ask: Ask, accepted: str, language: str
) -> None:
    publish_in(tmp_path / "show", publish, "de", "ja")
    with serving(web.app(tmp_path)) as port:
        answer = ask(port, "/show/", accept_language=accepted, accept_encoding="identity")
        name = "index.html" if language == "en" else f"index.{language}.html"
        assert answer.body == (tmp_path / "show" / name).read_bytes()
        headers = answer.headers
        assert (headers["content-language"], headers["content-location"]) == (language, name)
        assert headers["vary"] == "Accept-Encoding, Accept-Language"


def test_caches_keep_the_languages_of_a_folder_apart(
    tmp_path: Path, serving: Serving, publish: Publish, ask: Ask
) -> None:
    publish_in(tmp_path / "show", publish, "de")
    with serving(web.app(tmp_path)) as port:
        english, german = (ask(port, "/show/", accept_language=each) for each in ("en", "de"))
        assert english.headers["etag"] != german.headers["etag"]
        assert "last-modified" not in german.headers
        again = ask(port, "/show/", accept_language="de", if_none_match=german.headers["etag"])
        assert (again.status, again.headers["vary"]) == (304, "Accept-Encoding, Accept-Language")
        other = ask(port, "/show/", accept_language="de", if_none_match=english.headers["etag"])
        assert other.status == 200
        since = formatdate(time.time(), usegmt=True)
        assert ask(port, "/show/", accept_language="de", if_modified_since=since).status == 200


def test_a_page_that_is_named_is_the_one_that_is_sent(
    tmp_path: Path, serving: Serving, publish: Publish, ask: Ask
) -> None:
    publish_in(tmp_path / "show", publish, "de")
    with serving(web.app(tmp_path)) as port:
        for name, language in (("index.html", "en"), ("index.de.html", "de")):
            answer = ask(port, f"/show/{name}", accept_language="de, en;q=0.5" if language == "en" else "en")
            assert (answer.headers["content-language"], answer.headers["vary"]) == (language, "Accept-Encoding")
        (tmp_path / "show" / "index.de.html").unlink()  # as between the renames of a publication
        assert ask(port, "/show/", accept_language="de").headers["content-language"] == "en"


def test_what_is_not_there_is_said_in_the_language_of_the_visitor(port: int, ask: Ask) -> None:
    answer = ask(port, "/nothing", accept_language="ja, en;q=0.1")
    assert (answer.status, answer.body.decode()) == (404, "ここにはありません\n")
    assert (answer.headers["content-language"], answer.headers["vary"]) == ("ja", "Accept-Language")
