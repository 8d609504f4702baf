"""OPML: what we write is strict and the same every time; what we read may be anything that exists."""

from __future__ import annotations

from pathlib import Path

import feedparser
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from msgspec.structs import replace

from aggregator.fetchers import opml as reader
from aggregator.generator import opml
from aggregator.model.subscription import Subscription
from aggregator.publish import make_cover
from tests.support import sample_feed as made

HERE = Path(__file__).parent


def test_bytes_are_the_golden_ones() -> None:
    other = replace(made.feed(0, 3), channel=made.channel("https://feeds.example.org/b", name="b", title='A & "B" <c>'))
    body = opml.render([make_cover(made.feed()), make_cover(other)])
    assert (HERE / "data" / "opml_feeds.opml").read_bytes() == body
    assert opml.render([make_cover(other), make_cover(made.feed())]) == body


def test_no_feeds_give_an_empty_list() -> None:
    body = opml.render([])
    assert etree.fromstring(body).find("body") is not None
    assert reader.read(body) == ()


def test_what_is_written_is_read_back() -> None:
    body = opml.render([make_cover(made.feed())])
    assert reader.read(body) == (
        Subscription(
            "Quiet Machines", "https://feeds.example.org/quiet-machines/podcast.xml", "https://quiet-machines.example"
        ),
    )


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1), st.uuids()), max_size=5))
def test_any_title_is_well_formed_and_survives(rows: list[tuple[str, object]]) -> None:
    outlines = [Subscription(title, f"https://a.example/{token}?x=1&y=2") for title, token in rows]
    body = opml.write("all", outlines)
    root = etree.fromstring(body)
    assert [each.get("xmlUrl") for each in root.iter("outline")] == [each.xml_url for each in outlines]
    again = reader.read(body)
    assert [each.xml_url for each in again] == [each.xml_url for each in outlines]
    assert opml.write("all", again) == opml.write("all", reader.read(opml.write("all", again)))


def test_another_reader_understands_ours() -> None:
    assert not feedparser.parse(opml.render([make_cover(made.feed())])).bozo
