"""What the store costs an item: `python benchmarks/store.py [count]`, CPU time of this process, best of three."""

from __future__ import annotations

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from aggregator.model.entry import Duration, Enclosure, Entry, Listing, Moment, Note
from aggregator.model.item import PublishedItem
from aggregator.model.source import Source
from aggregator.store import cache, database, entries, guids, records
from aggregator.store.database import Store
from aggregator.store.listings import write_listings

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)
HOST = Source("host", "feed")


def episode(number: int, position: int, title: str = "An episode about something") -> Entry:
    """Return an entry of the usual size: 1.4 KB as JSON."""
    return Entry(
        source="host",
        key=f"0b6e1d5e-5a3f-4e51-9d59-{number:012d}",
        guid=f"0b6e1d5e-5a3f-4e51-9d59-{number:012d}",
        title=f"{title} {number}",
        position=position,
        ids=(("apple", str(1000000000000 + number)),),
        link=f"https://show.example/episodes/{number}",
        description="A sentence of a description, as long as most are. " * 18,
        published=Moment(AT - timedelta(days=number)),
        duration=Duration(900 + number),
        enclosure=Enclosure(f"https://media.example/{number}.mp3", "audio/mpeg", 12345678),
        episode=number,
        explicit=False,
        notes=(Note("description", "entity", "&amp;", "&"),),
    )


def measured(name: str, count: int, work: Callable[[int], object]) -> None:
    """Print the least CPU time of three runs, by item, and the most memory a fourth took beyond its input."""
    spent, wall = [], []
    for number in range(3):
        begun, clock = time.process_time(), time.perf_counter()
        work(number)
        spent.append(time.process_time() - begun)
        wall.append(time.perf_counter() - clock)
    tracemalloc.start()
    work(3)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"{name:48} {min(spent) / count * 1e6:8.1f} µs {min(wall):8.2f} s wall {peak / 1e6:8.1f} MB peak")


def main(count: int) -> None:
    """Measure each thing that a refresh does with the store."""
    said = [episode(number, count - number) for number in range(count)]
    texts = [records.encode(each) for each in said]
    measured("encode", count, lambda _: [records.encode(each) for each in said])
    measured("digest", count, lambda _: [records.digest(text) for text in texts])
    measured("decode", count, lambda _: [records.decode(Entry, text) for text in texts])
    with tempfile.TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
        rest(store, count, tuple(said))


def rest(store: Store, count: int, said: tuple[Entry, ...]) -> None:
    """Measure what touches the database."""
    whole = Listing(said)
    one_more = Listing((episode(count, 0), *(replace(each, position=each.position + 1) for each in said)))
    other = [Listing(tuple(replace(each, title=f"{each.title} {number}") for each in said)) for number in range(4)]
    kept = tuple(PublishedItem(each.key, AT, each.published or Moment(AT), (each.id,), each.title) for each in said)
    values = {f"{number:032x}": records.encode(each).encode() for number, each in enumerate(said)}
    measured("remember, all new", count, lambda number: write_listings(store, f"new{number}", HOST, [whole], AT))
    measured("remember, all the same", count, lambda _: write_listings(store, "new0", HOST, [whole], AT))
    write_listings(store, "one", HOST, [whole], AT)
    begun = time.process_time()
    write_listings(store, "one", HOST, [one_more], AT)
    print(f"remember, one new at the top: {(time.process_time() - begun) / count * 1e6:.1f} µs")
    measured("remember, all changed", count, lambda number: write_listings(store, "new1", HOST, [other[number]], AT))
    measured("entries", count, lambda _: entries.read_entries(store, "new0"))
    measured("keep_promises, all new", count, lambda number: guids.write_guids(store, f"new{number}", kept))
    measured("keep_promises, all the same", count, lambda _: guids.write_guids(store, "new0", kept))
    measured("promises", count, lambda _: guids.read_guids(store, "new0"))
    measured("keep_cached", count, lambda _: cache.write_cached(store, "new0", "repair", "1", values))
    measured("cached", count, lambda _: cache.read_cached(store, "new0", "repair", "1", values))
    print(f"store: {Path(store.name).stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
