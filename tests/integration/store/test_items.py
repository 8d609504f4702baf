"""The items of a feed as they were published, an item a row."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.errors import DamagedError
from aggregator.model.cluster import Evidence, Pair
from aggregator.model.entry import Moment
from aggregator.model.item import Item
from aggregator.store import cache, examine, schema
from aggregator.store import database as stores
from aggregator.store.database import Store
from aggregator.store.items import RENDERED, FeedItems

ODD = ("", "#", "\x00", "ä" * 300)
"""Guids as no source should give them."""

EVIDENCE = (Pair("host/1", "shop/1", 3.5, (Evidence("title", "same", "Tide", "Tide", 2.5),)),)


def item(guid: str, title: str = "Tide", pairs: tuple[Pair, ...] = EVIDENCE) -> Item:
    return Item(title, ("host/1", "shop/1"), guid=guid, description="\ud800 low" if guid == "3" else "low", pairs=pairs)


def without_evidence(published: Item) -> Item:
    return replace(published, pairs=(), description=(published.description or "").replace("\ud800", "\ufffd"))


def test_items_are_written_as_they_change_and_removed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores.batches, "__defaults__", (3,))
    published, every = FeedItems(store, "show"), [item(guid) for guid in (*ODD, *map(str, range(10)))]
    assert published.write(every) == [(None, each) for each in every]
    FeedItems(store, "other").write([item("1", "Another")])
    assert published.write(every) == []
    titled, weighed = item("1", "Newer"), replace(item("2"), pairs=())
    changed = [(without_evidence(item(each.guid)), each) for each in (titled, weighed)]
    assert published.write([titled, weighed, item("4")]) == changed
    assert (published.find("1"), published.find("2"), published.find("4")) == (titled, weighed, item("4"))
    assert published.find("nobody's") is None
    left = [each.guid for each in every[7:]]
    gone = published.remove_others(left)
    assert [each.guid for each in gone] == sorted({each.guid for each in every} - set(left))
    assert published.remove_others(left) == ()
    assert {each.guid: each for each in published.read()} == {each.guid: without_evidence(each) for each in every[7:]}
    assert FeedItems(store, "other").find("1") == item("1", "Another")


def test_items_are_read_in_the_order_of_the_feed(store: Store) -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    given = [("old", -1, 0), ("b", 0, 1), ("a", 0, 1), ("c", 0, 0), ("new", 1, 0)]
    items = [replace(item(guid), published=Moment(noon + timedelta(days=day)), rank=rank) for guid, day, rank in given]
    FeedItems(store, "show").write(items)
    assert [each.guid for each in FeedItems(store, "show").read()] == ["new", "c", "a", "b", "old"]


def test_what_removed_items_were_in_each_format_is_removed(store: Store) -> None:
    for feed in ("show", "other"):
        FeedItems(store, feed).write([item("1"), item("2")])
        for stage in (f"{RENDERED}rss", f"{RENDERED}page", "repair"):
            cache.write_cached(store, feed, stage, {"1": b"x", "2": b"x"})
    FeedItems(store, "show").remove_others(["2"])
    kept = {
        (feed, stage): set(cache.read_cached(store, feed, stage, ["1", "2"]))
        for feed, stage in (
            ("show", f"{RENDERED}rss"),
            ("show", f"{RENDERED}page"),
            ("show", "repair"),
            ("other", f"{RENDERED}rss"),
        )
    }
    assert list(kept.values()) == [{"2"}, {"2"}, {"1", "2"}, {"1", "2"}]


def test_what_a_transaction_takes_back_is_as_it_was(store: Store) -> None:
    FeedItems(store, "show").write([item("1")])

    def spoilt() -> None:
        with stores.transaction(store) as tx:
            FeedItems(tx, "show").write([item("1", "Other")])
            FeedItems(tx, "show").remove_others(())
            raise KeyError

    with pytest.raises(KeyError):
        spoilt()
    assert FeedItems(store, "show").find("1") == item("1")


@pytest.mark.parametrize("column", ["record", "evidence"])
@pytest.mark.parametrize("damage", [b"\0", zlib.compress(b"[]"), zlib.compress(b"\xff")])
def test_damage_is_told(state: str, column: str, damage: bytes) -> None:
    with stores.open_store(state) as store:
        FeedItems(store, "show").write([item("1")])
        assert list(examine.find_damage_of_store(state)) == []
        with stores.writing(store) as connection:
            connection.execute(schema.items.update().values({column: damage}))
        assert len(list(examine.find_damage_of_store(state))) == 1
        if column == "record" or damage != zlib.compress(b"[]"):
            with pytest.raises(DamagedError):
                FeedItems(store, "show").find("1")
