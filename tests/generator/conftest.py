"""One small show that uses every field once, and its damaged cousins."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from aggregator.model.cluster import Evidence, Pair
from aggregator.model.feed import Channel, Feed, Hearing
from aggregator.model.item import Dissent, Item, Provenance
from aggregator.model.sighting import Duration, Enclosure, Moment, Note, Tag
from aggregator.model.source import Source

DATA = Path(__file__).parent / "data"

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
    sightings=("directory/88", "host/ep-2"),
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
    sightings=("blog/1",),
    genre="post",
    guid="https://harbour.example.com/posts/1",
    description="Only words.\nAnd a second line.",
    published=Moment(datetime(2024, 3, 1, tzinfo=UTC), "day"),
    link="https://harbour.example.com/posts/1",
    origin="blog",
)

PILOT = Item(
    title="Pilot",
    sightings=("directory/1",),
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
    hearings=(
        Hearing(Source("host", "feed", url="https://harbour.example.com/feed.xml", trust=0.9), "heard", sightings=2),
        Hearing(Source("blog", "blog", url="https://harbour.example.com/blog.xml"), "silent", "timed out", 1),
        Hearing(
            Source("directory", "apple", show="1234", trust=0.3), "recorded", sightings=2, remarks=("page as text",)
        ),
    ),
    near_misses=(Pair("blog/1", "directory/1", -1.5, veto="a post and an episode"),),
    remarks=("the table of weights is v1",),
)


@pytest.fixture(scope="session")
def harbour() -> Feed:
    """A feed of an episode with everything, a post, and a trailer with nothing but audio."""
    return FEED
