"""Episodes that AntennaPod would take for one: told apart by a number, and nobody else is."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from aggregator import publish
from aggregator.generator import apart
from aggregator.generator.validate.examine import examine
from aggregator.model.feed import Feed
from aggregator.model.sighting import Duration, Enclosure, Moment

DAY = datetime(2024, 5, 1, 8, tzinfo=UTC)


def made(harbour: Feed, *said: tuple[str, int, int | None, str]) -> Feed:
    """Episodes of a title, hours after the day began, length in seconds, media type; newest first."""
    base = harbour.items[0]
    items = [
        replace(
            base,
            guid=f"g-{turn}",
            title=title,
            published=Moment(DAY + timedelta(hours=hours)),
            duration=Duration(length) if length else None,
            enclosure=Enclosure(f"https://cdn.example.com/{turn}.mp3", kind, 10**6),
        )
        for turn, (title, hours, length, kind) in enumerate(said)
    ]
    items.sort(key=lambda item: item.published.at, reverse=True)
    return replace(harbour, items=tuple(items))


def titles(feed: Feed) -> dict[str, str]:
    return {item.guid: item.title for item in feed.items}


AUDIO = "audio/mpeg"


def test_the_later_trailer_of_a_day_is_numbered(harbour: Feed) -> None:
    feed = made(harbour, ("Trailer", 0, 90, AUDIO), ("Trailer", 3, 100, AUDIO), (" Trailer", 2, None, AUDIO))
    assert titles(apart.apart(feed)) == {"g-0": "Trailer", "g-1": "Trailer (3)", "g-2": "Trailer (2)"}


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
def test_what_no_app_takes_for_one_keeps_its_title(harbour: Feed, other: tuple[str, int, int, str]) -> None:
    feed = made(harbour, ("Trailer", 0, 90, AUDIO), other)
    assert apart.apart(feed) is feed


def test_posts_and_items_without_a_title_are_let_alone(harbour: Feed) -> None:
    feed = made(harbour, ("", 0, 90, AUDIO), ("", 1, 90, AUDIO))
    posts = tuple(replace(item, title="News", enclosure=None) for item in feed.items)
    assert apart.apart(feed) is feed
    assert titles(apart.apart(replace(feed, items=posts))) == {"g-0": "News", "g-1": "News"}


def test_a_new_episode_changes_no_older_title(harbour: Feed) -> None:
    before = made(harbour, ("Trailer", 0, 90, AUDIO), ("Trailer", 3, 100, AUDIO))
    after = made(harbour, ("Trailer", 0, 90, AUDIO), ("Trailer", 3, 100, AUDIO), ("Trailer", 5, 90, AUDIO))
    told = titles(apart.apart(after))
    assert titles(apart.apart(before)).items() <= told.items()
    assert told["g-2"] == "Trailer (3)"


def test_a_long_title_keeps_its_number_and_the_report_names_the_repair(harbour: Feed) -> None:
    feed = made(harbour, ("x" * 400, 0, 90, AUDIO), ("x" * 400, 3, 90, AUDIO))
    files = publish.render(feed)
    assert b"xxx (2)</title>" in files["podcast.xml"]
    assert b"told apart" in files["report.json"]
    assert "item-alike" not in {one.rule for one in examine(files["podcast.xml"], datetime(2100, 1, 1, tzinfo=UTC))[1]}
