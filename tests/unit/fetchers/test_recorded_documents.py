"""Every real document of the fixtures is read, as many items as the manifest counts, or refused in one clear line."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from aggregator.errors import ReadError
from aggregator.fetchers import parse
from aggregator.model.source import Document, Source
from tests.support.paths import FIXTURES

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not FIXTURES.is_dir(), reason="../shared is not there")]

KINDS = {
    "feeds": "feed", "excerpts": "feed", "conformance": "feed", "itunes": "apple", "apple_pages": "apple",
    "simplecast_api": "simplecast", "jsonfeed": "jsonfeed",
}  # fmt: skip
REFERENCE = {
    "blog_categories_pytorch_feed.xml": ("blog", 16),
    "blog_categories_pytorch_index.html": ("blog", 10),
    "ezyang_category_pytorch_wordpress_era.txt": ("blog", 5),
    "pod_casts_io_topic_page2.txt": ("listing", 5),
    "simplecast_feed_head.xml.txt": ("simplecast", "the feed breaks off before its first item"),
}
COUNTED = re.compile(r"(?:items|episodes) (\d+)")
# Where our count is not the manifest's (feedparser's), and why.
OTHERWISE = {
    "conformance/feedparser__enc_encoding_attribute_crash_2.xml": (None, "the item is a picture without words"),
    "conformance/feedparser__ill_aaa_illformed.xml": (None, "unclosed, without an item"),
    "conformance/feedparser__ill_geo_georss_point_no_coords.xml": (None, "the item says where, and nothing else"),
    "conformance/feedparser__ill_geo_gml_point.xml": (None, "the item says where, and nothing else"),
    "conformance/feedparser__ill_rss_incomplete_cdata.xml": (None, "the item is empty"),
    "conformance/feedparser__ill_undeclared_namespace.xml": (None, "not well-formed and without an item"),
    "conformance/podcastparser__data_itunes_categories.rss": (None, "not well-formed and without an item"),
    "feeds/broken/feed-rs__rss_2.0_invalid_1.xml": (None, "cut off before the first item ends"),
    "feeds/broken/kagi__osm-pl.xml": (7, "the last item breaks off"),
    "feeds/other_encoding/miniflux__no_encoding_ISO-8859-1.xml": (9, "one item is empty"),
    "feeds/podcast/kagi__72d1083fa3130282.xml": (62, "two items stand twice"),
    "feeds/rss/nodefp__illegally-nested.xml": (10, "ten items are the inner ones, and empty"),
    "feeds/rss/rustrss__rss092.xml": (21, "one item stands twice"),
}


def documents() -> list[tuple[str, str]]:
    """Path and notes of every fixture of a kind that can be read."""
    if not FIXTURES.is_dir():
        return []
    with (FIXTURES / "MANIFEST.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        (row["path"], row["notes"] or "")
        for row in rows
        if row["path"].partition("/")[0] in KINDS and not row["path"].endswith((".yml", ".headers.json"))
    ]


def count(kind: str, path: Path) -> int | str:
    """How many items the document has, or why it cannot be read."""
    body = path.read_bytes()
    if body.startswith(b"HTTP/"):
        body = re.split(rb"\r?\n\r?\n", body, maxsplit=1)[1]
    try:
        listing = parse.read(Document(Source("x", kind), f"https://example.org/{path.name}", body))
    except ReadError as error:
        return str(error)
    return len(listing.entries)


@pytest.mark.parametrize(("path", "notes"), documents(), ids=lambda value: value if "/" in value else "")
def test_fixture(path: str, notes: str) -> None:
    found = count(KINDS[path.partition("/")[0]], FIXTURES / path)
    counted = COUNTED.search(notes)
    expected = OTHERWISE[path][0] if path in OTHERWISE else int(counted[1]) if counted else found
    if expected is None or isinstance(found, str):
        assert expected is None or path.endswith(("toppodcasts.json",)), found
        assert isinstance(found, str)
        assert found.startswith("x: ")
    else:
        assert found == expected


@pytest.mark.parametrize("name", REFERENCE)
def test_reference_show(name: str) -> None:
    kind, expected = REFERENCE[name]
    found = count(kind, FIXTURES / "reference_show" / name)
    assert found == expected if isinstance(expected, int) else expected in str(found)


def test_a_lookup_gives_ids_audio_and_length() -> None:
    body = (FIXTURES / "itunes" / "lookup_1535809341_2024-11_edited.json").read_bytes()
    listing = parse.read(Document(Source("a", "apple"), "x", body))
    assert all(entry.ids and entry.enclosure and entry.duration for entry in listing.entries)
    assert listing.show.feed_url == "https://jbpod.libsyn.com/applepodcast"


def test_every_podcast_element_is_kept() -> None:
    body = (FIXTURES / "feeds" / "podcast" / "pins__example.xml").read_bytes()
    listing = parse.read(Document(Source("x", "feed"), "https://example.org/", body))
    names = {tag.name for entry in listing.entries for tag in entry.tags} | {tag.name for tag in listing.show.tags}
    said = {f"podcast:{name.decode()}" for name in re.findall(rb"<podcast:(\w+)", body)}
    inner = {child.name for entry in listing.entries for tag in entry.tags for child in tag.children}
    inner |= {child.name for tag in listing.show.tags for child in tag.children}
    assert said - names - inner <= {"podcast:remoteItem", "podcast:valueTimeSplit", "podcast:source"}
