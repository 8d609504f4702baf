"""Runs as a whole: arrival in instalments, shows that a listing does not name, what a run may teach."""

from __future__ import annotations

import random

import numpy as np
from msgspec.structs import replace

from aggregator.merger.matching.explain import Resolution
from aggregator.merger.matching.features.records import Record, parse_records
from aggregator.merger.matching.features.show_scope import find_scopes
from aggregator.merger.matching.match import match, match_records
from aggregator.merger.matching.scoring import SHIPPED
from aggregator.model.entry import Entry
from tests.support.levels import KINDS, LEVELS

FIRST = [
    "copper",
    "winter",
    "harbour",
    "paper",
    "stone",
    "silver",
    "hollow",
    "northern",
    "broken",
    "quiet",
    "amber",
    "iron",
]
SECOND = ["kettle", "garden", "lights", "boats", "river", "bread", "letters", "mirror", "candle", "orchard"]


def show(name: str, sources: str, seed: int, count: int = 40) -> list[Record]:
    """Listings of an invented show: whole here, in minutes there, without dates elsewhere."""
    chance = random.Random(seed)
    own = FIRST[::2] if name == "Kettlecast" else FIRST[1::2]
    titles = chance.sample([f"{one} {one[::-1]} {two}" for one in own for two in SECOND], count)
    lines: list[dict[str, object]] = []
    for at, title in enumerate(titles):
        day, seconds = f"2023-{at // 28 + 1:02}-{at % 28 + 1:02}", chance.randint(900, 4000)
        for place, source in enumerate(sources):
            if chance.random() < 0.8:
                line: dict[str, object] = {"id": f"{name}-{source}{at:02}", "source": f"{name}{source}", "title": title}
                if place != 2:
                    line |= {"published": day, "show": name}
                line["duration"] = seconds if place == 0 else f"{seconds // 60} min"
                lines.append(line)
    return list(parse_records(lines))


def named(found: Resolution) -> set[frozenset[str]]:
    return {frozenset(found.frame.records[row].id for row in group) for group in found.groups}


def true(found: list[Record]) -> set[frozenset[str]]:
    items: dict[str, set[str]] = {}
    for record in found:
        items.setdefault(f"{record.id.split('-')[0]}{record.id[-2:]}", set()).add(record.id)
    return {frozenset(ids) for ids in items.values()}


def test_two_shows_are_matched_each_by_itself() -> None:
    found = show("Kettlecast", "abc", 1) + show("Night Trains", "xy", 2)
    assert named(match_records(found)) == true(found)


def test_a_run_teaches_within_bounds() -> None:
    found = match_records(show("Kettlecast", "abc", 1))
    assert found.table.version.startswith("learned-")
    for kind, learned, shipped in zip(KINDS, found.table.weights, SHIPPED.weights, strict=True):
        for level, one, other in zip(LEVELS[kind], learned, shipped, strict=True):
            assert abs(one - other) <= 2.5 + 1e-9, (kind, level)


def test_a_hostile_run_cannot_make_different_parts_or_titles_agree() -> None:
    own = show("Kettlecast", "abc", 1)
    liars = [
        replace(record, id=f"liar-{record.id}", source="liar", title=f"{own[-at].title} (Part {at % 7 + 2})")
        for at, record in enumerate(own[:60])
    ]
    table = match_records([*own, *liars]).table
    weight = {kind: dict(zip(LEVELS[kind], row, strict=True)) for kind, row in zip(KINDS, table.weights, strict=True)}
    assert weight["part"]["conflict"] < -4
    assert weight["title"]["below .2"] < -3
    assert weight["description"]["below .3"] < -3


def test_a_small_run_uses_the_shipped_table() -> None:
    assert match_records(show("Kettlecast", "ab", 1, 5)).table == SHIPPED


def test_near_misses_are_bounded_and_the_rest_is_told() -> None:
    mail = [Entry(source, f"{source}-{at}", "Mailbag") for source in "ab" for at in range(30)]
    found = match(mail)
    assert (len(found.near_misses), len(found.clusters)) == (200, 60)
    assert found.remarks == ("match: 700 more near misses are not shown",)


def test_blocks_too_large_are_told() -> None:
    mail = [Entry(source, f"{source}-{at}", "Mailbag") for source in "ab" for at in range(60)]
    assert any("more than 80 entries" in remark for remark in match(mail).remarks)


def test_weights_of_a_resolution_belong_to_its_pairs() -> None:
    found = match_records(show("Kettlecast", "ab", 1))
    assert len(found.weights) == len(found.compared.left) == len(found.vetoes)
    assert bool(np.all(found.compared.left < found.compared.right))


def test_a_listing_with_another_name_for_the_show_is_not_shut_out() -> None:
    found = show("Kettlecast", "abc", 1)
    renamed = [
        replace(record, show="A Writer's Page") if record.source == "Kettlecastc" else record for record in found
    ]
    assert named(match_records(renamed)) == true(found)


def test_a_topic_listing_names_its_shows_to_tell_them_apart() -> None:
    found = show("Kettlecast", "ab", 1)
    topic = [replace(record, id=f"t{at}", source="topic") for at, record in enumerate(found[:5])]
    foreign = replace(found[5], id="t-foreign", source="topic", show="Night Trains")
    scope = find_scopes((*found, *topic, foreign))
    assert scope.rows[-1] >= 0
    assert scope.rows[-1] != scope.rows[0]
