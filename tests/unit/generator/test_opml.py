"""OPML: what we write is strict and the same every time; what we read may be anything that exists."""

from __future__ import annotations

import json
import time
from pathlib import Path

import feedparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.generator import opml
from aggregator.publish import make_cover
from tests.support import sample_feed as made
from tests.support.paths import FIXTURES

HERE = Path(__file__).parent
OPML = FIXTURES / "opml"
CASES = json.loads((HERE / "data" / "opml_read.json").read_text(encoding="utf-8"))


def test_bytes_are_the_golden_ones() -> None:
    other = replace(made.feed(0, 3), channel=made.channel("https://feeds.example.org/b", name="b", title='A & "B" <c>'))
    body = opml.render([make_cover(made.feed()), make_cover(other)])
    assert (HERE / "data" / "opml_feeds.opml").read_bytes() == body
    assert opml.render([make_cover(other), make_cover(made.feed())]) == body


def test_no_feeds_give_an_empty_list() -> None:
    body = opml.render([])
    assert etree.fromstring(body).find("body") is not None
    assert opml.read(body) == ()


def test_what_is_written_is_read_back() -> None:
    body = opml.render([make_cover(made.feed())])
    assert opml.read(body) == (
        opml.Outline(
            "Quiet Machines", "https://feeds.example.org/quiet-machines/podcast.xml", "https://quiet-machines.example"
        ),
    )


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1), st.uuids()), max_size=5))
def test_any_title_is_well_formed_and_survives(rows: list[tuple[str, object]]) -> None:
    outlines = [opml.Outline(title, f"https://a.example/{token}?x=1&y=2") for title, token in rows]
    body = opml.write("all", outlines)
    root = etree.fromstring(body)
    assert [each.get("xmlUrl") for each in root.iter("outline")] == [each.xml_url for each in outlines]
    again = opml.read(body)
    assert [each.xml_url for each in again] == [each.xml_url for each in outlines]
    assert opml.write("all", again) == opml.write("all", opml.read(opml.write("all", again)))


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_reading(case: dict[str, object]) -> None:
    expected = tuple(opml.Outline(*row) for row in case["expected"])  # type: ignore[attr-defined]  # a list of rows
    assert opml.read(str(case["document"]).encode(str(case.get("encoding", "utf-8")))) == expected


@pytest.mark.parametrize("body", [b"", b"hello", b"<html><body><p>no list</p></body></html>", b"\x00\xff\xfe"])
def test_what_is_no_list_is_refused(body: bytes) -> None:
    with pytest.raises(ReadError, match="not an OPML"):
        opml.read(body)


def test_a_list_too_large_is_refused() -> None:
    with pytest.raises(ReadError, match="larger"):
        opml.read(b"<opml>" + b" " * opml._MOST_BYTES)


def test_entities_that_a_document_declares_are_not_expanded() -> None:
    bomb = b'<!DOCTYPE opml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><opml><outline text="&b;" xmlUrl="http://a/"/></opml>'
    assert opml.read(bomb) == (opml.Outline("&b;", "http://a/"),)


@pytest.mark.parametrize("start", ["<outline a", "<!--", "<![CDATA["])
def test_what_is_never_ended_takes_no_time(start: str) -> None:
    body = f"<opml><body>{start * 40_000}".encode()
    begun = time.process_time()
    assert opml.read(body) == ()
    assert time.process_time() - begun < 1


@pytest.mark.shared
@pytest.mark.skipif(not OPML.is_dir(), reason="../shared is not beside the project")
def test_real_lists_give_every_address_in_them() -> None:
    for path in sorted(OPML.glob("*.*ml")):
        body = path.read_bytes()
        if b"<rdf:RDF" in body:
            continue
        found = opml.read(body)
        parser = etree.XMLParser(recover=True, resolve_entities=False)
        wanted = {
            " ".join(value.split())
            for each in etree.fromstring(body, parser).iter("{*}outline")
            for name, value in each.attrib.items()
            if str(name).lower() == "xmlurl" and value.strip() and each.get("type") != "source"
        }
        assert wanted <= {each.xml_url for each in found}, path.name
        assert all(each.title for each in found), path.name


def test_another_reader_understands_ours() -> None:
    assert not feedparser.parse(opml.render([make_cover(made.feed())])).bozo
