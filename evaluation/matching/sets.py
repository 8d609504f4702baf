"""The development sets of ``../shared/eval/match``: as they are and without hard ids; what must hold."""

from __future__ import annotations

import gzip
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aggregator.merge import guids_of_entries
from aggregator.merger.identity.settle import Past, settle
from aggregator.merger.matching.features.records import Record, parse_records
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED, Table
from aggregator.model.item import Item, PublishedItem
from evaluation.matching.scoring import Groups, Score, group_ids, pooled, score

SETS = Path(__file__).parents[3] / "shared" / "eval" / "match"
NAMES = ("directories-dev", "critrole-dev", "kaigai-dev", "dblp-acm", "musicbrainz20k")
FLOORS = {
    "directories-dev": {"precision": 1.0, "recall": 0.99},
    "critrole-dev": {"F1": 1.0},
    "kaigai-dev": {"F1": 1.0},
    "dblp-acm": {"F1": 0.991},
    "musicbrainz20k": {"F1": 0.993},
}
IDS = ("guid", "link", "enclosure")
NOW = datetime(2024, 5, 1, tzinfo=UTC)

Line = dict[str, object]


def load(name: str) -> tuple[list[Line], dict[str, str]]:
    """Return the records of a set, and the entity of each."""
    with gzip.open(SETS / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    with gzip.open(SETS / f"{name}.truth.jsonl.gz", "rt", encoding="utf-8") as lines:
        truth = {row["id"]: row["entity"] for row in map(json.loads, lines)}
    return rows, truth


def check(name: str) -> list[str]:
    """Print the scores of one set, with and without ids; return a line for each figure that does not hold."""
    rows, truth = load(name)
    failures = []
    for dropped in ((), IDS) if any(key in row for row in rows for key in IDS) else ((),):
        kept = [{key: value for key, value in row.items() if key not in dropped} for row in rows]
        start = time.process_time()
        found = score(group_ids(match_records(parse_records(kept))), truth)
        seconds = time.process_time() - start
        print(f"{name:16} {'no ids' if dropped else 'whole ':6} {found}  {seconds:.1f} s")
        failures += [f"{name}: {what} {value:.4f}, at least {least}" for what, value, least in _missed(found, name)]
    return failures


def _missed(found: Score, name: str) -> list[tuple[str, float, float]]:
    """Return the figures of a set that are below what must hold: name, value, least value."""
    values = {"precision": found.precision, "recall": found.recall, "F1": found.f1}
    return [(what, values[what], least) for what, least in FLOORS[name].items() if round(values[what], 4) < least]


def print_shows() -> None:
    """Print the scores of each show of directories-dev by itself, as a refresh would meet it."""
    rows, truth = load("directories-dev")
    by: defaultdict[str, list[Line]] = defaultdict(list)
    for row in rows:
        by[truth[str(row["id"])].split("/")[0]].append(row)
    tables: tuple[tuple[str, Table | None], ...] = (("shipped", SHIPPED), ("fitted", None))
    for label, table in tables:
        found = pooled(score(group_ids(match_records(parse_records(own), table)), truth) for own in by.values())
        print(f"show by show, {label} table: {found}")


def print_streams(name: str) -> None:
    """Print the scores of a set in 20 instalments, published after each, and listing by listing."""
    rows, truth = load(name)
    every = list(parse_records(rows))
    order = random.Random(1).sample(every, len(every))
    print(f"{name:16} random order, published: {_published(_instalments(order), truth)}")
    sources = sorted({record.source for record in every})
    random.Random(1).shuffle(sources)
    step = max(1, len(sources) // 12)
    ends = range(step, len(sources) + step, step)
    told = ([record for record in every if record.source in sources[:end]] for end in ends)
    print(f"{name:16} listing by listing, published: {_published(told, truth)}")


def _instalments(order: Sequence[Record]) -> Iterable[Sequence[Record]]:
    """Return what is known after each of 20 parts."""
    return (order[: len(order) * end // 20] for end in range(1, 21))


def _published(arrivals: Iterable[Sequence[Record]], truth: dict[str, str]) -> str:
    """Return the score after the last arrival, each settled and pinned; the guids given, the aliases."""
    published_items: tuple[PublishedItem, ...] = ()
    groups: Groups = ()
    given: set[str] = set()
    for turn, known in enumerate(arrivals):
        groups = group_ids(match_records(known, pins=guids_of_entries(published_items)))
        items = [Item(title=group[0], entries=tuple(group)) for group in groups]
        published_items = settle(
            items, Past(truth[groups[0][0]], published_items), NOW + timedelta(days=turn)
        ).published_items
        guids = {record.guid for record in published_items}
        assert given <= guids, "a published guid is gone"
        given = guids
    gone = sum(record.alias_of is not None for record in published_items)
    return f"{score(groups, truth)}, {len(given)} guids, {gone} of them aliases"
