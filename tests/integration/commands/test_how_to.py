"""Each how-to page is followed: its configs are written, its commands are run, and what it shows is what they print.

`https://NAME.example` in a page is the path `/NAME` of a server on loopback. A line of shown output may leave out
parts by `…`. Sources are polled again at once, for which a person would wait an hour.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.origin import Request, Site, serving
from tests.support.paths import ROOT
from tests.support.program import run_program
from tests.support.rss import Episode, make_rss
from tests.support.servers import running_postgresql
from tests.support.workspace import format_time

PAGES = ROOT / "docs/how-to"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
HOST = re.compile(r"https://([\w-]+)\.example(?=[/\"'\s]|$)", re.MULTILINE)
SUBJECTS = ("Lighthouses", "Harbour pilots", "Rope", "Fog signals", "The ice road", "Knots", "Tide tables", "Salvage")


@dataclass(kw_only=True)
class Guide(Site):
    """The server of a page's addresses, and the folder in which its commands run."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    replaced: dict[str, str] = field(default_factory=dict)
    bodies: list[tuple[str, bytes]] = field(default_factory=list)

    def play(self, request: Request) -> bytes:
        if request.method == "POST":
            self.bodies.append((request.path, request.body))
            self.pages.setdefault(request.path, (204, "text/plain", b""))
        return super().play(request)

    def follow(self, name: str) -> Iterator[str]:
        """Run the blocks of a page; give each command once it ran, so that a test can change what is served."""
        said = ""
        for kind, text in BLOCK.findall((PAGES / name).read_text(encoding="utf-8")):
            if kind == "yaml":
                config = "allow_networks: [127.0.0.0/8]\n" + self.localise(text)
                (self.folder / "config.yaml").write_text(config, encoding="utf-8")
            elif kind == "sh":
                for line in text.strip().splitlines():
                    said = self.run(self.localise(line.partition(" # ")[0]))
                    yield line
            elif not kind:
                missing = [line for line in text.splitlines() if not re.search(self.pattern(line), said)]
                assert missing == [], said

    def localise(self, text: str) -> str:
        for old, new in self.replaced.items():
            text = text.replace(old, new)
        return HOST.sub(lambda found: f"{self.base}/{found[1]}", text)

    def pattern(self, line: str) -> str:
        parts = (re.escape(part.strip()) for part in self.localise(line).split("…"))
        return ".*".join(re.sub(r"(\\ )+", r"\\s+", part) for part in parts)

    def run(self, line: str) -> str:
        words = shlex.split(line)
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self.environment[name] = value
        elif words[0] == "cd":
            self.folder /= words[1]
        elif words[0] in {"mkdir", "cp"}:
            subprocess.run(words, cwd=self.folder, check=True)
        elif words[0] == "aggregator":
            force = ["--force"] if words[1] in {"refresh", "diff"} else []
            done = run_program(self.folder, *words[1:], *force, environment=self.environment)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            return done.stdout + done.stderr
        else:
            assert words[:2] == ["pip", "install"], line  # what it installs is there
        return ""

    def read_items(self, feed: str) -> dict[str, dict[str, Any]]:
        """Return the published items of a feed, by title."""
        (path,) = (self.folder / "output").glob(f"{feed}/feed.json")
        return {each["title"]: each for each in json.loads(path.read_bytes())["items"]}


@pytest.fixture
def guide(tmp_path: Path) -> Iterator[Guide]:
    with serving(Guide(folder=tmp_path)) as opened:
        yield opened


def make_episodes(numbers: range, guid: str, extension: str = "mp3") -> list[Episode]:
    """Return episodes of the show of all pages, newest first: one a week, each half an hour long."""
    return [
        Episode(
            guid=f"{guid}-{number}",
            title=SUBJECTS[number],
            at=datetime(2026, 8, 5, 6, tzinfo=UTC) + timedelta(weeks=number),
            text=f"What {SUBJECTS[number].lower()} meant to people at the sea, part {number} of a series on the coast.",
            audio=f"https://media.{guid}.example/{number}.{extension}",
            seconds=1800 + 7 * number,
        )
        for number in reversed(numbers)
    ]


def test_every_page_is_followed() -> None:
    followed = set(re.findall(r'follow\("(.+?)"', Path(__file__).read_text(encoding="utf-8")))
    assert followed == {path.name for path in PAGES.glob("*.md")} - {"trouble.md"}


def test_each_message_of_the_trouble_page_is_one_of_the_program() -> None:
    said = set()
    for path in (ROOT / "aggregator").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                said.add("".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                said.add(node.value)
    page = (PAGES / "trouble.md").read_text(encoding="utf-8")
    shown = [each.split("…") for each in re.findall(r"^\| `(.+?)`", page, re.MULTILINE)]
    patterns = [".*".join(re.escape(part) for part in parts) for parts in shown]
    assert len(patterns) > 20
    assert [each for each in patterns if not any(re.search(each, text) for text in said)] == []


def test_a_show_that_moved(guide: Guide) -> None:
    guide.serve("/old-host/feed", make_rss(*make_episodes(range(6), "old")))
    guide.serve("/new-host/feed", make_rss(*make_episodes(range(3, 7), "new")))
    before: dict[str, dict[str, Any]] = {}
    for line in guide.follow("moved.md"):
        if line == "aggregator refresh":
            items = guide.read_items("sea-room")
            assert before.items() <= {title: item["id"] for title, item in items.items()}.items()
            before = {title: item["id"] for title, item in items.items()}
        if line.startswith("aggregator remove"):
            guide.serve("/old-host/feed", "gone", status=410)
    assert list(before) == [each.title for each in make_episodes(range(7), "old")]
    assert guide.read_items("sea-room")["Knots"]["attachments"][0]["url"] == "https://media.new.example/5.mp3"


def test_a_free_and_a_premium_feed(guide: Guide) -> None:
    guide.serve("/host/free", make_rss(*make_episodes(range(4), "free")))
    guide.serve("/host/feed?token=token-of-the-host", make_rss(*make_episodes(range(5), "members")))
    for _ in guide.follow("premium.md"):
        pass
    free, premium = guide.read_items("talk"), guide.read_items("talk-plus-choose-one-of-your-own")
    assert premium.keys() - free.keys() == {"The ice road"}
    assert all(item["id"] == premium[title]["id"] for title, item in free.items())
    bodies = [path.read_bytes() for path in guide.folder.rglob("output/talk/*.xml")]
    assert not any(secret in body for body in bodies for secret in (b"media.members", b"token-of-the-host"))


def test_video_beside_audio(guide: Guide) -> None:
    guide.serve("/host/audio", make_rss(*make_episodes(range(5), "audio")))
    video = make_rss(*make_episodes(range(5), "video", "mp4"))
    guide.serve("/host/video", video.replace("audio/mpeg", "video/mp4"))
    for _ in guide.follow("video.md"):
        pass
    types = [
        [each["mime_type"] for each in guide.read_items(feed)["Rope"]["attachments"]] for feed in ("talk", "talk-video")
    ]
    assert types == [["audio/mpeg", "video/mp4"], ["video/mp4"]]


def test_a_json_api(guide: Guide) -> None:
    rows = [
        {
            "id": each.guid,
            "attributes": {"title": each.title, "aired": each.at.isoformat() if each.at else "", "notes": each.text},
            "media": [{"url": each.audio, "seconds": each.seconds}],
        }
        for each in make_episodes(range(6), "radio")
    ]
    more = guide.url("/api/shows/7/episodes?page=2")
    pages = {"": {"data": rows[:4], "links": {"next": more}}, "?page=2": {"data": rows[4:], "links": {}}}
    for query, page in pages.items():
        guide.serve(f"/api/shows/7/episodes{query}", json.dumps(page), kind="application/json")
    (guide.folder / "config.yaml").write_text("allow_networks: [127.0.0.0/8]\nfeeds: {}\n", encoding="utf-8")
    for _ in guide.follow("json-api.md"):
        pass
    items = guide.read_items("radio")
    assert [item["attachments"][0]["duration_in_seconds"] for item in items.values()][-1] == 1800
    assert len(items) == 6


def test_a_blog_and_its_podcast(guide: Guide) -> None:
    guide.serve("/host/feed", make_rss(*make_episodes(range(5), "host")))
    posts = [
        Episode(f"https://blog.example/{n}", title, datetime(2026, 8, 6 + 7 * n, tzinfo=UTC), "How it was made. " * 9)
        for n, title in enumerate(("A new microphone", "Thanks to our listeners", "Where we go next"))
    ]
    guide.serve("/blog/feed", make_rss(*reversed(posts)))
    for line in guide.follow("blog.md"):
        if line == "aggregator refresh":
            notes = Episode(
                "https://blog.example/notes", "Rope", datetime(2026, 8, 19, 9, tzinfo=UTC), "Links: " + "a knot, " * 20
            )
            marked = notes.to_xml().replace("</item>", "<category>Podcast</category></item>")
            guide.serve("/blog/feed", make_rss(marked, *reversed(posts)))
    assert [title for title, item in guide.read_items("talk").items() if "attachments" in item] == [
        each.title for each in make_episodes(range(5), "host")
    ]


def test_backups_and_a_restore_drill(guide: Guide) -> None:
    guide.serve("/host/feed", make_rss(*make_episodes(range(5), "host")))
    real = guide.folder
    for _ in guide.follow("backups.md"):
        pass
    assert guide.folder == real / "drill"
    assert (real / "drill/output/talk/feed.xml").read_bytes() == (real / "output/talk/feed.xml").read_bytes()


def test_from_sqlite_to_postgresql(guide: Guide) -> None:
    guide.serve("/host/feed", make_rss(*make_episodes(range(5), "host")))
    with running_postgresql("-F") as server:
        guide.replaced["postgresql://aggregator@db.example/aggregator"] = server.make_database("moved")
        for _ in guide.follow("postgresql.md"):
            pass
    assert len(guide.read_items("talk")) == 5


def test_notifications(guide: Guide) -> None:
    guide.serve("/host/feed", make_rss(*make_episodes(range(5), "host")))
    guide.replaced["ntfys://ntfy.sh"] = guide.url().replace("http", "json")
    for _ in guide.follow("notifications.md"):
        pass
    assert sorted(path for path, _ in guide.bodies) == ["/automation/hooks/talk", "/talk"]
    guide.serve("/host/feed", make_rss(*make_episodes(range(6), "host")))
    guide.run("aggregator refresh")
    assert sorted(path for path, _ in guide.bodies[2:]) == ["/automation/hooks/talk", "/talk"]
    guide.serve("/host/feed", "broken", status=500)
    for hours in (2, 4):
        later = datetime.now(UTC) + timedelta(hours=hours)
        run_program(guide.folder, "refresh", "--force", "--at", format_time(later), environment=guide.environment)
    assert [path for path, _ in guide.bodies[4:]] == ["/my-trouble"]
