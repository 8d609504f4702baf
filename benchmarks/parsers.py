"""Parse many changed documents with one parser and with one for each processor: `python benchmarks/parsers.py [COUNT]`.

Each document is a feed of 1,000 items. Wall and processor seconds, children included, which the first line starts.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import corpus

from aggregator.fetchers.parser_process import read
from aggregator.model.source import Document, Source

ITEMS = 1_000


def main() -> None:
    """Print a line for each number of documents parsed at once, each measured in a process of its own."""
    count = sys.argv[1] if len(sys.argv) > 1 else "20"
    for size in (1, os.cpu_count() or 1):
        wall, spent = time.monotonic(), _processor_seconds()
        subprocess.run([sys.executable, __file__, count, str(size)], check=True)
        wall, spent = time.monotonic() - wall, _processor_seconds() - spent
        print(f"{size} at once: {wall:.2f} s of wall time, {spent:.2f} s of processor time")


def parse(count: int, size: int) -> None:
    """Parse so many documents, ``size`` at once."""
    body = corpus.feed(corpus.show(1, ITEMS), 0, "A show")
    documents = [Document(Source("x", "feed"), f"https://example.org/{number}", body) for number in range(count)]
    with ThreadPoolExecutor(size) as threads:
        assert sum(len(listing.entries) for listing in threads.map(read, documents)) == ITEMS * count


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    parse(int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else main()
