"""Values for the next page: one visitor does not push out what another has, and the bytes of all are limited."""

from __future__ import annotations

import pytest

from aggregator.service.desk import visitor_cache
from aggregator.service.desk.visitor_cache import MOST_VALUES, VisitorCache


def test_the_oldest_of_the_same_visitor_are_dropped() -> None:
    known = VisitorCache()
    mine = [known.add("ann", number) for number in range(3)]
    theirs = [known.add("bob", number) for number in range(MOST_VALUES + 5)]
    assert [known.find(number) for number in mine] == [0, 1, 2]
    assert [known.find(number) for number in theirs] == [*[None] * 5, *range(5, MOST_VALUES + 5)]
    assert known.find("none") is None


def test_the_bytes_of_a_visitor_are_limited_and_the_last_thing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_cache, "MOST_BYTES", 100_000)
    known = VisitorCache()
    mine = known.add("ann", b"mine")
    theirs = [known.add("bob", bytes(40_000)) for _ in range(3)]
    assert [known.find(number) is not None for number in theirs] == [False, True, True]
    large = known.add("bob", bytes(200_000))
    assert [known.find(number) is not None for number in (*theirs, large)] == [False, False, False, True]
    assert known.find(mine) == b"mine"


def test_the_bytes_of_all_are_limited_at_the_cost_of_who_has_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_cache, "MOST_BYTES_OF_ALL", 200_000)
    known = VisitorCache()
    mine = known.add("ann", bytes(20_000))
    theirs = [known.add("bob", bytes(40_000)) for _ in range(4)]
    last = known.add("cid", bytes(20_000))
    assert [known.find(number) is not None for number in theirs] == [False, True, True, True]
    assert known.find(mine)
    assert known.find(last)


def test_a_number_given_before_is_the_same_thing() -> None:
    known = VisitorCache()
    number = known.add("ann", None)
    assert known.add("ann", "draft", number) == number
    assert known.find(number) == "draft"
