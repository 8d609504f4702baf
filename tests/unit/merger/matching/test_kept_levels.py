"""Pairs that a former run compared have their levels without being compared again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.merger.matching.features.frame import Kept
from aggregator.merger.matching.kept_levels import find_kept, key_rows
from aggregator.merger.matching.match import Pairs, compare_entries, fit_table, match
from aggregator.model.cluster import Decision, ListingAlignment
from aggregator.model.entry import Duration, Entry, Moment

WORDS = ("quay", "lantern", "orchard", "ferry", "chalk", "weir", "mill", "heron", "cobble", "tide")
START = datetime(2023, 9, 4, 6, tzinfo=UTC)


def make_entry(source: str, number: int, said: Random) -> Entry:
    """An item as a source lists it: of the same words everywhere, with gaps and changes by chance."""
    own = Random(number)
    words = " ".join(own.sample(WORDS, 3))
    decorated = f"Harbour Talk: {words}", f"Episode {number}", f"{words} (Part {number % 3})"
    title = said.choice((words, words, "Harbour Brief", *decorated))
    text = " ".join(own.choices(WORDS, k=15)).capitalize() + ". Write to us, we read every letter of yours."
    return Entry(
        source,
        f"{source}-{number}",
        title,
        guid=said.choice((None, f"g{number}", "g")),
        description=said.choice((None, text, text[:60])),
        summary=said.choice((None, None, text[:40])),
        published=said.choice((None, Moment(START + timedelta(days=number + said.choice((0, 0, 1)))))),
        duration=said.choice((None, Duration(900 + 70 * number))),
        episode=said.choice((None, number)),
        position=number,
    )


def compare(entries: Sequence[Entry], fresh: set[str], kept: Kept | None = None) -> Pairs:
    return compare_entries(entries, (), {}, fresh, kept)


def count_known(kept: Kept, pairs: Pairs) -> int:
    return int(find_kept(kept.levels, key_rows(pairs.frame), pairs.compared.left, pairs.compared.right)[0].sum())


@settings(deadline=None, max_examples=6)
@given(st.integers(0, 10**9).map(Random))
def test_a_history_with_kept_levels_is_one_without(chance: Random) -> None:
    """Entries arrive, change and leave, people decide and undo it, and the feed is learned from anew now and then."""
    listed: dict[str, Entry] = {}
    fresh: set[str] = set()
    decisions: list[Decision] = []
    alignments: tuple[ListingAlignment, ...] = ()
    kept, table = Kept(), fit_table(compare((), set()))
    for _ in range(6):
        for _ in range(chance.randint(0, 4)):
            each = make_entry(chance.choice(("host", "store", "page")), chance.randint(1, 6), chance)
            listed[each.id] = each
            fresh.add(each.id)
        if listed and chance.random() < 0.3:
            fresh.discard(gone := chance.choice(sorted(listed)))
            del listed[gone]
        if decisions and chance.random() < 0.3:
            decisions.pop()
        if len(listed) > 1 and chance.random() < 0.3:
            decisions.append(Decision(chance.choice(("same", "different")), *chance.sample(sorted(listed), 2)))
        entries = list(listed.values())
        if chance.random() < 0.3:
            fresh = set()
            table = fit_table(compare(entries, fresh))
            alignments = match(entries, decisions=decisions, table=table).alignments
        each_way = compare(entries, fresh), compare(entries, fresh, kept)
        whole, found = (replace(pairs, alignments=alignments) for pairs in each_way)
        assert np.array_equal(found.compared.levels, whole.compared.levels)
        assert match(entries, decisions=decisions, table=table, pairs=found) == match(
            entries, decisions=decisions, table=table, pairs=whole
        )
        kept = kept if found.kept is None else found.kept
        assert count_known(kept, found) >= 0.95 * len(found.compared.left)


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 10**9).map(Random))
def test_a_new_entry_that_nothing_meets_changes_no_evidence(chance: Random) -> None:
    """Whatever the others are, and whatever is decided about them."""
    drawn = [make_entry(chance.choice(("host", "store", "page")), chance.randint(1, 20), chance) for _ in range(60)]
    entries = list({each.id: each for each in drawn}.values())
    pairs = compare(entries, set())
    table = fit_table(pairs)
    decisions = [Decision("different", *chance.sample([each.id for each in entries], 2))]
    before = match(entries, decisions=decisions, table=table, pairs=pairs)
    new = Entry("host", "host-new", "Zinnias", published=Moment(START + timedelta(days=400)), position=21)
    fresh = replace(compare([*entries, new], {new.id}), alignments=before.alignments)
    after = match([*entries, new], decisions=decisions, table=table, pairs=fresh)
    assert [each for each in after.clusters if new not in each.entries] == list(before.clusters)
    assert after.near_misses == before.near_misses


def make_listings() -> list[Entry]:
    return [
        make_entry(source, number, Random(number)) for source in ("host", "store", "page") for number in range(1, 30)
    ]


def test_a_new_entry_alone_is_compared() -> None:
    listings = make_listings()
    kept = compare(listings, set(), Kept()).kept
    assert kept
    new = make_entry("host", 31, Random(31))
    pairs = compare([*listings, new], {new.id})
    own = sum(
        new.id in (pairs.frame.records[row].id for row in pair)
        for pair in zip(pairs.compared.left.tolist(), pairs.compared.right.tolist(), strict=True)
    )
    assert own
    assert count_known(kept, pairs) == len(pairs.compared.left) - own


def test_nothing_new_is_kept_before_a_twentieth_of_the_pairs_is_new() -> None:
    listings = make_listings()
    kept = compare(listings, set(), Kept()).kept
    assert kept
    assert compare(listings, set(), kept).kept is None
    new = [make_entry("host", number, Random(number)) for number in range(31, 41)]
    few, many = (compare([*listings, *some], {each.id for each in some}, kept).kept for some in (new[:1], new))
    assert few
    assert many
    assert (few.levels, few.texts) == (kept.levels, kept.texts)
    assert many.levels != kept.levels
    assert many.texts != kept.texts


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "ferry weir orchard"},
        {"description": "A heron stood on the weir until the mill closed."},
        {"duration": Duration(77)},
        {"published": Moment(START)},
        {"guid": "another"},
        {"episode": 900},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_changed_entry_is_compared_again(changes: dict[str, object]) -> None:
    listings = make_listings()
    kept = compare(listings, set(), Kept()).kept
    assert kept
    listings[4] = replace(listings[4], **changes)
    fresh = {listings[4].id}
    pairs = compare(listings, fresh)
    assert count_known(kept, pairs) < len(pairs.compared.left)
    assert np.array_equal(compare(listings, fresh, kept).compared.levels, pairs.compared.levels)


def test_new_entries_do_not_change_what_the_words_of_others_weigh() -> None:
    listings = make_listings()
    new = [make_entry("store", number, Random(number)) for number in range(40, 44)]
    before, frozen, learned = (
        compare(each, fresh).frame
        for each, fresh in (
            (listings, set()),
            ([*listings, *new], {each.id for each in new}),
            ([*listings, *new], set[str]()),
        )
    )
    old = [record.id not in {each.id for each in new} for record in frozen.records]
    for name in ("title_grams", "descriptions"):
        assert np.array_equal(getattr(frozen, name).sums[old], getattr(before, name).sums)
        assert not np.array_equal(getattr(learned, name).sums[old], getattr(before, name).sums)
    assert np.array_equal(frozen.group_size[old], before.group_size)


def test_a_word_that_was_not_learned_is_the_rarest() -> None:
    listings = make_listings()
    new = replace(make_entry("host", 40, Random(40)), description="Quay zephyr.")
    frame = compare([*listings, new], {new.id}).frame
    row = [record.id for record in frame.records].index(new.id)
    quay, zephyr = frame.descriptions.weights[frame.descriptions.starts[row] :][:2]
    assert quay < zephyr
    assert zephyr == frame.descriptions.weights.max()


def test_a_listing_of_new_entries_alone_is_learned_from() -> None:
    listings = make_listings()
    new = [make_entry("blog", number, Random(number)) for number in range(1, 30)]
    frame = compare([*listings, *new], {each.id for each in new}).frame
    rows = [record.source == "blog" for record in frame.records]
    host = [record.source == "host" for record in frame.records]
    assert np.array_equal(frame.title_grams.sums[rows], frame.title_grams.sums[host])
