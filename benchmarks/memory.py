"""What memory a refresh takes: `python benchmarks/memory.py [items] [feeds]`, growth of the resident peak in MB.

First one feed of many items, refreshed cold, with one new item, and composed once more, each in a process of its own
on the same ledger; then many small feeds in one process, which must stay flat.
"""

from __future__ import annotations

import argparse
import gc
import resource
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import warm
from msgspec.structs import replace

from aggregator import aside, bookkeeping, pipeline, printing, publish
from aggregator.ledger import ledger
from aggregator.model.feed import Plan
from aggregator.model.sighting import Listing
from aggregator.voices import Voice

LATER = 36_525  # days: a century of daily items is then no news of the future


def peak() -> float:
    """The most memory this process ever had resident, in MB (Linux counts in KB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def now() -> float:
    """The memory this process has resident, in MB."""
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * resource.getpagesize() / 1e6


def refreshed(folder: Path, plan: Plan, items: int, turn: int) -> None:
    """One refresh of a feed with one source: all its items, and one more for each turn."""
    source = plan.sources[0]
    listed = warm.listed(source, items)
    for number in range(turn):
        listed = warm.with_one_more(listed, source, 50_000 + number)
    heard = [Voice(source, (), (Listing(listed),), (), "heard")]
    at = warm.START + timedelta(days=LATER + turn)
    before = peak()
    with ledger.open(str(folder / "ledger.db")) as book, aside.room(folder) as texts:
        with ledger.transaction(book) as page:
            bookkeeping.remember_all(page, [(plan, heard)], at)
            composed = pipeline.compose(page, plan, at, texts)
            bookkeeping.promise(page, plan, composed, at)
        composing = peak()
        feed, whole = composed.feed, texts.items.whole
        made, cards = printing.printed(book, feed, whole), printing.cards(book, feed, whole)
        publish.publish(folder / "output", feed, made=made, cards=cards)
    print(f"{items} items, turn {turn}: +{composing - before:.0f} MB composed, +{peak() - before:.0f} MB published")


def flat(folder: Path, feeds: int) -> None:
    """Many feeds of 40 items in one process."""
    for number in range(feeds):
        name = f"feed-{number}"
        plan = Plan(name, replace(warm.PLAN.channel, name=name), warm.SOURCES[:1])
        heard = [Voice(plan.sources[0], (), (Listing(warm.listed(plan.sources[0], 40)),), (), "heard")]
        with ledger.open(str(folder / "ledger.db")) as book:
            with ledger.transaction(book) as page:
                bookkeeping.remember_all(page, [(plan, heard)], warm.START)
                composed = pipeline.compose(page, plan, warm.START)
                bookkeeping.promise(page, plan, composed, warm.START)
            publish.publish(folder / "output", composed.feed, made=printing.printed(book, composed.feed))
        if number % max(1, feeds // 8) == 0:
            gc.collect()
            print(f"after {number + 1} feeds: {now():.0f} MB", flush=True)


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", type=int, nargs="?", default=20_000)
    parser.add_argument("feeds", type=int, nargs="?", default=200)
    parser.add_argument("--turn", type=int, help="only this refresh, in --folder")
    parser.add_argument("--folder", type=Path)
    wanted = parser.parse_args()
    if wanted.turn is not None:
        refreshed(wanted.folder, Plan("bench", warm.PLAN.channel, warm.SOURCES[:1]), wanted.items, wanted.turn)
        return
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(2):
            again = [sys.executable, __file__, str(wanted.items), "--turn", str(turn), "--folder", folder]
            subprocess.run(again, check=True)
        flat(Path(folder), wanted.feeds)


if __name__ == "__main__":
    main()
