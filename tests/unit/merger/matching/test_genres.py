"""A listing without files whose entries are the show's episodes joins them; a blog, and a mixed feed, do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.genres import find_fileless
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED

DAY = 739_400
SHOWS = {
    "en": (
        *("The last ferry", "Soup for sixty", "A clock in the tower", "Wool and rain", "How to fold a map"),
        *("Under the viaduct", "Letters to nobody", "The beekeeper's winter"),
    ),
    "tr": ("Son vapur", "Altmış kişilik çorba", "Kulede bir saat", "Yün ve yağmur", "Harita katlamak", "Köprü altı"),
    "ko": ("마지막 나룻배", "예순 명분의 국", "탑 위의 시계", "양털과 비", "지도 접는 법", "다리 밑에서"),
}
NEWS = ("We have moved house", "Thanks to all who gave", "Closed over Easter", "A new microphone", "Hats for sale")


def list_episodes(titles: Sequence[str]) -> list[Record]:
    return [
        Record(f"host-{at}", "host", title, kind="episode", day=DAY + 7 * at, seconds=1500 + 77 * at)
        for at, title in enumerate(titles)
    ]


def list_others(titles: Sequence[str], *, late: int = 0, start: int = 0) -> list[Record]:
    """Entries without files: assumed to be posts."""
    return [
        Record(f"other-{at}", "other", title, kind="post", assumed=True, day=DAY + 7 * at + late)
        for at, title in enumerate(titles, start)
    ]


def join(records: Sequence[Record]) -> set[str]:
    """Return the numbers of the episodes that the other listing joins."""
    found = match_records(records, SHIPPED)
    groups = ({found.frame.records[row].id for row in group} for group in found.groups)
    return {min(group).removeprefix("host-") for group in groups if len(group) > 1}


@pytest.mark.parametrize("titles", SHOWS.values(), ids=SHOWS)
@pytest.mark.parametrize("late", [0, 1])
def test_a_listing_of_the_episodes_joins_them(titles: Sequence[str], late: int) -> None:
    assert join([*list_episodes(titles), *list_others(titles, late=late)]) == set(map(str, range(len(titles))))


@pytest.mark.parametrize("titles", SHOWS.values(), ids=SHOWS)
@pytest.mark.parametrize(
    "write", ["Sea Room #{number} – {title}", "{title} | Sea Room", "{number}. {title}", "{title}: now as a video"]
)
def test_a_listing_that_writes_titles_in_its_own_way_lists_episodes(titles: Sequence[str], write: str) -> None:
    named = [write.format(title=title, number=7 + at) for at, title in enumerate(titles)]
    found = match_records([*list_episodes(titles), *list_others(named, late=1)], SHIPPED)
    assert find_fileless(found.frame) == {"other"}


@pytest.mark.parametrize("titles", SHOWS.values(), ids=SHOWS)
def test_trailers_and_other_posts_of_the_same_days_are_posts(titles: Sequence[str]) -> None:
    for others in ([f"Trailer: {title}" for title in titles], NEWS):
        records = [*list_episodes(titles), *list_others(others)]
        assert join(records) == set()
        assert find_fileless(match_records(records, SHIPPED).frame) == set()


def test_older_entries_than_the_host_lists_do_not_count() -> None:
    listed = SHOWS["en"]
    records = [*list_episodes(listed)[5:], *list_others(listed)]
    assert join(records) == {"5", "6", "7"}


def test_a_daily_show_of_which_the_host_lists_its_newest_ten() -> None:
    """Those of the four days before had no episode and counted against the listing: all was published twice."""
    titles = [f"Chapter {at % 8 + 1}" for at in range(17)]
    records = [
        replace(each, day=DAY + int(each.id.rpartition("-")[2]))
        for each in (*list_episodes(titles)[7:], *list_others(titles))
    ]
    assert find_fileless(match_records(records, SHIPPED).frame) == {"other"}


@pytest.mark.parametrize("newest", range(6, 12))
def test_three_titles_a_day_of_which_the_host_lists_the_newest(newest: int) -> None:
    titles = SHOWS["tr"][:3] * 5
    records = [
        replace(each, day=DAY + int(each.id.rpartition("-")[2]) // 3)
        for each in (*list_episodes(titles)[-newest:], *list_others(titles))
    ]
    assert find_fileless(match_records(records, SHIPPED).frame) == {"other"}


def test_one_clip_beside_the_episodes_leaves_them_episodes() -> None:
    clip = Record("other-clip", "other", "Wool: the best minute", kind="post", assumed=True, day=DAY + 22)
    assert join([*list_episodes(SHOWS["en"]), *list_others(SHOWS["en"][:5]), clip]) == set("01234")


@pytest.mark.parametrize("titles", SHOWS.values(), ids=SHOWS)
def test_a_blog_that_announces_episodes_among_other_posts_stays_apart(titles: Sequence[str]) -> None:
    others = [
        Record(f"other-n{at}", "other", title, kind="post", assumed=True, day=DAY + 7 * at + 2)
        for at, title in enumerate(NEWS)
    ]
    assert join([*list_episodes(titles), *list_others(titles), *others]) == set()


def test_posts_that_their_source_calls_posts_stay_apart() -> None:
    posts = [replace(each, assumed=False) for each in list_others(SHOWS["en"])]
    assert join([*list_episodes(SHOWS["en"]), *posts]) == set()


def test_a_feed_of_posts_and_episodes_keeps_its_posts() -> None:
    own = Record("other-own", "other", "Salt for the road", kind="episode", day=DAY + 3)
    assert join([*list_episodes(SHOWS["en"]), *list_others(SHOWS["en"]), own]) == set()


@pytest.mark.parametrize("titles", SHOWS.values(), ids=SHOWS)
@pytest.mark.parametrize("late", [-1, 0, 2])
def test_an_episode_whose_file_is_to_come_joins_that_of_another_listing(titles: Sequence[str], late: int) -> None:
    last = len(titles) - 1
    own = [replace(each, id=f"other-{at}", source="other") for at, each in enumerate(list_episodes(titles[:-1]))]
    (coming,) = list_others(titles[-1:], start=last, late=late)
    records = [*list_episodes(titles), *own, coming]
    assert join(records) == set(map(str, range(last + 1)))
    assert find_fileless(match_records(records, SHIPPED).frame) == set()
    for other in (
        replace(coming, title=f"Trailer: {titles[-1]}"),
        replace(coming, title=NEWS[0]),
        replace(coming, day=DAY + 7 * last + 9),
        replace(coming, assumed=False),
    ):
        assert join([*list_episodes(titles), *own, other]) == set(map(str, range(last)))


def test_a_post_beside_the_episode_of_its_title_is_a_post() -> None:
    titles = SHOWS["en"]
    own = [replace(each, id=f"other-{at}", source="other") for at, each in enumerate(list_episodes(titles))]
    post = Record("other-post", "other", titles[-1], kind="post", assumed=True, day=own[-1].day)
    found = match_records([*list_episodes(titles), *own, post], SHIPPED)
    groups = [{found.frame.records[row].id for row in group} for group in found.groups]
    assert {"other-post"} in groups
    assert {"host-7", "other-7"} in groups


def test_two_entries_are_too_few_to_tell() -> None:
    assert join([*list_episodes(SHOWS["en"]), *list_others(SHOWS["en"][:2])]) == set()


def test_several_posts_about_each_episode_are_posts() -> None:
    again = [
        replace(each, id=f"{each.id}-again", day=DAY + 7 * at + 2) for at, each in enumerate(list_others(SHOWS["en"]))
    ]
    assert join([*list_episodes(SHOWS["en"]), *list_others(SHOWS["en"]), *again]) == set()


def test_an_entry_that_came_since_leaves_the_others_what_they_were() -> None:
    listed = [*list_episodes(SHOWS["en"]), *list_others(SHOWS["en"][:7])]
    audio = Record("other-new", "other", SHOWS["en"][7], kind="episode", day=DAY + 49)
    assert join([*listed, audio]) == {"7"}
    assert join([*listed, replace(audio, fresh=True)]) == set("01234567")
