"""Parse many changed documents with one parser and with one for each processor: `python benchmarks/parsers.py [COUNT]`.

Each document is a feed of 1,000 items. Wall and processor seconds, children included; the first line starts the pool.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import corpus

from aggregator.fetchers.sandbox.pool import Pool
from aggregator.model.source import Document, Source

ITEMS = 1_000


def main() -> None:
    """Print a line for each size of the pool."""
    body = corpus.feed(corpus.show(1, ITEMS), 0, "A show")
    documents = [
        Document(Source("x", "feed"), f"https://example.org/{number}", body)
        for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    ]
    for size in (1, os.cpu_count() or 1):
        wall, spent = time.monotonic(), _processor_seconds()
        with Pool(size=size) as parsers, ThreadPoolExecutor(size) as threads:
            count = sum(len(listing.entries) for listing in threads.map(parsers.read, documents))
            wall = time.monotonic() - wall
        spent = _processor_seconds() - spent
        assert count == ITEMS * len(documents)
        print(f"{size} at once: {wall:.2f} s of wall time, {spent:.2f} s of processor time")


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main()
