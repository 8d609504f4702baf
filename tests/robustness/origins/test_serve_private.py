"""A server at work while private feeds are revoked in its config: an address of before answers 404 with the change."""

from __future__ import annotations

import signal
import urllib.error
import urllib.request
from collections.abc import Mapping

import pytest

from tests.support.config import make_feed, write_config
from tests.support.rss import make_rss
from tests.support.waiting import wait_for
from tests.support.workspace import Workspace, make_item

TOKEN, OTHER_TOKEN = "whelk-T0ken-abcdefgh", "whelk-T0ken-ijklmnop"
TICKS = 90
"""Seconds in which the server has looked at its config: it does every 30."""


def ask(port: int, path: str) -> tuple[int, Mapping[str, str]]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=60) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers
    except OSError:
        return 0, {}


def write(workspace: Workspace, output: str = "output", **tokens: str | None) -> None:
    """Write a config of feeds, each with its token or none; each has a source of its own, known by the first letter."""
    feeds = {
        name: make_feed("Tides", {"host": workspace.source(f"/{name[0]}")}, **{"token": token} if token else {})
        for name, token in tokens.items()
    }
    write_config(workspace.folder, feeds, output=output)


@pytest.mark.heavy
def test_what_is_revoked_under_a_server_is_not_found_any_more(workspace: Workspace, free_port: int) -> None:
    for name in "pqrs":
        workspace.serve(f"/{name}", make_rss(*(make_item(number) for number in range(1, 5))))
    write(workspace, show=None, plus=TOKEN, quay=TOKEN, reef=TOKEN)
    server = workspace.start("serve", "--port", str(free_port))
    for name in ("plus", "quay", "reef"):
        wait_for(lambda name=name: ask(free_port, f"{name}-{TOKEN}/podcast.xml")[0] == 200, TICKS)
        for file in ("podcast.xml", "feed.json", ""):
            status, headers = ask(free_port, f"{name}-{TOKEN}/{file}")
            assert (status, headers["X-Robots-Tag"], headers["Cache-Control"][:7]) == (200, "noindex", "private")
    assert ask(free_port, "show/podcast.xml")[1]["Cache-Control"].startswith("public")

    write(workspace, show=None, plus=OTHER_TOKEN, reeds=OTHER_TOKEN)  # another token, removed, renamed
    wait_for(lambda: ask(free_port, f"reeds-{OTHER_TOKEN}/podcast.xml")[0] == 200, TICKS)
    wait_for(lambda: ask(free_port, f"plus-{OTHER_TOKEN}/podcast.xml")[0] == 200, TICKS)
    for name in ("plus", "quay", "reef"):
        for file in ("podcast.xml", "feed.xml", "report.json", "index.html", ""):
            assert ask(free_port, f"{name}-{TOKEN}/{file}")[0] == 404
    assert ask(free_port, "show/podcast.xml")[0] == 200

    write(workspace, output="other", show=None, plus=TOKEN, reeds=OTHER_TOKEN)  # another place, where a token is new
    wait_for(lambda: ask(free_port, f"plus-{OTHER_TOKEN}/podcast.xml")[0] == 404, TICKS)
    assert ask(free_port, f"reeds-{OTHER_TOKEN}/podcast.xml")[0] == 200, "it is not revoked"
    server.send_signal(signal.SIGTERM)
    said, warned = server.communicate(timeout=180)
    assert server.returncode == 0
    assert "T0ken" not in said + warned
    assert f"output is {workspace.folder / 'other'} now; {workspace.output} is served until" in warned
    workspace.alone()
