"""A feed is learned from once, and again when its listings have changed by a good part, or a person asks for it."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator import persist
from aggregator.fetchers.fetched import FetchedSource
from aggregator.model.entry import Entry, Listing, Moment
from aggregator.model.feed import Channel, Plan
from aggregator.model.source import Source
from aggregator.store import database, facts
from tests.support.composing import compose_and_write

START = datetime(2025, 1, 6, 9, tzinfo=UTC)
HOST, SHELF, ATTIC = (
    Source(name, "feed", trust=trust) for name, trust in (("host", 0.9), ("shelf", 0.5), ("attic", 0.3))
)
PLAN = Plan("kai", Channel("kai", "Kaistimmen", "http://localhost:8000/kai"), (ATTIC, HOST, SHELF))


def listing(source: Source, count: int, *, changed: int = 0) -> FetchedSource:
    """List the newest ``count`` items; the oldest ``changed`` of them with another title."""
    told = [
        Entry(
            source.name,
            f"{source.name}-{number}",
            f"Gespräch {number} über Boote{' und Taue' if number < changed else ''}",
            position=count - number,
            published=Moment(START + timedelta(days=number)),
        )
        for number in range(count)
    ]
    return FetchedSource(source, (), (Listing(tuple(told)),), (), "ok")


class Feed:
    """A feed that is refreshed each hour."""

    def __init__(self, store) -> None:
        self.store, self.now = store, START + timedelta(days=400)

    def refresh(self, *heard: FetchedSource, plan: Plan = PLAN) -> datetime:
        """Refresh it, and return when it was learned from."""
        self.now += timedelta(hours=1)
        with database.transaction(self.store) as tx:
            persist.write_fetched(tx, [(plan, heard)], self.now)
            composed = compose_and_write(tx, plan, self.now)
        return composed.model.at


@pytest.fixture
def feed(tmp_path):
    with database.open_store(str(tmp_path / "store.db")) as store:
        yield Feed(store)


def test_what_was_learned_is_kept_while_little_changes(feed) -> None:
    first = feed.refresh(listing(HOST, 40), listing(SHELF, 40))
    assert feed.refresh() == first
    assert feed.refresh(listing(HOST, 42), listing(SHELF, 42, changed=5)) == first
    assert feed.refresh(listing(HOST, 43), listing(SHELF, 43)) > first  # 86 is more than a twentieth above 80


@pytest.mark.parametrize(
    "heard",
    [
        pytest.param(lambda: [listing(ATTIC, 1)], id="a further source"),
        pytest.param(lambda: [listing(SHELF, 40, changed=8)], id="a fifth of a listing has changed"),
    ],
)
def test_it_is_learned_again_when_listings_have_changed(feed, heard) -> None:
    first = feed.refresh(listing(HOST, 40), listing(SHELF, 40))
    assert feed.refresh(*heard()) > first


def test_changes_add_up_until_it_is_learned_again(feed) -> None:
    first = feed.refresh(listing(HOST, 40), listing(SHELF, 40))
    assert feed.refresh(listing(SHELF, 40, changed=4)) == first
    second = feed.refresh(listing(SHELF, 40, changed=9))
    assert second > first
    assert feed.refresh(listing(SHELF, 40, changed=10)) == second


def test_a_source_that_the_feed_is_without_is_not_learned_from(feed) -> None:
    plan = replace(PLAN, without=("attic",))
    first = feed.refresh(listing(HOST, 40), listing(ATTIC, 40), plan=plan)
    assert [each.source for each in facts.MODEL.read(feed.store, "kai").listings] == ["host"]
    assert feed.refresh(listing(ATTIC, 60, changed=30), plan=plan) == first


def test_a_small_feed_is_learned_from_at_each_entry(feed) -> None:
    times = [feed.refresh(listing(HOST, count), listing(SHELF, count)) for count in (3, 4, 4, 5)]
    assert times == sorted(times)
    assert times[1] == times[2]
    assert len(set(times)) == 3


def test_another_program_learns_again(feed) -> None:
    first = feed.refresh(listing(HOST, 40), listing(SHELF, 40))
    old = replace(facts.MODEL.read(feed.store, "kai"), program="another")
    facts.MODEL.write(feed.store, "kai", old)
    assert feed.refresh() > first


def test_a_persons_word_has_it_learned_again(feed) -> None:
    first = feed.refresh(listing(HOST, 40), listing(SHELF, 40))
    persist.forget_model(feed.store, "kai")
    assert facts.MODEL.read(feed.store, "kai") is None
    assert feed.refresh() > first
