"""Episodes that AntennaPod would take for one: told apart by a number for ever, and nobody else is."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator import publish
from aggregator.generator.content import sanitize
from aggregator.generator.content.unique_titles import _GRACE_SECONDS, make_titles_unique
from aggregator.model.entry import Duration, Enclosure, Moment
from aggregator.model.feed import Feed
from aggregator.model.item import Item, PublishedItem, Settlement
from aggregator.validator.examine import examine

DAY = datetime(2024, 5, 1, 8, tzinfo=UTC)
NOW = datetime(2024, 6, 1, tzinfo=UTC)
AUDIO = "audio/mpeg"


def made(*said: tuple[str, int, int | None, str]) -> tuple[Item, ...]:
    """Episodes of a title, hours after the day began, length in seconds, media type; newest first."""
    items = [
        Item(
            title=title,
            entries=(f"host/{turn}",),
            guid=f"g-{turn}",
            description="Told slowly.",
            published=Moment(DAY + timedelta(hours=hours)),
            duration=Duration(length) if length else None,
            enclosure=Enclosure(f"https://cdn.example.com/{turn}.mp3", kind, 10**6),
        )
        for turn, (title, hours, length, kind) in enumerate(said)
    ]
    return tuple(sorted(items, key=lambda item: item.published.at, reverse=True))


def run(items: tuple[Item, ...], before: Settlement | None = None, days: int = 0) -> Settlement:
    """A run so many days after the first: what settle would record of the items, then told apart."""
    now = NOW + timedelta(days=days)
    past = {record.guid: record for record in before.published_items} if before else {}
    new = {item.guid: PublishedItem(item.guid, now, item.published, item.entries, item.title) for item in items}
    kept = {item.guid: replace(past.get(item.guid, new[item.guid]), title=item.title) for item in items}
    return make_titles_unique(Settlement(items, tuple((past | kept).values())), past.values(), now, {})


def titles(told: Settlement) -> dict[str, str]:
    return {item.guid: item.title for item in told.items}


def test_the_later_trailer_of_a_day_is_numbered() -> None:
    items = made(("Trailer", 0, 90, AUDIO), ("Trailer", 3, 100, AUDIO), (" Trailer", 2, None, AUDIO))
    told = run(items)
    assert titles(told) == {"g-0": "Trailer", "g-1": "Trailer (3)", "g-2": "Trailer (2)"}
    assert {record.guid: record.numbered_title for record in told.published_items} == {
        "g-0": None,
        "g-1": "Trailer (3)",
        "g-2": "Trailer (2)",
    }
    assert told.changed == ()


@pytest.mark.parametrize(
    "other",
    [
        ("Trailers", 3, 90, AUDIO),
        ("trailer", 3, 90, AUDIO),
        ("Trailer", 24, 90, AUDIO),
        ("Trailer", 3, 690, AUDIO),
        ("Trailer", 3, 90, "video/mp4"),
    ],
    ids=["title", "letters", "day", "length", "media"],
)
def test_what_no_app_takes_for_one_keeps_its_title(other: tuple[str, int, int, str]) -> None:
    items = made(("Trailer", 0, 90, AUDIO), other)
    assert run(items).items == items


def test_quotes_and_dashes_are_one_letter_to_the_app() -> None:
    told = run(made(("The “deep” — a trailer", 0, 90, AUDIO), ('The "deep" - a trailer', 3, 90, AUDIO)))
    assert titles(told) == {"g-0": "The “deep” — a trailer", "g-1": 'The "deep" - a trailer (2)'}


def test_a_number_that_somebody_bears_is_passed_over() -> None:
    told = run(made(("Trailer", 0, 90, AUDIO), ("Trailer (2)", 1, 90, AUDIO), ("Trailer", 2, 90, AUDIO)))
    assert titles(told) == {"g-0": "Trailer", "g-1": "Trailer (2)", "g-2": "Trailer (3)"}


def test_posts_and_items_without_a_title_are_let_alone() -> None:
    items = made(("", 0, 90, AUDIO), ("", 1, 90, AUDIO))
    posts = tuple(replace(item, title="News", enclosure=None) for item in items)
    assert run(items).items == items
    assert run(posts).items == posts


def test_a_new_episode_changes_no_older_title() -> None:
    before = run(made(("Trailer", 0, 90, AUDIO), ("Trailer", 3, 100, AUDIO)))
    items = made(("Trailer", 0, 90, AUDIO), ("Trailer", 3, 100, AUDIO), ("Trailer", 5, 90, AUDIO))
    told = titles(run(items, before, 1))
    assert titles(before).items() <= told.items()
    assert told["g-2"] == "Trailer (3)"


def test_an_older_twin_found_late_takes_the_next_number_and_renames_nobody() -> None:
    first = made(("Trailer", 3, 90, AUDIO), ("Trailer", 5, 100, AUDIO))
    before = run(first)
    assert titles(before) == {"g-0": "Trailer", "g-1": "Trailer (2)"}
    after = run(made(("Trailer", 3, 90, AUDIO), ("Trailer", 5, 100, AUDIO), ("Trailer", 0, 95, AUDIO)), before, 1)
    assert titles(after) == {"g-0": "Trailer", "g-1": "Trailer (2)", "g-2": "Trailer (3)"}
    assert after.changed == ()


def test_a_number_stays_when_its_twin_has_gone() -> None:
    first = made(("Trailer", 3, 90, AUDIO), ("Trailer", 5, 100, AUDIO))
    after = run(first[:1], run(first), 1)
    assert titles(after) == {"g-1": "Trailer (2)"}
    assert after.changed == ()


def test_who_is_retitled_into_a_twin_gives_way_and_says_when() -> None:
    before = run(made(("Teaser", 0, 90, AUDIO), ("Trailer", 3, 90, AUDIO)))
    after = run(made(("Trailer", 0, 90, AUDIO), ("Trailer", 3, 90, AUDIO)), before, 1)
    assert titles(after) == {"g-0": "Trailer (2)", "g-1": "Trailer"}
    assert after.changed == ("g-0",)
    assert [item.updated for item in after.items] == [None, Moment(NOW + timedelta(days=1))]
    back = run(made(("Teaser", 0, 90, AUDIO), ("Trailer", 3, 90, AUDIO)), after, 2)
    assert titles(back) == {"g-0": "Teaser", "g-1": "Trailer"}
    assert {record.guid: (record.numbered_title, record.updated) for record in back.published_items} == {
        "g-0": (None, NOW + timedelta(days=2)),
        "g-1": (None, None),
    }


episodes = st.lists(
    st.tuples(
        st.sampled_from(["Trailer", "Trailer (2)", "“Trailer”", '"Trailer"', "Teaser"]),
        st.integers(0, 30),
        st.sampled_from([None, 60, 600, 1199, 1200, 4000]),
        st.sampled_from([AUDIO, AUDIO, "video/mp4"]),
    ),
    max_size=9,
)


@given(episodes, st.data())
def test_over_random_histories_titles_are_told_apart_and_stay(said: list, data: st.DataObject) -> None:
    before: Settlement | None = None
    known: set[int] = set()
    for day in range(3):
        if said and data.draw(st.booleans()):
            place = data.draw(st.integers(0, len(said) - 1))
            said = [*said]
            said[place] = (data.draw(st.sampled_from(["Trailer", "Pilot"])), *said[place][1:])
        known |= data.draw(st.sets(st.sampled_from(range(len(said))))) if said else set()
        items = tuple(item for item in made(*said) if int(item.guid[2:]) in known)
        told = run(items, before, day)
        assert [item.guid for item in told.items] == [item.guid for item in items]
        for one in told.items:
            for other in told.items:
                assert one.guid == other.guid or not alike(one, other)
        if before is not None:
            own = {record.guid: record.title for record in before.published_items}
            was = titles(before)
            same = {item.guid for item in items if own.get(item.guid) == item.title}
            assert {guid: was[guid] for guid in same} == {guid: titles(told)[guid] for guid in same}
            assert not same & set(told.changed)
        again = run(items, told, day + 1)
        assert titles(again) == titles(told)
        assert again.changed == ()
        before = told


def alike(one: Item, other: Item) -> bool:
    lengths = [item.duration.seconds if item.duration else 0 for item in (one, other)]
    return (
        sanitize.fold_title(one.title) == sanitize.fold_title(other.title)
        and one.published.at.date() == other.published.at.date()
        and one.enclosure.type == other.enclosure.type
        and (not all(lengths) or abs(lengths[0] - lengths[1]) < _GRACE_SECONDS)
    )


def test_a_long_title_keeps_its_number_and_the_report_names_the_repair(harbour: Feed) -> None:
    items = made(("x" * 400, 0, 90, AUDIO), ("x" * 400, 3, 90, AUDIO))
    items = tuple(replace(item, provenance=harbour.items[0].provenance) for item in items)
    files = dict(publish.render(replace(harbour, items=run(items).items)))
    assert b"xxx (2)</title>" in files["podcast.xml"]
    assert b"told apart" in files["report.json"]
    assert "item-alike" not in {one.rule for one in examine(files["podcast.xml"], datetime(2100, 1, 1, tzinfo=UTC))[1]}


@pytest.mark.heavy
def test_twenty_thousand_of_one_day_are_numbered_in_seconds() -> None:
    items = made(*[("Trailer", 0, 900, AUDIO)] * 20_000)
    assert len(set(titles(run(items)).values())) == len(items)


def test_ten_minutes_are_antennapod_s_own() -> None:
    near = run(made(("Trailer", 0, 90, AUDIO), ("Trailer", 3, 90 + 599, AUDIO)))
    assert titles(near) == {"g-0": "Trailer", "g-1": "Trailer (2)"}
    far = run(made(("Trailer", 0, 90, AUDIO), ("Trailer", 3, 90 + 600, AUDIO)))
    assert titles(far) == {"g-0": "Trailer", "g-1": "Trailer"}


def test_days_on_which_much_appears_are_days_of_their_own() -> None:
    told = run(
        made(("Trailer", 0, 90, AUDIO), ("One", 1, 90, AUDIO), ("Trailer", 24, 90, AUDIO), ("Two", 25, 90, AUDIO))
    )
    assert sorted(titles(told).values()) == ["One", "Trailer", "Trailer", "Two"]
