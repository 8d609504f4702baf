"""An item that one source lists twice at once, or anew under another guid, is one; its neighbours are others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.match import cluster_single_source, match
from aggregator.model.entry import Duration, Enclosure, Entry, Moment, Span

START = datetime(2025, 9, 1, 5, 17, 42, tzinfo=UTC)
OTHERS = (
    ("Gezeiten und ihre Tafeln", "Warum das Meer kommt und geht, erzählt vom Hafenmeister."),
    ("Os faróis do norte", "Quem acende a luz quando não há ninguém na ilha?"),
    ("灯台の一日", "朝から夜まで、灯台で働く人の話を聞きました。"),
    ("Ropes and who ties them", "Nine knots that every sailor learns in the first winter."),
)


def make(number: int, title: str, text: str | None, **said: object) -> Entry:
    """One entry of a weekly show with a file and a page of its own."""
    entry = Entry(
        "host",
        f"k{number}",
        title,
        guid=f"g{number}",
        position=number,
        description=text,
        link=f"https://host.example/stories/{number}",
        published=Moment(START + timedelta(days=7 * number)),
        duration=Duration(1500 + 61 * number),
        enclosure=Enclosure(f"https://cdn.host.example/{number}.mp3"),
        span=Span(1, 9),
    )
    return replace(entry, **said)  # type: ignore[arg-type]  # by name


LISTED = [make(number, *each) for number, each in enumerate(OTHERS)]


def join(entries: Sequence[Entry]) -> set[frozenset[str]]:
    """Return the keys of the items of several entries."""
    assert cluster_single_source(entries, (), {}) is None or len(match(entries).clusters) == len(entries)
    found = (frozenset(each.key for each in cluster.entries) for cluster in match(entries).clusters)
    return {keys for keys in found if len(keys) > 1}


def at(entry: Entry, **later: int) -> Moment:
    assert entry.published is not None
    return Moment(entry.published.at + timedelta(**later))


@pytest.mark.parametrize("one", LISTED, ids=lambda each: each.title)
def test_a_corrected_title_under_a_new_guid_is_the_same_item(one: Entry) -> None:
    wrong = f"{one.title[:4]}x{one.title[5:][::-1]}"
    rest = [each for each in LISTED if each is not one]
    before = replace(one, title=wrong, span=Span(1, 3))
    after = replace(one, key="new", guid="new", span=Span(4, 9))
    assert join([before, after, *rest]) == {frozenset({one.key, "new"})}
    late = replace(before, source="mirror", key="late", guid=None, enclosure=None, link=None)
    assert join([before, after, late, *rest]) == {frozenset({one.key, "new", "late"})}


@pytest.mark.parametrize(
    "moved",
    [
        {"published": Moment(START + timedelta(hours=6))},  # the evening edition of a source that lists its newest item
        {"published": Moment(START + timedelta(days=1))},
        {"published": None},
        {"description": "Ein anderer Tag, ein anderes Thema.", "duration": Duration(700), "link": None},
    ],
)
def test_a_file_or_link_that_a_source_uses_again_is_no_id(moved: dict[str, object]) -> None:
    first = replace(
        LISTED[0], title="Nachrichten am Morgen", span=Span(1, 1), enclosure=Enclosure("https://h.example/latest.mp3")
    )
    again = replace(first, title="Das Wetter und der Verkehr", key="again", guid="again", span=Span(2, 2), **moved)
    assert join([first, again]) == set()


@pytest.mark.parametrize("one", LISTED, ids=lambda each: each.title)
@pytest.mark.parametrize("days", [-30, 1, 400, None])
def test_an_item_that_is_posted_again_under_a_new_guid_and_date_is_one(one: Entry, days: int | None) -> None:
    rest = [replace(each, span=Span(1, 9)) for each in LISTED if each is not one]
    date = None if days is None else at(one, days=days)
    again = replace(one, key="again", guid="again", published=date, span=Span(4, 9))
    late = replace(one, source="mirror", key="late", guid=None, enclosure=None, link=None)
    assert join([replace(one, span=Span(1, 3)), again, late, *rest]) == {frozenset({one.key, "again", "late"})}


@pytest.mark.parametrize(
    "other", [{"title": "Wetter"}, {"description": "Heiter."}, {"duration": Duration(700)}, {"span": Span(3, 9)}]
)
def test_another_item_with_the_file_of_one_that_is_gone_is_another(other: dict[str, object]) -> None:
    """ "latest.mp3" of a source that lists a new item each day, beside others; or the old one is listed still."""
    one = replace(LISTED[0], span=Span(1, 3))
    again = replace(one, key="again", guid="again", published=at(one, days=9), span=Span(4, 9))
    rest = [replace(each, span=Span(1, 9)) for each in LISTED[1:]]
    assert join([one, replace(again, **other), *rest]) == set()
    assert join([one, again]) == set()  # nothing else is listed: the newest item alone


@pytest.mark.parametrize("one", LISTED, ids=lambda each: each.title)
@pytest.mark.parametrize(
    "twin",
    [
        {"guid": "https://host.example/stories/0#3", "hours": 3},
        {"guid": "other", "hours": 20, "link": None},  # the same file
        {"guid": "other", "hours": 5, "enclosure": None, "duration": None},  # the same page
        {"guid": None, "minutes": 9, "description": None},
    ],
)
def test_an_item_that_a_source_lists_twice_at_once_is_one(one: Entry, twin: dict[str, object]) -> None:
    later = {unit: twin[unit] for unit in ("hours", "minutes") if unit in twin}
    said = {name: value for name, value in twin.items() if name not in later}
    again = replace(one, key="twin", published=at(one, **later), **said)
    assert join([*LISTED, again]) == {frozenset({one.key, "twin"})}


@pytest.mark.parametrize(
    "other",
    [
        {"enclosure": Enclosure("https://cdn.host.example/evening.mp3"), "hours": 12},  # morning and evening
        {"days": 60},  # a re-run has the file of the original
        {"enclosure": Enclosure("https://cdn.host.example/b.mp3"), "hours": 0},  # two files under one title
        {"title": "Gezeiten, Teil 2", "hours": 1},
        {"description": "Der zweite Teil des Gesprächs.", "hours": 1, "enclosure": None, "duration": None},
        {"episode": 12, "hours": 2},
        {"duration": Duration(900), "hours": 2, "link": None},
    ],
)
def test_what_a_source_lists_beside_an_item_with_its_title_is_another(other: dict[str, object]) -> None:
    one = replace(LISTED[0], episode=11)
    later = {unit: other[unit] for unit in ("hours", "days") if unit in other}
    said = {"episode": 11, **{name: value for name, value in other.items() if name not in later}}
    again = replace(one, key="other", guid="other", published=at(one, **later), **said)
    assert join([one, *LISTED[1:], again]) == set()


def test_a_page_or_file_of_all_entries_is_no_sign_of_a_twin() -> None:
    for shared in ({"link": "https://host.example/"}, {"enclosure": Enclosure("https://host.example/latest.mp3")}):
        bare = {"enclosure": None} if "link" in shared else {"link": None}
        editions = [
            replace(LISTED[0], key=f"e{hour}", guid=f"e{hour}", published=at(LISTED[0], hours=hour), **bare, **shared)
            for hour in (0, 6, 12)
        ]
        assert join(editions) == set()
        assert join(editions[:2]) == set()
