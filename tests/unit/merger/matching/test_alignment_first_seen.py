"""A page cannot list an item before its instant: when its entries were first seen tells zones that are not given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.merger.matching.match import compare_entries, match
from aggregator.model.entry import Enclosure, Entry, Moment
from tests.support.matching import sort_out

TITLE = "Kurier wyspiarski"
START = datetime(2024, 6, 3, 4, 52, 8, tzinfo=UTC)
HOUR = timedelta(hours=1)
COUNT, NEW = 20, 8  # items, and those of them that polls saw to come

Seen = Mapping[str, datetime]


def polled(
    source: str, ats: Sequence[datetime], late: timedelta, written: Iterable[Moment]
) -> tuple[list[Entry], Seen]:
    """The entries that a source has half an interval after the last item, and when half-hourly polls first saw them."""
    begin, end = (at + (ats[1] - ats[0]) / 2 for at in (ats[COUNT - NEW - 1], ats[-1]))
    entries: list[Entry] = []
    seen: dict[str, datetime] = {}
    for turn, (at, moment) in enumerate(zip(ats, written, strict=True)):
        first = begin + HOUR / 2 * max(0, -((begin - at - late) // (HOUR / 2)))
        if first <= end:
            audio = Enclosure(f"https://host.example/{turn}.mp3") if source == "host" else None
            entries.append(
                Entry(source, f"{source}-{turn}", TITLE, published=moment, enclosure=audio, position=COUNT - turn)
            )
            seen[entries[-1].id] = first
    return entries, seen


def listings(hours: float, zone: int, late: timedelta, *, clock: bool) -> tuple[list[Entry], dict[str, datetime]]:
    """A host, and a page with local times or days, some time later."""
    ats = [START + turn * hours * HOUR for turn in range(COUNT)]
    local = [(at + zone * HOUR).replace(second=0) for at in ats]
    moments = [
        Moment(at, "minute", zoned=False) if clock else Moment(at.replace(hour=0, minute=0), "day", zoned=False)
        for at in local
    ]
    host, host_seen = polled("host", ats, timedelta(), map(Moment, ats))
    page, page_seen = polled("page", ats, late, moments)
    return [*host, *page], {**host_seen, **page_seen}


@pytest.mark.parametrize(("hours", "zone", "clock"), [(24, 0, False), (24, 9, False), (24, -3, False), (12, 2, True)])
@pytest.mark.parametrize("share", [0.05, 0.6])
def test_a_page_whose_days_or_times_have_no_zone_is_joined_after_some_polls(
    hours: int, zone: int, share: float, *, clock: bool
) -> None:
    entries, seen = listings(hours, zone, share * hours * HOUR, clock=clock)
    host = [each for each in entries if each.source == "host"]
    assert sort_out(entries, seen) == (len(host), 0)


@pytest.mark.parametrize(("hours", "clock"), [(24, False), (12, True)])
def test_without_the_times_at_which_entries_were_first_seen_nothing_tells(hours: int, *, clock: bool) -> None:
    """The first poll of a source says as little: it saw all entries long after their instants."""
    entries, seen = listings(hours, 0, 0.6 * hours * HOUR, clock=clock)
    assert sort_out(entries, {})[0] > COUNT
    assert sort_out(entries, dict.fromkeys(seen, START + 40 * hours * HOUR)) == sort_out(entries, {})


@given(
    st.sampled_from([1, 2, 6, 8, 12, 24]),
    st.integers(-8, 10),
    st.floats(0, 2.5),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_no_two_items_become_one(hours: int, zone: int, share: float, clock: bool) -> None:  # noqa: FBT001 - drawn
    entries, seen = listings(hours, zone, share * hours * HOUR, clock=clock)
    assert sort_out(entries, seen)[1] == 0


def moved(entries: Sequence[Entry], some: Iterable[int], by: timedelta, source: str) -> list[Entry]:
    names = {f"{source}-{turn}" for turn in some}
    return [
        replace(each, published=replace(each.published, at=each.published.at + by))
        if each.key in names and each.published
        else each
        for each in entries
    ]


@pytest.mark.parametrize("clock", [True, False])
def test_instants_of_a_host_that_has_its_entries_before_them_say_nothing(*, clock: bool) -> None:
    """A host announces its items, or names the wrong zone."""
    entries, seen = listings(24, 0, HOUR, clock=clock)
    assert sort_out(moved(entries, range(COUNT), 6 * HOUR, "host"), seen) == (COUNT, 0)


def test_a_page_that_announces_items_is_no_evidence() -> None:
    entries, seen = listings(24, 0, -30 * HOUR, clock=True)
    assert sort_out(entries, seen) == sort_out(entries, {})


def test_single_instants_that_were_changed_later_do_not_matter() -> None:
    entries, seen = listings(24, 0, HOUR, clock=True)
    late = moved(entries, [COUNT - 3], 5 * HOUR, "host")
    assert sort_out(late, seen)[1] == 0
    assert sort_out(late, seen)[0] <= sort_out(late, {})[0]


def test_an_entry_that_may_be_any_of_the_hosts_is_undecided_until_the_listings_are_decided() -> None:
    entries, seen = listings(24, 0, 14 * HOUR, clock=False)
    undecided = match(entries).undecided
    assert {name: sources for name, sources in undecided.items() if name.startswith("page/")} == {
        each.id: ("host",) for each in entries if each.source == "page"
    }
    assert match(entries, pairs=compare_entries(entries, (), seen)).undecided == {}


def test_entries_of_listings_that_have_nothing_in_common_are_not_undecided() -> None:
    entries, _ = listings(24, 0, 14 * HOUR, clock=False)
    others = [replace(each, title="Wieczór z książką") if each.source == "page" else each for each in entries]
    evening = [
        replace(each, published=Moment(each.published.at + 12 * HOUR), enclosure=None)
        if each.source == "page" and each.published
        else each
        for each in entries
    ]
    assert match(others).undecided == match(evening).undecided == {}
