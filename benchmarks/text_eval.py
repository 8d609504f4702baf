"""How well the text engine reads: a table of levels and figures for files of copies with their truth.

    python benchmarks/text_eval.py FILE.jsonl [FILE.jsonl ...] [--no-learn] [--leave-shows-out] [--misses FILE]

Each line is {"id","field","lang","show","level","witnesses":[{"source","text"}],"truth"}. The engine sees one file at
a time, without the truth, and starts each with nothing learned. exact and sim are what `score.py` of the development
set counts: equal after squeezing white space, and the mean of 1 - edit distance / longer length. Times are of the
process, learning not included (it has its own column, per item). With --leave-shows-out each show is read with what
the other shows taught. --misses writes what went wrong, in the same format with the reading added.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from aggregator.merger.lore import NOTHING, Lore, Observer
from aggregator.merger.recount import Account, accounts, answers

FOLDS = 5


def main() -> int:
    """Prints the table; 0, or 1 where a line could not be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--no-learn", action="store_true")
    parser.add_argument("--leave-shows-out", action="store_true")
    parser.add_argument("--misses", type=Path)
    asked = parser.parse_args()
    print(f"{'file':14} {'field':12} {'n':>5} {'exact':>6} {'sim':>7} {'p50 ms':>7} {'p95 ms':>7} {'learn ms':>8}")
    misses: list[dict[str, object]] = []
    for path in asked.files:
        items = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        blind = [
            json.dumps({key: value for key, value in item.items() if key not in {"truth", "tag"}}) for item in items
        ]
        found = list(accounts(blind))
        if len(found) != len(items) or not all(isinstance(one, Account) for one in found):
            print(f"{path}: a line cannot be used", file=sys.stderr)
            return 1
        understood = [one for one in found if isinstance(one, Account)]
        misses += measure(path.stem, items, understood, asked)
    if asked.misses:
        asked.misses.write_text(
            "".join(json.dumps(miss, ensure_ascii=False) + "\n" for miss in misses), encoding="utf-8"
        )
    return 0


def measure(name: str, items: list[dict], understood: list[Account], asked: argparse.Namespace) -> list[dict]:
    """Reads one file, prints its rows, and gives the items that were read wrong."""
    start = time.process_time()
    lores = lore_for(understood, asked)
    learning = 1000 * (time.process_time() - start) / max(1, len(items))
    rows, times, misses = defaultdict(list), [], []
    for item, account, lore in zip(items, understood, lores, strict=True):
        start = time.process_time()
        ((_, reading),) = answers([account], lore)
        times.append(1000 * (time.process_time() - start))
        got, want = " ".join(reading.text.split()), " ".join(item["truth"].split())
        row = (got == want, Levenshtein.normalized_similarity(got, want))
        rows["all"].append(row)
        rows[item["field"]].append(row)
        if got != want:
            misses.append(item | {"reading": reading.text})
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


def lore_for(understood: list[Account], asked: argparse.Namespace) -> list[Lore]:
    """What each item may know: nothing, what the file teaches, or what the shows of other folds teach."""
    if asked.no_learn:
        return [NOTHING] * len(understood)
    shows = sorted({account.show or account.id for account in understood})
    fold = {show: number % FOLDS if asked.leave_shows_out else 0 for number, show in enumerate(shows)}
    observers = {number: Observer() for number in set(fold.values())}
    for account in understood:
        for number, observer in observers.items():
            if not asked.leave_shows_out or fold[account.show or account.id] != number:
                observer.hear(account.copies, account.language, account.show)
    lores = {number: observer.lore() for number, observer in observers.items()}
    return [lores[fold[account.show or account.id]] for account in understood]


if __name__ == "__main__":
    sys.exit(main())
