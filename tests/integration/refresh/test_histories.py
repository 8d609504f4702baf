"""Properties over random histories: sources speak, fall silent, shrink, retitle, redate, move, and lie.

The store is a real one, and every stage from `remember` to the published bytes is the program's own; only the
listings are made here. Each entry's key tells which episode it truly is, which no stage can see.
"""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator import publish
from aggregator.compose import compose
from aggregator.fetchers.fetched import FetchedSource
from aggregator.model.entry import Duration, Enclosure, Entry, Listing, Moment
from aggregator.model.feed import Channel, Plan
from aggregator.model.source import Source
from aggregator.store import database, guids
from tests.support.composing import refresh_feed

START = datetime(2024, 6, 1, 12, tzinfo=UTC)
EPISODES = (
    ("The lighthouse keeper of Ar-Men", "Storms, oil and loneliness on a rock in the Atlantic."),
    ("Tide tables", "How harmonic analysis turned the moon into a timetable for harbours."),
    ("Knots, Part 1", "Bends and hitches, and why they hold."),
    ("Knots, Part 2", "Bends and hitches again, and how they fail."),
    ("Listener mail", "Your questions about anchors."),
    ("Listener mail", "Your questions about paint."),
    ("Sextants (replay)", "We play the sextant episode once more."),
    ("Sextants", "Angles, mirrors and a horizon."),
)
SOURCES = tuple(
    Source(name, kind, trust=trust)
    for name, kind, trust in (("apple", "apple", 0.7), ("host", "feed", 0.9), ("mirror", "feed", 0.3))
)
PLAN = Plan("sea", Channel("sea", "Sea Room", "http://localhost:8000/sea"), SOURCES)


def entry(source: str, turn: int, position: int, change: str) -> Entry:
    title, text = EPISODES[turn]
    exact = source != "apple"
    at = START - timedelta(days=80) + timedelta(days=7 * turn, minutes=11)
    told = Entry(
        source=source,
        key=f"{source}-{turn}",
        title=title,
        position=position,
        guid=f"{source}-{turn}" if exact else None,
        description=text,
        published=Moment(at) if exact else Moment(at.replace(hour=0, minute=0), "day"),
        duration=Duration(1000 + 97 * turn) if exact else Duration(60 * round((1000 + 97 * turn) / 60), 60),
        enclosure=Enclosure(f"https://cdn.{source}.example/{turn}.mp3", "audio/mpeg", 99_000) if exact else None,
        link=f"https://{source}.example/e/{turn}",
    )
    changes = {
        "retitled": lambda: replace(told, title=f"Sea Room: {title}"),
        "redated": lambda: replace(told, published=Moment(at + timedelta(days=900))),
        "moved": lambda: replace(
            told,
            key=f"moved-{source}-{turn}",
            guid=f"moved-{turn}" if exact else None,
            enclosure=Enclosure(f"https://cdn.moved.example/{turn + 50}.mp3") if exact else None,
        ),
        "cut": lambda: replace(told, description=text[:20].rsplit(" ", 1)[0], cut=True),
    }
    return changes.get(change, lambda: told)()


def truth(name: str) -> int:
    return int(name.rpartition("-")[2])


def misdated(heard) -> set[str]:
    """What is listed under a date that is 900 days off."""
    told = (each for fetched in heard for listing in fetched.listings for each in listing.entries)
    return {each.id for each in told if each.published.at > START + timedelta(days=800)}


@st.composite
def steps(draw):
    """One refresh: for each source its listing, or ``None`` where it is silent."""
    heard = []
    for source in SOURCES:
        state = draw(st.sampled_from(["all", "all", "some", "newest", "silent", "empty"]))
        change = draw(st.sampled_from(["", "", "", "retitled", "redated", "moved", "cut"]))
        turns = list(range(len(EPISODES)))
        if state == "some":
            turns = draw(st.lists(st.sampled_from(turns), unique=True))
        chosen = {"newest": turns[-3:], "empty": []}.get(state, turns)
        listed = [entry(source.name, turn, place, change) for place, turn in enumerate(reversed(chosen))]
        heard.append(
            FetchedSource(source)
            if state == "silent"
            else FetchedSource(source, (), (Listing(tuple(listed)),), (), "ok")
        )
    return tuple(heard)


refresh = partial(refresh_feed, PLAN)


slow = settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@slow
@given(st.lists(steps(), min_size=1, max_size=5))
def test_promises_over_random_histories(history) -> None:
    with TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
        published: dict[str, datetime] = {}
        dead: set[str] = set()
        provisional: set[str] = set()
        astray: set[str] = set()  # listed under another date: of two mails nothing may tell which it is
        updated = START
        for turn, heard in enumerate(history):
            now = START + timedelta(days=turn)
            composed = refresh(store, heard, now)
            items = {item.guid: item for item in composed.feed.items}
            astray |= misdated(heard)
            assert len(items) == len(composed.feed.items)
            known = {record.guid: record for record in guids.read_guids(store, "sea")}
            # 1: guids and dates are for ever, but for a less trusted source's date, which is replaced once
            final = {guid for guid, record in known.items() if record.dated is None}
            published = {guid: date for guid, date in published.items() if guid not in provisional & final}
            provisional = known.keys() - final
            dead |= {guid for guid, record in known.items() if record.alias_of}
            assert not dead & items.keys()
            for guid, date in published.items():
                assert guid in items or guid in dead
                if guid in items and items[guid].published:
                    assert items[guid].published.at.date() == date.date()
            published |= {guid: item.published.at for guid, item in items.items() if item.published}
            for item in items.values():
                # 3: two episodes are never made one
                assert len({truth(each) for each in item.entries if each not in astray}) <= 1
                # 4: nothing is invented but the number that tells equal titles of a day apart
                words = set(" ".join(each for pair in EPISODES for each in pair).split()) | {"Sea", "Room:", "(2)"}
                assert set(f"{item.title} {item.description}".replace("…", "").split()) <= words
            # 2: absence never deletes
            listed = {each for item in (*items.values(), *composed.feed.held) for each in item.entries}
            assert {one.id for fetched in heard for lst in fetched.listings if lst for one in lst.entries} <= listed
            # audio stands once, and the feed's clock never goes back
            audio = [item.enclosure.url for item in items.values() if item.enclosure]
            assert len(set(audio)) == len(audio)
            assert composed.feed.updated >= updated
            updated = composed.feed.updated
            # 6: same store, same bytes
            later = composed.until - timedelta(seconds=1) if composed.until else now + timedelta(days=400)
            again = compose(store, PLAN, later)
            assert dict(publish.render(again.feed)) == dict(publish.render(compose(store, PLAN, now).feed))


@slow
@given(st.lists(steps(), min_size=1, max_size=3), st.lists(st.text(max_size=60), max_size=3))
def test_promise_8_what_a_bad_source_adds_changes_no_other_item(history, garbage) -> None:
    bad = Source("zz-bad", "page", trust=0.1)
    noise = tuple(Entry("zz-bad", f"noise-{turn}", text or "?", description=text) for turn, text in enumerate(garbage))
    plan = replace(PLAN, sources=(*SOURCES, bad))
    feeds = []
    for fetched_sources in (
        history,
        [(*heard, FetchedSource(bad, (), (Listing(noise),), (), "ok")) for heard in history],
    ):
        with TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
            for turn, heard in enumerate(fetched_sources):
                composed = refresh_feed(plan, store, heard, START + timedelta(days=turn))
            feeds.append([item for item in composed.feed.items if not item.entries[0].startswith("zz-bad")])
    assert [(item.guid, item.title, item.description) for item in feeds[0]] == [
        (item.guid, item.title, item.description) for item in feeds[1]
    ]
