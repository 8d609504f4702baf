"""Measure how well texts are read, by the path of a refresh: files of copies with their truth.

    python evaluation/text/run.py FILE.jsonl [FILE.jsonl ...] [--no-learn] [--leave-shows-out] [--misses FILE]

Every copy becomes an entry, which is repaired, learned from and reconciled as in a refresh (``merger.repair``,
``source_learning``, ``reconciling.items``). All sources are trusted alike and boilerplate is cut from all.

Each line is {"id","field","lang","show","level","witnesses":[{"source","text"}],"truth"}. The engine sees one file at
a time, without the truth, and starts each with nothing learned. exact and sim are what `score.py` of the development
set counts: equal after squeezing white space, and the mean of 1 - edit distance / longer length. Times are of
the process, repair and learning not included (learning has its own column, per item). With --leave-shows-out each show
is read with what the other shows taught. --misses writes what went wrong, in the same format with the reading added.
--copies leaves only the first so many copies of each text.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path

from msgspec.structs import replace
from rapidfuzz.distance import Levenshtein

from aggregator.merger.blending import source_learning
from aggregator.merger.blending.source_model import EMPTY_MODEL, SourceModel
from aggregator.merger.reconciling import text_fields
from aggregator.merger.reconciling.items import reconcile
from aggregator.merger.reconciling.provenance import RankedEntries, Weights, rank_entries
from aggregator.merger.repair.repair import repair
from aggregator.model.cluster import Cluster
from aggregator.model.entry import Entry

FOLDS = 5


def main() -> int:
    """Print the table; return 1 if a line could not be used, else 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--no-learn", action="store_true")
    parser.add_argument("--leave-shows-out", action="store_true")
    parser.add_argument("--misses", type=Path)
    parser.add_argument("--copies", type=int)
    asked = parser.parse_args()
    print(f"{'file':14} {'field':12} {'n':>5} {'exact':>6} {'sim':>7} {'p50 ms':>7} {'p95 ms':>7} {'learn ms':>8}")
    misses: list[dict[str, object]] = []
    for path in asked.files:
        items = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        for item in items:
            item["witnesses"] = item["witnesses"][: asked.copies]
        misses += measure(path.stem, items, asked)
    if asked.misses:
        asked.misses.write_text(
            "".join(json.dumps(miss, ensure_ascii=False) + "\n" for miss in misses), encoding="utf-8"
        )
    return 0


def entries(item: dict) -> tuple[Entry, ...]:
    """Return the repaired entries that the copies of an item are; the truth is not among them."""
    found = []
    for number, copy in enumerate(item["witnesses"]):
        said = {"title": copy["text"]} if item["field"] == "title" else {"title": "", "description": copy["text"]}
        found.append(
            Entry(copy["source"], str(number), language=item.get("lang"), show=item.get("show"), **said),
        )
    return tuple(map(repair, found))


def measure(name: str, items: list[dict], asked: argparse.Namespace) -> list[dict]:
    """Read one file, print its rows, and return the items that were read wrong."""
    readings, times, learning = read_items(items, asked)
    rows, misses = defaultdict(list), []
    for item, reading in zip(items, readings, strict=True):
        got, want = " ".join(reading.split()), " ".join(item["truth"].split())
        row = (got == want, Levenshtein.normalized_similarity(got, want))
        rows["all"].append(row)
        rows[item["field"]].append(row)
        if got != want:
            misses.append(item | {"reading": reading})
    times.sort()
    for field, row in rows.items():
        exact, sim = (sum(column) / len(row) for column in zip(*row, strict=True))
        cost = (
            f"{times[len(times) // 2]:7.1f} {times[int(len(times) * 0.95)]:7.1f} {learning:8.1f}"
            if field == "all"
            else ""
        )
        print(f"{name:14} {field:12} {len(row):5} {exact:6.3f} {sim:7.4f} {cost}")
    return misses


def read_items(items: list[dict], asked: argparse.Namespace) -> tuple[list[str], list[float], float]:
    """Return the readings, the milliseconds that each took, and those of learning, per item."""
    clusters = [Cluster(entries(item)) for item in items]
    trust = Weights(dict.fromkeys({entry.source for cluster in clusters for entry in cluster.entries}, 1.0))
    start = time.process_time()
    models = learn_models([rank_entries(cluster.entries, trust) for cluster in clusters], items, asked)
    learning = 1000 * (time.process_time() - start) / max(1, len(items))
    readings, times = [], []
    for item, cluster, model in zip(items, clusters, models, strict=True):
        start = time.process_time()
        read = reconcile(cluster, replace(trust, source_model=model))
        times.append(1000 * (time.process_time() - start))
        readings.append((read.title if item["field"] == "title" else read.description) or "")
    return readings, times, learning


def learn_models(votes: list[RankedEntries], items: list[dict], asked: argparse.Namespace) -> list[SourceModel]:
    """Return what may be learned for each item: nothing, from the file, or from the shows of other folds."""
    if asked.no_learn:
        return [EMPTY_MODEL] * len(votes)
    names = [item.get("show") or item["id"] for item in items]
    fold = {show: at % FOLDS if asked.leave_shows_out else 0 for at, show in enumerate(sorted(set(names)))}
    models = {}
    for number in set(fold.values()):
        taught = [
            one for one, name in zip(votes, names, strict=True) if not asked.leave_shows_out or fold[name] != number
        ]
        models[number] = source_learning.learn_sources(text for one in taught for text in text_fields.texts_of(one))
    return [models[fold[name]] for name in names]


if __name__ == "__main__":
    sys.exit(main())
