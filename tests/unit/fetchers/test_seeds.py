"""The four seed documents read as `shared/knowledge/sources.md` section 5 says they must."""

from __future__ import annotations

import pytest

from aggregator.fetchers import parse, snapshot
from aggregator.model.entry import Listing
from aggregator.model.source import Source
from tests.support.paths import SHARED

SEEDS = SHARED / "seeds"
pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SEEDS.is_dir(), reason="../shared is not there")]


def read(number: str, kind: str) -> Listing:
    path = next(SEEDS.glob(f"{number}_*.txt"))
    document = snapshot.read_file(Source(name=number, kind=kind, path=str(path)))
    return parse.read(document)


def test_dated_listing() -> None:
    listing = read("000", "listing")
    assert 30 == len(listing.entries) == len({entry.key for entry in listing.entries})
    assert listing.partial
    assert {"minute"} == {entry.published.precision for entry in listing.entries if entry.published}
    assert all(entry.duration and entry.duration.step == 60 for entry in listing.entries)
    first, last = listing.entries[0], listing.entries[-1]
    assert f"{first.published.at.isoformat()} {first.duration.seconds}" == "2024-04-29T00:01:00+00:00 900"  # type: ignore[union-attr]  # checked above
    assert (first.cut, last.cut) == (False, True)
    assert last.title == "DataLoader with multiple workers leaks memory"
    assert sum(entry.cut for entry in listing.entries) == 25
    assert not any((entry.description or "").endswith(("...", "Topics")) for entry in listing.entries)


def test_numbered_listing() -> None:
    listing = read("001", "listing")
    assert len(listing.entries) == 10
    assert sum(entry.cut for entry in listing.entries) == 8
    assert {200} == {len(entry.description or "") for entry in listing.entries if entry.cut}
    assert listing.show.title == "PyTorch Developer Podcast"


def test_apple_page_as_text() -> None:
    listing = read("002", "apple")
    assert [entry.title for entry in listing.entries] == [
        "Compiler collectives", r"TORCH\_TRACE and tlparse", "Higher order operators", "Inductor Post-grad FX passes",
        "CUDA graph trees", "Min-cut partitioner", "AOTInductor", "Tensor subclasses and PT2",
    ]  # fmt: skip
    assert [s.duration.seconds // 60 for s in listing.entries if s.duration] == [17, 15, 17, 24, 21, 16, 18, 13]
    assert {"day"} == {entry.published.precision for entry in listing.entries if entry.published}
    assert [int(entry.key) for entry in listing.entries[:-1]] == [
        1000664250427,
        1000653855355,
        1000653132140,
        1000652368503,
        1000650290952,
        1000649524531,
        1000647852991,
    ]
    assert all((entry.link or "").endswith("?i=" + entry.key) for entry in listing.entries[:-1])
    assert (listing.entries[-1].link, listing.entries[-1].ids) == (None, ())
    assert [[note.cause for note in entry.notes] for entry in listing.entries if entry.notes] == [
        ["displaced words"],
        ["displaced words"],
        ["cut id"],
    ]
    show = listing.show
    assert (show.total, show.author, show.explicit) == (83, "Edward Yang, Team PyTorch", False)
    assert len(listing.remarks) == 3


def test_blog_page_as_text() -> None:
    listing = read("003", "blog")
    assert [entry.title for entry in listing.entries] == [
        "PyTorch Developer Podcast", "The PyTorch open source process", "Let's talk about the PyTorch dispatcher",
        "A brief taxonomy of PyTorch operators by shape behavior", "vmap in Haskell", "PyTorch internals",
    ]  # fmt: skip
    assert all(entry.cut and entry.genre == "post" and not entry.published for entry in listing.entries)
    assert not any("image" in (entry.description or "").split("\n") for entry in listing.entries)
    assert listing.show.title == "ezyang's blog"
