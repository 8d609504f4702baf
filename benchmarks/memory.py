"""What memory a refresh takes: `python benchmarks/memory.py [items] [feeds]`, growth of the resident peak in MB.

First the whole command, `aggregator refresh` of a file of one source, cold and with one new item, above what the same
takes of 10 items (`--whole` measures nothing else). Then the stages behind reading, each in a process of its own on the
same store; then many small feeds in one process, which must stay flat.
"""

from __future__ import annotations

import argparse
import gc
import resource
import subprocess
import sys
import tempfile
from datetime import timedelta
from email.utils import format_datetime
from functools import partial
from html import escape
from pathlib import Path

import warm
from msgspec.structs import replace

from aggregator import compose, persist, publish
from aggregator.fetchers.fetched import FetchedSource
from aggregator.generator.storage.output import Output
from aggregator.model.entry import Listing
from aggregator.model.feed import Plan
from aggregator.processes import editions
from aggregator.store import cache, database, publications

LATER = 36_525  # days: a century of daily items is then no news of the future

CONFIG = """
state: store.db
output: output
base_url: http://localhost:8000
contact: https://example.org/about
feeds:
  bench: {title: Bench, sources: {host: {kind: feed, path: feed.xml}}}
"""

WATCHED = """
import sys
from pathlib import Path
from aggregator import cli
try:
    cli.main()
finally:
    kept = Path("/proc/self/status").read_text(encoding="ascii")
    print(next(line.split()[1] for line in kept.splitlines() if line.startswith("VmHWM")))
"""
"""The command, and the most it ever had resident itself, in KB: `getrusage` tells of whoever started it, too."""


def peak() -> float:
    """Return the most memory this process ever had resident, in MB (Linux counts in KB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def now() -> float:
    """Return the memory this process has resident, in MB."""
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * resource.getpagesize() / 1e6


def written(path: Path, items: int, more: int = 0) -> None:
    """Return the source's listing as a feed, with so many new items at its top."""
    source = warm.SOURCES[0]
    listed = warm.listed(source, items)
    for number in range(more):
        listed = warm.with_one_more(listed, source, 50_000 + number)
    with path.open("w", encoding="utf-8") as file:
        file.write("<?xml version='1.0' encoding='utf-8'?>\n<rss version='2.0'><channel><title>Bench</title>\n")
        for each in listed:
            date = format_datetime(each.published.at) if each.published else ""
            sound = each.enclosure.url if each.enclosure else ""
            file.write(
                f"<item><title>{each.title}</title><link>{each.link}</link><guid>{each.guid}</guid>"
                f"<pubDate>{date}</pubDate><description>{escape(each.html or '')}</description>"
                f"<enclosure url='{sound}' type='audio/mpeg' length='9'/></item>\n"
            )
        file.write("</channel></rss>\n")


def command(folder: Path, day: int) -> float:
    """Return the most memory that `aggregator refresh` had resident itself, in MB."""
    at = f"{warm.START + timedelta(days=LATER + day):%Y-%m-%dT%H:%M:%SZ}"
    again = [sys.executable, "-c", WATCHED, "refresh", "--quiet", "--at", at]
    told = subprocess.run(again, cwd=folder, check=True, capture_output=True, text=True).stdout
    return int(told) / 1024


def whole(items: int) -> None:
    """Measure the whole command on a file of one source: 10 items, many, and one more."""
    with tempfile.TemporaryDirectory() as few, tempfile.TemporaryDirectory() as many:
        for folder, number in ((Path(few), 10), (Path(many), items)):
            (folder / "config.yaml").write_text(CONFIG, encoding="utf-8")
            written(folder / "feed.xml", number)
        least, cold = command(Path(few), 0), command(Path(many), 0)
        written(Path(many) / "feed.xml", items, more=1)
        news = command(Path(many), 1)
        size = (Path(many) / "feed.xml").stat().st_size / 1e6
    print(f"whole refresh: 10 items {least:.0f} MB; {items} items ({size:.0f} MB) +{cold - least:.0f} MB cold,")
    print(f"+{news - least:.0f} MB with one new item", flush=True)


def refreshed(folder: Path, plan: Plan, items: int, turn: int) -> None:
    """One refresh of a feed with one source: all its items, and one more for each turn."""
    source = plan.sources[0]
    listed = warm.listed(source, items)
    for number in range(turn):
        listed = warm.with_one_more(listed, source, 50_000 + number)
    heard = [FetchedSource(source, (), (Listing(listed),), (), "ok")]
    at = warm.START + timedelta(days=LATER + turn)
    before = peak()
    with database.open_store(str(folder / "store.db")) as store:
        with database.transaction(store) as tx:
            persist.write_fetched(tx, [(plan, heard)], at)
            composed = compose.compose(tx, plan, at, keep=partial(cache.write_part, tx, plan.name))
            publications.write_composition(tx, plan, composed, at)
        composing = peak()
        editions.place(
            Output(folder / "output"), plan.name, publish.stage(folder / "output", composed.feed, plan.window)
        )
    print(f"{items} items, turn {turn}: +{composing - before:.0f} MB composed, +{peak() - before:.0f} MB published")


def flat(folder: Path, feeds: int) -> None:
    """Many feeds of 40 items in one process."""
    for number in range(feeds):
        name = f"feed-{number}"
        plan = Plan(name, replace(warm.PLAN.channel, name=name), warm.SOURCES[:1])
        heard = [FetchedSource(plan.sources[0], (), (Listing(warm.listed(plan.sources[0], 40)),), (), "ok")]
        with database.open_store(str(folder / "store.db")) as store:
            with database.transaction(store) as tx:
                persist.write_fetched(tx, [(plan, heard)], warm.START)
                composed = compose.compose(tx, plan, warm.START, keep=partial(cache.write_part, tx, plan.name))
                publications.write_composition(tx, plan, composed, warm.START)
            editions.place(Output(folder / "output"), plan.name, publish.stage(folder / "output", composed.feed))
        if number % max(1, feeds // 8) == 0:
            gc.collect()
            print(f"after {number + 1} feeds: {now():.0f} MB", flush=True)


def main() -> None:
    """Measure all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", type=int, nargs="?", default=20_000)
    parser.add_argument("feeds", type=int, nargs="?", default=200)
    parser.add_argument("--turn", type=int, help="only this refresh, in --folder")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--whole", action="store_true", help="only the whole command")
    wanted = parser.parse_args()
    if wanted.turn is not None:
        refreshed(wanted.folder, Plan("bench", warm.PLAN.channel, warm.SOURCES[:1]), wanted.items, wanted.turn)
        return
    whole(wanted.items)
    if wanted.whole:
        return
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(2):
            again = [sys.executable, __file__, str(wanted.items), "--turn", str(turn), "--folder", folder]
            subprocess.run(again, check=True)
        flat(Path(folder), wanted.feeds)


if __name__ == "__main__":
    main()
