"""The recordings in `samples/` read whole, and tell one story: a cut text begins the longer one."""

from __future__ import annotations

import pytest

from aggregator.fetchers import parse, snapshot
from aggregator.model.entry import Entry
from aggregator.model.source import Conditions, Filter, Source
from aggregator.text.fold import fold
from tests.support.paths import SAMPLES

KINDS = {"casts.txt": "listing", "podyssey.txt": "listing", "apple-page.txt": "apple", "blog.txt": "blog"}


def entries(file: str, show: str | None = None) -> tuple[Entry, ...]:
    only = Conditions(show=(show,) if show else ())
    source = Source(name=file, kind=KINDS[file], snapshot=str(SAMPLES / file), filter=Filter(only))
    document = snapshot.read_file(source)
    return parse.read(document).entries


@pytest.mark.parametrize(
    ("file", "number", "cut"),
    [("casts.txt", 30, 25), ("podyssey.txt", 10, 8), ("apple-page.txt", 8, 0), ("blog.txt", 6, 6)],
)
def test_entries(file: str, number: int, cut: int) -> None:
    found = entries(file)
    assert (number, cut) == (len(found), sum(entry.cut for entry in found))


def test_a_cut_text_begins_the_longer_one() -> None:
    whole = {fold(entry.title): entry.description or "" for entry in entries("casts.txt")}
    shorter = entries("podyssey.txt")
    pairs = [(whole[fold(one.title)], one.description or "") for one in shorter if fold(one.title) in whole]
    assert len(pairs) == 9
    assert all(longer.startswith(cut) for longer, cut in pairs)


def test_lengths_of_the_cuts() -> None:
    texts = [line for line in (SAMPLES / "casts.txt").read_text("utf-8").split("\n") if line.endswith("...")]
    assert {len(text) for text in texts} <= set(range(290, 301))
    texts = [line for line in (SAMPLES / "podyssey.txt").read_text("utf-8").split("\n") if line.endswith("Show More")]
    assert {len(text) for text in texts} == {200 + len("...Show More")}


def test_only_the_show_that_the_config_names_is_read() -> None:
    assert len(entries("casts.txt", "pytorch developer podcast")) == 30
    assert entries("casts.txt", "Another Show") == ()


def test_the_page_tells_the_same_story() -> None:
    whole = {fold(one.title): (one.description or "").replace("\\", "") for one in entries("apple-page.txt")}
    cuts = [one for one in entries("casts.txt") if fold(one.title) in whole]
    assert len(cuts) == 7
    assert all(whole[fold(one.title)].startswith(one.description or "") for one in cuts)
