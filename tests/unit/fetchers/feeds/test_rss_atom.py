"""The strict reader and the tolerant one agree on what feeds say; the known differences are listed."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from urllib.parse import urljoin

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.feeds import feed
from aggregator.fetchers.feeds.elements import NotSoundError
from aggregator.fetchers.feeds.podcast import find_prefix
from aggregator.fetchers.parsing import enclosures
from aggregator.model.entry import Entry, Listing, Show
from aggregator.model.source import Document, Source
from aggregator.text import urls
from aggregator.text.times import dates
from tests.support import random_feeds, random_xml
from tests.support.paths import FIXTURES

CASES = random_feeds.table(Path(__file__).parent / "data" / "rss_atom.tsv")
SOUND_FIXTURES = 165  # of 250 that hold items; the others are not sound, or need what only feedparser knows
FEW_BYTES, SMALL_FIXTURES = 150_000, 140
DIFFERENT = {  # the strict reader is right in each; docs/fetching.md says why
    "partytime_js__natube-test.xml": {"show.link", "show.image"},
    "pins__example.xml": {"show.link"},
    "feed-rs__rss_2.0_encoding_1.xml": {"show.feed_url"},
    "feed-rs__atom_xml_base.xml": {"html"},
}
CERTAIN = {  # fields that no odd element changes; an item without a title has the first words of its text for one
    "guid", "published", "enclosure", "duration", "season", "episode", "episode_type", "explicit", "tags",
}  # fmt: skip
ADDRESSES = st.from_regex(
    r"https?://[a-zA-Z0-9.-]{1,12}(:\d{1,3})?(/[\w!$&'()*+,=:@;.%~/-]{0,12})?([?#][\w=&%;/?-]{0,8})?", fullmatch=True
)


def document(body: bytes, charset: str | None = None) -> Document:
    return Document(Source("x", "feed"), "https://example.org/feeds/x.xml", body, charset=charset)


def strictly(body: bytes, charset: str | None = None) -> Listing | str:
    """Return the listing of the strict reader, or why there is none."""
    try:
        return feed._read_strictly(document(body, charset))
    except (NotSoundError, ReadError) as error:
        return f"{type(error).__name__}: {error}"


def tolerantly(body: bytes, charset: str | None = None) -> Listing | str:
    """Return the listing of feedparser, or why there is none; what it remarks is left out."""
    try:
        return replace(feed._read_tolerantly(feed._repair(document(body, charset))[0]), remarks=())
    except ReadError as error:
        return f"{type(error).__name__}: {error}"


def differences(one: Listing | str, other: Listing | str) -> set[str]:
    """Return the names of the fields that two listings have otherwise."""
    if isinstance(one, str) or isinstance(other, str):
        return set() if one == other else {"error"}
    if len(one.entries) != len(other.entries):
        return {"count"}
    found = {f"show.{name}" for name in _unequal(one.show, other.show)}
    found |= {name for name in ("rhythm", "partial") if getattr(one, name) != getattr(other, name)}
    return found.union(*map(_unequal, one.entries, other.entries))


def _unequal(one: Show | Entry, other: Show | Entry) -> set[str]:
    return {name for name in one.__struct_fields__ if getattr(one, name) != getattr(other, name)}


@pytest.mark.shared
@pytest.mark.skipif(not FIXTURES.is_dir(), reason="../shared is not there")
@pytest.mark.parametrize(
    ("most", "least"), [(FEW_BYTES, SMALL_FIXTURES), pytest.param(10**9, SOUND_FIXTURES, marks=pytest.mark.heavy)]
)
def test_the_readers_agree_on_every_fixture(most: int, least: int) -> None:
    sound, found = 0, {}
    for folder in ("feeds", "conformance", "excerpts", "snapshots", "podcastindex", "reference_show"):
        for path in sorted((FIXTURES / folder).rglob("*.*")):
            strict = strictly(path.read_bytes()) if path.is_file() and path.stat().st_size <= most else ""
            if isinstance(strict, Listing):
                sound += 1
                if different := differences(replace(strict, remarks=()), tolerantly(path.read_bytes())):
                    found[path.name] = different
    assert found == DIFFERENT
    assert sound >= least


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["label"])
def test_case(case: dict[str, str]) -> None:
    body = case["feed"].encode().decode("unicode_escape").encode(case["encoding"] or "utf-8")
    strict = strictly(body, case["charset"] or None)
    if case["refused"]:
        assert strict == f"NotSoundError: {case['refused']}"
    else:
        assert isinstance(strict, Listing), strict
        assert differences(strict, tolerantly(body, case["charset"] or None)) == set(case["differs"].split())


def test_the_readers_agree_on_feeds_as_programs_print_them() -> None:
    """Whole feeds of 18 items, and each with one change; a title, a date, a file or a tag never differs."""
    sound = 0
    for number in range(60):
        dice = random.Random(number)
        printed = random_xml.feed(dice)
        for body in (printed, random_xml.changed(dice, printed)):
            strict = strictly(body)
            if isinstance(strict, Listing):
                sound += 1
                assert not differences(strict, tolerantly(body)) & {*CERTAIN, "title", "count"}, number
    assert sound > 20


@settings(deadline=None, max_examples=50)
@given(body=random_feeds.feed(wild=False))
def test_the_readers_agree_on_tame_feeds(body: bytes) -> None:
    strict = strictly(body)
    if isinstance(strict, Listing):
        assert not differences(strict, tolerantly(body)) & CERTAIN


@pytest.mark.parametrize(
    ("prefix", "addresses"),
    [
        ("itunes:", ("http://www.itunes.com/dtds/podcast-1.0.dtd", "HTTPS://itunes.com/DTDs/Podcast-1.0.dtd")),
        ("content:", ("http://purl.org/rss/1.0/modules/content/", "https://purl.org/rss/1.0/modules/content")),
        ("media:", ("http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss")),
        ("", ("http://www.w3.org/2005/Atom", "http://backend.userland.com/RSS2", "http://purl.org/rss/1.0/")),
        (None, ("https://example.org/", "http://www.itunes.com/dtds/podcast-2.0.dtd")),
    ],
)
def test_namespaces_are_known_in_every_form(prefix: str | None, addresses: tuple[str, ...]) -> None:
    assert {find_prefix(address) for address in addresses} == {prefix}


def test_a_sound_feed_is_read_without_feedparser() -> None:
    body = b"<rss version='2.0'><channel><title>T</title><item><title>One</title></item></channel></rss>"
    program = (
        "import sys\nfrom aggregator.fetchers import parse, registry\n"
        "from aggregator.model.source import Document, Source\n"
        "for kind in ('feed', 'simplecast', 'blog'):\n"
        "    source = Source('x', kind, url='https://example.org/x')\n"
        f"    registry.locate(source); parse.read(Document(source, 'https://example.org/x', {body!r}))\n"
        "sys.exit('feedparser' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@given(url=ADDRESSES)
@example("https://www.com/a/")
@example("https://www.a.example//b//")
def test_shortcuts_for_addresses_change_no_answer(url: str) -> None:
    shouted = url.replace("http", "HTTP", 1)  # the shortcut knows lower case only
    assert urls.is_web(url) == urls.is_web(shouted)
    assert urls.canonical(url) == (urls.canonical(shouted) if urls.is_web(url) else url)
    if urls.is_plain(url):
        for base in ("https://example.org/x/y", "http://example.org", "file:///tmp/x", ""):
            assert urljoin(base, url) == url == enclosures.resolve_url(base, url)


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
