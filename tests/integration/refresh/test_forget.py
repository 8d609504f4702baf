"""Forgetting a source and taking that back equals never having forgotten, over random histories."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.fetchers.fetched import FetchedSource
from aggregator.model.entry import Duration, Enclosure, Entry, Listing, Moment
from aggregator.model.feed import Channel, Plan
from aggregator.model.item import PublishedItem
from aggregator.model.results import Composition
from aggregator.model.source import Source
from aggregator.store import database, decisions, guids
from tests.support.composing import refresh_feed

START = datetime(2025, 2, 3, 7, tzinfo=UTC)
TOPICS = ("Glaze recipes", "Kiln shelves", "Stoneware", "Raku at night", "Slip casting", "Handles", "Ash and salt")
SOURCES = tuple(Source(name, "feed", trust=trust) for name, trust in (("host", 0.8), ("copy", 0.5), ("page", 0.4)))
PLAN = Plan("clay", Channel("clay", "Clay Hour", "http://localhost:8000/clay"), SOURCES)


def entry(source: str, topic: int, place: int, change: str) -> Entry:
    at = START - timedelta(days=70 - 7 * topic, minutes=topic)
    said = Entry(
        source,
        f"{source}-{topic}",
        TOPICS[topic],
        position=place,
        guid=f"{source}-{topic}",
        description=f"What {TOPICS[topic].lower()} asks of a potter, and where it goes wrong in firing {topic}.",
        published=Moment(at),
        duration=Duration(900 + 31 * topic),
        enclosure=Enclosure(f"https://{source}.example/{topic}.mp3") if source != "page" else None,
    )
    changes = {
        "retitled": {"title": f"Clay Hour: {TOPICS[topic]}"},
        "undated": {"published": None},
        "longer": {"description": f"{said.description} With questions from listeners."},
    }
    return replace(said, **changes.get(change, {}))


@st.composite
def listings(draw) -> tuple[FetchedSource, ...]:
    heard = []
    for source in SOURCES:
        topics = draw(st.lists(st.integers(0, len(TOPICS) - 1), unique=True, max_size=len(TOPICS)))
        change = draw(st.sampled_from(["", "", "retitled", "undated", "longer"]))
        listed = tuple(entry(source.name, topic, place, change) for place, topic in enumerate(sorted(topics)[::-1]))
        heard.append(FetchedSource(source, (), (Listing(listed),), (), "ok") if listed else FetchedSource(source))
    return tuple(heard)


refresh = partial(refresh_feed, PLAN)


def told(composed: Composition) -> list[tuple[object, ...]]:
    return [
        (item.guid, item.published, item.title, item.description, item.enclosure, item.entries)
        for item in composed.feed.items
    ]


def lasting(known: tuple[PublishedItem, ...]) -> list[tuple[object, ...]]:
    return [(each.guid, each.minted, each.published, each.alias_of, each.buried, each.entries) for each in known]


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(listings(), min_size=1, max_size=3), st.sampled_from([source.name for source in SOURCES]))
def test_forgetting_and_undoing_equals_never_having_forgotten(history, source) -> None:
    with TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
        now = START
        for heard in history:
            now += timedelta(days=1)
            refresh(store, heard, now)
        quiet = tuple(FetchedSource(each) for each in SOURCES)
        now += timedelta(days=30)  # nothing is held any more, so that time alone changes nothing
        before, known = refresh(store, quiet, now), guids.read_guids(store, "clay")

        decisions.forget_source(store, "clay", source, now)
        without = refresh(store, quiet, now + timedelta(days=1))
        only = {item.guid for item in before.feed.items if {*item.entries} <= {*of(item.entries, source)}}
        assert {item.guid for item in without.feed.items} == {item.guid for item in before.feed.items} - only
        assert not any(of(item.entries, source) for item in without.feed.items)
        assert not any(provenance.source == source for item in without.feed.items for provenance in item.provenance)
        buried = {each.guid for each in guids.read_guids(store, "clay") if each.buried}
        assert buried == only

        decisions.restore_source(store, "clay", source, now)
        after = refresh(store, quiet, now + timedelta(days=2))
        assert told(after) == told(before)
        assert lasting(guids.read_guids(store, "clay")) == lasting(known)


def of(entries: tuple[str, ...], source: str) -> list[str]:
    return [name for name in entries if name.startswith(f"{source}/")]
