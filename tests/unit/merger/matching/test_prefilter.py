"""What is not read closely changes nothing: the answer is that of reading all pairs."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest

from aggregator.commands.match import _told
from aggregator.merger.matching import prefilter, resolve
from aggregator.merger.matching.features.record import Record
from aggregator.merger.matching.prefilter import Paired, closely
from aggregator.merger.matching.resolve import Orders, Resolution, paired, settled
from aggregator.merger.matching.table import Table
from aggregator.merger.matching.weights import SHIPPED
from aggregator.model.cluster import Decision
from aggregator.model.entry import Span

WORDS = [
    *("anchor", "bread", "copper", "dory", "ebb", "ferry", "gale", "harbour", "iron", "jetty", "kelp"),
    *("lantern", "mast", "net", "oar", "pilot", "quay", "rope", "sail"),
]
DAY = 739_000
SHIFTS = (0, 0, 1, 400, 400, 1500)


def listed(seed: int) -> list[Record]:
    """Four listings of one show that agree on little: weekly titles, templates, stamped dates, a moved host, gaps."""
    chance = random.Random(seed)
    moved = {source: chance.choice(SHIFTS) for source in "abcd"}
    items = [
        (
            chance.choice(("Listener mail", " ".join(chance.sample(WORDS, 2)), " ".join(chance.sample(WORDS, 3)))),
            " ".join(chance.choices(WORDS, k=chance.choice((4, 20)))),
            chance.randint(900, 2000),
            chance.choice((None, at)),
        )
        for at in range(40)
    ]
    return [
        Record(
            f"{source}{at:02}",
            source,
            chance.choice((title, f"{title} (Part {at % 2 + 1})", f"Mailbag: {title}")),
            kind=chance.choice(("episode", "episode", "episode", "post")),
            ids=() if chance.random() < 0.9 else (f"guid:{at % 30}",),
            description=chance.choice((text, text[:40], None, text.replace("anchor", "weir"))),
            summary=chance.choice((None, None, text[:30])),
            day=None if chance.random() < 0.1 else DAY + 7 * at + moved[source],
            seconds=None if chance.random() < 0.1 else seconds,
            numbers=() if number is None else (number,),
            span=chance.choice((Span(1, 2), Span(3, 4), Span(1, 4))) if source == "a" else Span(1, 4),
            position=at if source in "ab" else None,
        )
        for source in "abcd"
        for at, (title, text, seconds, number) in enumerate(items)
        if chance.random() < 0.8
    ]


def pins(records: list[Record], seed: int) -> Mapping[str, str]:
    """What was published: most as it should, some of it twice, some together with another."""
    chance = random.Random(seed)
    return {
        each.id: f"{int(each.id[1:]) + chance.choice((0, 0, 0, 0, 40, 1))}" for each in records if chance.random() < 0.7
    }


def answer(found: Resolution) -> tuple[object, ...]:
    return found.groups, found.table, _told(found), found.capped


def closely_or_not(
    monkeypatch: pytest.MonkeyPatch, records: list[Record], orders: Orders, table: Table | None
) -> tuple[Resolution, Resolution]:
    """The same records resolved with the pairs that promise something, and with all of them."""
    monkeypatch.setattr(prefilter, "_FEW", 0)
    some = settled(paired(records), orders, table)
    monkeypatch.setattr(resolve, "promising", lambda pairs, *_: np.ones(len(pairs.vetoes), dtype=np.bool_))
    return some, settled(paired(records), orders, table)


@pytest.mark.parametrize("threshold", [-8.0, 1.0])
@pytest.mark.parametrize("table", [None, SHIPPED])
@pytest.mark.parametrize("seed", range(8))
def test_the_answer_is_that_of_reading_all(
    monkeypatch: pytest.MonkeyPatch, seed: int, table: Table | None, threshold: float
) -> None:
    records = listed(seed)
    decisions = [Decision("same", "a03", "b09"), Decision("different", "a04", "b04")]
    orders = Orders(decisions if seed % 2 else (), pins(records, seed) if seed % 3 else {}, threshold)
    some, every = closely_or_not(monkeypatch, records, orders, table)
    assert answer(some) == answer(every)
    assert len(some.weights) < len(every.weights)


def test_what_comes_to_lie_inside_a_cluster_is_read_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of one item by what a third says of it: a title and a text that they do not share are still explained."""
    found = listed(1)
    odd = [
        Record("x", "x", "Weir and sluice", ids=("guid:x",), description="All about weirs and what they are for."),
        Record("y", "y", "Sundry", ids=("guid:x", "guid:y"), day=DAY),
        Record("z", "z", "Foghorns", ids=("guid:y",), day=DAY, description="Horns blown in a fog, and by whom."),
    ]
    some, every = closely_or_not(monkeypatch, [*found, *odd], Orders(), SHIPPED)
    assert answer(some) == answer(every)
    assert any({"x", "z"} <= {some.frame.records[row].id for row in group} for group in some.groups)


def test_of_few_pairs_all_are_read() -> None:
    pairs = paired(listed(1)[:12])
    assert 0 < len(pairs.vetoes) == len(settled(pairs, Orders(), SHIPPED).weights)


def test_a_pair_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = paired(listed(1))
    every = np.arange(len(pairs.vetoes))
    once = closely(pairs, every)
    monkeypatch.setattr(prefilter, "read", None)
    again: Paired = closely(pairs, every)
    assert bool((once.compared.levels == again.compared.levels).all())
