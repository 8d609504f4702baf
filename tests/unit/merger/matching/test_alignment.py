"""Listings of one title that are late, in another zone, or counted otherwise are compared as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from msgspec.structs import replace

from aggregator.merger.matching.alignment.hypotheses import suppose
from aggregator.merger.matching.alignment.listings import DAY, TitleList
from aggregator.merger.matching.match import match
from aggregator.model.cluster import ListingRelation
from aggregator.model.entry import Duration, Enclosure, Entry, Moment, Span
from tests.support.matching import sort_out

TITLES = ("Radio z nabrzeża", "Giornale del mattino", "Sabah bülteni", "北の便り")
START = datetime(2024, 2, 11, tzinfo=UTC)
LENGTHS = [500 + turn * 6271 % 1993 for turn in range(60)]
COUNT = 18


def told(source: str, turn: int, at: datetime, **said: object) -> Entry:
    """An entry with its instant and audio."""
    copy = str(said.pop("copy", ""))
    known = {"enclosure": Enclosure(f"https://{source}{copy}.example/{turn}.mp3"), "position": 60 - turn, **said}
    title = str(known.pop("title", TITLES[0]))
    return Entry(source, f"{source}{copy}-{turn}", title, published=Moment(at), **known)  # type: ignore[arg-type]  # by name


def listed(turn: int, at: datetime, **said: object) -> Entry:
    """An entry of a page, without audio, with a local time if `clock`, else with a day."""
    clock, title = said.pop("clock", False), str(said.pop("title", TITLES[0]))
    when = at.replace(second=0) if clock else at.replace(hour=0, minute=0, second=0)
    moment = Moment(when, "minute" if clock else "day", zoned=False)
    return Entry("page", f"page-{turn}", title, published=moment, position=60 - turn, **said)  # type: ignore[arg-type]  # by name


def every(hours: float, first: float = 3.31) -> Callable[[int], datetime]:
    return lambda turn: (START + timedelta(hours=first + hours * turn)).replace(microsecond=0)


def length(turn: int, step: int = 1) -> Duration:
    return Duration(step * round(LENGTHS[turn] / step), step)


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("hours", [2, 3, 8])
@pytest.mark.parametrize("late", [lambda _: 41, lambda turn: 20 + turn * 67 % 190], ids=["steady", "jittering"])
def test_a_mirror_some_minutes_late_is_joined(hours: int, title: str, late: Callable[[int], int]) -> None:
    at = every(hours)
    host = [told("host", turn, at(turn), title=title) for turn in range(COUNT)]
    mirror = [told("mirror", turn, at(turn) + timedelta(seconds=late(turn)), title=title) for turn in range(COUNT)]
    assert sort_out([*host, *mirror]) == (COUNT, 0)


MISTAKES: dict[str, Callable[[Moment], Moment | None]] = {
    "no date": lambda _: None,
    "a day": lambda moment: Moment(moment.at.replace(hour=0, minute=0, second=0), "day", zoned=False),
    "no zone": lambda moment: Moment(moment.at, zoned=False),
    "another year": lambda moment: Moment(moment.at.replace(year=2014)),
    "a year to come": lambda moment: Moment(moment.at.replace(year=2034)),
    "another day": lambda moment: Moment(moment.at + timedelta(days=40)),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
@pytest.mark.parametrize("hours", [6, 8, 12, 24])
def test_one_wrong_date_in_each_listing_keeps_no_other_entries_apart(
    hours: int, mistake: Callable[[Moment], Moment | None]
) -> None:
    at = every(hours)
    host = [told("host", turn, at(turn)) for turn in range(COUNT)]
    mirror = [told("mirror", turn, at(turn) + timedelta(seconds=90)) for turn in range(8, COUNT)]
    for listing, turn in ((host, 11), (mirror, 4)):
        assert listing[turn].published is not None
        listing[turn] = replace(listing[turn], published=mistake(listing[turn].published))
    wrong = {host[11].id, mirror[4].id}
    joined = [{entry.id for entry in cluster.entries} - wrong for cluster in match([*host, *mirror]).clusters]
    assert sum(len(each) == 2 for each in joined) == COUNT - 10
    assert all(len({name.rpartition("-")[2] for name in each}) <= 1 for each in joined)


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("hours", [3, 7, 12])
def test_another_edition_some_hours_later_is_not_joined(hours: int, title: str) -> None:
    at = every(24)
    host = [told("host", turn, at(turn), title=title) for turn in range(COUNT)]
    evening = [told("evening", 100 + turn, at(turn) + timedelta(hours=hours), title=title) for turn in range(COUNT)]
    assert sort_out([*host, *evening]) == (2 * COUNT, 0)


@pytest.mark.parametrize("hours", [4, 6, 12])
def test_editions_of_which_one_is_at_midnight_are_joined_by_their_instants(hours: int) -> None:
    at = every(hours, first=0)
    host = [told("host", turn, at(turn)) for turn in range(COUNT)]
    assert sort_out([*host, *(told("mirror", turn, at(turn)) for turn in range(COUNT))]) == (COUNT, 0)


@pytest.mark.parametrize("hour", [0, 1])
@pytest.mark.parametrize("whole", [False, True])
def test_a_daily_title_that_moves_to_a_host_that_stamps_it_anew_is_joined(hour: int, *, whole: bool) -> None:
    def stamped(at: datetime) -> datetime:
        return (at + timedelta(hours=hour)).replace(second=0 if whole else at.second)

    old = [told("host", turn, every(24)(turn)) for turn in range(14)]
    new = [
        told("host", turn, stamped(every(24)(turn)), copy="new", span=Span(2, 2), duration=length(turn))
        for turn in range(COUNT)
    ]
    assert sort_out([*old, *new]) == (COUNT, 0)


@pytest.mark.parametrize("behind", [0, 1, 3])
@pytest.mark.parametrize("zone", [0, 2, -7])
@pytest.mark.parametrize("hours", [1, 12])
def test_lengths_tell_a_zone_that_is_not_given(hours: int, zone: int, behind: int) -> None:
    at = every(hours)
    host = [told("host", turn, at(turn), duration=length(turn)) for turn in range(COUNT)]
    page = [
        listed(turn, at(turn) + timedelta(hours=zone), clock=True, duration=length(turn, 60))
        for turn in range(COUNT - behind)
    ]
    assert sort_out([*host, *page]) == (COUNT, 0)


@pytest.mark.parametrize("behind", [1, 3])
@pytest.mark.parametrize("hours", [1, 6])
@pytest.mark.parametrize("same", [{}, {"duration": Duration(900)}, {"description": "Wiatr i fale."}])
def test_what_nothing_tells_joins_no_two_items(hours: int, behind: int, same: dict[str, object]) -> None:
    at = every(hours)
    host = [told("host", turn, at(turn), **same) for turn in range(COUNT)]
    page = [listed(turn, at(turn) + timedelta(hours=hours), clock=True, **same) for turn in range(COUNT - behind)]
    assert sort_out([*host, *page])[1] == 0


@pytest.mark.parametrize("pattern", ["Odcinek {}", "#{} Il Quaderno", "{}. Sabah", "第{}回"])
@pytest.mark.parametrize("ahead", [1, 2])
def test_a_page_that_counts_higher_is_joined_by_day_and_length(pattern: str, ahead: int) -> None:
    at = every(24)
    host = [
        told("host", turn, at(turn), title=pattern.format(70 + turn), duration=length(turn)) for turn in range(COUNT)
    ]
    page = [
        listed(turn, at(turn), title=pattern.format(70 + ahead + turn), duration=length(turn, 60))
        for turn in range(COUNT)
    ]
    assert sort_out([*host, *page]) == (COUNT, 0)


@pytest.mark.parametrize("pattern", ["Odcinek {}", "{}. Sabah"])
def test_an_early_feed_with_the_same_numbers_is_joined_by_them(pattern: str) -> None:
    at = every(7 * 24)
    titles = [pattern.format(70 + turn) for turn in range(COUNT)]
    host = [told("host", turn, at(turn), title=title, duration=length(turn)) for turn, title in enumerate(titles)]
    page = [listed(turn, at(turn - 1), title=title, duration=length(turn, 60)) for turn, title in enumerate(titles)]
    assert sort_out([*host, *page]) == (COUNT, 0)


def _three(at: Callable[[int], datetime], behind: int) -> Sequence[Entry]:
    """A host, a mirror with the page's lengths alone, and the page one zone further on."""
    host = [told("host", turn, at(turn)) for turn in range(COUNT)]
    mirror = [told("mirror", turn, at(turn) + timedelta(seconds=95), duration=length(turn)) for turn in range(COUNT)]
    page = [
        listed(turn, at(turn) + timedelta(hours=2), clock=True, duration=length(turn, 60))
        for turn in range(COUNT - behind)
    ]
    return [*host, *mirror, *page]


@pytest.mark.parametrize("behind", [0, 2])
def test_a_third_listing_tells_what_two_do_not(behind: int) -> None:
    assert sort_out(_three(every(2), behind)) == (COUNT, 0)


@pytest.mark.parametrize("step", [60, 1])
def test_days_of_one_of_two_editions_are_joined_with_that_one_only(step: int) -> None:
    at = every(24)
    morning = [told("host", turn, at(turn), duration=length(turn)) for turn in range(COUNT)]
    evening = [
        told("evening", 100 + turn, at(turn) + timedelta(hours=12), duration=length(turn + COUNT))
        for turn in range(COUNT)
    ]
    page = [listed(turn, at(turn), duration=length(turn, step)) for turn in range(COUNT)]
    assert sort_out([*morning, *evening, *page]) == (2 * COUNT, 0)


def test_days_that_may_be_those_of_either_edition_are_left_alone() -> None:
    at = every(24)
    morning = [told("host", turn, at(turn)) for turn in range(COUNT)]
    evening = [told("evening", 100 + turn, at(turn) + timedelta(hours=12)) for turn in range(COUNT)]
    assert sort_out([*morning, *evening, *(listed(turn, at(turn)) for turn in range(COUNT))])[1] == 0


def test_an_alignment_is_evidence_that_people_can_read() -> None:
    at = every(4)
    host = [told("host", turn, at(turn)) for turn in range(COUNT)]
    mirror = [told("mirror", turn, at(turn) + timedelta(seconds=95)) for turn in range(COUNT)]
    pairs = [pair for cluster in match([*host, *mirror]).clusters for pair in cluster.pairs]
    shown = {(each.name, each.level) for pair in pairs for each in pair.evidence}
    assert ("alignment", "these entries meet") in shown


def test_what_a_run_has_joined_is_no_evidence_for_the_same_entries() -> None:
    at = every(24)
    host = [told("host", turn, at(turn)) for turn in range(3)]
    page = [listed(turn, at(turn) + timedelta(days=1)) for turn in range(3)]
    first = match([*host, *page])
    pins = {each.id: cluster.entries[0].id for cluster in first.clusters for each in cluster.entries}
    assert match([*host, *page], pins=pins) == first


def _titles(listing: int, numbers: Sequence[int]) -> TitleList:
    """A listing of one title, daily at five, with its numbers."""
    size = len(numbers)
    days = np.arange(19_500, 19_500 + size)
    return TitleList(
        listing=listing,
        source=listing,
        last=1,
        name=str(listing),
        fresh=np.zeros(size, dtype=np.bool_),
        rows=np.arange(size) + listing * 100,
        keys=np.zeros(size, dtype=np.int64),
        days=days,
        instants=days * DAY + 5.0 * 3600,
        seen=np.full(size, np.nan),
        numbers=np.array(numbers),
        clock=True,
        zoned=True,
        ordered=True,
        host=False,
    )


@pytest.mark.parametrize(
    ("numbers", "ahead"),
    [
        ([turn + 1 for turn in range(COUNT)], 1),
        ([turn + 1 + (turn == 7) for turn in range(COUNT)], 1),
        ([turn + (turn > 6) for turn in range(COUNT)], None),
        ([turn + turn // 9 for turn in range(COUNT)], 0),
    ],
    ids=["higher", "one mistake", "drifts apart", "drifts apart, begins alike"],
)
def test_only_numbers_that_are_higher_throughout_are_a_lead(numbers: Sequence[int], ahead: int | None) -> None:
    one, other = _titles(0, range(COUNT)), _titles(1, numbers)
    same = next(each for each in suppose(one, other) if each.relation == ListingRelation(tolerance=60))
    assert same.ahead == ahead
