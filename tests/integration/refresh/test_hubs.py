"""`hubs`: after publication each is told which files changed, again if it took no notice; a preview tells nobody."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from aggregator.config.load import load
from aggregator.errors import ConfigError
from tests.support.config import make_feed, write_config
from tests.support.origin import Request, Site, answer, playing, serving
from tests.support.program import PROGRAM, run_program
from tests.support.receiver import Receiver, receiving
from tests.support.rss import make_rss
from tests.support.workspace import make_item


@dataclass(kw_only=True)
class Hub(Receiver):
    """A hub that keeps the addresses that it was told while its status was 204."""

    status: int = 204
    told: list[str] = field(default_factory=list)

    def take(self, request: Request) -> None:
        form = parse_qs(request.body.decode())
        assert (request.method, form["hub.mode"]) == ("POST", ["publish"])
        if self.status == 204:
            self.told += form["hub.url"]

    def forget(self) -> set[str]:
        taken, self.told = self.told, []
        assert len(taken) == len(set(taken)), "an address was told twice"
        return {address.removeprefix("https://feeds.example/talk/") for address in taken}


@pytest.fixture
def hub() -> Iterator[Hub]:
    with receiving(Hub()) as made:
        yield made


def configure(folder: Path, site: Site, hub: Hub, pings: Sequence[object] = ()) -> None:
    feed = make_feed("Talk", {"host": site.url("/feed")}, hubs=[hub.url("/hub")], pings=pings)
    write_config(folder, {"talk": feed}, base_url="https://feeds.example")


@pytest.fixture
def site(tmp_path: Path, hub: Hub) -> Iterator[Site]:
    with serving(Site()) as opened:
        opened.serve("/feed", make_rss(*(make_item(n) for n in range(3))))
        configure(tmp_path, opened, hub)
        yield opened


def refresh(folder: Path, hour: int, *words: str) -> str:
    done = run_program(folder, "refresh", "--force", "--at", f"2026-01-02T{hour:02}:00:00Z", *words)
    assert done.returncode == 0, done.stderr
    return done.stderr


ALL = {"feed.xml", "podcast.xml", "feed.atom", "feed.json"}


def test_each_file_that_changed_is_told_once(tmp_path: Path, site: Site, hub: Hub) -> None:
    assert refresh(tmp_path, 1) == ""
    assert hub.forget() == ALL
    refresh(tmp_path, 2)
    assert hub.forget() == set()
    site.serve("/feed", make_rss(*(make_item(n) for n in range(4))))
    assert run_program(tmp_path, "diff", "--at", "2026-01-02T03:00:00Z").returncode == 0
    assert hub.forget() == set(), "nobody is told of a preview"
    refresh(tmp_path, 3)
    assert hub.forget() == ALL


def test_a_hub_that_took_no_notice_is_told_again_for_a_day(tmp_path: Path, site: Site, hub: Hub) -> None:
    hub.status = 503
    said = refresh(tmp_path, 1)
    assert re.fullmatch(r"aggregator: \w+: hub \S+/hub was not told of 4 of its files: it answers 503\n", said)
    hub.status = 204
    assert refresh(tmp_path, 2) == ""
    assert hub.forget() == ALL
    hub.status = 503
    site.serve("/feed", make_rss(*(make_item(n) for n in range(4))))
    refresh(tmp_path, 3)
    done = run_program(tmp_path, "refresh", "--force", "--at", "2026-01-04T00:00:00Z")
    assert "it answers 503" in done.stderr
    hub.status = 204
    run_program(tmp_path, "refresh", "--force", "--at", "2026-01-04T01:00:00Z")
    assert hub.forget() == set(), "given up after a day"


def test_what_a_killed_run_has_published_is_told_by_the_next(tmp_path: Path, site: Site, hub: Hub) -> None:
    assert site.base
    hub.door.clear()
    command = [*PROGRAM, "refresh", "--at", "2026-01-02T01:00:00Z"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as run:
        assert hub.came.wait(180)
        run.kill()
    assert (tmp_path / "output/talk/podcast.xml").exists()
    hub.door.set()
    refresh(tmp_path, 2)
    assert {address.rpartition("/")[2] for address in hub.told} == ALL


def test_an_index_is_told_of_podcast_xml_with_its_token_until_it_takes_notice(
    tmp_path: Path, site: Site, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str, str | None]] = []
    status = 503

    def play(request: Request) -> bytes:
        asked.append((request.method, request.path, request.get("Authorization")))
        return answer(status, b"")

    monkeypatch.setenv("PING_TOKEN", "hush hush")
    with playing(play) as index:
        pings = [index.url("/notify"), {"url": index.url("/ping?x=1"), "token": "${PING_TOKEN}"}]
        configure(tmp_path, site, hub, pings)
        told = refresh(tmp_path, 1)
        assert told.count("was not told of 1 of its files: it answers 503") == 2
        assert "hush" not in told
        status = 200
        assert refresh(tmp_path, 2) == ""
        place = "url=https%3A%2F%2Ffeeds.example%2Ftalk%2Fpodcast.xml"
        both = [("GET", f"/notify?{place}", None), ("GET", f"/ping?x=1&{place}", "hush hush")]
        assert sorted(asked[:2]) == sorted(asked[2:]) == both
        refresh(tmp_path, 3)
        site.serve("/feed", make_rss(*(make_item(n) for n in range(4))))
        assert run_program(tmp_path, "diff", "--at", "2026-01-02T03:00:00Z").returncode == 0
        assert len(asked) == 4, "nothing changed; a preview tells nobody"
        refresh(tmp_path, 4)
        assert sorted(asked[4:]) == both
    assert len(hub.told) == 2 * len(ALL), "the hub, at the first and the last refresh"


def test_a_private_feed_is_told_to_no_index(tmp_path: Path) -> None:
    feed = make_feed("T", {"host": "https://a.example/"}, token="x" * 20, pings=["https://index.example/"])
    path = write_config(tmp_path, {"talk": feed})
    with pytest.raises(ConfigError, match="would be sent to the pings: keep one of token and pings"):
        load(path)
