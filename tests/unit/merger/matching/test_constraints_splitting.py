"""What was published together on little evidence is let go when a source shows it to be two items; a guid never is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from msgspec.structs import replace

from aggregator.merge import guids_of_entries
from aggregator.merger.identity.settle import Past, settle
from aggregator.merger.matching.constraints import find_split
from aggregator.merger.matching.features.feature_table import build_frame
from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.match import match
from aggregator.merger.matching.scoring import Compared
from aggregator.model.entry import Duration, Entry, Moment, Span
from aggregator.model.item import Item, PublishedItem
from tests.support.levels import KINDS

NOW = datetime(2024, 5, 1, tzinfo=UTC)

# two weeks of one title: the shop names no length and no date, so the host's first week is all it can be
HOST = Entry(
    "host",
    "may",
    "Listener mail",
    guid="guid-may",
    description="Your questions about anchors, chains and how to let go of both.",
    published=Moment(NOW - timedelta(days=9)),
    duration=Duration(1500),
)
JUNE = replace(
    HOST,
    key="june",
    guid="guid-june",
    description="Your letters on paint: red lead, white lead and rust.",
    published=Moment(NOW - timedelta(days=2)),
    duration=Duration(2210),
)
EARLY = Entry("shop", "june", "Listener mail")
LATER = replace(EARLY, description=JUNE.description, duration=Duration(2220, 60), published=JUNE.published)
SHOP_MAY = replace(EARLY, key="may", description=HOST.description, duration=Duration(1500, 60))


def groups(*entries: Entry, pins: Mapping[str, str]) -> set[frozenset[str]]:
    found = match(entries, pins=pins).clusters
    return {frozenset(entry.id for entry in cluster.entries) for cluster in found}


def test_what_was_joined_for_want_of_better_is_let_go_when_better_comes() -> None:
    assert groups(HOST, EARLY, pins={}) == {frozenset({"host/may", "shop/june"})}
    pins = {"host/may": "guid-may", "shop/june": "guid-may"}
    healed = {frozenset({"host/may", "shop/may"}), frozenset({"host/june", "shop/june"})}
    assert groups(HOST, JUNE, LATER, SHOP_MAY, pins=pins) == healed


def test_a_title_that_one_source_changed_takes_nothing_apart() -> None:
    pins = {"host/may": "guid-may", "shop/june": "guid-may"}
    renamed = replace(HOST, title="Anchors away, and other farewells", published=None, duration=None)
    assert groups(renamed, LATER, pins={}) == {frozenset({"host/may"}), frozenset({"shop/june"})}
    assert groups(renamed, LATER, pins=pins) == {frozenset({"host/may", "shop/june"})}


def test_entries_that_came_one_after_the_other_show_no_two_items() -> None:
    pins = {"host/may": "guid-may", "shop/june": "guid-may"}
    before, after = replace(HOST, span=Span(1, 1)), replace(JUNE, span=Span(2, 2))
    assert frozenset({"host/may", "shop/june"}) in groups(before, after, LATER, pins=pins)
    assert frozenset({"host/june", "shop/june"}) in groups(HOST, JUNE, LATER, pins=pins)


def refresh(
    entries: tuple[Entry, ...], published_items: tuple[PublishedItem, ...], turn: int
) -> tuple[PublishedItem, ...]:
    """The published_items after a refresh in which these entries are known."""
    clusters = match(entries, pins=guids_of_entries(published_items)).clusters
    items = []
    for cluster in clusters:
        ids = tuple(entry.id for entry in cluster.entries)
        guid = next((entry.guid for entry in cluster.entries if entry.guid), "")
        items.append(Item(title=cluster.entries[0].title, entries=ids, guid=guid, published=Moment(NOW)))
    return settle(items, Past("sea", published_items), NOW + timedelta(days=turn)).published_items


@pytest.mark.parametrize("entries", [("host/may", "shop/june"), ("shop/june", "host/may")])
def test_the_guid_stays_with_the_entry_it_was_published_from(entries: tuple[str, str]) -> None:
    record = PublishedItem("guid", NOW, Moment(NOW), entries, "Listener mail")
    after = {record.guid: record for record in refresh((HOST, JUNE, LATER, SHOP_MAY), (record,), 1)}
    assert len(after) == len(entries)
    assert entries[0] in after["guid"].entries
    assert entries[1] not in after["guid"].entries


def test_a_hidden_episode_comes_out_under_its_own_guid() -> None:
    one = refresh((HOST, EARLY), (), 0)
    assert {record.guid: record.entries for record in one} == {"guid-may": ("host/may", "shop/june")}
    two = refresh((HOST, JUNE, LATER, SHOP_MAY), one, 1)
    assert {record.guid: set(record.entries) for record in two} == {
        "guid-may": {"host/may", "shop/may"},
        "guid-june": {"host/june", "shop/june"},
    }
    assert refresh((HOST, JUNE, LATER, SHOP_MAY), two, 2) == two


def row(name: str, source: str, first: int = 1, last: int = 1) -> Record:
    return Record(name, source, name, span=Span(first, last))


def gone(one: float, other: float | None, late: Record) -> frozenset[str]:
    """What is let go of three published together, the third of which weighs so much with the two that stay.

    ``late`` is an entry of the first one's source that today's weights put with the third.
    """
    frame = build_frame([row("a", "x"), row("b", "y"), row("c", "z"), late])
    found = {(0, 2): one} if other is None else {(0, 2): one, (1, 2): other}
    left, right = (np.array([pair[side] for pair in found], dtype=np.int64) for side in (0, 1))
    compared = Compared(left, right, np.zeros((len(found), len(KINDS)), dtype=np.int8))
    weights = np.array(list(found.values()), dtype=np.float32)
    return find_split(frame, dict.fromkeys("abc", "guid"), ((0, 1), (2, 3)), (compared, weights))


@pytest.mark.parametrize(
    ("one", "other", "goes"),
    [(1.0, -3.0, True), (1.0, 1.0, False), (3.0, -1.0, False), (1.0, None, True), (7.0, None, False)],
)
def test_the_mean_with_all_that_stay_decides(one: float, other: float | None, goes: bool) -> None:  # noqa: FBT001
    assert gone(one, other, row("d", "x")) == (frozenset({"c"}) if goes else frozenset())


def test_entries_before_and_after_show_no_two_items() -> None:
    assert gone(-5, -5, row("d", "x", 1, 2)) == frozenset({"c"})
    assert gone(-5, -5, row("d", "x", 0, 0)) == frozenset()
    assert gone(-5, -5, row("d", "x", 2, 2)) == frozenset()
    assert gone(-5, -5, row("d", "w")) == frozenset()
