"""Reading alone, in one process, rounds interleaved: `python benchmarks/reading.py FOLDER ROUNDS [--profile]`."""

from __future__ import annotations

import cProfile
import io
import pstats
import sys
import time
from collections.abc import Callable
from pathlib import Path

import feedparser
import measure
import msgspec
import nh3

from aggregator.fetchers.feeds import feed
from aggregator.model.entry import Listing
from aggregator.model.source import Document, Source


def documents(folder: Path) -> list[Document]:
    """Return the feeds of the folder."""
    paths = sorted(folder.glob("*.xml"))
    return [Document(Source("x", "feed"), f"https://example.org/{path.name}", path.read_bytes()) for path in paths]


def main() -> None:
    """Print a line for each way of reading: its name, then the seconds of each round."""
    given = documents(Path(sys.argv[1]))
    listings = [feed.read(one) for one in given]
    assert not any(listing.remarks for listing in listings)
    for one, listing in zip(given, listings, strict=True):
        assert len(feedparser.parse(io.BytesIO(one.body)).entries) == len(listing.entries)
    ways: dict[str, Callable[[], object]] = {
        "feedparser": lambda: [feedparser.parse(io.BytesIO(one.body)) for one in given],
        "feedparser, bare": lambda: [
            feedparser.parse(io.BytesIO(one.body), sanitize_html=False, resolve_relative_uris=False) for one in given
        ],
        "strict": lambda: [feed.read(one) for one in given],
        "strict, sanitised": lambda: [
            nh3.clean(entry.html) for one in given for entry in feed.read(one).entries if entry.html
        ],
        "nh3 for all": lambda: [
            nh3.clean(entry.html) for listing in listings for entry in listing.entries if entry.html
        ],
        "carried from the child": lambda: [
            msgspec.msgpack.decode(msgspec.msgpack.encode(listing), type=Listing) for listing in listings
        ],
    }
    if "--profile" in sys.argv:
        with cProfile.Profile() as profile:
            ways["strict"]()
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)
        return
    works = {name: (lambda _, way=way: timed(way)) for name, way in ways.items()}
    for name, seconds in measure.interleaved(works, int(sys.argv[2])).items():
        print(name, *seconds, sep="\t")


def timed(way: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    begun = time.process_time()
    way()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
