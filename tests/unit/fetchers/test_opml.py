"""Lists of subscriptions may be anything that exists."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from lxml import etree

from aggregator.errors import ReadError
from aggregator.fetchers import opml, parser_process
from aggregator.model.subscription import Subscription
from tests.support.paths import FIXTURES

OPML = FIXTURES / "opml"
CASES = json.loads((Path(__file__).parent / "data" / "opml_read.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_reading(case: dict[str, object]) -> None:
    expected = tuple(Subscription(*row) for row in case["expected"])  # type: ignore[attr-defined]  # a list of rows
    found = opml.read(str(case["document"]).encode(str(case.get("encoding", "utf-8"))))
    assert tuple(each for each in found if not each.problem) == expected


def outline(**attributes: str) -> str:
    return "<outline " + " ".join(f'{name}="{value}"' for name, value in attributes.items()) + "/>"


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (outline(text="Ñ", type="link", URL="https://a.example/l"), "a link, not a feed"),
        (outline(text="Ñ", type="include", url="https://a.example/l.opml"), "another list"),
        (outline(text="Ñ", type="source", xmlUrl="https://a.example/l"), "another list"),
        (outline(text="Ñ", htmlUrl="https://a.example/"), "a page and no feed"),
        (outline(text="Ñ", type="text/html", xmlUrl="https://a.example/"), "a page and no feed"),
        (outline(text="Ñ", type="rss", xmlUrl=""), "no address"),
        (outline(text="Ñ", type="link", xmlUrl="https://a.example/rss"), ""),
        (outline(text="Ñ", type="podcast", url="https://a.example/rss"), ""),
    ],
)
def test_what_is_no_feed_is_given_with_the_reason(written: str, problem: str) -> None:
    (found,) = opml.read(f"<opml><body>{written}<outline text='folder'/></body></opml>".encode())
    assert (found.title, problem in found.problem, bool(problem)) == ("Ñ", True, bool(found.problem))


LONG = "Un programa sobre barcos, faros y todo lo demás que flota, con invitados de cada puerto del sur. " * 2


@pytest.mark.parametrize(
    ("head", "text", "title", "name"),
    [
        ("gPodder subscriptions", "Barcos y faros.", "Puerto Sur", "Puerto Sur"),
        ("Lista", LONG, "Puerto Sur", "Puerto Sur"),
        ("Lista", "Barcos y faros.", "Puerto Sur", "Barcos y faros."),
        ("gPodder subscriptions", "Barcos y faros.", "", "Barcos y faros."),
        ("Lista", "Sal &amp;amp;amp; <b>Mar</b>", "", "Sal & Mar"),
    ],
)
def test_a_description_is_no_title(head: str, text: str, title: str, name: str) -> None:
    listed = outline(text=text, title=title, xmlUrl="https://a.example/rss").replace("<b>", "&lt;b&gt;")
    body = f"<opml><head><title>{head}</title></head><body>{listed.replace('</b>', '&lt;/b&gt;')}</body></opml>"
    assert [each.title for each in opml.read(body.encode())] == [name]


@pytest.mark.parametrize("body", [b"", b"hello", b"<html><body><p>no list</p></body></html>", b"\x00\xff\xfe"])
def test_what_is_no_list_is_refused(body: bytes) -> None:
    with pytest.raises(ReadError, match="not an OPML"):
        opml.read(body)


def test_a_list_too_large_is_refused() -> None:
    with pytest.raises(ReadError, match="larger"):
        opml.read(b"<opml>" + b" " * 16_000_001)


def test_entities_that_a_document_declares_are_not_expanded() -> None:
    bomb = b'<!DOCTYPE opml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><opml><outline text="&b;" xmlUrl="http://a/"/></opml>'
    assert opml.read(bomb) == (Subscription("&b;", "http://a/"),)


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


def test_a_list_is_read_in_a_process_that_ends_at_its_limits() -> None:
    body = b'<opml><body><outline text="Salt" xmlUrl="https://salt.example/feed"/></body></opml>'
    expected = (Subscription("Salt", "https://salt.example/feed"),)
    assert parser_process.read_subscriptions("mine.opml", body) == expected
    with pytest.raises(ReadError, match=r"^mine\.opml: this is not an OPML subscription list[^()]+$"):
        parser_process.read_subscriptions("mine.opml", b"salt")
