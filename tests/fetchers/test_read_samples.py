"""The recordings in `samples/` read whole, and tell one story: a cut text begins the longer one."""

from __future__ import annotations

from pathlib import Path

import pytest

from aggregator.fetchers import roster
from aggregator.model.sighting import Sighting
from aggregator.model.source import Only, Source
from aggregator.text.fold import fold

SAMPLES = Path(__file__).parents[2] / "samples" / "pytorch"
KINDS = {"casts.txt": "listing", "podyssey.txt": "listing", "apple-page.txt": "apple", "blog.txt": "blog"}


def sightings(file: str, only: Only | None = None) -> tuple[Sighting, ...]:
    source = Source(name=file, kind=KINDS[file], snapshot=str(SAMPLES / file), only=only or Only())
    (document,) = roster.recorded(source)
    assert document.recorded
    return roster.read(document).sightings


@pytest.mark.parametrize(
    ("file", "entries", "cut"),
    [("casts.txt", 30, 25), ("podyssey.txt", 10, 8), ("apple-page.txt", 8, 0), ("blog.txt", 6, 6)],
)
def test_entries(file: str, entries: int, cut: int) -> None:
    found = sightings(file)
    assert (entries, cut) == (len(found), sum(sighting.cut for sighting in found))


def test_a_cut_text_begins_the_longer_one() -> None:
    whole = {fold(sighting.title): sighting.description or "" for sighting in sightings("casts.txt")}
    shorter = sightings("podyssey.txt")
    pairs = [(whole[fold(one.title)], one.description or "") for one in shorter if fold(one.title) in whole]
    assert len(pairs) == 9
    assert all(longer.startswith(cut) for longer, cut in pairs)


def test_lengths_of_the_cuts() -> None:
    texts = [line for line in (SAMPLES / "casts.txt").read_text("utf-8").split("\n") if line.endswith("...")]
    assert {len(text) for text in texts} <= set(range(290, 301))
    texts = [line for line in (SAMPLES / "podyssey.txt").read_text("utf-8").split("\n") if line.endswith("Show More")]
    assert {len(text) for text in texts} == {200 + len("...Show More")}


def test_only_keeps_what_belongs() -> None:
    assert len(sightings("casts.txt", Only(show="pytorch developer podcast", title="^Inductor"))) == 3
    assert sightings("casts.txt", Only(show="Another Show")) == ()
    assert sightings("blog.txt", Only(category="Haskell")) == ()


def test_the_page_tells_the_same_story() -> None:
    whole = {fold(one.title): (one.description or "").replace("\\", "") for one in sightings("apple-page.txt")}
    cuts = [one for one in sightings("casts.txt") if fold(one.title) in whole]
    assert len(cuts) == 7
    assert all(whole[fold(one.title)].startswith(one.description or "") for one in cuts)
