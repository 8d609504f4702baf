"""The last guard before the database: what would alter a published guid is refused, and nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.errors import StoreError
from aggregator.model.entry import Moment, Precision
from aggregator.model.item import PublishedItem
from aggregator.store import database as stores
from aggregator.store.database import Store
from aggregator.store.guids import is_more_precise, read_guids, write_guids

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)
DAY = datetime(2024, 5, 1, tzinfo=UTC)
ONE = PublishedItem("g1", AT, Moment(DAY, "day"), ("host/1",), "One")
TWO = PublishedItem("g2", AT, Moment(DAY, "day"), ("host/2",), "Two")


def count_written(store: Store, published: Sequence[PublishedItem]) -> int:
    before = set(read_guids(store, "show"))
    write_guids(store, "show", published)
    return len(set(read_guids(store, "show")) - before)


def test_guids_are_kept_sorted_and_once(store: Store) -> None:
    assert count_written(store, (TWO, ONE)) == 2
    assert read_guids(store, "show") == (ONE, TWO)
    assert count_written(store, (ONE, TWO)) == 0
    assert read_guids(store, "other") == ()


def test_what_is_not_given_stays(store: Store) -> None:
    write_guids(store, "show", (ONE, TWO))
    assert count_written(store, ()) == 0
    assert count_written(store, (replace(TWO, entries=("apple/2", "host/2")),)) == 1
    assert tuple(each.guid for each in read_guids(store, "show")) == ("g1", "g2")


@pytest.mark.parametrize(
    "change",
    [
        {"minted": AT + timedelta(seconds=1)},
        {"published": Moment(DAY + timedelta(days=2), "day")},
        {"published": Moment(DAY, "year")},
        {"published": Moment(DAY + timedelta(days=3), "second")},
        {"published": Moment(DAY - timedelta(hours=15), "second")},
        {"alias_of": "nobody"},
        {"alias_of": "g1"},
    ],
    ids=str,
)
def test_what_would_alter_a_guid_is_refused_whole(store: Store, change: dict[str, object]) -> None:
    write_guids(store, "show", (ONE,))
    with pytest.raises(StoreError, match=r"^store: show: "):
        write_guids(store, "show", (TWO, replace(ONE, **change)))  # type: ignore[arg-type]  # the case names the field
    assert read_guids(store, "show") == (ONE,)


@pytest.mark.parametrize(
    "change",
    [
        {"published": Moment(DAY + timedelta(hours=17), "second")},
        {"published": Moment(DAY + timedelta(hours=17), "minute")},
        {"published": Moment(DAY - timedelta(hours=14), "second")},
        {"published": Moment(DAY + timedelta(hours=35, minutes=59), "second")},
        {"entries": ("a/1", "b/2")},
        {"title": "One, corrected"},
        {"buried": "retention"},
    ],
    ids=str,
)
def test_what_may_change_changes(store: Store, change: dict[str, object]) -> None:
    write_guids(store, "show", (ONE,))
    after = replace(ONE, **change)  # type: ignore[arg-type]  # the case names the field
    assert count_written(store, (after,)) == 1
    assert (after,) == read_guids(store, "show")


def test_an_alias_is_one_for_ever(store: Store) -> None:
    write_guids(store, "show", (ONE, replace(TWO, alias_of="g1")))
    with pytest.raises(StoreError, match="alias of 'g1' for ever"):
        write_guids(store, "show", (TWO,))
    third = PublishedItem("g0", AT, Moment(DAY), (), "Oldest")
    write_guids(store, "show", (third, replace(TWO, alias_of="g0"), replace(ONE, alias_of="g0")))
    with pytest.raises(StoreError, match="circle"):
        write_guids(store, "show", (replace(third, alias_of="g2"),))


def test_an_item_without_a_guid_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="no guid"):
        write_guids(store, "show", (replace(ONE, guid=""),))


def test_hostile_guids_are_kept_apart(store: Store) -> None:
    guids = ["g" * 4000, "g" * 4001, "\x00", "\ufffd", "#x", "G1", "g1", "g1 "]
    kept = tuple(replace(ONE, guid=guid) for guid in sorted(guids))
    write_guids(store, "show", kept)
    assert kept == read_guids(store, "show")


def test_guids_fall_with_their_transaction(store: Store) -> None:
    with pytest.raises(StoreError), stores.transaction(store) as tx:  # noqa: PT012 - what is left is the point
        write_guids(tx, "show", (ONE,))
        write_guids(tx, "show", (replace(ONE, minted=AT + timedelta(1)),))
    assert read_guids(store, "show") == ()


CASES: tuple[tuple[str, Precision, str, Precision, bool], ...] = (
    ("2024-02-29", "year", "2024-12-31T23:00", "second", True),
    ("2024-02-29", "year", "2025-01-01T11:59", "second", True),
    ("2024-02-29", "year", "2025-01-01T12:00", "second", False),
    ("2023-02-28", "year", "2023-06-01", "day", True),
    ("2024-02-29", "day", "2024-02-29T08:00", "minute", True),
    ("2024-02-29", "day", "2024-03-02", "second", False),
    ("2024-02-29T10:05", "minute", "2024-02-29T10:05:59", "second", True),
    ("2024-02-29T10:05", "minute", "2024-02-29T10:06:00", "second", False),
    ("2024-02-29T10:05", "second", "2024-02-29T10:05:00", "second", True),
    ("2024-02-29T10:05", "second", "2024-02-29T10:05:01", "second", False),
    ("0001-01-01", "day", "0001-01-01T05:00", "second", True),
    ("9999-12-31", "year", "9999-12-31T23:59", "second", True),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_only_precision_grows(case: tuple[str, Precision, str, Precision, bool]) -> None:
    before, coarse, after, fine, wanted = case
    first = Moment(datetime.fromisoformat(before).replace(tzinfo=UTC), coarse)
    assert wanted == is_more_precise(first, Moment(datetime.fromisoformat(after).replace(tzinfo=UTC), fine))
