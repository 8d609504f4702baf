"""Dated real copies of feeds, replayed one after the other at one address: hosts, guids, dates and lengths change."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator.fetchers import parse
from aggregator.merger.matching.match import match
from aggregator.merger.repair.repair import repair
from aggregator.model.cluster import Matching
from aggregator.model.entry import Entry, Span
from aggregator.model.source import Document, Source
from tests.support.paths import FIXTURES

SNAPSHOTS = FIXTURES / "snapshots"
CRITROLE = "critrole/{}.xml"

_PART = re.compile(r" p\d$| \(Part \d\)$")

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not SNAPSHOTS.is_dir(), reason="../shared is not beside the project"),
]

MOVES = {
    "Podbean, Anchor, Simplecast": [
        f"critical-role/feed-{day}" for day in ("2020-07-12", "2020-08-04", "2021-09-07", "2022-10-11", "2024-01-30")
    ],
    "Libsyn, Podbean, Megaphone": [
        *("nerdist/feed-2020-07-12", "nerdist/feed-2023-04-17", "geek-and-sundry/feed-2023-04-13"),
        *("geek-and-sundry/feed-2023-10-25", "geek-and-sundry/feed-2025-01-04"),
    ],
}


class Address:
    """One address whose listings are remembered as the store does: by key, the latest words, first and last seen."""

    def __init__(self) -> None:
        self.known: dict[str, Entry] = {}
        self.count = 0
        self.pins: dict[str, str] = {}
        self.name = Source("host", "feed")

    def serve(self, path: Path) -> Matching:
        """The clusters after one more listing; asserts that no guid that was given ever changes."""
        self.count += 1
        document = Document(self.name, "https://example.org/feed", path.read_bytes(), "application/rss+xml")
        for entry in parse.read(document).entries:
            before = self.known.get(entry.key)
            first = self.count if before is None else before.span.first
            self.known[entry.key] = repair(replace(entry, span=Span(first, self.count)))
        found = match(list(self.known.values()), pins=self.pins)
        for cluster in found.clusters:
            given = {self.pins[one.id] for one in cluster.entries if one.id in self.pins}
            guid = min(given, default=cluster.entries[0].key)
            for one in cluster.entries:
                self.pins.setdefault(one.id, guid)
        return found


def labels() -> dict[tuple[str, str], str]:
    """The labels of the fixtures, part marks off (one item bears it here and not there).

    Without those that one listing gives to two items side by side.
    """
    with (FIXTURES / "labels" / "critrole_labels.tsv").open(encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        found = {(row["source"], row["guid"]): _PART.sub("", row["label"]) for row in rows if row["label"]}
    often = Counter((source, label) for (source, _), label in found.items())
    twice = {label for (_, label), times in often.items() if times > 1}
    return {key: label for key, label in found.items() if label not in twice}


@pytest.mark.parametrize("name", MOVES)
def test_a_moved_show_keeps_its_items(name: str) -> None:
    address, truth = Address(), labels()
    meant: dict[str, set[str]] = defaultdict(set)
    for listing in MOVES[name]:
        found = address.serve(SNAPSHOTS / CRITROLE.format(listing))
        for (source, guid), label in truth.items():
            if source == listing and guid in address.known:
                meant[guid].add(label)
    homes: dict[str, set[int]] = defaultdict(set)
    inside: dict[int, set[str]] = defaultdict(set)
    for at, cluster in enumerate(found.clusters):
        for entry in cluster.entries:
            for label in meant[entry.key]:
                homes[label].add(at)
                inside[at].add(label)
    doubled = {label: len(where) for label, where in homes.items() if len(where) > 1}
    lost = {at: sorted(names) for at, names in inside.items() if len(names) > 1}
    assert (doubled, lost) == ({}, {})


def test_a_feed_that_only_grows_keeps_its_items() -> None:
    address = Address()
    for path in sorted((SNAPSHOTS / "kaigai").glob("*_rss.xml")):
        found = address.serve(path)
    assert len(found.clusters) == len(address.known) == 43
