"""A source that speaks alone is compared with nothing, and the answer is the one that comparing gives."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.merger.matching.match import cluster_single_source, match
from aggregator.merger.matching.scoring import SHIPPED
from aggregator.model.cluster import Decision, Matching
from aggregator.model.entry import Duration, Entry, Moment, Span

NO_PINS: Mapping[str, str] = {}
START = datetime(2024, 1, 1, 7, tzinfo=UTC)
TITLES = ("Tide tables", "Listener mail", "Rope work", "Listener mail (Part 2)", "#4 Anchors")


def entry(at: int, title: str = "Listener mail", **said: object) -> Entry:
    """One of a host's entries, all of which it lists today."""
    when = Moment(START + timedelta(days=7 * at))
    return replace(Entry("host", f"h{at}", title, published=when, span=Span(at + 1, 9)), **said)  # type: ignore[arg-type]  # by name


LISTED = [entry(at, title) for at, title in enumerate(TITLES)]


@st.composite
def listings(draw: st.DrawFn) -> list[Entry]:
    """What one source lists today, some of it since long, titles and ids repeated."""
    return [
        entry(
            at,
            draw(st.sampled_from(TITLES)),
            guid=draw(st.none() | st.sampled_from(("g1", "g2"))),
            ids=draw(st.sampled_from(((), (("guid", "g1"),), (("simplecast", "g2"),)))),
            description=draw(st.none() | st.sampled_from(("The moon and the harbour.", "Knots, and who ties them."))),
            duration=draw(st.none() | st.just(Duration(600, 1))),
            published=draw(st.none() | st.sampled_from([Moment(START), Moment(START + timedelta(seconds=9))])),
        )
        for at in range(draw(st.integers(1, 7)))
    ]


def alone(listed: list[Entry], decisions: tuple[Decision, ...] = (), pins: Mapping[str, str] = NO_PINS) -> bool:
    """Whether these are not compared; then what is answered is what comparing them answers."""
    found = cluster_single_source(listed, decisions, pins)
    if found is None:
        return False
    assert Matching(found, (), SHIPPED.version) == match(listed, decisions=decisions, pins=pins)
    return True


@settings(max_examples=60, deadline=None)
@given(listings(), st.dictionaries(st.sampled_from([each.id for each in LISTED]), st.sampled_from("pq"), max_size=3))
def test_the_answer_is_that_of_comparing(listed: list[Entry], pins: dict[str, str]) -> None:
    alone(listed, pins=pins)


def test_what_one_source_lists_side_by_side_is_not_compared() -> None:
    assert alone(LISTED)
    assert alone(LISTED, pins={LISTED[0].id: "p", LISTED[1].id: "q"})
    assert alone(LISTED, (Decision("different", LISTED[0].id, LISTED[1].id),))


TWIN = entry(5, "Rope work", published=LISTED[2].published, description="The same.", guid="g")


@pytest.mark.parametrize(
    ("listed", "decisions", "pins"),
    [
        ([*LISTED, replace(LISTED[0], source="mirror")], (), NO_PINS),
        ([replace(LISTED[0], span=Span(1, 3)), *LISTED[1:]], (), NO_PINS),
        ([*LISTED[:2], replace(LISTED[2], description="The same.", guid="g"), *LISTED[3:], TWIN], (), NO_PINS),
        (LISTED, (Decision("same", LISTED[0].id, LISTED[1].id),), NO_PINS),
        (LISTED, (), dict.fromkeys([LISTED[0].id, LISTED[1].id], "p")),
        ([], (), NO_PINS),
    ],
    ids=["a second source", "an entry that went", "listed twice", "decided", "published as one", "nothing"],
)
def test_where_something_may_be_one_all_is_compared(
    listed: list[Entry], decisions: tuple[Decision, ...], pins: Mapping[str, str]
) -> None:
    assert not alone(listed, decisions, pins)
