"""The decoration of a show is that of learned titles; what was learned and parsed is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from aggregator.merger.matching.features.show_titles import parse_shows

WORDS = ("cellar", "brass", "orchard", "viaduct", "lagoon", "mustard")


def parse(titles: Sequence[str], fresh: int = 0, kept: bytes | None = None) -> tuple[list[str], bytes | None]:
    """Cores of the titles of one listing of one show, the last of which are fresh, and what is to be kept."""
    listed: Mapping[int, Mapping[str, Sequence[int]]] = {0: {"host": range(len(titles))}}
    learned = [at < len(titles) - fresh for at in range(len(titles))]
    shows, keep = parse_shows(listed, titles, learned, {}, kept)
    return [shows[0].titles[title].core for title in titles], keep


@pytest.mark.parametrize("kept", [None, b""])
def test_new_titles_are_without_the_decoration_that_was_learned(kept: bytes | None) -> None:
    titles = [f"Heard in Turin: {word}" for word in WORDS]
    assert parse(titles, 1, kept)[0] == list(WORDS)


def test_new_titles_teach_no_decoration() -> None:
    titles = [*WORDS, *(f"Heard in Turin: {word} two" for word in WORDS)]
    assert parse(titles, 6)[0][-1] == "heard in turin mustard two"
    assert parse(titles)[0][-1] == "mustard two"


def test_what_was_kept_changes_nothing() -> None:
    titles = [f"Heard in Turin: {word}" for word in WORDS]
    _, kept = parse(titles[:5], 0, b"")
    assert kept
    assert parse(titles[:5], 0, kept) == (list(WORDS[:5]), None)
    for more, fresh in (([titles[5]], 1), ([titles[5]], 0), (["Race 1: a", "Race 2: a"], 2)):
        found, after = parse([*titles[:5], *more], fresh, kept)
        assert found == parse([*titles[:5], *more], fresh)[0]
        assert after
        assert parse([*titles[:5], *more], fresh, after) == (found, None)
