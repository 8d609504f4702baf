"""A moved feed keeps its subscribers: dated real copies of shows, replayed one after the other at one address."""

import csv
import html
import json
import re
import shutil
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aggregator.config.load import load
from tests.support.composing import refresh_here
from tests.support.config import make_feed, write_config
from tests.support.paths import FIXTURES

SNAPSHOTS = FIXTURES / "snapshots"
START = datetime(2027, 1, 1, tzinfo=UTC)
GUID = re.compile(r"<guid[^>]*>(.*?)</guid>", re.DOTALL)
TAGS = re.compile(r"<!\[CDATA\[|\]\]>")
PART = re.compile(r" p\d$| \(Part \d\)$")
HOSTS = {
    "Podbean, Anchor, Simplecast": [
        f"critical-role/feed-{day}"
        for day in ("2020-07-12", "2020-08-04", "2021-09-07", "2022-10-11", "2024-01-30", "2026-07-14")
    ],
    "Libsyn, Podbean, Megaphone": [
        *("nerdist/feed-2020-07-12", "nerdist/feed-2023-04-17", "geek-and-sundry/feed-2023-04-13"),
        *("geek-and-sundry/feed-2023-10-25", "nerdist/feed-2024-01-18", "geek-and-sundry/feed-2025-01-04"),
    ],
    "Libsyn, then Megaphone with the guids of Podbean": [
        f"nerdist/feed-{day}" for day in ("2020-07-12", "2023-04-17", "2024-01-18")
    ],
}

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not SNAPSHOTS.is_dir(), reason="../shared does not stand beside the project"),
]


class Address:
    """One address of a feed: what stands there, and what was published after each of its copies."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.turn = 0
        write_config(folder, {"show": make_feed("Show", {"host": "feed.xml"})})

    def serve(self, copy: Path) -> list[dict[str, object]]:
        """The report's items after as many refreshes as it takes to believe anything."""
        shutil.copy(copy, self.folder / "feed.xml")
        for _ in range(3):
            self.turn += 1
            refresh_here(load(self.folder / "config.yaml"), at=START + timedelta(days=self.turn), force=True)
        return json.loads((self.folder / "output" / "show" / "report.json").read_text("utf-8"))["items"]


def labels() -> dict[tuple[str, str], str]:
    """Which episode an item of a copy truly is, part marks off; without labels that one copy gives twice."""
    with (FIXTURES / "labels" / "critrole_labels.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    found = {(row["source"], row["guid"]): PART.sub("", row["label"]) for row in rows if row["label"]}
    often = Counter((source, label) for (source, _), label in found.items())
    twice = {label for (_, label), times in often.items() if times > 1}
    return {key: label for key, label in found.items() if label not in twice}


def listed_in(copy: Path) -> set[str]:
    """The guids of a copy's items."""
    return {html.unescape(TAGS.sub("", found)) for found in GUID.findall(copy.read_text("utf-8"))}


@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=pytest.mark.heavy) for name in list(HOSTS)[:-1]), list(HOSTS)[-1]]
)
def test_no_guid_is_lost_no_episode_doubled_none_missing(name, tmp_path) -> None:
    address, truth = Address(tmp_path), labels()
    published: dict[str, object] = {}
    meant: dict[str, set[str]] = defaultdict(set)
    for copy in HOSTS[name]:
        items = address.serve(SNAPSHOTS / "critrole" / f"{copy}.xml")
        guids = {item["guid"]: item["published"] for item in items}
        assert published.items() <= guids.items(), "a published guid is gone, or its date moved"
        published = guids
        now = listed_in(SNAPSHOTS / "critrole" / f"{copy}.xml")
        owners = Counter(item["guid"] for item in items for one in now if f"host/{one}" in item["entries"])
        assert owners == dict.fromkeys(owners, 1), "two entries of one copy were made one"
        assert len(owners) == len(now), "an entry of the copy is missing"
        listed = {entry.removeprefix("host/") for item in items for entry in item["entries"]}
        for (source, guid), label in truth.items():
            if source == copy and guid in listed:
                meant[guid].add(label)
    homes: dict[str, set[str]] = defaultdict(set)
    for item in items:
        inside = {label for entry in item["entries"] for label in meant[entry.removeprefix("host/")]}
        assert len(inside) <= 1, "two episodes were made one"
        for label in inside:
            homes[label].add(item["guid"])
    assert {label: where for label, where in homes.items() if len(where) > 1} == {}
    assert homes.keys() == {label for (source, _), label in truth.items() if source in HOSTS[name]}


def test_a_feed_that_only_grows_and_renumbers_keeps_its_items(tmp_path) -> None:
    address = Address(tmp_path)
    seen: set[str] = set()
    for copy in sorted((SNAPSHOTS / "kaigai").glob("*_rss.xml")):
        guids = {item["guid"] for item in address.serve(copy)}
        assert seen <= guids
        seen = guids
    assert len(seen) == 43


@pytest.mark.parametrize("kind", ["feed", "jsonfeed"])
def test_a_host_that_writes_its_feed_in_another_format_goes_on(project, origin, episode, rss, kind: str) -> None:
    """RSS one day and a JSON Feed the next, at one address: new items were never read."""

    def write(count: int, *, as_json: bool) -> str:
        listed = [episode(turn) for turn in reversed(range(count))]
        items = [
            {
                "id": each.guid,
                "title": each.title,
                "content_text": each.text,
                "date_published": each.at.isoformat(),
                "attachments": [{"url": each.audio, "mime_type": "audio/mpeg", "duration_in_seconds": each.seconds}],
            }
            for each in listed
        ]
        version = "https://jsonfeed.org/version/1.1"
        return json.dumps({"items": items, "title": "Sea Room", "version": version}) if as_json else rss(*listed)

    project.sources = {"host": origin.source("/feed", kind)}
    for count, as_json in ((4, kind == "jsonfeed"), (5, kind == "feed"), (6, kind == "jsonfeed")):
        origin.serve("/feed", write(count, as_json=as_json), kind="text/plain")
        outcome = project.refresh()
        assert [each.status for each in outcome.source_results] == ["ok"]
        assert {item["id"] for item in project.items()} == {f"host-{turn}" for turn in range(count)}
