"""Order within the listing: what it says, and where it has nothing to say."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.adjustments import _WEAK_TITLE
from aggregator.merger.matching.explain import Resolution
from aggregator.merger.matching.features.records import make_record, parse_records
from aggregator.merger.matching.match import match, match_records
from aggregator.merger.matching.scoring import SHIPPED
from aggregator.model.entry import Entry, Moment, Span
from tests.support.levels import KINDS, LEVELS

TITLES = (
    *("Tide tables", "Rope work", "Dead reckoning", "Sextants and stars", "The lamp keepers", "Paint against rust"),
    *("Charts of the north", "Bells in the fog"),
)
ODD = ("The harbour pilots at night", "The pilots of the harbour at night")


def listing(source: str, odd: str, at: int, span: Span | None = None) -> list[Entry]:
    titles = [*TITLES[:at], odd, *TITLES[at:]]
    return [
        Entry(source, title, title, position=place, span=span or Span(last=4)) for place, title in enumerate(titles)
    ]


def said(found: Resolution) -> dict[tuple[str, str], str]:
    """What order says of each pair of which it says anything."""
    column, ids = KINDS.index("order"), [record.id for record in found.frame.records]
    return {
        (ids[left], ids[right]): LEVELS["order"][level]
        for left, right, level in zip(
            found.compared.left, found.compared.right, found.compared.levels[:, column], strict=True
        )
        if level
    }


def resolved(entries: Sequence[Entry]) -> Resolution:
    return match_records([make_record(entry) for entry in entries], SHIPPED)


def odd(found: Resolution) -> str | None:
    return said(found).get((f"host/{ODD[0]}", f"page/{ODD[1]}"))


@pytest.mark.parametrize(
    ("at", "level"), [(4, "alone between the same items"), (0, "elsewhere"), (8, "elsewhere"), (3, "elsewhere")]
)
def test_an_item_stands_between_the_same_two_or_elsewhere(at: int, level: str) -> None:
    assert odd(resolved([*listing("host", ODD[0], 4), *listing("page", ODD[1], at)])) == level


def test_equal_titles_show_an_order_also_where_the_fitted_table_gives_them_less() -> None:
    title = KINDS.index("title")
    less = tuple((*row[:-1], 4.6) if kind == title else row for kind, row in enumerate(SHIPPED.weights))
    records = [make_record(entry) for entry in (*listing("host", ODD[0], 4), *listing("page", ODD[1], 4))]
    found = match_records(records, replace(SHIPPED, weights=less))
    assert odd(found) == "alone between the same items"


@pytest.mark.parametrize(("at", "level"), [(4, None), (0, "elsewhere")])
def test_order_speaks_against_a_doubted_pair_only(at: int, level: str | None) -> None:
    """Next week's item of one title stands beside this week's."""
    days = [Moment(datetime(2024, 5, day, tzinfo=UTC), "day") for day in (1, 21)]
    both = [*listing("host", ODD[0], 4), *listing("page", ODD[0], at)]
    found = resolved(
        [replace(each, published=days[each.source == "page"]) if each.title == ODD[0] else each for each in both]
    )
    assert float(found.adjustments.min()) == -_WEAK_TITLE
    assert said(found).get((f"host/{ODD[0]}", f"page/{ODD[0]}")) == level


def test_order_is_no_word_of_the_lines_but_of_their_positions() -> None:
    lines: list[dict[str, object]] = [
        {"id": entry.id, "source": entry.source, "title": entry.title}
        for entry in (*listing("host", ODD[0], 4), *listing("page", ODD[1], 4))
    ]
    assert said(match_records(parse_records(lines))) == {}
    placed = [line | {"position": at % 9} for at, line in enumerate(lines)]
    random.Random(4).shuffle(placed)
    assert odd(match_records(parse_records(placed))) == "alone between the same items"


def test_too_few_landmarks_show_no_order() -> None:
    few = [*listing("host", ODD[0], 4)[:5], *listing("page", ODD[1], 4)[:5]]
    assert said(resolved(few)) == {}


def test_places_that_several_items_share_are_no_order() -> None:
    twice = [
        *listing("host", ODD[0], 4),
        *(Entry("page", title, title, position=at // 2) for at, title in enumerate((*TITLES, ODD[1]))),
    ]
    assert said(resolved(twice)) == {}


def test_what_vanished_and_what_came_instead_are_two_listings() -> None:
    """A moved host: the old entries and the new ones are put side by side, each in its own order."""
    old, new = listing("feed", ODD[0], 4, Span(1, 3)), listing("feed", ODD[1], 4, Span(4, 9))
    moved = [
        *old,
        *(Entry("feed", f"new {one.title}", one.title, position=one.position, span=one.span) for one in new),
    ]
    level = said(resolved(moved))[f"feed/{ODD[0]}", f"feed/new {ODD[1]}"]
    assert level == "alone between the same items"


def test_another_show_of_the_same_listing_does_not_count() -> None:
    own = [*listing("host", ODD[0], 4), *listing("page", ODD[1], 4)]
    named = [Entry(one.source, one.key, one.title, position=3 * one.position, show="Harbour") for one in own]
    other = [
        Entry(source, f"n{at}", f"Night train {at}", position=3 * at + 1, show="Night Trains")
        for source in ("page", "third")
        for at in range(9)
    ]
    assert odd(resolved([*named, *other])) == "alone between the same items"


def test_order_stands_in_the_evidence() -> None:
    found = match([*listing("host", ODD[0], 4), *listing("page", ODD[1], 4)])
    pair = next(pair for cluster in found.clusters for pair in cluster.pairs if ODD[0] in pair.left)
    told = {each.name: (each.level, each.left, each.right) for each in pair.evidence}
    assert told["order"] == ("alone between the same items", "", "")
    assert pair.weight == pytest.approx(sum(each.weight for each in pair.evidence))


def test_the_order_is_that_of_entries_that_were_learned_from() -> None:
    """Five landmarks show it, four and one that came since do not."""
    entries = [*listing("host", ODD[0], 4)[:6], *listing("page", ODD[1], 4)[:6]]
    for fresh, level in (((), "alone between the same items"), ((TITLES[0],), None)):
        records = [make_record(entry, fresh=entry.title in fresh) for entry in entries]
        assert odd(match_records(records, SHIPPED)) == level
