"""The aggregator against its peers: one command, processor time, ratios of one run.

    python benchmarks/run.py [CASE ...] [--rounds 3] [--items 1000] [--sources 5] [--feeds FOLDER]
                             [--curves] [--heavy] [--profile]

Without a case, all. ``--curves`` also shows how cost grows with items, sources and feeds; ``--heavy`` does so to 200
feeds of 1,000 items; ``--profile`` shows where the time of a cold refresh and of reading goes instead. The peers are
installed into a virtual environment of their own beside the corpus (``--work``).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import cases
import corpus
import measure
import updates
from cases import Setting

Comparison = tuple[str, str, float]
"""Two contenders, and how many times the cost of the second the first is to have at least; 0 if nothing is asked."""


def _compare_updates(*sizes: int) -> list[Comparison]:
    """Compare updates of a number of feeds, start-up of each program included, and the cost of one more feed."""
    labels = [*(f", {size} feeds" for size in sizes), updates.EACH]
    return [(f"reader{label}", f"aggregator{label}", 0) for label in labels]


Case = Callable[[Setting, int], dict[str, list[float]]]
CASES: dict[str, tuple[Case, list[Comparison]]] = {
    "reading": (
        cases.reading,
        [("feedparser", "strict", 0), ("feedparser", "strict, sanitised", 0), ("feedparser, bare", "strict", 0)],
    ),
    "cold": (cases.cold, [("naive", "aggregator", 0.7)]),
    "again": (cases.again, [("naive", "aggregator", 8)]),
    "warm": (cases.warm, [("naive", "aggregator", 1.3)]),
    "first": (updates.first, [("reader", "aggregator", 0)]),
    "304": (updates.not_modified, _compare_updates(updates.FEW, updates.MANY)),
    "200": (updates.equal, _compare_updates(*updates.LARGE)),
    "start-up": (updates.startup, []),
}


def peers(work: Path) -> Path:
    """Return the Python of an environment with the peers, made at first."""
    home = work / "peers"
    if not home.is_dir():
        venv.create(home, with_pip=True)
        requirements = str(cases.HERE / "requirements.txt")
        subprocess.run([home / "bin" / "python", "-m", "pip", "install", "-q", "-r", requirements], check=True)
    return home / "bin" / "python"


def print_case(name: str, costs: dict[str, list[float]], wanted: list[Comparison]) -> None:
    """Print the medians of a case and its ratios."""
    medians = measure.medians(costs)
    print(f"{name}: " + ", ".join(f"{who} {seconds:.4f} s" for who, seconds in medians.items()))
    for slow, fast, least in wanted:
        ratio = medians[slow] / medians[fast] if medians[fast] > 0 else float("inf")  # less than can be told apart
        asked = f" ({least:g} asked: {'reached' if ratio >= least else 'NOT reached'})" if least else ""
        print(f"   {slow} / {fast}: {ratio:.1f}{asked}", flush=True)


def curves(setting: Setting, *, heavy: bool) -> None:
    """Print how a cold refresh grows, as milliseconds of processor time for each item that was read."""
    for items in (250, 1000, 4000):
        _point(f"items {items}", replace(setting, items=items), 1)
    for sources in (1, 2, 5, 8):
        _point(f"sources {sources}", replace(setting, sources=sources, items=500), 1)
    for feeds in (10, 50, 200) if heavy else (2, 8):
        _point(f"feeds {feeds}", replace(setting, sources=1, items=1000 if heavy else 200), feeds)


def _point(label: str, setting: Setting, feeds: int) -> None:
    names = {}
    for feed in range(feeds):
        entries = corpus.show(feed, setting.items)
        names[f"show-{feed}"] = [f"{feed}-{place}.xml" for place in range(setting.sources)]
        for place, name in enumerate(names[f"show-{feed}"]):
            (setting.folder / name).write_bytes(corpus.feed(entries, place, f"Show {feed}"))
    cases.configured(setting.folder, names)
    cases.emptied(setting.folder)
    command = [str(cases.AGGREGATOR), "refresh", "--at", cases.CLOCK.format(hour=0)]
    cost = measure.run(command, setting.folder)
    read = setting.items * setting.sources * feeds
    print(
        f"   {label}: {cost.seconds:.2f} s, {1000 * cost.seconds / read:.2f} ms an item read, {cost.megabytes:.0f} MB",
        flush=True,
    )


def profiled(setting: Setting) -> None:
    """Print where the time of a cold refresh and of reading goes."""
    cases.written(setting)
    cases.configured(setting.folder, {"show": [f"{place}.xml" for place in range(setting.sources)]})
    cases.emptied(setting.folder)
    command = [sys.executable, "-m", "cProfile", "-s", "tottime", "-m", "aggregator.cli", "refresh"]
    print("\n".join(measure.run(command, setting.folder).said.splitlines()[:60]))
    command = [sys.executable, str(cases.HERE / "reading.py"), str(setting.folder), "1", "--profile"]
    print("\n".join(measure.run(command, setting.folder).said.splitlines()[:50]))


def main() -> None:
    """Run what the command line asks for."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("case", nargs="*", choices=[*CASES, []])
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--items", type=int, default=1000)
    asked.add_argument("--sources", type=int, default=5)
    asked.add_argument("--feeds", type=Path, help="a folder of feeds for the first update, in place of made ones")
    asked.add_argument("--work", type=Path, default=Path("/tmp/aggregator-benchmarks"))  # noqa: S108 -- a corpus, no secret
    for name in ("curves", "heavy", "profile"):
        asked.add_argument(f"--{name}", action="store_true")
    given = asked.parse_args()
    folder = given.work / f"run-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder.mkdir(parents=True)
    print(f"{datetime.now(UTC):%Y-%m-%d}; {measure.machine()}")
    setting = Setting(folder, peers(given.work), given.sources, given.items, feeds=given.feeds)
    if given.profile:
        profiled(setting)
        return
    for name in given.case or CASES:
        case, wanted = CASES[name]
        place = folder / name
        place.mkdir()
        print_case(name, case(replace(setting, folder=place), given.rounds), wanted)
    if given.curves or given.heavy:
        (folder / "curves").mkdir()
        curves(replace(setting, folder=folder / "curves"), heavy=given.heavy)


if __name__ == "__main__":
    main()
