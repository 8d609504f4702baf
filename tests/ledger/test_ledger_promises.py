"""The last guard before the database: what no decision may do to a promise is refused, and nothing is written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.errors import LedgerError
from aggregator.ledger import ledger as ledgers
from aggregator.ledger.ledger import Ledger
from aggregator.ledger.promises import grows, keep_promises, promises
from aggregator.model.item import Promise
from aggregator.model.sighting import Moment, Precision

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)
DAY = datetime(2024, 5, 1, tzinfo=UTC)
ONE = Promise("g1", AT, Moment(DAY, "day"), ("host/1",), "One")
TWO = Promise("g2", AT, Moment(DAY, "day"), ("host/2",), "Two")


def test_promises_are_kept_sorted_and_once(book: Ledger) -> None:
    assert keep_promises(book, "show", (TWO, ONE)) == 2
    assert promises(book, "show") == (ONE, TWO)
    assert keep_promises(book, "show", (ONE, TWO)) == 0
    assert promises(book, "other") == ()


def test_what_is_not_given_stays(book: Ledger) -> None:
    keep_promises(book, "show", (ONE, TWO))
    assert keep_promises(book, "show", ()) == 0
    assert keep_promises(book, "show", (replace(TWO, sightings=("apple/2", "host/2")),)) == 1
    assert tuple(each.guid for each in promises(book, "show")) == ("g1", "g2")


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
def test_what_would_break_a_promise_is_refused_whole(book: Ledger, change: dict[str, object]) -> None:
    keep_promises(book, "show", (ONE,))
    with pytest.raises(LedgerError, match=r"^ledger: show: "):
        keep_promises(book, "show", (TWO, replace(ONE, **change)))  # type: ignore[arg-type]  # the case names the field
    assert promises(book, "show") == (ONE,)


@pytest.mark.parametrize(
    "change",
    [
        {"published": Moment(DAY + timedelta(hours=17), "second")},
        {"published": Moment(DAY + timedelta(hours=17), "minute")},
        {"published": Moment(DAY - timedelta(hours=14), "second")},
        {"published": Moment(DAY + timedelta(hours=35, minutes=59), "second")},
        {"sightings": ("a/1", "b/2")},
        {"title": "One, corrected"},
        {"buried": "retention"},
    ],
    ids=str,
)
def test_what_may_change_changes(book: Ledger, change: dict[str, object]) -> None:
    keep_promises(book, "show", (ONE,))
    after = replace(ONE, **change)  # type: ignore[arg-type]  # the case names the field
    assert keep_promises(book, "show", (after,)) == 1
    assert (after,) == promises(book, "show")


def test_an_alias_is_one_for_ever(book: Ledger) -> None:
    keep_promises(book, "show", (ONE, replace(TWO, alias_of="g1")))
    with pytest.raises(LedgerError, match="alias of 'g1' for ever"):
        keep_promises(book, "show", (TWO,))
    third = Promise("g0", AT, Moment(DAY), (), "Oldest")
    keep_promises(book, "show", (third, replace(TWO, alias_of="g0"), replace(ONE, alias_of="g0")))
    with pytest.raises(LedgerError, match="circle"):
        keep_promises(book, "show", (replace(third, alias_of="g2"),))


def test_a_promise_without_a_guid_is_refused(book: Ledger) -> None:
    with pytest.raises(LedgerError, match="no guid"):
        keep_promises(book, "show", (replace(ONE, guid=""),))


def test_hostile_guids_are_kept_apart(book: Ledger) -> None:
    guids = ["g" * 4000, "g" * 4001, "\x00", "\ufffd", "#x", "G1", "g1", "g1 "]
    kept = tuple(replace(ONE, guid=guid) for guid in sorted(guids))
    keep_promises(book, "show", kept)
    assert kept == promises(book, "show")


def test_promises_fall_with_their_transaction(book: Ledger) -> None:
    with pytest.raises(LedgerError), ledgers.transaction(book) as page:  # noqa: PT012 - what is left is the point
        keep_promises(page, "show", (ONE,))
        keep_promises(page, "show", (replace(ONE, minted=AT + timedelta(1)),))
    assert promises(book, "show") == ()


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
    assert wanted == grows(first, Moment(datetime.fromisoformat(after).replace(tzinfo=UTC), fine))
