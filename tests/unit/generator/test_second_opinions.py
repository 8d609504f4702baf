"""What other people's programs see in our feeds, compared with what was meant.

A parser that accepts a feed proves little: each one's items, ids, titles, dates, enclosures and podcast elements are
held against the items that went in. The three of npm live in tests/support/node (``npm ci`` there installs them).
"""

from __future__ import annotations

import calendar
import html
import io
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import feedparser
import podcastparser
import pytest

from aggregator.generator import feed_files
from aggregator.generator.content import feed_item
from aggregator.generator.content.feed_item import FeedItem
from aggregator.generator.content.prepared import prepare
from aggregator.model.feed import Feed
from aggregator.validator.examine import examine
from tests.support.tools import NODE, need, need_npm_parsers

# partytime's XML parser makes numbers and booleans of such titles, and then finds no text: its defect, told here.
UNTITLED = {"12", "0", "true"}


@pytest.fixture(scope="session")
def parsers() -> Path:
    """The program that asks the three parsers of npm."""
    return need_npm_parsers()


@pytest.fixture(scope="module")
def published(feed: Feed, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[FeedItem], Path]:
    """The leaves of podcast.xml, and the folder with all files."""
    folder = tmp_path_factory.mktemp("published")
    for name, body in dict(feed_files.render_files(prepare(feed))).items():
        (folder / name).write_bytes(body)
    return [said for said in map(feed_item.make_feed_item, feed.items) if said.playable], folder


@pytest.fixture(scope="module")
def opinions(published: tuple[list[FeedItem], Path], parsers: Path) -> dict[str, Any]:
    """What each of the three sees in each file."""
    files = [published[1] / name for name in ("podcast.xml", "feed.xml", "feed.atom", "feed.json")]
    return dict(json.loads(subprocess.run(["node", parsers, *files], capture_output=True, check=True).stdout))


def words(value: object) -> str:
    """The words of a text, however a parser treats entities, markup's white space and line ends."""
    return " ".join(html.unescape(html.unescape(str(value or ""))).split())


def test_our_own_rules_find_no_failure(published: tuple[list[FeedItem], Path]) -> None:
    for path in [*sorted(published[1].glob("feed.*")), published[1] / "podcast.xml"]:
        _, found = examine(path.read_bytes(), datetime(2100, 1, 1, tzinfo=UTC))
        assert [one for one in found if one.severity == "M"] == []


def test_xmllint(published: tuple[list[FeedItem], Path]) -> None:
    need("xmllint")
    files = [published[1] / name for name in ("podcast.xml", "feed.xml", "feed.atom")]
    run = subprocess.run(["xmllint", "--noout", "--nonet", *files], capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")


def test_feedparser(published: tuple[list[FeedItem], Path]) -> None:
    leaves, folder = published
    seen = feedparser.parse(io.BytesIO((folder / "podcast.xml").read_bytes()))
    assert seen.bozo == 0
    assert [said.guid for said in leaves] == [entry.id for entry in seen.entries]
    assert [media_of(said) for said in leaves] == [
        (entry.enclosures[0].href, int(entry.enclosures[0].length), entry.enclosures[0].type) for entry in seen.entries
    ]
    assert [said.published and calendar.timegm(said.published.timetuple()) for said in leaves] == [
        calendar.timegm(entry.published_parsed) for entry in seen.entries
    ]


def test_podcastparser(published: tuple[list[FeedItem], Path]) -> None:
    leaves, folder = published
    seen = podcastparser.parse("https://x.example/", io.BytesIO((folder / "podcast.xml").read_bytes()))["episodes"]
    by_guid = {episode["guid"]: episode for episode in seen}
    assert {said.guid for said in leaves} == set(by_guid)
    for said in leaves:
        episode = by_guid[said.guid]
        assert said.published is not None
        assert int(said.published.timestamp()) == episode["published"]
        assert (said.duration or 0) == episode["total_time"]
        assert media_of(said)[0] == episode["enclosures"][0]["url"]


def test_partytime(published: tuple[list[FeedItem], Path], opinions: dict[str, Any]) -> None:
    leaves, _ = published
    seen = opinions["podcast.xml"]["partytime"]
    assert "error" not in seen
    assert [said.guid for said in leaves] == [item["guid"] for item in seen["items"]]
    for said, item in zip(leaves, seen["items"], strict=True):
        assert media_of(said) == tuple(item["enclosure"][key] for key in ("url", "length", "type"))
        assert said.published == datetime.fromisoformat(item["pubDate"])
        assert (said.duration or 0) == item["duration"]
        assert (said.season, said.episode) == (item.get("itunesSeason"), item.get("itunesEpisode"))
        assert words("" if said.title in UNTITLED else said.title) == words(item.get("title"))
        kinds = [tag.name for tag in leaf_tags(said)]
        assert kinds.count("podcast:transcript") == len(item.get("podcastTranscripts", []))
        assert kinds.count("podcast:soundbite") == len(item.get("podcastSoundbites", []))
        assert kinds.count("podcast:alternateEnclosure") == len(item.get("alternativeEnclosures", []))


def test_feedsmith(published: tuple[list[FeedItem], Path], opinions: dict[str, Any]) -> None:
    leaves, _ = published
    seen = opinions["podcast.xml"]["feedsmith"]
    assert seen["format"] == "rss"
    for said, item in zip(leaves, seen["feed"]["items"], strict=True):
        assert said.guid == item["guid"]["value"]
        assert media_of(said) == tuple(item["enclosures"][0][key] for key in ("url", "length", "type"))
        assert words(said.title) == words(item["title"])
        assert said.duration == item["itunes"].get("duration")


def test_feedsmith_on_every_format(feed: Feed, opinions: dict[str, Any]) -> None:
    titles = [words(feed_item.make_feed_item(item).title) for item in feed.items]
    for name, kind in (("feed.xml", "rss"), ("feed.atom", "atom"), ("feed.json", "json")):
        seen = opinions[name]["feedsmith"]
        assert seen["format"] == kind
        assert titles == [
            words(text_of(item["title"])) for item in seen["feed"].get("entries") or seen["feed"]["items"]
        ]


def test_rss_parser(published: tuple[list[FeedItem], Path], opinions: dict[str, Any]) -> None:
    leaves, _ = published
    seen = opinions["podcast.xml"]["rssParser"]
    for said, item in zip(leaves, seen["items"], strict=True):
        assert said.guid == item["guid"]
        assert words(said.title) == words(item["title"])
        assert media_of(said) == (item["enclosure"]["url"], int(item["enclosure"]["length"]), item["enclosure"]["type"])
        assert said.published == datetime.fromisoformat(item["isoDate"])


def text_of(title: Any) -> Any:
    """Atom's titles may be objects that say their type."""
    return title["value"] if isinstance(title, dict) else title


def media_of(said: FeedItem) -> tuple[str, int, str]:
    assert said.media is not None
    return said.media.url, said.media.length, said.media.type


def leaf_tags(said: FeedItem) -> list[Any]:
    """The elements of the item that are sound, as they were meant."""
    return [tag for tag in said.tags if all(value for _, value in tag.attributes)]


def test_the_lockfile_names_no_private_host() -> None:
    locked = json.loads((NODE / "package-lock.json").read_text("utf-8"))
    hosts = {package["resolved"].split("/")[2] for package in locked["packages"].values() if "resolved" in package}
    assert hosts <= {"registry.npmjs.org"}
    assert all("integrity" in package for name, package in locked["packages"].items() if name)
