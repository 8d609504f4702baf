"""Guids that two listings count on their own are not ids of one item; all other equal guids are."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from aggregator.merger.matching.features.counted_ids import part_counted_ids
from aggregator.merger.matching.features.records import Record

WORDS = [a + b for a in ("bo", "cra", "del", "fin", "gro", "hul", "jas") for b in ("rek", "min", "tol", "vas", "pon")]
WEEK = 7


def list_show(source: str, form: str = "{}", *, seed: int = 0, count: int = 12, lengths: bool = True) -> list[Record]:
    """A weekly show of a seed, with counted guids of a form."""
    chance = random.Random(seed)
    records = []
    for number in range(1, count + 1):
        title, seconds = " ".join(chance.sample(WORDS, 4)), chance.randint(900, 5400)
        ids = (f"guid:{form.format(number)}", f"link:{source}.example/{number}")
        day = 739_000 + 100 * seed + WEEK * number
        records.append(Record(f"{source}/{number}", source, title, ids=ids, day=day, seconds=seconds * lengths or None))
    return records


def count_on(records: list[Record], form: str = "{}", *, ahead: int = 0, newest: bool = False) -> list[Record]:
    """The records with guids that are counted ahead, or from the newest on."""
    numbers = range(len(records), 0, -1) if newest else range(1 + ahead, 1 + ahead + len(records))
    return [
        replace(record, ids=(f"guid:{form.format(number)}", *record.ids[1:]))
        for record, number in zip(records, numbers, strict=True)
    ]


def find_shared(records: list[Record]) -> set[tuple[str, str]]:
    """The pairs of sources that have a guid in common."""
    of = {source: {value for each in records if each.source == source for value in each.ids} for source in "abc"}
    return {(one, other) for one in of for other in of if one < other and of[one] & of[other]}


FORMS = ["{}", "ep-{}", "episode {:03}", "s2e{}", "{}.mp3"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lengths", [True, False])
@pytest.mark.parametrize("how", [{"ahead": 1}, {"ahead": 5}, {"newest": True}])
def test_listings_that_count_otherwise_have_no_guid_in_common(form, lengths, how) -> None:
    host = list_show("a", form, lengths=lengths)
    mirror = count_on(list_show("b", lengths=lengths), form, **how)
    assert find_shared([*host, *mirror]) == {("a", "b")}
    assert find_shared(list(part_counted_ids([*host, *mirror]))) == set()


def test_another_show_that_counts_has_no_guid_in_common() -> None:
    assert find_shared(list(part_counted_ids([*list_show("a"), *list_show("b", seed=1)]))) == set()


@pytest.mark.parametrize("order", ["abc", "bca", "cab"])
def test_only_the_listing_that_counts_otherwise_is_parted(order) -> None:
    host, copy, other = list_show(order[0]), list_show(order[1]), count_on(list_show(order[2]), newest=True)
    records = [*host, *copy, *other]
    assert find_shared(list(part_counted_ids(records))) == {tuple(sorted(order[:2]))}


def reword(record: Record, **changes) -> Record:
    return replace(record, title=" ".join(random.Random(record.title).sample(WORDS, 4)), **changes)


AGREEING = {
    "the same": lambda each: each,
    "numbered and cut titles": lambda each: replace(each, title=f"#7 {each.title.rpartition(' ')[0]}"),
    "all titles rewritten": lambda each: reword(each, seconds=each.seconds + 1),
    "dates of another year": lambda each: replace(each, day=each.day + 365),
    "translated, another length unknown": lambda each: reword(each, seconds=None, day=each.day + 1),
}


@pytest.mark.parametrize("change", AGREEING.values(), ids=list(AGREEING))
def test_one_show_keeps_its_guids_whatever_one_listing_changes(change) -> None:
    records = [*list_show("a"), *map(change, list_show("b"))]
    assert part_counted_ids(records) is records


GLOBAL = ["0b5c9d1e-77aa-4f0e-9d1c-{:012}", "https://show.example/?p={}", "tag:s.example,2024:{}"]


@pytest.mark.parametrize("form", GLOBAL)
def test_a_guid_that_is_not_counted_alone_is_always_the_same_entry(form) -> None:
    records = [*list_show("a", form), *list_show("b", form, seed=1)]
    assert part_counted_ids(records) is records


def test_entries_that_came_since_do_not_show_it() -> None:
    host, mirror = list_show("a"), [replace(each, fresh=True) for each in count_on(list_show("b"), newest=True)]
    records = [*host, *mirror]
    assert part_counted_ids(records) is records


def test_one_entry_that_was_replaced_shows_nothing() -> None:
    host, mirror = list_show("a"), list_show("b")
    mirror[3] = reword(mirror[3], seconds=60, day=mirror[3].day + 40)
    records = [*host, *mirror]
    assert part_counted_ids(records) is records
