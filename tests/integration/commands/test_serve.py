from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.hub import running_hub
from tests.support.origin import Site, serving
from tests.support.paths import ROOT
from tests.support.program import PROGRAM, run_program
from tests.support.rss import make_rss
from tests.support.waiting import wait_for
from tests.support.workspace import make_item


@contextmanager
def started(shop: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"}
    child = subprocess.Popen(
        (*PROGRAM, *words),
        cwd=shop,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def fetched(url: str, *, seconds: float = 180) -> bytes:
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - our own server
                return answer.read()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_refreshes_serves_and_ends_in_order(shop: Path, number: signal.Signals, free_port: int) -> None:
    left = shop / ".config.yaml.draft-abc"  # by a server that was killed
    left.touch()
    with started(shop, "serve", "--metrics", "--port", str(free_port)) as child:
        feed = json.loads(fetched(f"http://127.0.0.1:{free_port}/crumb-talk/feed.json"))
        assert len(feed["items"]) == 4
        assert not left.exists()
        assert b'aggregator_http_requests_total{kind="json",status="200"} 1.0' in fetched(
            f"http://127.0.0.1:{free_port}/metrics"
        )
        child.send_signal(number)
        said, _ = child.communicate(timeout=180)
    assert child.returncode == 0
    lines = said.splitlines()
    assert lines[0] == f"serving {shop / 'output'} at http://127.0.0.1:{free_port}/"
    assert any("4 new" in line for line in lines)
    assert "Traceback" not in said


def test_serve_starts_where_there_is_no_config(tmp_path: Path, free_port: int) -> None:
    with started(tmp_path, "serve", "--port", str(free_port)) as child:
        for path in ("/desk/", "/"):
            assert b"Paste the address of your show" in fetched(f"http://127.0.0.1:{free_port}{path}")
        child.send_signal(signal.SIGTERM)
        said, _ = child.communicate(timeout=180)
    assert child.returncode == 0
    assert said.splitlines()[0].startswith("config.yaml: made, without feeds yet: ")
    assert "feeds: {}" in (tmp_path / "config.yaml").read_text()


def test_serve_makes_no_config_under_a_name_that_was_given(run, tmp_path: Path) -> None:
    answer = run("serve", "--config", "mistyped.yaml")
    assert answer.returncode == 2
    assert "mistyped.yaml: cannot be read" in answer.stderr
    assert list(tmp_path.iterdir()) == []


def test_serve_without_refresh_asks_nobody(run, shop: Path, free_port: int) -> None:
    run("refresh", "--at", "2026-01-02T03:04:05Z")
    (shop / ".aggregator/store.db").unlink()
    with started(shop, "serve", "--no-refresh", "--port", str(free_port)):
        assert b"Crumb Talk" in fetched(f"http://127.0.0.1:{free_port}/crumb-talk/")
    assert not (shop / ".aggregator/store.db").exists()


def test_a_wrong_config_does_not_start_a_server(run, shop: Path) -> None:
    (shop / "config.yaml").write_text("feeds: []\n")
    answer = run("serve")
    assert answer.returncode == 2
    assert answer.stderr == "aggregator: config.yaml:1: feeds: must be a mapping of names to values, not a list\n"


def test_worker_refreshes_and_ends_in_order(shop: Path) -> None:
    with started(shop, "worker") as child:
        end = time.monotonic() + 180
        while not (shop / "output/feeds.opml").exists() and time.monotonic() < end:
            time.sleep(0.2)
        child.send_signal(signal.SIGTERM)
        said, _ = child.communicate(timeout=180)
    assert child.returncode == 0
    assert "4 new" in said


def test_a_port_in_use_is_said_before_anything_is_served(shop: Path, free_port: int) -> None:
    with socket.create_server(("127.0.0.1", free_port)), started(shop, "serve", "--port", str(free_port)) as child:
        said, _ = child.communicate(timeout=180)
    assert child.returncode == 2
    assert said == (
        f"aggregator: cannot serve at 127.0.0.1 port {free_port}: another program uses it; "
        "give another with --host and --port\n"
    )


def test_a_password_is_hashed_from_a_pipe(run) -> None:
    hashed = run("serve", "--hash-password", stdin="s3cret\n")
    assert (hashed.returncode, hashed.stderr) == (0, "")
    assert hashed.stdout.startswith("scrypt")
    assert "s3cret" not in hashed.stdout
    none = run("serve", "--hash-password")
    assert (none.returncode, none.stdout) == (2, "")
    assert "type it in a terminal, or pipe it in as one line" in none.stderr


def test_the_recipe_for_hubs_subscribes_and_says_so(tmp_path: Path, free_port: int) -> None:
    docs = (ROOT / "docs" / "fetching.md").read_text("utf-8").partition("### Hubs")[2]
    recipe = docs.partition("```yaml\n")[2].partition("```")[0]
    with serving(Site()) as site, running_hub() as hub:
        links = f'<atom:link rel="hub" href="{hub.address}"/><atom:link rel="self" href="{site.url("/feed")}"/>'
        start = f'<channel xmlns:atom="http://www.w3.org/2005/Atom">{links}'
        site.serve("/feed", make_rss(make_item(1)).replace("<channel>", start))
        recipe = recipe.replace("https://feeds.example", f"http://127.0.0.1:{free_port}")
        recipe = recipe.replace("https://host.example/feed", site.url("/feed"))
        (tmp_path / "config.yaml").write_text(f"allow_networks: [127.0.0.0/8]\n{recipe}", "utf-8")
        with started(tmp_path, "serve", "--port", str(free_port)):
            wait_for(lambda: hub.subscriptions)
            assert hub.distribute(site.url("/feed"), b"news") == 202
            page = fetched(f"http://127.0.0.1:{free_port}/desk/feeds/talk/sources/host")
            assert hub.address.encode() in page
            assert b"last told of news" in page
        assert "a hub has told of news (WebSub)" in run_program(tmp_path, "check").stdout
