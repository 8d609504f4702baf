"""A listing that says the same changes no byte: feeds composed only where there is news, and in every run."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator import persist, publish
from aggregator.fetchers.fetched import FetchedSource
from aggregator.model.entry import Duration, Enclosure, Entry, Listing, Moment, Show
from aggregator.model.feed import Channel, Plan
from aggregator.model.results import Publication
from aggregator.model.source import Source
from aggregator.store import database, publications
from aggregator.store.database import Store
from tests.support.composing import compose_and_write

START = datetime(2024, 6, 1, 12, tzinfo=UTC)
SOURCES = (Source("apple", "apple", trust=0.7), Source("host", "feed", trust=0.9), Source("mirror", "feed", trust=0.3))
PLANS = {
    daily: Plan("sea", Channel("sea", "Sea Room", "http://localhost:8000/sea"), SOURCES) for daily in (False, True)
}
TITLES = ("Bread", "Salt", "The sextant", "Mail", "Mail", "Rope, Part 1", "Rope, Part 2", "Tides", "Charts", "Fog")


def make_entry(source: str, turn: int, position: int, *, daily: bool, change: str) -> Entry:
    exact = source == "host"
    at = START - timedelta(days=30 - turn, minutes=-11 * turn)
    told = Entry(
        source=source,
        key=f"{source}-{turn}",
        title="The Morning" if daily else TITLES[turn],
        position=position,
        guid=f"{source}-{turn}" if exact else None,
        description=f"All there is to say of {TITLES[turn]} in port {turn}." if turn % 3 else None,
        published=Moment(at) if exact else Moment(at.replace(hour=0, minute=0), "day"),
        duration=Duration(1000 + 97 * turn) if exact else Duration(60 * round((1000 + 97 * turn) / 60), 60),
        enclosure=Enclosure(f"https://{source}.example/{turn}.mp3", "audio/mpeg", 9) if source != "apple" else None,
    )
    changes = {
        "title": lambda: replace(told, title=f"{told.title}!"),
        "moved": lambda: replace(told, key=f"moved-{told.key}", guid=None),
        "audio": lambda: replace(told, enclosure=None),
    }
    return changes[change]() if change else told


listings = st.tuples(
    st.integers(4, len(TITLES)), st.sampled_from(["", "", "title", "moved", "audio"]), st.sampled_from(["", "", "B"])
)
steps = st.tuples(*[st.one_of(st.sampled_from(["304", "same", "same", "same"]), listings) for _ in SOURCES])


def fetch(source: Source, step: object, before: Listing | None, *, daily: bool) -> FetchedSource:
    """Return what a source says: nothing, what it said before, or its items up to some with one of them changed."""
    if step == "304" or (step == "same" and before is None):
        return FetchedSource(source, (), (None,), (), "unchanged" if before else "failed")
    if step == "same":
        return FetchedSource(source, (), (before,), (), "ok")
    count, change, title = step
    said = (
        make_entry(source.name, turn, place, daily=daily, change=change if turn == count // 2 else "")
        for place, turn in enumerate(reversed(range(count)))
    )
    return FetchedSource(source, (), (Listing(tuple(said), show=Show(title=title or None)),), (), "ok")


class Composed:
    """A store of which the feed is composed in every run, or only where it must be."""

    def __init__(self, store: Store, plan: Plan, *, always: bool) -> None:
        """Have composed nothing."""
        self.store, self.plan, self.always = store, plan, always
        self.files: dict[str, bytes] = {}
        self.count = 0

    def refresh(self, fetched: list[FetchedSource], now: datetime) -> dict[str, bytes]:
        """Return the files after a run."""
        with database.transaction(self.store) as tx:
            persist.write_fetched(tx, [(self.plan, fetched)], now)
            given = publications.input_digest(tx, self.plan, ())
            if self.always or publications.read_publication(tx, self.plan.name, given, now) is None:
                composed = compose_and_write(tx, self.plan, now)
                publications.write_publication(tx, self.plan.name, Publication(given, until=composed.until))
                self.files = dict(publish.render(composed.feed))
                self.count += 1
        return self.files


def compare(history: list[tuple[object, ...]], *, daily: bool) -> tuple[int, int]:
    """Compare the files of each run; return how often they were composed."""
    with TemporaryDirectory() as folder:
        files = [str(Path(folder) / name) for name in ("by-change.db", "full.db")]
        with database.open_store(files[0]) as by_change, database.open_store(files[1]) as full:
            both = Composed(by_change, PLANS[daily], always=False), Composed(full, PLANS[daily], always=True)
            said: dict[str, Listing] = {}
            for turn, step in enumerate(history):
                pairs = zip(SOURCES, step, strict=True)
                fetched = [fetch(source, each, said.get(source.name), daily=daily) for source, each in pairs]
                said |= {each.source.name: each.listings[0] for each in fetched if each.listings[0] is not None}
                one, other = (each.refresh(fetched, START + timedelta(hours=turn)) for each in both)
                assert one == other
            return both[0].count, both[1].count


slow = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@settings(slow, max_examples=12)
@given(st.lists(steps, min_size=2, max_size=6), st.booleans())
def test_composing_where_there_is_news_gives_the_same_files(history: list, daily: bool) -> None:  # noqa: FBT001
    compare(history, daily=daily)


@pytest.mark.heavy
@settings(slow, max_examples=100)
@given(st.lists(steps, min_size=2, max_size=12), st.booleans())
def test_composing_where_there_is_news_gives_the_same_files_in_many_histories(history: list, daily: bool) -> None:  # noqa: FBT001
    compare(history, daily=daily)


def test_listings_that_say_the_same_are_not_composed() -> None:
    whole, same = (((8, "", ""),) * 3), ("same",) * 3
    assert compare([whole, same, same, ("same", "304", "same"), same], daily=False) == (2, 5)
