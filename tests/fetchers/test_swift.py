"""The fast reader tells what the tolerant one tells, or nothing; and it is fast because it knows nothing of it."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path
from urllib.parse import urljoin

import feeds_made
import pytest
from feedparser.api import StrictFeedParser
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from aggregator.errors import ReadError
from aggregator.fetchers import feed, media, swift_names
from aggregator.fetchers.swift_item import STEPS
from aggregator.fetchers.swift_names import IrregularError
from aggregator.model.sighting import Listing
from aggregator.model.source import Document, Source
from aggregator.text import dates, urls

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures"
SOUND_FIXTURES = 160  # of 250 that hold items; the others are broken, or have what the fast reader refuses
CASES = feeds_made.table("swift.tsv")
# feedparser has steps of its own for these, but nothing that is read depends on them where they hold text alone.
HARMLESS = {
    "cc_license", "cloud", "creativecommons_license", "dc_contributor", "dc_publisher", "dcterms_valid", "email",
    "expirationdate", "feedburner_browserfriendly", "generator", "georss_box", "georss_line", "georss_point",
    "georss_polygon", "height", "homepage", "info", "itunes_block", "itunes_email", "itunes_name", "media_credit",
    "media_license", "media_player", "media_rating", "media_restriction", "name", "psc_chapter", "psc_chapters",
    "uri", "url", "webmaster", "width",
}  # fmt: skip


def document(body: bytes, charset: str | None = None) -> Document:
    return Document(Source("x", "feed"), "https://example.org/feeds/x.xml", body, charset=charset)


def swiftly(body: bytes, charset: str | None = None) -> Listing | str:
    """What the fast reader tells; its reason where it tells nothing."""
    try:
        return feed.swiftly(document(body, charset))
    except (IrregularError, ReadError) as error:
        return f"{type(error).__name__}: {error}"


def tolerantly(body: bytes, charset: str | None = None) -> Listing | str:
    try:
        return feed.tolerantly(document(body, charset))
    except ReadError as error:
        return f"{type(error).__name__}: {error}"


def fixtures() -> list[Path]:
    if not FIXTURES.is_dir():
        return []
    folders = ("feeds", "conformance", "excerpts", "snapshots", "podcastindex", "reference_show")
    return [path for folder in folders for path in sorted((FIXTURES / folder).rglob("*")) if path.is_file()]


@pytest.mark.shared
@pytest.mark.skipif(not FIXTURES.is_dir(), reason="../shared is not there")
def test_the_readers_agree_on_every_fixture_and_most_are_read_swiftly() -> None:
    sound = 0
    for path in fixtures():
        swift = swiftly(path.read_bytes())
        if isinstance(swift, str) and swift.startswith("IrregularError"):
            continue
        sound += 1
        assert swift == tolerantly(path.read_bytes()), path
    assert sound >= SOUND_FIXTURES


@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(body=feeds_made.feed())
@example(
    body=b'<rss version="2.0" xmlns:x="https://example.org/of-no-one"><channel><item>'
    b'<content type="TEXT" x:type="text/html">&lt;![CDATA</content></item></channel></rss>'
)
@example(
    body=b'<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title></title>'
    b"<itunes:category><title>Tide tables</title></itunes:category></channel></rss>"
)
@example(
    body=b'<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>T</title>'
    b'<dc:rights type="audio/mpeg">\xc3\x83</dc:rights></channel></rss>'
)
def test_the_readers_agree_on_any_sound_feed(body: bytes) -> None:
    swift = swiftly(body)
    if not (isinstance(swift, str) and swift.startswith("IrregularError")):
        assert swift == tolerantly(body)


@settings(deadline=None, max_examples=100)
@given(body=feeds_made.feed(wild=False))
def test_tame_feeds_are_read_swiftly(body: bytes) -> None:
    swift = swiftly(body)
    if isinstance(swift, str) and swift.startswith("IrregularError"):
        assert "nothing in it" in swift or "may be plain" in swift or "inside of" in swift
    else:
        assert swift == tolerantly(body)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(body=feeds_made.feed(), data=st.data())
def test_the_readers_agree_on_what_a_change_leaves_sound(body: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(body)))
    end = min(len(body), start + data.draw(st.integers(0, 12)))
    piece = data.draw(
        st.sampled_from([b"", b"<", b"&", b"&#150;", b"&amp;", b"\xc2\x93", b"\xff", b"<x/>", b"<!--c-->"])
    )
    test_the_readers_agree_on_any_sound_feed.hypothesis.inner_test(body[:start] + piece + body[end:])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["label"])
def test_case(case: dict[str, str]) -> None:
    """Whether a feed is read swiftly, and that the readers agree where it is."""
    body = case["feed"].encode().decode("unicode_escape").encode(case["encoding"] or "utf-8")
    swift = swiftly(body, case["charset"] or None)
    if case["refused"]:
        assert swift == f"IrregularError: {case['refused']}"
    else:
        assert not isinstance(swift, str), swift
        assert swift == tolerantly(body, case["charset"] or None)


def test_the_names_are_feedparsers() -> None:
    spaces = {address.lower(): prefix for address, prefix in StrictFeedParser.namespaces.items() if address}
    assert spaces == swift_names.PREFIXES
    handled = {
        name.removeprefix("_start_").removeprefix("_end_").lower()
        for name in dir(StrictFeedParser)
        if name.startswith(("_start_", "_end_"))
    }
    known = STEPS.keys() | swift_names.REFUSED | HARMLESS
    assert handled - known == set()
    assert STEPS.keys() & swift_names.REFUSED == set()


def test_a_sound_feed_is_read_without_feedparser() -> None:
    body = b"<rss version='2.0'><channel><title>T</title><item><title>One</title></item></channel></rss>"
    program = (
        "import sys; from aggregator.fetchers import roster; from aggregator.model.source import Document, Source\n"
        "for kind in ('feed', 'simplecast', 'blog'):\n"
        "    source = Source('x', kind, url='https://example.org/x')\n"
        f"    roster.locate(source); roster.read(Document(source, 'https://example.org/x', {body!r}))\n"
        "sys.exit('feedparser' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


ADDRESSES = st.from_regex(
    r"https?://[a-zA-Z0-9.-]{1,12}(:\d{1,3})?(/[\w!$&'()*+,=:@;.%~/-]{0,12})?([?#][\w=&%;/?-]{0,8})?", fullmatch=True
)


@given(url=ADDRESSES)
@example("https://www.com/a/")
@example("https://www.a.example//b//")
def test_shortcuts_for_addresses_change_no_answer(url: str) -> None:
    shouted = url.replace("http", "HTTP", 1)  # the shortcut knows lower case only
    assert urls.is_web(url) == urls.is_web(shouted)
    assert urls.canonical(url) == (urls.canonical(shouted) if urls.is_web(url) else url)
    if urls.is_plain(url):
        for base in ("https://example.org/x/y", "http://example.org", "file:///tmp/x", ""):
            assert urljoin(base, url) == url == media.absolute(base, url)


@given(
    at=st.datetimes(datetime(1969, 1, 1), datetime(2102, 1, 1)),  # noqa: DTZ001 -- written with a zone below
    zone=st.sampled_from(["GMT", "+0000", "-0000", "+0530", "-1130", "+1975", "+9900"]),
    second=st.sampled_from(["%S", "60", "61"]),
    hour=st.sampled_from(["%H", "24", "25"]),
)
def test_shortcuts_for_dates_change_no_answer(at: datetime, zone: str, second: str, hour: str) -> None:
    feeds_own = f"Wed, {at:%d %b %Y} {at.strftime(hour)}:{at:%M}:{at.strftime(second)} {zone}"
    assert dates.parse(feeds_own) == dates.parse(feeds_own.replace("Wed", "wed"))
    zone = "Z" if zone == "GMT" else f"{zone[:3]}:{zone[3:]}"
    stamp = f"{at:%Y-%m-%d}T{at.strftime(hour)}:{at:%M}:{at.strftime(second)}{zone}"
    assert dates.parse(stamp) == dates.parse(stamp.replace("T", " "))
