"""A listing in another language is joined by instants, lengths and order; where these do not suffice it is offered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.match import match
from aggregator.model.cluster import Matching
from aggregator.model.entry import Duration, Entry, Moment

START = datetime(2025, 3, 3, 7, 10, tzinfo=UTC)
HOST = ("The old harbour", "A light on the pier", "Nets and mending", "What the tide left", "Bread for nine", "Letters")
OTHERS = {
    "de": ("Im alten Hafen", "Licht auf der Mole", "Netze flicken", "Strandgut", "Brot für neun Leute", "Post"),
    "es": (
        "El puerto viejo",
        "Luz en el muelle",
        "Remendar redes",
        "Lo que dejó la marea",
        "Pan para nueve",
        "Cartas",
    ),
    "ja": ("夜の古い港", "長い桟橋の灯り", "網とその直し方", "潮が残したもの", "船員のパン", "灯台への手紙"),
}


def listed(source: str, titles: tuple[str, ...], seconds: int = 0, minutes: int = 0) -> list[Entry]:
    """Return weekly entries with a time of day and a length of their own, moved by so much."""
    return [
        Entry(
            source,
            f"{source}-{at}",
            title,
            position=len(titles) - at,
            published=Moment(START + timedelta(weeks=at, minutes=minutes)),
            duration=Duration(1800 + 61 * at + seconds),
            description=f"{title}, {source}: {titles[at - 1]}, {titles[at - 2]}.",
        )
        for at, title in enumerate(titles)
    ]


def joined(found: Matching) -> list[tuple[str, ...]]:
    """Return the keys of each cluster of several entries."""
    return sorted(tuple(sorted(each.key for each in one.entries)) for one in found.clusters if len(one.entries) > 1)


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("seconds", [0, 2])
def test_titles_in_another_language_are_joined(language: str, seconds: int) -> None:
    found = match([*listed("host", HOST), *listed("page", OTHERS[language], seconds)])
    assert joined(found) == [(f"host-{at}", f"page-{at}") for at in range(len(HOST))]


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("seconds", "minutes"), [(40, 0), (0, 7)], ids=["other lengths", "other times"])
def test_another_show_of_the_same_days_stays_apart(language: str, seconds: int, minutes: int) -> None:
    assert joined(match([*listed("host", HOST), *listed("page", OTHERS[language], seconds, minutes)])) == []


@pytest.mark.parametrize("language", OTHERS)
def test_entries_of_one_fixed_length_are_not_joined_by_it(language: str) -> None:
    """A length that several entries of a time have shows nothing."""
    uncut = [replace(each, key=f"{each.key}-uncut", title=f"{each.title} (uncut)") for each in listed("host", HOST)]
    assert joined(match([*listed("host", HOST), *uncut, *listed("page", OTHERS[language])])) == []


@pytest.mark.parametrize("language", OTHERS)
def test_too_few_are_offered_to_a_person(language: str) -> None:
    found = match([*listed("host", HOST[:4]), *listed("page", OTHERS[language][:4])])
    assert joined(found) == []
    offered = {(pair.left, pair.right) for pair in found.near_misses}
    assert offered >= {(f"host/host-{at}", f"page/page-{at}") for at in range(4)}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("same", [True, False])
def test_equal_texts_below_other_titles_are_evidence_still(language: str, same: bool) -> None:  # noqa: FBT001
    """A host changed all titles and ids at once: it and the copies with the old titles have equal texts."""
    host, page = listed("host", HOST), listed("page", OTHERS[language])
    texts = [each.description for each in (host if same else page)]
    found = match([*host, *(replace(one, description=text) for one, text in zip(page, texts, strict=True))])
    assert len(joined(found)) == len(HOST)
    for cluster in found.clusters:
        weights = {evidence.name: evidence.weight for evidence in cluster.pairs[0].evidence}
        assert (weights.get("description", 0.0) > 0, weights.get("title", 0.0)) == (same, 0.0)
