"""What is in hand is what the ledger would answer, before and after it is written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from aggregator.ledger import decisions, facts, hand, ledger, memories
from aggregator.ledger.ledger import Ledger
from aggregator.model.cluster import Decision
from aggregator.model.item import Override
from aggregator.model.source import Memory

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def book(tmp_path):
    with ledger.open(str(tmp_path / "ledger.db")) as opened:
        facts.keep_fact(opened, "show", "one", b"1")
        facts.keep_fact(opened, "other", "one", b"2")
        yield opened


def test_it_answers_as_the_ledger_does(book: Ledger) -> None:
    wanted = [(feed, name) for feed in ("show", "other", "none") for name in ("one", "two")]
    held = hand.in_hand(book, wanted)
    assert set(held.known) == set(wanted)
    assert {of: facts.facts(held, *of) for of in wanted} == {of: facts.facts(book, *of) for of in wanted}
    assert facts.everywhere(book, "one") == {"show": b"1", "other": b"2"}


def test_what_is_kept_meanwhile_is_in_hand_and_in_the_ledger(book: Ledger) -> None:
    with ledger.transaction(book) as page:
        held = hand.in_hand(page, [("show", "one"), ("show", "two")])
        facts.keep_fact(held, "show", "one", b"3")
        facts.keep_fact(held, "show", "two", b"4")
        facts.keep_fact(held, "show", "three", b"5")
        assert [facts.facts(held, "show", name) for name in ("one", "two", "three")] == [b"3", b"4", b"5"]
        facts.keep_fact(held, "show", "two", None)
        assert facts.facts(held, "show", "two") is None
    assert [facts.facts(book, "show", name) for name in ("one", "two", "three")] == [b"3", None, b"5"]


def test_decisions_are_asked_for_where_there_are_any(book: Ledger) -> None:
    decisions.decide(book, "show", Decision("same", "a/1", "b/1"), NOON)
    decisions.keep_override(book, "other", Override("guid", "title", "T"), NOON)
    held = hand.in_hand(book, [(feed, "one") for feed in ("show", "other", "none")])
    assert held.undecided == {"none"}
    for feed in ("show", "other", "none"):
        assert decisions.decisions(held, feed) == decisions.decisions(book, feed)
        assert decisions.overrides(held, feed) == decisions.overrides(book, feed)


def test_many_feeds_are_asked_for_in_lots(book: Ledger) -> None:
    feeds = [f"show{number}" for number in range(hand.AT_ONCE + 3)]
    with ledger.transaction(book) as page:
        for feed in feeds:
            facts.keep_fact(page, feed, "one", feed.encode())
    held = hand.in_hand(book, [(feed, "one") for feed in feeds])
    assert [facts.facts(held, feed, "one") for feed in feeds] == [feed.encode() for feed in feeds]


def test_memories_of_many_sources_are_kept_and_found_at_once(book: Ledger) -> None:
    first, later = Memory("https://a.example/1"), Memory("https://a.example/1", errors=2)
    other = Memory("https://a.example/2")
    memories.keep_memories(book, [("show", "host", first), ("show", "host", later), ("other", "host", other)])
    memories.keep_memories(book, [("show", "host", other)])
    found = memories.of_feeds(book, ["show", "other", "none"])
    assert found == {("show", "host"): (later, other), ("other", "host"): (other,)}
    assert memories.memories(book, "show", "host") == (later, other)
