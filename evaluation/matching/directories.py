"""Directories made of a feed's own items, with the damage that real directories do, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from aggregator.fetchers import parse
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Duration, Entry, Moment
from aggregator.model.source import Document, Source

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures" / "feeds"
MOST = 200  # items of a show; a store lists 200 at most
MINUTE = 60


class Told(NamedTuple):
    """An entry and the item that it truly is of."""

    said: Entry
    item: str


Items = list[Told]
Change = Callable[[random.Random, Items], Items]


@lru_cache
def show(path: Path) -> tuple[str, Items]:
    """Return the name of a feed's show, and its newest items as its host tells them."""
    document = Document(Source("host", "feed"), "https://example.org/feed", path.read_bytes(), "application/rss+xml")
    listing = parse.read(document)
    told = [Told(repair(each), f"{path.name}/{at}") for at, each in enumerate(listing.entries[:MOST])]
    return listing.show.title or path.stem, told


def listed(source: str, items: Items, change: Callable[[Entry], Entry]) -> Items:
    """Return items as a directory lists them: without the host's ids, and with its changes."""
    out = []
    for place, (said, item) in enumerate(items):
        bare = Entry(
            source,
            f"{source}-{place}",
            said.title,
            description=said.summary or said.description,
            published=said.published,
            duration=said.duration,
            season=said.season,
            episode=said.episode,
            position=place,
        )
        out.append(Told(repair(change(bare)), item))
    return out


def directories(chance: random.Random, name: str, items: Items) -> dict[str, Items]:
    """Return the listings of four directories: a store, its page, a topic list and a numbered one."""
    titled = chance.choice(("{title}", "{name}: {title}", "{number}. {title}", "{title} | {name} {number}"))

    def store(said: Entry) -> Entry:
        return replace(said, duration=said.duration and Duration(said.duration.seconds + chance.choice((0, 0, 1, -1))))

    def page(said: Entry) -> Entry:
        day = said.published and Moment(said.published.at.replace(hour=0, minute=0, second=0, microsecond=0), "day")
        numbered = titled.format(title=said.title, name=name, number=len(items) - said.position)
        return replace(said, title=numbered, published=day, duration=minutes(said, round), season=None, episode=None)

    def topic(said: Entry) -> Entry:
        straight = said.title.translate({0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-"})
        told = replace(said, title=straight, duration=minutes(said, int), season=None, episode=None)
        return cut(told, 297, "...")

    def numbered(said: Entry) -> Entry:
        told = replace(said, title=f"{said.position + 1}) {said.title}", published=None, duration=None)
        return cut(replace(told, season=None, episode=None), 200, "...Show More")

    kept = [told for told in items if chance.random() < 0.9]  # listings have gaps
    makers = {"store": store, "page": page, "topic": topic, "numbered": numbered}
    return {source: listed(source, kept, maker) for source, maker in makers.items()}


def minutes(said: Entry, step: Callable[[float], int]) -> Duration | None:
    """Return the length in whole minutes."""
    return said.duration and Duration(step(said.duration.seconds / MINUTE) * MINUTE, MINUTE)


def cut(said: Entry, width: int, mark: str) -> Entry:
    """Return the text on one line, cut after so many signs."""
    text = " ".join((said.description or "").split())
    return replace(said, description=text if len(text) <= width else text[:width] + mark) if text else said


def changed(change: Callable[[random.Random, Entry], Entry]) -> Change:
    """One change made to every entry of a listing."""
    return lambda chance, items: [Told(change(chance, said), item) for said, item in items]


def shortened(_: random.Random, said: Entry) -> Entry:
    """Return a title of 30 signs at most."""
    return replace(said, title=said.title if len(said.title) <= 30 else said.title[:29].rstrip() + "…")


def translated(_: random.Random, said: Entry) -> Entry:
    """Every word of title and text in a tongue that nobody else speaks."""
    tongue = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ubstygholkrmpnezxqdvafwjic")
    return replace(said, title=said.title.lower().translate(tongue), description=None)


def renumbered(_: random.Random, said: Entry) -> Entry:
    """Numbers by position, seasons of ten."""
    season, episode = said.position // 10 + 1, said.position % 10 + 1
    return replace(said, title=f"S{season} E{episode} - {said.title}", season=season, episode=episode)


def restamped(chance: random.Random, items: Items) -> Items:
    """Every date some years later, or all on the day of an import; lengths a little off."""
    days, burst = chance.randint(200, 1800), chance.random() < 0.5
    first = next((said.published for said, _ in items if said.published), None)
    out = []
    for place, (said, item) in enumerate(items):
        moved = said.published and replace(said.published, at=said.published.at + timedelta(days=days))
        if burst and first and moved:
            moved = Moment(first.at + timedelta(days=days, minutes=place))
        length = said.duration and replace(said.duration, seconds=max(1, said.duration.seconds + chance.randint(-9, 9)))
        out.append(Told(replace(said, published=moved, duration=length), item))
    return out


def doubled(chance: random.Random, items: Items) -> Items:
    """Repeat a tenth of the items under another id, some on the next day."""
    again = [
        Told(replace(said, key=f"{said.key}-again", published=later(said, chance.choice((0, 0, 1)))), item)
        for said, item in items
        if chance.random() < 0.1
    ]
    return [*items, *again]


def later(said: Entry, days: int) -> Moment | None:
    """Return the date some days on."""
    return said.published and replace(said.published, at=said.published.at + timedelta(days=days))


def replayed(items: Items) -> Items:
    """Return the host's items with every ninth told again half a year later, as another item."""
    again = []
    for said, item in items[::9]:
        bare = replace(said, key=f"{said.key}-replay", guid=None, link=None, enclosure=None, episode=None)
        again.append(Told(replace(bare, title=f"Replay: {said.title}", published=later(said, 182)), f"{item} again"))
    return [*again, *items]


def rerun(items: Items) -> Items:
    """Return the host's items with every ninth repeated 400 days later, same title and text, as another item."""
    again = []
    for said, item in items[::9]:
        bare = replace(said, key=f"{said.key}-again", guid=None, link=None, enclosure=None, episode=None)
        again.append(Told(replace(bare, published=later(said, 400)), f"{item} again"))
    return [*again, *items]


def halved(chance: random.Random, items: Items) -> Items:
    """Half of the items."""
    return [told for told in items if chance.random() < 0.5]


def weekly(items: Items) -> Items:
    """Return the host's items, every fourth under one title, half of those without a text."""
    out = []
    for place, (said, item) in enumerate(items):
        text = said.description if place % 8 else None
        mail = replace(said, title="Listener mail", description=text, summary=None)
        out.append(Told(said if place % 4 else mail, item))
    return out


def same(items: Items) -> Items:
    """Return the items as they are."""
    return items


# what the author did to the show, and which directories do more than the usual
SCENES: dict[str, tuple[Callable[[Items], Items], dict[str, Change]]] = {
    "plain": (same, {}),
    "shortened titles": (same, {"topic": changed(shortened), "page": changed(shortened)}),
    "translated": (same, {"topic": changed(translated)}),
    "renumbered": (same, {"store": changed(renumbered)}),
    "dated anew": (same, {"store": restamped}),
    "listed twice": (same, {"topic": doubled, "store": doubled}),
    "replays": (replayed, {}),
    "weekly titles": (weekly, {}),
    "re-runs, no mark": (rerun, {}),
    "re-runs, halved": (rerun, dict.fromkeys(("store", "page", "topic", "numbered"), halved)),
}


def scene(seed: int, name: str, path: Path, other: Path, *, host: bool) -> Items:
    """All entries of one show; a network lists another show's items among them."""
    chance = random.Random(f"{seed} {name} {path.name}")
    title, items = show(path)
    author, changes = SCENES.get(name, (same, {}))
    items = author(items)
    listings = directories(chance, title, items)
    for source, change in changes.items():
        listings[source] = change(chance, listings[source])
    if name == "two shows in one":
        _, others = show(other)
        listings["topic"] += [
            Told(replace(said, key=f"other-{said.key}"), item)
            for said, item in directories(chance, "", others)["topic"]
        ]
    told = [each for listing in listings.values() for each in listing]
    return [*(items if host else ()), *told]
