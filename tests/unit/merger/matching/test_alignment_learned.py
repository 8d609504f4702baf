"""Listings that are decided stay as they were learned, as long as the entries that came since meet so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.match import compare_entries, fit_table, match
from aggregator.model.cluster import Cluster, ListingAlignment, Matching
from aggregator.model.entry import Duration, Enclosure, Entry, Moment

TITLE = "Il bollettino del porto"
START = datetime(2024, 9, 2, 5, 12, 40, tzinfo=UTC)
LENGTHS = [480 + turn * 5387 % 1511 for turn in range(80)]
COUNT = 20


def host(turn: int, source: str = "host", hours: float = 24, late: float = 0) -> Entry:
    """An entry with its instant, some seconds late, and audio."""
    at = START + timedelta(hours=hours * turn, seconds=late)
    audio = Enclosure(f"https://{source}.example/{turn}.mp3")
    length = Duration(LENGTHS[turn])
    return Entry(
        source, f"{source}-{turn}", TITLE, published=Moment(at), duration=length, enclosure=audio, position=80 - turn
    )


def page(turn: int, hours: float = 24, zone: float = 0) -> Entry:
    """An entry of a page with a day, and its length in minutes."""
    at = (START + timedelta(hours=hours * turn + zone)).replace(hour=0, minute=0, second=0)
    length = Duration(60 * round(LENGTHS[turn] / 60), 60)
    moment = Moment(at, "day", zoned=False)
    return Entry("page", f"page-{turn}", TITLE, published=moment, duration=length, position=80 - turn)


def mirror(turn: int) -> Entry:
    return host(turn, "mirror", late=20 + turn * 31 % 90)


def page_a_day_ahead(turn: int) -> Entry:
    return page(turn, zone=20)


Listings = Sequence[Callable[[int], Entry]]
LISTINGS: tuple[Listings, ...] = ((host, mirror), (host, page), (host, page_a_day_ahead), (host, mirror, page))


def apply(
    entries: Sequence[Entry], alignments: Sequence[ListingAlignment], fresh: Sequence[Entry] = ()
) -> tuple[Matching, bool]:
    """Match entries, of which some are new, with the alignments that were learned; whether all are as learned."""
    pairs = compare_entries(entries, (), {}, {each.id for each in fresh})
    matching = match(entries, table=fit_table(pairs), pairs=replace(pairs, alignments=alignments))
    return matching, matching.alignments == tuple(alignments)


def group(clusters: Sequence[Cluster]) -> list[set[str]]:
    return [{entry.key.rpartition("-")[2] for entry in cluster.entries} for cluster in clusters]


@pytest.mark.parametrize("listings", LISTINGS)
def test_the_same_entries_match_as_when_their_listings_were_learned(listings: Listings) -> None:
    entries = [told(turn) for told in listings for turn in range(COUNT)]
    learned, _ = apply(entries, ())
    assert learned.alignments
    assert group(learned.clusters) == [{str(turn)} for turn in sorted(range(COUNT), key=str)]
    assert apply(entries, learned.alignments)[0] == learned


@pytest.mark.parametrize("listings", LISTINGS)
@pytest.mark.parametrize("more", [1, 5])
def test_a_new_entry_meets_as_was_learned(listings: Listings, more: int) -> None:
    entries = [told(turn) for told in listings for turn in range(COUNT)]
    learned = apply(entries, ())[0].alignments
    new = [told(turn) for told in listings for turn in range(COUNT, COUNT + more)]
    matching, stayed = apply([*entries, *new], learned, new)
    assert stayed
    assert len(matching.clusters) == COUNT + more


def test_what_a_pair_gains_does_not_change_with_new_entries() -> None:
    entries = [told(turn) for told in (host, mirror) for turn in range(COUNT)]
    learned, _ = apply(entries, ())
    new = [told(turn) for told in (host, mirror) for turn in range(COUNT, COUNT + 4)]
    before = [
        [each for pair in cluster.pairs for each in pair.evidence if each.name == "alignment"]
        for cluster in learned.clusters
    ]
    after = [
        [each for pair in cluster.pairs for each in pair.evidence if each.name == "alignment"]
        for cluster in apply([*entries, *new], learned.alignments, new)[0].clusters
        if not any(entry in new for entry in cluster.entries)
    ]
    assert all(before)
    assert before == after


def test_new_entries_that_do_not_meet_so_are_learned_from() -> None:
    """The mirror's clock is an hour wrong since a while: the same entries meet at another time."""
    entries = [told(turn) for told in (host, mirror) for turn in range(COUNT)]
    learned = apply(entries, ())[0].alignments
    new = [
        *(host(turn) for turn in range(COUNT, COUNT + 2)),
        *(host(turn, "mirror", late=3600) for turn in range(COUNT, COUNT + 2)),
    ]
    assert not apply([*entries, *new], learned, new)[1]


def test_listings_of_which_nothing_is_decided_are_not_kept() -> None:
    entries = [told(turn) for told in (host, page) for turn in range(COUNT)]
    bare = [replace(each, duration=None) for each in entries]
    undecided = [replace(each, published=Moment(START, "day")) for each in bare if each.source == "page"]
    assert not apply([*bare[:COUNT], *undecided], ())[0].alignments
