"""What is cut out of a feed is read as if it had stayed there; and what a stencil finds is what XML says."""

from __future__ import annotations

import random
from pathlib import Path
from xml.etree import ElementTree as ET

import feeds_printed
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aggregator.errors import ReadError
from aggregator.fetchers import feed, feed_plain, swift_cut
from aggregator.fetchers.swift_cut import Plainly
from aggregator.fetchers.swift_names import IrregularError
from aggregator.fetchers.swift_references import understood
from aggregator.model.sighting import Listing
from aggregator.model.source import Document, Source

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures"
CUT_FIXTURES = 36  # of 52 with so many items that are read swiftly; the others have elements that no stencil knows
SOUND = 0.1  # of printed feeds at least, so that the comparison is one


def document(body: bytes) -> Document:
    return Document(Source("x", "feed"), "https://example.org/feeds/x.xml", body)


def told(body: bytes, plain: Plainly) -> Listing | str:
    try:
        return feed.swiftly(document(body), plain)
    except IrregularError as error:
        return f"irregular: {error}"
    except ReadError as error:
        return str(error)


def cut(body: bytes) -> int:
    """How many items are cut out."""
    return sum(map(len, swift_cut.cut(body, 0, feed_plain.certain).runs))


def compared(first: int, count: int) -> tuple[int, int, int]:
    """Feeds made of these numbers, and each with a change, compared: how many, how many sound, and items cut out."""
    sound = items = 0
    for number in range(first, first + count):
        dice = random.Random(number)
        body = feeds_printed.feed(dice)
        for each in (body, feeds_printed.changed(dice, body)):
            listing = told(each, feed_plain.certain)
            assert listing == told(each, feed_plain.never), f"number {number}: {each!r}"
            sound += isinstance(listing, Listing)
            items += cut(each) if isinstance(listing, Listing) else 0
    return 2 * count, sound, items


def test_what_is_cut_out_is_read_as_if_it_had_stayed() -> None:
    feeds, sound, items = compared(0, 250)
    assert sound > SOUND * feeds
    assert items > sound


@pytest.mark.heavy
def test_what_is_cut_out_is_read_as_if_it_had_stayed_many_times() -> None:
    feeds, sound, items = compared(1_000, 50_000)
    print(f"{feeds} feeds, {sound} sound, {items} items cut out")  # noqa: T201
    assert sound > SOUND * feeds


@pytest.mark.parametrize("lot", [1, 97, 1000])
def test_it_makes_no_difference_how_much_is_taken_at_once(lot: int, monkeypatch: pytest.MonkeyPatch) -> None:
    items = 0
    for number in range(60):
        body = feeds_printed.changed(random.Random(number), feeds_printed.feed(random.Random(number)))
        whole, count = told(body, feed_plain.certain), cut(body)
        with monkeypatch.context() as here:
            here.setattr(swift_cut, "LOT", lot)
            assert told(body, feed_plain.certain) == whole, number
            assert cut(body) == count, number
        items += count
    assert items > 100


def test_printed_feeds_are_read_as_the_tolerant_reader_reads_them() -> None:
    sound = 0
    for number in range(60):
        body = feeds_printed.feed(random.Random(-number))
        listing = told(body, feed_plain.certain)
        if isinstance(listing, Listing) and cut(body):
            sound += 1
            assert listing == feed.tolerantly(document(body)), number
    assert sound > SOUND * 60


@pytest.mark.shared
@pytest.mark.skipif(not FIXTURES.is_dir(), reason="../shared is not there")
def test_fixtures_are_cut_and_read_as_if_nothing_were() -> None:
    count = 0
    for path in sorted(FIXTURES.rglob("*")):
        body = path.read_bytes() if path.suffix in {".xml", ".rss"} else b""
        if body.count(b"<item>") >= swift_cut.FEWEST:
            listing = told(body, feed_plain.certain)
            assert listing == told(body, feed_plain.never), path
            count += isinstance(listing, Listing) and cut(body) > 0
    assert count >= CUT_FIXTURES


def forty(odd: dict[int, bytes]) -> bytes:
    """A feed of forty plain items, some of which stand otherwise."""
    items = [odd.get(number, b"<item><title>One</title><guid>a%d</guid></item>\n" % number) for number in range(40)]
    return b"<rss><channel><title>T</title>%b</channel></rss>" % b"".join(items)


def test_an_item_within_a_section_or_a_comment_is_none() -> None:
    item = b"<item><title>One</title><guid>a</guid></item>" * swift_cut.FEWEST
    for hidden in (b"<![CDATA[%b]]>", b"<!--%b-->", b"<?x %b?>"):
        listing = feed.swiftly(document(b"<rss><channel><title>T</title>%b</channel></rss>" % (hidden % item)))
        assert listing.sightings == ()


def test_a_section_that_runs_on_into_the_next_item_is_no_fault() -> None:
    runs_on = b"<item><guid>a7<![CDATA[</guid></item>\n"
    next_item = b"<item><guid><![CDATA[a8]]></guid><title>Two</title><author>Ann</author></item>\n"
    body = forty({7: runs_on, 8: next_item})
    listing = told(body, feed_plain.certain)
    assert isinstance(listing, Listing)
    assert listing == told(body, feed_plain.never)


def test_a_blank_that_comes_to_light_when_letters_are_put_right_is_none() -> None:
    item = (
        "<item><title>\xc2\xa0One</title><link>https://example.org/%d</link><description>\xc2\xa0x</description></item>"
    )
    body = forty({number: (item % number).encode() for number in range(40)})
    listing = told(body, feed_plain.certain)
    assert isinstance(listing, Listing)
    assert cut(body) == 40
    assert {sighting.title for sighting in listing.sightings} == {"One"}
    assert listing == told(body, feed_plain.never)


def test_items_are_found_when_a_few_stand_otherwise() -> None:
    body = forty({7: b"<item><title>Odd<!-- -->ly</title></item>", 20: b"<!-- aside -->"})
    assert cut(body) == 38
    listing = told(body, feed_plain.certain)
    assert listing == told(body, feed_plain.never)
    assert listing == 'irregular: markup or a comment inside of "title"'


REFERENCES = st.text(st.sampled_from("&#;x0123amplt gtquos<]>\ud7ff\u20ac"), max_size=12).map(
    lambda text: text.replace("<", "")
)


@given(text=REFERENCES)
@example("&#38;lt;")
@example("&amp;#60;")
@example("&#x110000;")
@example("&#1114111;")
@example("&#xFFFE;")
def test_references_mean_what_xml_says(text: str) -> None:
    try:
        expected = ET.fromstring(f"<a>{text}</a>").text or ""  # noqa: S314 -- of our own making
    except ET.ParseError:
        expected = None
    assert understood(text) in {expected, None} if expected is not None else understood(text) is None
