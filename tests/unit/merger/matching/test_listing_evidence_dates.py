"""Years between two entries are their own where the two listings agree on all other dates."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.adjustments import _RERUN
from aggregator.merger.matching.explain import Resolution
from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED
from tests.support.levels import KINDS, LEVELS

DAY = 738_000
TITLES = (
    *("Tide tables", "Rope work", "Dead reckoning", "Sextants and stars", "The lamp keepers"),
    *("Paint against rust", "Charts of the north", "Bells in the fog", "Anchors and chains"),
)
OWN = Record("x-own", "x", "The harbour pilots", day=DAY, seconds=1234)


def listed(source: str, titles: tuple[str, ...], shift: int = 0) -> list[Record]:
    """A listing of some titles, a week apart, each of its own length."""
    return [
        Record(f"{source}-{at}", source, title, day=DAY + shift + 7 * at, seconds=1000 + 61 * at)
        for at, title in enumerate(titles)
    ]


@pytest.mark.parametrize(
    ("titles", "expected"),
    [(TITLES, "a year"), (TITLES[:8], "a year"), (TITLES[:7], "more"), ((), "more")],
)
def test_years_are_an_entrys_own_where_listings_agree(titles: tuple[str, ...], expected: str) -> None:
    again = replace(OWN, id="y-own", source="y", day=DAY + 900)
    found = match_records([*listed("x", titles), *listed("y", titles), OWN, again], SHIPPED)
    assert date(found) == expected


def test_months_of_an_entrys_own_are_doubted_whatever_else_agrees() -> None:
    again = replace(OWN, id="y-own", source="y", day=DAY + 200)
    for titles, doubt in ((TITLES, -_RERUN), (TITLES[:7], 0.0)):
        found = match_records([*listed("x", titles), *listed("y", titles), OWN, again], SHIPPED)
        assert date(found) == "a year"
        assert found.adjustments[place(found)] == doubt


def test_which_of_two_entries_of_one_title_is_meant_the_date_says() -> None:
    """Two listings that both have two items and their re-runs agree on all dates, however the entries are called."""
    titles = TITLES[:6]
    twice = [
        replace(OWN, id=f"{source}-{name}", source=source, title=title, description=text, day=DAY + days)
        for title, text in (
            ("Salt", "who boiled it out of the sea on peat fires and paid more tax than the smugglers ever earned"),
            ("Pilots", "three brothers that took every ship in for forty years but never wrote down where rocks lay"),
        )
        for source, places in (("x", (0, 900)), ("y", (900, 0)))
        for name, days in zip((f"{title} 1", f"{title} 2"), places, strict=True)
    ]
    again = replace(OWN, id="y-own", source="y", day=DAY + 900)
    found = match_records([*listed("x", titles), *listed("y", titles), *twice, OWN, again], SHIPPED)
    assert date(found) == "a year"


def test_years_say_nothing_where_all_dates_were_stamped_by_chance() -> None:
    moved = [replace(each, day=DAY + 400 + 97 * at * at) for at, each in enumerate(listed("y", TITLES))]
    again = replace(OWN, id="y-own", source="y", day=DAY + 900)
    assert date(match_records([*listed("x", TITLES), *moved, OWN, again], SHIPPED)) == "none"


def test_two_pairs_do_not_show_that_an_archive_was_stamped() -> None:
    few = [replace(each, day=DAY + 900 + 7 * at) for at, each in enumerate(listed("y", TITLES[:2]))]
    found = match_records([*listed("x", TITLES), *listed("z", TITLES), *few], SHIPPED)
    assert date(found, "x-0", "y-0") == "more"


WEEKLY = Record("x-own", "x", "Listener mail", day=DAY + 700, seconds=1234)


@pytest.mark.parametrize("steady", [True, False], ids=["by one stretch", "by chance"])
def test_a_third_listing_is_compared_by_the_nearer_of_two_calendars(steady: bool) -> None:  # noqa: FBT001
    """Seen in a random history: the week before's mail joined this week's, which a mirror had dated anew."""
    mail = replace(WEEKLY, id="y-own", source="y", day=DAY + 1600)
    before = replace(WEEKLY, id="z-own", source="z", day=DAY + 693, seconds=1130)
    stamped = [
        replace(each, day=DAY + 900 + 7 * at if steady else DAY + 400 + 97 * at * at)
        for at, each in enumerate(listed("y", TITLES[:4]))
    ]
    found = match_records([*listed("x", TITLES[:4]), WEEKLY, *stamped, mail, before], SHIPPED)
    assert date(found, "y-own", "z-own") == "31 days"
    assert ("z-own",) in clusters(found)
    same = replace(before, day=DAY + 700, seconds=1234)
    joined = match_records([*listed("x", TITLES[:4]), WEEKLY, *stamped, mail, same], SHIPPED)
    assert date(joined, "y-own", "z-own") == "same day"
    assert ("x-own", "y-own", "z-own") in clusters(joined)


def clusters(found: Resolution) -> set[tuple[str, ...]]:
    """The ids of each cluster."""
    return {tuple(found.frame.records[row].id for row in group) for group in found.groups}


def date(found: Resolution, one: str = "x-own", other: str = "y-own") -> str:
    """The level of the dates of two entries."""
    return LEVELS["date"][found.compared.levels[place(found, one, other), KINDS.index("date")]]


def place(found: Resolution, one: str = "x-own", other: str = "y-own") -> int:
    """Where two entries stand among the pairs."""
    ids = [record.id for record in found.frame.records]
    pairs = zip(found.compared.left.tolist(), found.compared.right.tolist(), strict=True)
    return next(at for at, (left, right) in enumerate(pairs) if {ids[left], ids[right]} == {one, other})


BARE = {
    "The pilot who never slept": (
        "Tide tables",
        "Rope work",
        "Sextants",
        "Lamp keepers",
        "Rust",
        "Charts",
        "Fog",
        "Anchors",
    ),
    "El piloto que no dormía": ("Mareas", "Cabos", "Sextantes", "El farero", "Óxido", "Cartas", "Niebla", "Anclas"),
    "眠らない水先人": ("潮見表の話", "綱の結び方", "六分儀", "灯台守", "錆との戦い", "北の海図", "霧の鐘", "錨と鎖"),
}


def bare(source: str, titles: tuple[str, ...], own: str, days: int, step: int) -> list[Record]:
    """A listing of titles and days alone, or with lengths in minutes, and one more title so many days before."""
    length = 60 if step else None
    listed_ = [
        Record(f"{source}-{at}", source, title, day=DAY + 7 * at, seconds=length and length * (20 + at), step=60)
        for at, title in enumerate(titles)
    ]
    day = DAY + 7 * len(titles) - days
    return [*listed_, Record(f"{source}-own", source, own, day=day, seconds=length and length * 40, step=60)]


@pytest.mark.parametrize("step", [0, 60], ids=["no lengths", "minutes"])
@pytest.mark.parametrize("own", BARE)
@pytest.mark.parametrize(("days", "joined"), [(400, False), (1000, False), (1, True)])
def test_an_unmarked_rerun_is_another_item_where_only_titles_and_days_agree(
    own: str, step: int, days: int, *, joined: bool
) -> None:
    records = [*bare("x", BARE[own], own, 0, step), *bare("y", BARE[own], own, days, step)]
    found = match_records(records, SHIPPED)
    groups = [{found.frame.records[row].id for row in group} for group in found.groups]
    assert ({"x-own", "y-own"} in groups) is joined
    assert all({f"x-{at}", f"y-{at}"} in groups for at in range(len(BARE[own])))


@pytest.mark.parametrize("own", BARE)
def test_an_archive_dated_anew_is_no_archive_of_reruns_though_only_titles_agree(own: str) -> None:
    moved = [replace(each, day=DAY + 400 + 97 * at * at) for at, each in enumerate(bare("y", BARE[own], own, 0, 0))]
    found = match_records([*bare("x", BARE[own], own, 0, 0), *moved], SHIPPED)
    assert all(len(group) > 1 for group in found.groups)


def test_whether_listings_agree_is_as_those_show_it_that_were_learned_from() -> None:
    """The eighth pair is enough, unless it came since."""
    again = replace(OWN, id="y-own", source="y", day=DAY + 900)
    records = [*listed("x", TITLES[:8]), *listed("y", TITLES[:8]), OWN, again]
    for came_since, expected in ((False, "a year"), (True, "more")):
        every = [replace(each, fresh=came_since and each.id.endswith("-7")) for each in records]
        assert date(match_records(every, SHIPPED)) == expected
