"""What an item costs in each format, and what 20,000 of them cost in memory.

    python benchmarks/generator.py [--items 20000]

CPU time of this process; memory is the growth of its peak, measured in a child of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aggregator.generator import atom, feed_files, files, jsonfeed, report, rss
from aggregator.generator.content.prepared import prepare
from aggregator.model.entry import Duration, Enclosure, Moment, Tag
from aggregator.model.feed import Channel, Feed
from aggregator.model.item import Item, Provenance

TEXT = (
    "<p>"
    + "What the <b>tide</b> does to a <a href='https://example.org/quay?a=1&b=2'>quay</a>, told slowly. " * 25
    + "</p>"
)
START = datetime(2005, 1, 1, tzinfo=UTC)


def show(count: int) -> Feed:
    """Return a feed of so many episodes with 2,300 characters of show notes each."""
    items = tuple(
        Item(
            title=f"Number {number}: the tide & the quay",
            entries=(f"host/{number}", f"directory/{number}"),
            guid=f"tide-{number}",
            html=TEXT,
            published=Moment(START + timedelta(hours=number)),
            duration=Duration(1800 + number),
            enclosure=Enclosure(f"https://cdn.example.com/{number}.mp3", "audio/mpeg", 14_000_000 + number),
            link=f"https://example.org/{number}",
            episode=number,
            tags=(
                Tag("podcast:transcript", None, (("url", f"https://example.org/{number}.vtt"), ("type", "text/vtt"))),
            ),
            origin="host",
            provenance=tuple(Provenance(name, "host", ("directory",)) for name in ("title", "html", "published")),
        )
        for number in range(count, 0, -1)
    )
    return Feed(Channel("tide", "Tide", "https://feeds.example.org/tide"), items, START + timedelta(hours=count))


def timed(name: str, count: int, work: Callable[[], object]) -> None:
    """One line: what the work cost for each of so many items."""
    begun = time.process_time()
    work()
    print(f"{name:34} {(time.process_time() - begun) / count * 1e6:8.1f} µs an item")


def costs(feed: Feed) -> None:
    """Microseconds of CPU an item, for each step."""
    count = len(feed.items)
    prepared = prepare(feed)
    timed("prepared once", count, lambda: prepare(feed))
    for module in (rss, atom, jsonfeed, report):
        timed(module.__name__, count, lambda module=module: module.render_items(prepared, range(count)))
    timed("all five files", count, lambda: dict(feed_files.render_files(prepare(feed))))


def grown(count: int) -> None:
    """In a child: how much the peak grows by publishing, in MB; the feed itself is already held."""
    feed = show(count)
    before = peak()
    with tempfile.TemporaryDirectory() as folder:
        files.publish(Path(folder), feed_files.render_files(prepare(feed)), compress=True)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    print(f"{count} items, {size / 1e6:.0f} MB of files: peak {before:.0f} MB before, {peak():.0f} MB after")


def peak() -> float:
    """Return the most memory this process has had, in MB; unlike ``ru_maxrss`` it forgets the parent's."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    """Print the figures."""
    words = argparse.ArgumentParser()
    words.add_argument("--items", type=int, default=20_000)
    words.add_argument("--memory", action="store_true", help="only the growth of memory")
    asked = words.parse_args()
    if asked.memory:
        grown(asked.items)
        return
    costs(show(min(asked.items, 2000)))
    command = [sys.executable, __file__, "--items", str(asked.items), "--memory"]
    subprocess.run(command, check=True, env=os.environ)


if __name__ == "__main__":
    main()
