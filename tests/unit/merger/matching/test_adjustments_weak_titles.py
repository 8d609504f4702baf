"""A weekly title that two short listings show once each, from different weeks, is two items."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.match import match
from aggregator.model.entry import Duration, Entry, Moment

START = datetime(2024, 5, 1, tzinfo=UTC)


def listing(source: str, mail: Entry) -> list[Entry]:
    others = (("Tide tables", 0), ("Rope work", 14)) if source == "host" else (("Sextants", 21), ("Harbour pilots", 28))
    told = [
        Entry(source, f"{source}-{title}", title, published=Moment(START + timedelta(days=day)))
        for title, day in others
    ]
    return [*told, replace(mail, source=source, key=f"{source}-mail")]


def mail(**said) -> Entry:
    return Entry("", "", "Listener mail", **said)


def one(left: Entry, right: Entry) -> bool:
    found = match([*listing("host", left), *listing("apple", right)])
    return any(
        {"host/host-mail", "apple/apple-mail"} <= {each.id for each in group.entries} for group in found.clusters
    )


@pytest.mark.parametrize("days", [7, 28, 364])
def test_other_weeks_and_nothing_else_are_two_items(days) -> None:
    left = mail(published=Moment(START), duration=Duration(1485))
    right = mail(published=Moment(START + timedelta(days=days), "day"), duration=Duration(1500, 60))
    assert not one(left, right)


@pytest.mark.parametrize("days", [0, 1, 3])
def test_the_same_day_is_one_item(days) -> None:
    left = mail(published=Moment(START), duration=Duration(1485))
    assert one(left, mail(published=Moment(START + timedelta(days=days), "day"), duration=Duration(1500, 60)))


@pytest.mark.parametrize(
    "witness",
    [
        {"guid": "one"},
        {"duration": Duration(1485)},
        {"description": "Your questions about anchors, chains, shackles and the paint that keeps them all from rust."},
    ],
)
def test_another_witness_makes_them_one_on_any_day(witness) -> None:
    left = mail(published=Moment(START), **witness)
    assert one(left, mail(published=Moment(START + timedelta(days=700)), **witness))


def test_the_doubt_stands_in_the_evidence() -> None:
    far = mail(published=Moment(START + timedelta(days=7), "day"))
    found = match([*listing("host", mail(published=Moment(START))), *listing("apple", far)])
    near = next(pair for pair in found.near_misses if {"host/host-mail", "apple/apple-mail"} == {pair.left, pair.right})
    assert "weak title" in {each.name for each in near.evidence}
    assert near.weight == pytest.approx(sum(each.weight for each in near.evidence))


def of_day(source: str, day: int, seconds: int, text: str | None = None) -> Entry:
    """One entry of a daily title; a page has its length in minutes."""
    length = Duration(seconds, 60 if source == "page" else 1)
    when = Moment(START + timedelta(days=day), "day")
    return Entry(source, f"{source}-{day}", "Das Neueste", published=when, duration=length, description=text)


def count_joined(*entries: Entry) -> int:
    return sum(len(group.entries) > 1 for group in match(entries).clusters)


def test_a_daily_title_of_another_day_is_another_item_though_minutes_agree() -> None:
    host = [of_day("host", 0, 1500), of_day("host", 2, 2300), of_day("host", 4, 700)]
    assert count_joined(*host, of_day("page", 3, 720)) == 0
    assert count_joined(*host, of_day("page", 4, 720)) == 1


def test_short_texts_that_differ_tell_items_of_a_daily_title_apart() -> None:
    host = [of_day("host", 0, 1500, "Regen."), of_day("host", 1, 2300, "Fest."), of_day("host", 2, 700, "Sturm.")]
    assert count_joined(*host, of_day("page", 2, 720, "Heringe.")) == 0
    assert count_joined(*host, of_day("page", 2, 720, "Sturm.")) == 1
