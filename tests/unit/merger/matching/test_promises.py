from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.merger.matching.evidence.text import find_least_idf
from aggregator.merger.matching.match import compare_entries, fit_table, match
from aggregator.merger.matching.scoring import parse_table
from aggregator.model.cluster import Decision, Matching
from aggregator.model.entry import Duration, Entry, Moment, Span

WORDS = [
    "anchovy",
    "bread",
    "copper",
    "kettle",
    "winter",
    "garden",
    "letter",
    "harbour",
    "paper",
    "boat",
    "river",
    "stone",
]
START = datetime(2024, 1, 1, 7, tzinfo=UTC)

numbers = st.integers(0, 12)
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)


@st.composite
def entries(draw: st.DrawFn) -> list[Entry]:
    """Listings of one show with every kind of gap, of two to four sources."""
    found = []
    for source in ("host", "list", "store", "page")[: draw(st.integers(2, 4))]:
        for at in range(draw(st.integers(1, 7))):
            day = draw(st.none() | numbers)
            minutes = draw(st.none() | numbers)
            title = " ".join(draw(words)) + draw(st.sampled_from(("", " (Part 1)", " (Part 2)", " #3")))
            found.append(
                Entry(
                    source,
                    f"{source}-{at}",
                    title,
                    genre=draw(st.sampled_from(("episode", "episode", "post"))),
                    guid=draw(st.none() | st.sampled_from(("g1", "g2", "g3"))),
                    description=draw(st.none() | words.map(" ".join)),
                    published=None if day is None else Moment(START + timedelta(days=day)),
                    duration=None if minutes is None else Duration(600 + 60 * minutes, draw(st.sampled_from((1, 60)))),
                    position=draw(st.sampled_from((at, 9 - at))),
                    span=draw(st.sampled_from((Span(1, 3), Span(4, 6), Span(1, 6)))),
                )
            )
    return found


def groups(found: Matching) -> set[frozenset[str]]:
    return {frozenset(entry.id for entry in cluster.entries) for cluster in found.clusters}


def together(found: Matching, left: str, right: str) -> bool:
    return any({left, right} <= group for group in groups(found))


@settings(max_examples=25, deadline=None)
@given(entries(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_leaves_no_trace(found: list[Entry], chance: random.Random) -> None:
    assert match(chance.sample(found, len(found))) == match(found)


@settings(max_examples=25, deadline=None)
@given(entries())
def test_every_entry_is_in_exactly_one_cluster(found: list[Entry]) -> None:
    listed = [entry.id for cluster in match(found).clusters for entry in cluster.entries]
    assert sorted(listed) == sorted(entry.id for entry in found)


@settings(max_examples=25, deadline=None)
@given(entries())
def test_what_a_source_lists_side_by_side_stays_two(found: list[Entry]) -> None:
    for cluster in match(found).clusters:
        for left in cluster.entries:
            for right in cluster.entries:
                if left.id < right.id and left.source == right.source and alongside(left, right):
                    assert left.title == right.title
                    twice = left.guid is not None and (left.guid, left.description) == (right.guid, right.description)
                    assert twice or left.published == right.published


def alongside(left: Entry, right: Entry) -> bool:
    return left.span.first <= right.span.last and right.span.first <= left.span.last


@settings(max_examples=25, deadline=None)
@given(entries(), st.data())
def test_a_decision_is_obeyed_whatever_the_evidence(found: list[Entry], data: st.DataObject) -> None:
    names = sorted(entry.id for entry in found)
    left, right = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    if left != right:
        assert not together(match(found, decisions=[Decision("different", left, right)]), left, right)
        assert together(match(found, decisions=[Decision("same", left, right)]), left, right)


@settings(max_examples=25, deadline=None)
@given(entries(), st.data())
def test_what_was_published_under_one_guid_stays_together(found: list[Entry], data: st.DataObject) -> None:
    found = [replace(entry, span=Span(2 * at, 2 * at + 1)) for at, entry in enumerate(found)]  # none side by side
    pins = {entry.id: data.draw(st.sampled_from(("p1", "p2", "p3"))) for entry in found}
    again = match(found, pins=pins)
    for left, one in pins.items():
        for right, other in pins.items():
            if one == other:
                assert together(again, left, right)


@settings(max_examples=20, deadline=None)
@given(entries(), entries())
def test_an_unrelated_show_changes_nothing(found: list[Entry], others: list[Entry]) -> None:
    own = [replace(entry, show="Bread and Water") for entry in found]
    else_ = [replace(one, source=f"{one.source}-2", show="Night Trains", guid=None) for one in others]
    table = fit_table(compare_entries(()))
    assert groups(match(own, table=table)) <= groups(match([*own, *else_], table=table))


def test_a_word_of_another_show_parts_no_pair_of_this_one() -> None:
    # Found by the test above: "bread" and "anchovy" were words that others have too as soon as another show had them.
    fish = "anchovy"
    titles = {
        "host": [*[fish] * 4, f"{fish} {fish} {fish}"],
        "list": [fish] * 3,
        "store": [*["copper"] * 5, f"{fish} {fish}"],
        "page": [fish, "bread"],
    }
    own = [
        Entry(source, f"{source}-{at}", title, position=at, span=Span(1, 3), show="Bread and Water")
        for source, listed in titles.items()
        for at, title in enumerate(listed)
    ]
    table = fit_table(compare_entries(()))
    alone = match(own, table=table)
    assert together(alone, "host/host-4", "store/store-5")
    trains = [
        Entry(f"{source}-2", "0", title, show="Night Trains") for source, title in (("host", fish), ("list", "bread"))
    ]
    assert groups(alone) <= groups(match([*own, *trains], table=table))


def honest(count: int) -> list[Entry]:
    return [
        Entry(
            "host",
            f"h{at}",
            f"{WORDS[at].title()} and {WORDS[-at - 1]}",
            guid=f"guid-{at}",
            description=f"All about {WORDS[at]} and {WORDS[-at - 1]}, what it is and how it came to be.",
            published=Moment(START + timedelta(days=7 * at)),
            duration=Duration(1000 + 100 * at),
        )
        for at in range(count)
    ]


def copies(found: Sequence[Entry], shift: int) -> list[Entry]:
    """A source that gives each guid to another's title."""
    return [
        replace(entry, source="copy", key=f"c{at}", guid=found[(at + shift) % len(found)].guid)
        for at, entry in enumerate(found)
    ]


def test_a_source_that_copies_all_of_another_hides_none_of_its_items() -> None:
    own = honest(7)
    for shift in range(7):
        for cluster in match([*own, *copies(own, shift)]).clusters:
            assert sum(entry.source == "host" for entry in cluster.entries) <= 1


def test_a_source_that_gives_all_its_items_one_guid_and_title_hides_none() -> None:
    own = honest(7)
    flood = [replace(own[0], source="flood", key=f"f{at}", published=None, duration=None) for at in range(40)]
    for cluster in match([*own, *flood]).clusters:
        assert sum(entry.source == "host" for entry in cluster.entries) <= 1


@pytest.mark.parametrize("title", ["?", "\u4f60\u597d", "zzzqqq"])
def test_what_nobody_else_says_moves_no_weight(title: str) -> None:
    """Seen in a random history: a source's one entry "?" gave an episode of two others another guid."""
    noise = Entry("page", "noise", title, description=title)
    one, other = compare_entries(honest(7)), compare_entries([*honest(7), noise])
    kept = [record.id != noise.id for record in other.frame.records]
    for name in ("title_grams", "descriptions"):
        assert np.array_equal(getattr(other.frame, name).sums[kept], getattr(one.frame, name).sums)
    rows = np.arange(len(one.frame.records), dtype=np.int64)
    assert np.array_equal(find_least_idf(other.frame, np.flatnonzero(kept)), find_least_idf(one.frame, rows))


def test_the_table_survives_its_json() -> None:
    table = fit_table(compare_entries(honest(7)))
    assert parse_table(table.to_json()) == table


def test_a_person_divides_what_was_published_together() -> None:
    own = honest(2)
    pins = {own[0].id: "p", own[1].id: "p"}
    assert together(match(own, pins=pins), own[0].id, own[1].id)
    divided = match(own, pins=pins, decisions=[Decision("different", own[0].id, own[1].id)])
    assert not together(divided, own[0].id, own[1].id)


def test_the_last_decision_stands() -> None:
    left, right = honest(2)
    verdicts = [Decision("same", left.id, right.id), Decision("different", left.id, right.id)]
    assert not together(match([left, right], decisions=verdicts), left.id, right.id)
    assert together(match([left, right], decisions=verdicts[::-1]), left.id, right.id)


def test_decisions_name_published_guids_too() -> None:
    own = honest(3)
    pins = {entry.id: f"p{at}" for at, entry in enumerate(own)}
    assert together(match(own, pins=pins, decisions=[Decision("same", "p0", "p2")]), own[0].id, own[2].id)


def test_near_misses_are_shown_with_what_stopped_them() -> None:
    own = honest(3)
    again = [replace(own[0], source="list", key="l0", guid=None, title=f"{own[0].title} (Part 2)")]
    near = match([replace(own[0], title=f"{own[0].title} (Part 1)"), *own[1:], *again]).near_misses
    assert [(pair.left, pair.right, pair.veto) for pair in near] == [("host/h0", "list/l0", "different parts")]


def test_near_misses_stand_the_nearest_first() -> None:
    own = honest(3)
    far = replace(own[0], source="list", key="a", guid=None, title=f"{own[0].title} (Part 2)", duration=None)
    near = replace(own[1], source="list", key="b", guid=None, title=f"{own[1].title} (Part 2)")
    parts = [replace(each, title=f"{each.title} (Part 1)") for each in own[:2]]
    found = match([*parts, own[2], far, near]).near_misses
    assert [(pair.left, pair.right) for pair in found] == [("host/h1", "list/b"), ("host/h0", "list/a")]


def test_a_post_beside_an_episode_is_no_near_miss() -> None:
    own = honest(3)
    assert match([*own, replace(own[0], source="blog", key="p", guid=None, genre="post")]).near_misses == ()
