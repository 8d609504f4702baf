"""The four seed documents read as `shared/knowledge/sources.md` section 5 says they must."""

from __future__ import annotations

from pathlib import Path

import pytest

from aggregator.fetchers import roster
from aggregator.model.sighting import Listing
from aggregator.model.source import Source

SEEDS = Path(__file__).parents[3] / "shared" / "seeds"
pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SEEDS.is_dir(), reason="../shared is not there")]


def read(number: str, kind: str) -> Listing:
    path = next(SEEDS.glob(f"{number}_*.txt"))
    (document,) = roster.recorded(Source(name=number, kind=kind, path=str(path)))
    return roster.read(document)


def test_dated_listing() -> None:
    listing = read("000", "listing")
    assert 30 == len(listing.sightings) == len({sighting.key for sighting in listing.sightings})
    assert listing.partial
    assert {"minute"} == {sighting.published.precision for sighting in listing.sightings if sighting.published}
    assert all(sighting.duration and sighting.duration.step == 60 for sighting in listing.sightings)
    first, last = listing.sightings[0], listing.sightings[-1]
    assert f"{first.published.at.isoformat()} {first.duration.seconds}" == "2024-04-29T00:01:00+00:00 900"  # type: ignore[union-attr]  # checked above
    assert (first.cut, last.cut) == (False, True)
    assert last.title == "DataLoader with multiple workers leaks memory"
    assert sum(sighting.cut for sighting in listing.sightings) == 25
    assert not any((sighting.description or "").endswith(("...", "Topics")) for sighting in listing.sightings)


def test_numbered_listing() -> None:
    listing = read("001", "listing")
    assert len(listing.sightings) == 10
    assert sum(sighting.cut for sighting in listing.sightings) == 8
    assert {200} == {len(sighting.description or "") for sighting in listing.sightings if sighting.cut}
    assert listing.show.title == "PyTorch Developer Podcast"


def test_apple_page_as_text() -> None:
    listing = read("002", "apple")
    assert [sighting.title for sighting in listing.sightings] == [
        "Compiler collectives", r"TORCH\_TRACE and tlparse", "Higher order operators", "Inductor Post-grad FX passes",
        "CUDA graph trees", "Min-cut partitioner", "AOTInductor", "Tensor subclasses and PT2",
    ]  # fmt: skip
    assert [s.duration.seconds // 60 for s in listing.sightings if s.duration] == [17, 15, 17, 24, 21, 16, 18, 13]
    assert {"day"} == {sighting.published.precision for sighting in listing.sightings if sighting.published}
    assert [int(sighting.key) for sighting in listing.sightings[:-1]] == [
        1000664250427,
        1000653855355,
        1000653132140,
        1000652368503,
        1000650290952,
        1000649524531,
        1000647852991,
    ]
    assert all((sighting.link or "").endswith("?i=" + sighting.key) for sighting in listing.sightings[:-1])
    assert (listing.sightings[-1].link, listing.sightings[-1].ids) == (None, ())
    assert [[note.cause for note in sighting.notes] for sighting in listing.sightings if sighting.notes] == [
        ["displaced words"],
        ["displaced words"],
        ["cut id"],
    ]
    show = listing.show
    assert (show.total, show.author, show.explicit) == (83, "Edward Yang, Team PyTorch", False)
    assert len(listing.remarks) == 3


def test_blog_page_as_text() -> None:
    listing = read("003", "blog")
    assert [sighting.title for sighting in listing.sightings] == [
        "PyTorch Developer Podcast", "The PyTorch open source process", "Let's talk about the PyTorch dispatcher",
        "A brief taxonomy of PyTorch operators by shape behavior", "vmap in Haskell", "PyTorch internals",
    ]  # fmt: skip
    assert all(sighting.cut and sighting.genre == "post" and not sighting.published for sighting in listing.sightings)
    assert not any("image" in (sighting.description or "").split("\n") for sighting in listing.sightings)
    assert listing.show.title == "ezyang's blog"
