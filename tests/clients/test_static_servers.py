"""The nginx and Caddy files of docs/deploy, run as they are: the rules of serving hold behind them too."""

from __future__ import annotations

import gzip
import os
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from aggregator.generator import files
from tests.support.paths import ROOT
from tests.support.web import Answer, ask

DEPLOY = ROOT / "docs" / "deploy"
PRIVATE = "premium-limpet-T0ken-abcdefgh"
FEED = b'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel/></rss>\n' * 50
MAIN = """
daemon off; worker_processes 1; pid {home}/nginx.pid; error_log {home}/error.log; events {{ worker_connections 64; }}
http {{
  access_log off; client_body_temp_path {home}/b; proxy_temp_path {home}/p; fastcgi_temp_path {home}/f;
  uwsgi_temp_path {home}/u; scgi_temp_path {home}/s;
  include {home}/site.conf;
}}
"""


class Site(NamedTuple):
    """A server that is running: its port and the folder it serves."""

    port: int
    folder: Path

    def ask(self, path: str, method: str = "GET", **headers: str) -> Answer:
        return ask(self.port, path, method, **headers)


def nginx(program: str, home: Path, folder: Path, port: int) -> list[str]:
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    site = site.replace("/srv/aggregator/output;", f"{folder};").replace("listen 80;", f"listen 127.0.0.1:{port};")
    (home / "site.conf").write_text(site, encoding="utf-8")
    (home / "main.conf").write_text(MAIN.format(home=home), encoding="utf-8")
    return [program, "-e", f"{home}/error.log", "-c", f"{home}/main.conf"]


def caddy(program: str, home: Path, folder: Path, port: int) -> list[str]:
    site = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    site = site.replace("root * /srv/aggregator/output", f"root * {folder}")
    (home / "Caddyfile").write_text(
        site.replace("\nhttp://feeds.example.org {", f"\nhttp://:{port} {{"), encoding="utf-8"
    )
    return [program, "run", "--adapter", "caddyfile", "--config", str(home / "Caddyfile")]


SERVERS = {"nginx": nginx, "caddy": caddy}


def publish(home: Path) -> Path:
    """Write the folder that is served, with what must not be reached in it and beside it."""
    folder = home / "output"
    content = {
        name: FEED + name.encode() for name in ("podcast.xml", "feed.atom", "feed.json", "report.json", "index.html")
    }
    files.publish(folder / "show", content, compress=True)
    files.publish(
        folder, {"index.html": b"<!doctype html><title>Feeds</title>", "feeds.opml": b"<opml/>"}, compress=True
    )
    files.publish(folder / PRIVATE, content, compress=True)
    (home / "secret.xml").write_bytes(b"<secret/>")
    (folder / ".store.xml").write_bytes(b"<secret/>")
    (folder / "show" / "feed.xml.part").write_bytes(b"<secret/>")
    (folder / "show" / "~feed.xml").write_bytes(b"<secret/>")
    (folder / "out.xml").symlink_to(home / "secret.xml")
    return folder


@pytest.fixture(scope="module", params=list(SERVERS))
def site(request: pytest.FixtureRequest, program: Callable[[str], str], ports: Callable[[], int]) -> Iterator[Site]:
    path, port = program(request.param), ports()
    with tempfile.TemporaryDirectory(prefix=f"{request.param}-") as name:
        home = Path(name)
        # nginx's worker is another user where the tests are root's, and must be able to reach the folder. Each run of
        # pytest that begins closes those of all runs.
        home.chmod(0o755)
        folder = publish(home)
        environment = {**os.environ, "HOME": name, "XDG_DATA_HOME": name, "XDG_CONFIG_HOME": name}
        command = SERVERS[request.param](path, home, folder, port)
        with (
            (home / "log").open("wb") as log,
            subprocess.Popen(command, stderr=log, stdout=log, env=environment) as server,
        ):
            try:
                wait(port, server)
                yield Site(port, folder)
                server.terminate()
                server.wait(180)
            finally:
                server.kill()


def wait(port: int, server: subprocess.Popen[bytes]) -> None:
    """Until the server answers, at most 180 s."""
    end = time.monotonic() + 180
    while server.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 60).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"{server.args!r} did not start")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/show/podcast.xml", "application/rss+xml; charset=utf-8"),
        ("/show/feed.atom", "application/atom+xml; charset=utf-8"),
        ("/show/feed.json", "application/feed+json; charset=utf-8"),
        ("/show/report.json", "application/json; charset=utf-8"),
        ("/show/index.html", "text/html; charset=utf-8"),
        ("/feeds.opml", "text/x-opml; charset=utf-8"),
    ],
)
def test_each_file_has_its_media_type(site: Site, path: str, expected: str) -> None:
    assert site.ask(path).headers["content-type"].lower() == expected


def test_the_packed_form_is_served_with_its_own_tag(site: Site) -> None:
    plain, packed = site.ask("/show/podcast.xml"), site.ask("/show/podcast.xml", accept_encoding="gzip")
    assert plain.body == FEED + b"podcast.xml"
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert gzip.decompress(packed.body) == plain.body
    assert plain.headers["etag"] != packed.headers["etag"]
    assert re.fullmatch(r'"[^"]+"', packed.headers["etag"])
    assert {plain.headers["vary"], packed.headers["vary"]} == {"Accept-Encoding"}


def test_what_is_known_is_not_sent_again(site: Site) -> None:
    for coding in ("gzip", "identity"):
        first = site.ask("/show/podcast.xml", accept_encoding=coding)
        again = site.ask("/show/podcast.xml", accept_encoding=coding, if_none_match=f'"x", {first.headers["etag"]}')
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        since = site.ask("/show/podcast.xml", accept_encoding=coding, if_modified_since=first.headers["last-modified"])
        assert since.status == 304
        both = {"if_none_match": '"x"', "if_modified_since": first.headers["last-modified"]}
        assert site.ask("/show/podcast.xml", accept_encoding=coding, **both).status == 200


def test_head_is_get_without_the_body(site: Site) -> None:
    get, head = site.ask("/show/podcast.xml"), site.ask("/show/podcast.xml", "HEAD")
    assert head.body == b""
    assert {**head.headers, "date": ""} == {**get.headers, "date": ""}


def test_the_headers_that_readers_and_browsers_need(site: Site) -> None:
    feed, page = site.ask("/show/podcast.xml").headers, site.ask("/show/").headers
    assert feed["cache-control"] == page["cache-control"] == "public, max-age=300"
    assert feed["x-content-type-options"] == page["x-content-type-options"] == "nosniff"
    assert feed["access-control-allow-origin"] == "*"
    assert feed["content-security-policy"].startswith("default-src 'none'")
    assert page["content-security-policy"].startswith("object-src 'none'")
    assert "set-cookie" not in feed
    assert site.ask("/show/podcast.xml", "OPTIONS").status == 204
    assert site.ask("/show/podcast.xml", "POST").status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/.store.xml",
        "/show/feed.xml.part",
        "/show/~feed.xml",
        "/show/podcast.xml.gz",
        "/show/podcast.xml.br",
        "/%2e%2e/secret.xml",
        "/show/..%2f..%2fsecret.xml",
        "/nowhere.xml",
        "/nowhere/",
    ],
)
def test_nothing_but_what_is_published_can_be_reached(site: Site, path: str) -> None:
    answer = site.ask(path)
    assert answer.status in (400, 404)
    assert b"secret" not in answer.body


def test_nginx_follows_no_link_out_of_the_folder(site: Site) -> None:
    answer = site.ask("/out.xml")
    if answer.headers.get("server", "").startswith("nginx"):
        assert answer.status == 404
        assert b"secret" not in answer.body


def test_a_folder_without_its_slash_is_sent_there(site: Site) -> None:
    answer = site.ask("/show")
    assert answer.status in (301, 302, 307, 308)
    assert answer.headers["location"].endswith("/show/")


def test_a_new_version_of_equal_size_in_the_same_second_is_seen(site: Site) -> None:
    files.publish(site.folder / "quick", {"feed.xml": b"<a>1</a>" * 99}, compress=True)
    first = site.ask("/quick/feed.xml")
    files.publish(site.folder / "quick", {"feed.xml": b"<a>2</a>" * 99}, compress=True)
    second = site.ask("/quick/feed.xml", if_none_match=first.headers["etag"])
    assert (second.status, second.body) == (200, b"<a>2</a>" * 99)


@pytest.mark.parametrize("name", ["podcast.xml", "report.json", "index.html", ""])
def test_a_private_feed_is_for_no_search_engine_and_no_shared_cache(site: Site, name: str) -> None:
    for folder, control, robots in (("show", "public", None), (PRIVATE, "private", "noindex")):
        headers = site.ask(f"/{folder}/{name}").headers
        assert headers["cache-control"] == f"{control}, max-age=300"
        assert headers.get("x-robots-tag") == robots
