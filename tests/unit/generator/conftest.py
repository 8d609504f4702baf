"""One small show that uses every field once, a hostile one, and recorded podcasts read in the plainest way."""

from __future__ import annotations

import calendar
import io
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import feedparser
import pytest
from msgspec.structs import replace

from aggregator.model.cluster import Evidence, Pair
from aggregator.model.entry import Duration, Enclosure, Moment, Note, Tag
from aggregator.model.feed import Channel, Feed, SourceResult
from aggregator.model.item import Dissent, Item, Provenance
from aggregator.model.source import Source
from tests.support.paths import FIXTURES

PODCASTS = FIXTURES / "feeds" / "podcast"
TEN = 10

CHANNEL = Channel(
    name="harbour-talk",
    title="Harbour Talk",
    base_url="https://feeds.example.org/harbour-talk",
    guid="3f1a9a43-57c2-5f0e-8c0b-95d4f27e2f6a",
    link="https://harbour.example.com/",
    description="Two pilots talk about ships, tides & the people on the quay.",
    language="en-GB",
    author="Ada Quay",
    owner_email="feeds@example.org",
    image="https://harbour.example.com/cover.jpeg?v=2",
    copyright="Ada Quay",
    license="cc-by-4.0",
    explicit=False,
    categories=(("Society & Culture", "Documentary"), ("leisure", "hobbies"), ("Technology",)),
    hubs=("https://hub.example.org/",),
    ttl=60,
    tags=(
        Tag("podcast:funding", "Buy us a rope", (("url", "https://harbour.example.com/support"),)),
        Tag("podcast:person", "Ada Quay", (("role", "host"), ("href", "https://harbour.example.com/ada"))),
        Tag("podcast:updateFrequency", "weekly", (("rrule", "FREQ=WEEKLY"),)),
        Tag("podcast:guid", "00000000-0000-0000-0000-000000000000"),
        Tag("podcast:nonsense", "never shown"),
    ),
)

EPISODE = Item(
    title="Tides & <b>Timetables</b>",
    entries=("directory/88", "host/ep-2"),
    guid="ep-2",
    description="Why 3 < 4 metres matters.\n\nNotes: https://harbour.example.com/2.",
    html='<p>Why 3 &lt; 4 metres matters.</p><p>Notes: <a href="/2" onclick="x()">here</a>.</p><script>bad()</script>',
    published=Moment(datetime(2024, 3, 9, 7, 30, tzinfo=UTC)),
    updated=Moment(datetime(2024, 3, 10, 8, 0, tzinfo=UTC)),
    duration=Duration(1805),
    enclosure=Enclosure("https://cdn.example.com/två.mp3?token=1", "audio/mp3", 14_440_123),
    link="https://harbour.example.com/2",
    season=1,
    episode=2,
    number="S1E2",
    episode_type="full",
    explicit=True,
    image="https://harbour.example.com/2.jpeg",
    author="Ada Quay and guest",
    categories=("Boats", "Boats", "Time"),
    tags=(
        Tag("podcast:season", "1", (("name", "The Estuary"),)),
        Tag("podcast:transcript", None, (("url", "https://harbour.example.com/2.vtt"), ("type", "text/vtt"))),
        Tag("podcast:transcript", None, (("url", ""), ("type", "text/vtt"))),
        Tag("podcast:person", "Bo Fender", (("role", "guest"),)),
        Tag("podcast:soundbite", "The bell", (("startTime", "73.0"), ("duration", "60.0"))),
        Tag(
            "podcast:alternateEnclosure",
            None,
            (("type", "audio/opus"), ("length", "4000000"), ("default", "perhaps")),
            (Tag("podcast:source", None, (("uri", "https://cdn.example.com/2.opus"),)),),
        ),
    ),
    origin="host",
    provenance=(
        Provenance("title", "host", ("directory",)),
        Provenance(
            "description",
            "host",
            dissent=(Dissent("directory", "Why 3 < 4 metres mat…"),),
            confidence=0.91234567,
            notes=(Note("description", "mojibake", "mattersâ€™", "matters’"),),
        ),
    ),
    pairs=(Pair("directory/88", "host/ep-2", 12.3456, (Evidence("title", "equal", "Tides", "Tides", 9.87654),)),),
)

POST = Item(
    title="A post without audio",
    entries=("blog/1",),
    genre="post",
    guid="https://harbour.example.com/posts/1",
    description="Only words.\nAnd a second line.",
    published=Moment(datetime(2024, 3, 1, tzinfo=UTC), "day"),
    link="https://harbour.example.com/posts/1",
    origin="blog",
)

PILOT = Item(
    title="Pilot",
    entries=("directory/1",),
    guid="0f9a3c1e-7d55-4e0f-9a53-2f5b6f1c9d10",
    published=Moment(datetime(2024, 2, 1, 12, 0, tzinfo=UTC)),
    enclosure=Enclosure("https://cdn.example.com/pilot.m4a"),
    episode_type="trailer",
    cut=True,
    origin="directory",
)

FEED = Feed(
    channel=CHANNEL,
    items=(EPISODE, POST, PILOT),
    updated=datetime(2024, 3, 10, 8, 0, tzinfo=UTC),
    source_results=(
        SourceResult(Source("host", "feed", url="https://harbour.example.com/feed.xml", trust=0.9), "ok", entries=2),
        SourceResult(Source("blog", "blog", url="https://harbour.example.com/blog.xml"), "failed", "timed out", 1),
        SourceResult(
            Source("directory", "apple", show="1234", trust=0.3), "snapshot", entries=2, remarks=("page as text",)
        ),
    ),
    near_misses=(Pair("blog/1", "directory/1", -1.5, veto="a post and an episode"),),
    remarks=("the table of weights is v1",),
)


@pytest.fixture(scope="session")
def harbour() -> Feed:
    """A feed of an episode with everything, a post, and a trailer with nothing but audio."""
    return FEED


def podcast_of(path: Path) -> Feed | None:
    """A feed of a recorded podcast, read in the plainest way; ``None`` where it has too little to compare."""
    seen = feedparser.parse(io.BytesIO(path.read_bytes()))
    items = {
        item.enclosure.url: item for entry in seen.entries if (item := _item(entry)) is not None and item.enclosure
    }
    newest = sorted(items.values(), key=lambda item: item.published.at if item.published else 0, reverse=True)  # type: ignore[arg-type,return-value] # each has a date
    if len(newest) < 3 or newest[0].published is None:
        return None
    channel = Channel(
        name="recorded",
        title=seen.feed.get("title", "untitled"),
        base_url="https://feeds.example.org/recorded",
        link=seen.feed.get("link"),
        description=seen.feed.get("subtitle"),
        language=seen.feed.get("language"),
        author=seen.feed.get("author", "somebody"),
        image=seen.feed.get("image", {}).get("href") or "https://example.org/cover.jpg",
        categories=(("Technology",),),
    )
    return Feed(channel, tuple(newest), newest[0].published.at)


def _item(entry: Any) -> Item | None:
    guid, date = entry.get("id"), entry.get("published_parsed")
    if not guid or not date or not entry.get("enclosures"):
        return None
    first = entry.enclosures[0]
    length = str(first.get("length", ""))
    seconds = str(entry.get("itunes_duration", ""))
    content = entry.get("content", [{}])[0].get("value")
    return Item(
        title=entry.get("title", ""),
        entries=(guid,),
        guid=guid,
        html=content or entry.get("summary"),
        published=Moment(datetime.fromtimestamp(calendar.timegm(date), UTC)),
        enclosure=Enclosure(first.get("href", ""), first.get("type"), int(length) if length.isdecimal() else None),
        duration=Duration(int(seconds)) if seconds.isdecimal() else None,
        link=entry.get("link"),
        image=entry.get("image", {}).get("href"),
    )


@cache
def recorded() -> tuple[Feed, ...]:
    """Ten podcasts of the fixtures that are whole enough to be compared."""
    found = filter(None, map(podcast_of, sorted(PODCASTS.glob("*.xml"))))
    return tuple(islice(found, TEN))


def hostile(harbour: Feed) -> Feed:
    """Titles of every kind of trouble that a reader can be given."""
    titles = [
        "<b>Bold</b> & <script>alert(1)</script>",
        "]]> & <![CDATA[",
        "12",
        "true",
        "\u202eright to left",
        "Ünïcödé 漢字 🎧",
        "a\x00b\x0bc\ud800d\ufffee",
        "  spaces  \n and lines ",
        "&amp;lt; twice",
        "x" * 400,
        "Same title",
        "Same title",
        "0",
    ]
    base = harbour.items[0]
    items = [
        replace(
            base,
            guid=f"g-{number}",
            title=title,
            description=title,
            html=f"<p>{title}",
            number=None,
            enclosure=Enclosure(f"https://cdn.example.com/{number}.mp3?a=1&b={number}", "audio/mpeg", 10**6 + number),
        )
        for number, title in enumerate(titles)
    ]
    return replace(harbour, items=tuple(items))


@pytest.fixture(
    scope="module",
    params=["harbour", "hostile", *(pytest.param(number, marks=pytest.mark.shared) for number in range(TEN))],
)
def feed(request: pytest.FixtureRequest) -> Feed:
    """A show of ours, a hostile one, and ten recorded podcasts."""
    if isinstance(request.param, int):
        if not PODCASTS.is_dir():
            pytest.skip("../shared is not there")
        return recorded()[request.param]
    return FEED if request.param == "harbour" else hostile(FEED)
