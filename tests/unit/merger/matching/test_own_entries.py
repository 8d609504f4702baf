"""What one source lists side by side stays as many items, unless it lists one of them twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.merger.matching.match import match
from aggregator.model.entry import Duration, Enclosure, Entry, Moment, Span

TITLES = ("Evening bulletin", "Listener mail", "Das Neueste", "Preguntas 3", "お便り", "お便り 第2回")
TEXTS = (None, "The news.", "Ihre Fragen zu Tauen, Segeln und Wind.")
START = datetime(2025, 3, 3, tzinfo=UTC)
STAMPS = [
    *(Moment(START + timedelta(days=day), "day", zoned=False) for day in range(3)),
    *(Moment(START + timedelta(days=day, hours=5)) for day in range(3)),
    *(Moment(START + timedelta(hours=14, minutes=21, seconds=second)) for second in (7, 9)),
]
LENGTHS = (None, Duration(300), Duration(301), Duration(300, 60))


@st.composite
def entries(draw: st.DrawFn, source: str, number: int) -> Entry:
    return Entry(
        source,
        f"{number}",
        draw(st.sampled_from(TITLES)),
        position=number,
        guid=draw(st.sampled_from((None, f"{source}-{number}", f"{source}-same"))),
        description=draw(st.sampled_from(TEXTS)),
        published=draw(st.sampled_from((None, *STAMPS))),
        duration=draw(st.sampled_from(LENGTHS)),
        enclosure=draw(st.sampled_from((None, Enclosure(f"https://{source}.example/{number}.mp3")))),
        season=draw(st.sampled_from((None, 1, 2))),
        episode=draw(st.sampled_from((None, 3, 4))),
    )


@st.composite
def listings(draw: st.DrawFn) -> list[Entry]:
    """What a host and two directories list, all of it today."""
    sizes = {"host": draw(st.integers(2, 9)), "near": draw(st.integers(0, 6)), "far": draw(st.integers(0, 6))}
    return [draw(entries(source, number)) for source, size in sizes.items() for number in range(size)]


def listed_twice(left: Entry, right: Entry) -> bool:
    """Whether a source says of two of its entries that they are one: guid, audio, or text and time of day."""
    if (left.guid and left.guid == right.guid) or (left.enclosure and left.enclosure == right.enclosure):
        return True
    timed = left.published is not None and left.published.precision == "second"
    told = (left.title, left.description) == (right.title, right.description) and left.description is not None
    return told and timed and left.published == right.published and left.episode == right.episode


@settings(max_examples=60, deadline=None)
@given(listings())
def test_no_entry_is_joined_to_others_of_its_source(listed: list[Entry]) -> None:
    for cluster in match(listed).clusters:
        for one in cluster.entries:
            others = [each for each in cluster.entries if each.source == one.source and each is not one]
            assert not others or any(listed_twice(one, other) for other in others), (one, others)


@settings(max_examples=30, deadline=None)
@given(listings())
def test_every_entry_stands_in_one_cluster(listed: list[Entry]) -> None:
    found = [each.id for cluster in match(listed).clusters for each in cluster.entries]
    assert sorted(found) == sorted(each.id for each in listed)


def moved(key: str, title: str, first: int, audio: str) -> Entry:
    """One entry of the host, of which the first listing had one and the second another."""
    enclosure = Enclosure(f"https://host.example/{audio}.mp3")
    stamp = Moment(START + timedelta(days=9 * first))
    return Entry("host", key, title, guid=key, published=stamp, enclosure=enclosure, span=Span(first, first))


@pytest.mark.parametrize(
    ("before", "after"),
    [("Deichbau im Winter", "Krabbenfang heute"), ("Los faros", "Redes y anclas"), ("灯台の夜", "漁網を編む")],
)
def test_an_entry_with_ids_of_two_does_not_join_them(before: str, after: str) -> None:
    old, new = moved("h1", before, 1, "one"), moved("h2", after, 2, "two")
    both = Entry("page", "p", before, guid="h2", enclosure=old.enclosure, ids=(("guid", "h1"),))
    homes = [{each.key for each in cluster.entries} for cluster in match([old, new, both]).clusters]
    assert {"h1", "h2"} not in [home - {"p"} for home in homes]
    same = replace(moved("h3", before, 2, "one"), published=old.published)
    assert len(match([old, same, both]).clusters) == 1
