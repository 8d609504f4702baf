"""A decision that is taken back leaves the feed as if it had never been made: random sequences, beside a twin."""

import random
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from msgspec.structs import replace

from aggregator import persist
from aggregator.fetchers.fetched import FetchedSource
from aggregator.model.cluster import Decision
from aggregator.model.entry import Listing
from aggregator.model.item import Item
from aggregator.model.results import Composition
from aggregator.store import database, decisions, guids
from aggregator.store.database import Store
from tests.integration.refresh.test_histories import EPISODES, PLAN, SOURCES, START, entry
from tests.support.composing import compose_and_write

ALWAYS = replace(PLAN, sources=tuple(replace(each, adds="always") for each in SOURCES))


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.heavy) for seed in range(4, 40))])
def test_what_was_undone_was_never_decided(seed: int) -> None:
    chance = random.Random(seed)
    with TemporaryDirectory() as folder:
        stores = [Path(folder) / name for name in ("decided.db", "never.db")]
        with database.open_store(str(stores[0])) as store, database.open_store(str(stores[1])) as twin:
            walk(store, twin, chance)


def walk(store: Store, twin: Store, chance: random.Random) -> None:
    """Decide, undo and refresh at random; after each step with nothing decided both feeds are the same."""
    made: list[Decision] = []
    shared = 0
    for turn in range(10):
        now = START + timedelta(days=turn)
        heard = listings(chance)
        decided, never = (refresh(each, heard, now) for each in (store, twin))
        if not made:
            assert feed_of(decided) == feed_of(never)
            shared += 1
        for _ in range(chance.choice((0, 1, 1, 2))):
            if made and chance.random() < 0.5:
                undo(store, made, now)
            else:
                made.append(decide(store, decided, chance, now))
    while made:
        undo(store, made, now)
    now += timedelta(days=1)
    decided, never = (refresh(each, [], now) for each in (store, twin))
    assert feed_of(decided) == feed_of(never)
    assert shared


def listings(chance: random.Random) -> list[FetchedSource]:
    """Each source lists most of the episodes, or does not answer."""
    heard = []
    for source in ALWAYS.sources:
        turns = [turn for turn in range(len(EPISODES)) if chance.random() < 0.8]
        listed = tuple(entry(source.name, turn, place, "") for place, turn in enumerate(reversed(turns)))
        answered = FetchedSource(source, (), (Listing(listed),), (), "ok")
        heard.append(answered if chance.random() < 0.8 else FetchedSource(source))
    return heard


def refresh(store: Store, heard: list[FetchedSource], now) -> Composition:
    with database.transaction(store) as tx:
        if heard:
            persist.write_fetched(tx, [(ALWAYS, heard)], now)
        return compose_and_write(tx, ALWAYS, now)


def decide(store: Store, composed: Composition, chance: random.Random, now) -> Decision:
    """A decision about two entries or two items at random, often one that parts what is together."""
    items = composed.feed.items
    several = [item for item in items if len(item.entries) > 1]
    if several and chance.random() < 0.5:
        decision = Decision("different", *chance.sample(chance.choice(several).entries, 2))
    else:
        left, right = chance.sample(items, 2)
        named = ((left.guid, right.guid), (chance.choice(left.entries), chance.choice(right.entries)))
        decision = Decision("same", *chance.choice(named))
    decisions.write_decision(store, ALWAYS.name, decision, now)
    return decision


def undo(store: Store, made: list[Decision], now) -> None:
    decision = made.pop()
    decisions.undo_decision(store, ALWAYS.name, decision.left, decision.right, now)
    made[:] = [each for each in made if {each.left, each.right} != {decision.left, decision.right}]


def feed_of(composed: Composition) -> Mapping[str, tuple[object, ...]]:
    """What subscribers see of each item, and the entries that it is made of."""
    return {item.guid: said(item) for item in composed.feed.items}


def said(item: Item) -> tuple[object, ...]:
    return item.title, item.published, item.link, item.enclosure, item.description, item.duration, item.entries


def test_two_items_that_were_merged_come_back_under_their_guids(tmp_path: Path) -> None:
    host, apple, mirror = ALWAYS.sources[1], ALWAYS.sources[0], ALWAYS.sources[2]
    heard = [
        FetchedSource(source, (), (Listing((entry(source.name, turn, 0, ""),)),), (), "ok")
        for source, turn in ((host, 0), (mirror, 2))
    ]
    with database.open_store(str(tmp_path / "store.db")) as store:
        first = feed_of(refresh(store, heard, START))
        assert len(first) == 2
        decisions.write_decision(store, "sea", Decision("same", *sorted(first)), START)
        merged = refresh(store, [], START + timedelta(days=1))
        assert [item.guid for item in merged.feed.items] == ["host-0"]
        late = FetchedSource(apple, (), (Listing((entry("apple", 2, 0, ""),)),), (), "ok")
        joined = refresh(store, [late], START + timedelta(days=2))
        assert joined.feed.items[0].entries == ("apple/apple-2", "host/host-0", "mirror/mirror-2")
        decisions.undo_decision(store, "sea", *sorted(first), START)
        parted = refresh(store, [], START + timedelta(days=3))
        assert feed_of(parted).keys() == first.keys()
        assert feed_of(parted)["host-0"] == first["host-0"]
        assert [record.alias_of for record in guids.read_guids(store, "sea")] == [None, None]
        assert feed_of(parted)["mirror-2"][-1] == ("apple/apple-2", "mirror/mirror-2"), (
            "what came later is with its own"
        )
