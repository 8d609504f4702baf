"""What is learned of each listing: how it writes, and how it stands to the most trusted one."""

from datetime import UTC, datetime, timedelta

import pytest

from aggregator.merger.blending.source_model import SourceModel
from aggregator.merger.model.listings import learn_listings, learn_pairs
from aggregator.merger.model.wording import describe_listings
from aggregator.model.cluster import Cluster
from aggregator.model.entry import Duration, Entry, Moment
from aggregator.model.feed_model import FeedModel
from aggregator.text.titles.affixes import Template

START = datetime(2025, 3, 3, 6, 0, tzinfo=UTC)
TRUST = {"host": 0.9, "shelf": 0.5}
WORDS = ("Anker", "Bojen", "Deiche", "Ebbe", "Fähren", "Gezeiten", "Häfen", "Inseln", "Kutter", "Leuchttürme")


def listed(source: str, number: int, **fields) -> Entry:
    at = START + timedelta(weeks=number)
    known = {"title": WORDS[number], "episode": number, "published": Moment(at), "duration": Duration(1500)}
    return Entry(source, f"{source}-{number}", **{**known, **fields})


def learn(host, shelf, items=10) -> dict[str, tuple[str, ...]]:
    clusters = [Cluster((host(number), shelf(number))) for number in range(items)]
    texts = SourceModel(template=Template(frozenset({"folge #: "}), frozenset({" | kaistimmen"})))
    learned = learn_listings(clusters, texts), learn_pairs(clusters, TRUST)
    return describe_listings(FeedModel(START, "", "", "", *learned))


def plain(number: int) -> Entry:
    return listed("host", number, guid=f"{number}")


SAID = {
    "a head": (lambda n: {"title": f"Folge {n}: {WORDS[n]}"}, "it writes “folge N: Title”"),
    "a tail": (lambda n: {"title": f"{WORDS[n]} | Kaistimmen"}, "it writes “Title | kaistimmen”"),
    "days": (
        lambda n: {"published": Moment((START + timedelta(weeks=n)).replace(hour=0), "day")},
        "it gives days without times",
    ),
    "a day late": (
        lambda n: {"published": Moment(START + timedelta(weeks=n, days=1))},
        "its dates are 1 day later than those of host",
    ),
    "minutes early": (
        lambda n: {"published": Moment(START + timedelta(weeks=n, minutes=-40))},
        "its dates are 40 minutes earlier than those of host",
    ),
    "no zone": (
        lambda n: {"published": Moment(START + timedelta(weeks=n, hours=2), "second", zoned=False)},
        "its times have no zone",
    ),
    "counts higher": (lambda n: {"episode": n + 1}, "it counts 1 higher than host"),
    "number in the title": (
        lambda n: {"title": f"#{n + 2} {WORDS[n]}", "episode": None},
        "it counts 2 higher than host",
    ),
    "cut": (lambda _: {"description": "Wasser " * 40 + "…", "cut": True}, "it shortens texts at 281 characters"),
    "minutes": (lambda _: {"duration": Duration(1500, 60)}, "it rounds lengths to minutes"),
    "own count of guids": (lambda n: {"guid": f"{10 - n}"}, "its guids are those of other entries of host"),
    "posts": (lambda _: {"genre": "post"}, "it lists posts"),
}


@pytest.mark.parametrize(("fields", "clause"), SAID.values(), ids=list(SAID))
def test_what_a_listing_does_is_said(fields, clause) -> None:
    said = learn(plain, lambda number: listed("shelf", number, **fields(number)))["shelf"]
    assert clause in said


def test_ordinary_listings_are_not_described() -> None:
    assert learn(plain, lambda number: listed("shelf", number)) == {"host": ("10 entries",), "shelf": ("10 entries",)}


def test_day_and_month_are_told_to_be_exchanged() -> None:
    said = learn(
        lambda number: listed("host", number, published=Moment(START.replace(day=number + 4))),
        lambda number: listed("shelf", number, published=Moment(START.replace(day=3, month=number + 4))),
        items=9,
    )
    assert "day and month of its dates are exchanged, compared with host" in said["shelf"]


def test_differences_that_change_from_item_to_item_are_none() -> None:
    def moved(number: int) -> Entry:
        at = START + timedelta(weeks=number, hours=7 * number)
        return listed("shelf", number, published=Moment(at), episode=number * 2)

    assert learn(plain, moved)["shelf"] == ("10 entries",)


def test_four_items_show_nothing() -> None:
    assert learn(plain, lambda number: listed("shelf", number, episode=number + 1), items=4)["shelf"] == ("4 entries",)


def test_a_listing_is_compared_with_the_most_trusted_one() -> None:
    clusters = [
        Cluster((listed("attic", number), listed("host", number, episode=number + 5), listed("shelf", number)))
        for number in range(8)
    ]
    pairs = {pair.source: (pair.trusted, pair.ahead) for pair in learn_pairs(clusters, {**TRUST, "attic": 0.1})}
    assert pairs == {"attic": ("host", -5), "shelf": ("host", -5)}
