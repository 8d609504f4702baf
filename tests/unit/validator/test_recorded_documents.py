"""The validator on recorded feeds: it never fails itself, and finds no failure where no specification is broken.

How many of each folder have no failure was counted once by hand, finding by finding; a rule that begins to see failures
in blogs' feeds, because a directory of podcasts would, shows here.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from aggregator.validator.document import read
from aggregator.validator.examine import examine
from tests.support.paths import FIXTURES

NOW = datetime(2026, 11, 21, tzinfo=UTC)

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not FIXTURES.is_dir(), reason="../shared does not stand beside the project"),
]


def documents(*folders: str) -> list[bytes]:
    return [
        path.read_bytes() for folder in folders for path in sorted((FIXTURES / folder).rglob("*")) if path.is_file()
    ]


def test_no_document_breaks_it_and_every_line_is_one_of_the_document_s() -> None:
    found = documents("feeds", "conformance", "excerpts", "opml", "jsonfeed", "pages", "itunes", "reference_show")
    assert len(found) > 300
    for raw in found:
        lines = [finding.line for finding in examine(raw, NOW)[1]]
        assert all(line is None or 1 <= line <= raw.count(b"\n") + 1 for line in lines)


@pytest.mark.parametrize(
    ("folder", "kind", "failing"),
    [
        # Enclosures without type and length, an item of nothing, entities said twice, and RSS 0.92 with audio.
        ("feeds/rss", "rss", 4),
        # No updated, ids that are no addresses, "hidden" for a mail address, text elsewhere without a summary.
        ("feeds/atom", "atom", 8),
    ],
)
def test_a_feed_that_is_no_podcast_fails_by_its_own_specification_alone(folder: str, kind: str, failing: int) -> None:
    told = [examine(raw, NOW) for raw in documents(folder)]
    assert {one[0] for one in told} == {kind}
    broken = [one for one in told if any(finding.severity == "M" for finding in one[1])]
    assert len(broken) <= failing


def test_every_recorded_podcast_is_taken_for_one() -> None:
    assert all(read(raw, NOW).podcast for raw in documents("feeds/podcast"))
    assert sum(read(raw, NOW).podcast for raw in documents("feeds/rss", "feeds/atom")) <= 1
