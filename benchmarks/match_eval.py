"""How well matching does on the development sets: `python benchmarks/match_eval.py [--streams] [--shows]`.

Each set once as it is and, where it has ids, once without guid, link and enclosure; one program, one set of defaults.
`--shows` matches each show of directories-dev by itself, with the shipped table and with one fitted to the show.
`--streams` lets the records arrive in 20 instalments in random order, and listing by listing, settled after each.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aggregator.merger.lines import records
from aggregator.merger.record import Record
from aggregator.merger.resolve import Orders, Resolution, rejoined, resolve
from aggregator.merger.settle import Past, settle
from aggregator.merger.table import Table
from aggregator.merger.weights import SHIPPED
from aggregator.model.item import Item, Promise
from aggregator.stages import pinned

SETS = Path(__file__).parents[2] / "shared" / "eval" / "match"
NAMES = ("directories-dev", "critrole-dev", "kaigai-dev", "dblp-acm", "musicbrainz20k")
IDS = ("guid", "link", "enclosure")
NOW = datetime(2024, 5, 1, tzinfo=UTC)

Line = dict[str, object]
Groups = list[list[str]]


def load(name: str) -> tuple[list[Line], dict[str, str]]:
    """The records of a set, and the entity of each."""
    with gzip.open(SETS / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    with gzip.open(SETS / f"{name}.truth.jsonl.gz", "rt", encoding="utf-8") as lines:
        truth = {row["id"]: row["entity"] for row in map(json.loads, lines)}
    return rows, truth


def named(found: Resolution) -> Groups:
    """The groups by record ids."""
    return [[found.frame.records[row].id for row in group] for group in found.groups]


def pairs(sizes: Iterable[int]) -> int:
    """How many pairs groups of these sizes hold."""
    return sum(size * (size - 1) // 2 for size in sizes)


def score(groups: Groups, truth: dict[str, str]) -> str:
    """Pairwise precision, recall and F1, and the clusters that hold more than one entity."""
    inside = [Counter(truth[name] for name in group) for group in groups]
    said, true = pairs(map(len, groups)), sum(pairs(counts.values()) for counts in inside)
    real = pairs(Counter(truth[name] for group in groups for name in group).values())
    mixed = sum(len(counts) > 1 for counts in inside)
    return f"P {true / said:.4f} R {true / real:.4f} F1 {2 * true / (said + real):.4f} mixed {mixed}"


def plain(name: str) -> None:
    """One set, with and without ids."""
    rows, truth = load(name)
    for dropped in ((), IDS) if any(key in row for row in rows for key in IDS) else ((),):
        kept = [{key: value for key, value in row.items() if key not in dropped} for row in rows]
        start = time.process_time()
        groups = named(resolve(records(kept), Orders()))
        seconds = time.process_time() - start
        print(f"{name:16} {'no ids' if dropped else 'whole ':6} {score(groups, truth)}  {seconds:.1f} s")


def shows() -> None:
    """Each show of directories-dev by itself, as a refresh would meet it."""
    rows, truth = load("directories-dev")
    by: defaultdict[str, list[Line]] = defaultdict(list)
    for row in rows:
        by[truth[str(row["id"])].split("/")[0]].append(row)
    tables: tuple[tuple[str, Table | None], ...] = (("shipped", SHIPPED), ("fitted", None))
    for label, table in tables:
        groups = [group for own in by.values() for group in named(resolve(records(own), Orders(), table))]
        print(f"show by show, {label} table: {score(groups, truth)}")


def streams(name: str) -> None:
    """A set in 20 instalments in random order: with one-hop repair, published after each; and listing by listing."""
    rows, truth = load(name)
    every = list(records(rows))
    table = resolve(every, Orders()).table
    order = random.Random(1).sample(every, len(every))  # noqa: S311 -- an order, no secret
    groups: Groups = []
    for end in range(1, 21):
        groups = named(rejoined(order[: len(order) * end // 20], groups, Orders(), table))
    print(f"{name:16} random order, repaired: {score(groups, truth)}")
    print(f"{name:16} random order, published: {published(instalments(order), truth)}")
    sources = sorted({record.source for record in every})
    random.Random(1).shuffle(sources)  # noqa: S311 -- an order, no secret
    step = max(1, len(sources) // 12)
    ends = range(step, len(sources) + step, step)
    told = ([record for record in every if record.source in sources[:end]] for end in ends)
    print(f"{name:16} listing by listing, published: {published(told, truth)}")


def instalments(order: Sequence[Record]) -> Iterable[Sequence[Record]]:
    """What is known after each of 20 parts."""
    return (order[: len(order) * end // 20] for end in range(1, 21))


def published(arrivals: Iterable[Sequence[Record]], truth: dict[str, str]) -> str:
    """The score after the last arrival, each settled and pinned; the guids given, and those that became aliases."""
    promises: tuple[Promise, ...] = ()
    groups: Groups = []
    given: set[str] = set()
    for turn, known in enumerate(arrivals):
        groups = named(resolve(known, Orders(pins=pinned(promises))))
        items = [Item(title=group[0], sightings=tuple(group)) for group in groups]
        promises = settle(items, Past(truth[groups[0][0]], promises), NOW + timedelta(days=turn)).promises
        guids = {promise.guid for promise in promises}
        assert given <= guids, "a published guid is gone"
        given = guids
    gone = sum(promise.alias_of is not None for promise in promises)
    return f"{score(groups, truth)}, {len(given)} guids, {gone} of them aliases"


if __name__ == "__main__":
    for each in NAMES:
        plain(each)
        if "--streams" in sys.argv:
            streams(each)
    if "--shows" in sys.argv:
        shows()
