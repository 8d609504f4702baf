"""What a feed costs again: `python benchmarks/warm.py [items]`, CPU time of one process for each stage of a refresh.

Five sources list the same show, each 80 % of its items in its own words: other ids, days for times, rounded minutes,
a cut text, an entity left in. First everything is new, then each source brings one new item, then nothing changes.
`--profile cold` and `--profile warm` print where the time goes.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import accumulate
from pathlib import Path

from msgspec.structs import replace

from aggregator import compose, persist, publish
from aggregator.fetchers.fetched import FetchedSource
from aggregator.generator.storage.output import Output
from aggregator.model.entry import Duration, Enclosure, Entry, Listing, Moment
from aggregator.model.feed import Channel, Plan
from aggregator.model.source import Source
from aggregator.processes import editions
from aggregator.store import cache as cached
from aggregator.store import database, facts, items, publications
from aggregator.store.database import Store

START = datetime(2004, 1, 1, 8, 30, tzinfo=UTC)
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]
VOCABULARY = 60_000
SHARED = 0.8
SOURCES = tuple(
    Source(name, kind, trust=trust)
    for name, kind, trust in (
        *(("host", "feed", 0.9), ("apple", "apple", 0.7), ("mirror", "feed", 0.5)),
        *(("listing", "listing", 0.4), ("page", "page", 0.3)),
    )
)
PLAN = Plan("bench", Channel("bench", "A Show of Words", "http://localhost:8000/bench"), SOURCES)


@cache
def vocabulary() -> tuple[Sequence[str], Sequence[float]]:
    """Made-up words, the most frequent first, and how often they are met, cumulated: Zipf's law, as in any language."""
    chance = random.Random(0)  # noqa: S311 - made-up text, the same on every run
    known = dict.fromkeys("".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(VOCABULARY))
    return tuple(known), tuple(accumulate(1 / (rank + 2.7) for rank in range(len(known))))


def words(chance: random.Random, count: int) -> str:
    """Made-up words, a sentence of them."""
    known, weights = vocabulary()
    return " ".join(chance.choices(known, cum_weights=weights, k=count)).capitalize()


def episode(number: int) -> tuple[str, str]:
    """Return the title and the text of one episode: the same for every source."""
    chance = random.Random(number)  # noqa: S311 - made-up text, the same on every run
    return words(chance, chance.randint(3, 7)), ". ".join(words(chance, chance.randint(6, 16)) for _ in range(12)) + "."


def entry(source: Source, number: int, position: int) -> Entry:
    """One source's account of an episode."""
    title, text = episode(number)
    at = START + timedelta(days=number, minutes=number % 600)
    exact = source.name in ("host", "mirror")
    told = Entry(
        source=source.name,
        key=f"{source.name}-{number}",
        title=title,
        position=position,
        guid=f"{source.name}-{number}" if exact else None,
        link=f"https://{source.name}.example/e/{number}",
        published=Moment(at) if exact else Moment(at.replace(hour=0, minute=0), "day"),
        duration=Duration(900 + number % 3000) if exact else Duration(60 * round((900 + number % 3000) / 60), 60),
    )
    if source.name == "host":
        markup = f"<p>{text[:400]}</p><p>{text[400:]} <a href='https://host.example/{number}'>more</a></p>"
        return replace(told, html=markup, enclosure=Enclosure(f"https://media.example/{number}.mp3", "audio/mpeg", 9))
    if source.name == "mirror":
        return replace(told, description=text, enclosure=Enclosure(f"https://m.example/{number}.mp3", "audio/mpeg", 9))
    if source.name == "listing":
        return replace(told, description=text[:200].rsplit(" ", 1)[0] + "…", cut=True)
    return replace(told, description=text.replace(".", " &amp;", 1) if number % 9 == 0 else text)


def listed(source: Source, items: int) -> tuple[Entry, ...]:
    """Return what a source lists of so many episodes, newest first."""
    place = SOURCES.index(source)
    shared = int(items * SHARED)
    own = [100_000 * (place + 1) + number for number in range(items - shared)]
    numbers = sorted([*range(shared), *own], key=lambda number: -(number % 100_000))
    return tuple(entry(source, number, position) for position, number in enumerate(numbers))


def with_one_more(before: Sequence[Entry], source: Source, number: int) -> tuple[Entry, ...]:
    """Return the listing with a new episode at its top."""
    return (entry(source, number, 0), *(replace(each, position=each.position + 1) for each in before))


@contextmanager
def spent(name: str, told: dict[str, float]) -> Iterator[None]:
    """Note the CPU time of the body."""
    begun = time.process_time()
    yield
    told[name] = told.get(name, 0.0) + time.process_time() - begun


def refresh(store: Store, heard: Sequence[FetchedSource], now: datetime, output: Path) -> dict[str, float]:
    """One refresh, and what its parts cost."""
    told: dict[str, float] = {}
    with database.transaction(store) as tx:
        with spent("remember", told):
            persist.write_fetched(tx, [(PLAN, heard)], now)
        with spent("compose", told):
            composed = compose.compose(tx, PLAN, now, keep=partial(cached.write_part, tx, PLAN.name))
        with spent("promise", told):
            publications.write_composition(tx, PLAN, composed, now)
            past, packed = publish.update_history(tx, composed.feed, now, partial(items.write_part, tx, PLAN.name))
            if packed:
                facts.write_fact(tx, PLAN.name, facts.HISTORY, packed)
    with spent("publish", told):
        editions.place(Output(output), PLAN.name, publish.stage(output, composed.feed, PLAN.window, past))
    return told


def fetched_sources(listings: Sequence[Sequence[Entry]]) -> tuple[FetchedSource, ...]:
    """Return the sources as fetched."""
    return tuple(
        FetchedSource(source, (), (Listing(tuple(said)),), (), "ok")
        for source, said in zip(SOURCES, listings, strict=True)
    )


def show(name: str, told: dict[str, float]) -> None:
    """Print one refresh."""
    parts = "  ".join(f"{part} {seconds:.2f}" for part, seconds in told.items())
    print(f"{name:28} {sum(told.values()):7.2f} s   {parts}", flush=True)


def profiled(wanted: bool) -> cProfile.Profile:  # noqa: FBT001 - a switch of main
    """Return a profiler, running where it is wanted."""
    profile = cProfile.Profile()
    if wanted:
        profile.enable()
    return profile


def main() -> None:
    """Measure a cold refresh, three with one new item a source, and one with nothing new."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", type=int, nargs="?", default=1000)
    parser.add_argument("--profile", choices=("cold", "warm"))
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
        output = Path(folder) / "output"
        listings = [listed(source, wanted.items) for source in SOURCES]
        profile = profiled(wanted.profile == "cold")
        show("cold", refresh(store, fetched_sources(listings), START, output))
        profile.disable()
        for turn in range(3):
            number = 50_000 + turn
            listings = [with_one_more(each, source, number) for each, source in zip(listings, SOURCES, strict=True)]
            again = profiled(wanted.profile == "warm" and turn == 1)
            show(
                "one new item a source",
                refresh(store, fetched_sources(listings), START + timedelta(days=turn + 1), output),
            )
            again.disable()
            profile = again if wanted.profile == "warm" and turn == 1 else profile
        show("composed once more", refresh(store, fetched_sources(listings), START + timedelta(days=9), output))
    if wanted.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)


if __name__ == "__main__":
    main()
