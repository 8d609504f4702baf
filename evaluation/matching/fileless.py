"""Whole refreshes of recorded shows beside a listing without files: what is published twice, held, or joined wrongly.

The listing is of the episodes, with titles cut or decorated, days off, other texts and gaps, or it is none of them: a
blog, clips, trailers, another show among the episodes. Both are new at once, or the host was published before. A second
refresh comes when all holds have ended.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from msgspec.structs import replace

from aggregator import persist
from aggregator.compose import compose
from aggregator.fetchers.fetched import FetchedSource
from aggregator.merger.identity.admission import HOLD
from aggregator.model.entry import Entry, Listing, Moment
from aggregator.model.feed import Channel, Feed, Plan
from aggregator.model.source import Source
from aggregator.store import cache, database, publications
from evaluation.matching.directories import Items, Told, show

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
_SIZES = (5, 8, 15, 30, 60)
_TEXT = "We met again this week. More at the link. Thanks for watching, and see you soon."
_Draw = Callable[[random.Random, Items, Items], Items]

HABITS: dict[str, Callable[[str, str, int], str]] = {
    "as it is": lambda title, *_: title,
    "cut at 40, …": lambda title, *_: _cut(title, 40, "…"),
    "cut at 40": lambda title, *_: title[:40].rstrip(),
    "cut at 25": lambda title, *_: title[:25].rstrip(),
    "Show – Title": lambda title, name, _: f"{name} – {title}",
    "Title – Show": lambda title, name, _: f"{title} – {name}",
    "Title | Show": lambda title, name, _: f"{title} | {name}",
    "#12 Title": lambda title, _, number: f"#{number} {title}",
    "Show: Title, cut at 50": lambda title, name, _: f"{name}: {title}"[:50].rstrip(),
    "Show #12 – Title, cut at 60": lambda title, name, number: _cut(f"{name} #{number} – {title}", 60, "…"),
    "TITLE": lambda title, *_: title.upper(),
    "four words": lambda title, *_: " ".join(title.split()[:4]),
}


def _cut(title: str, most: int, mark: str) -> str:
    return title if len(title) <= most else title[: most - 1].rstrip() + mark


def _list_episodes(habit: str, name: str, dice: random.Random, items: Items, _: Items) -> Items:
    off, text = dice.choice(((0,), (0, 1), (-1, 0, 1))), dice.choice((None, _TEXT, "own"))
    return [
        _post(HABITS[habit](said.title, name, len(items) - at + 12), said, item, dice.choice(off), text)
        for at, (said, item) in enumerate(items)
        if dice.random() < 0.85
    ]


def _post(title: str, said: Entry, item: str, days: int = 0, text: str | None = "own") -> Told:
    """Return a post about an item, dated some days later, with its own text or another."""
    at = said.published and (said.published.at + timedelta(days=days)).replace(hour=0, minute=0, second=0)
    day = Moment(at, "day") if at else None
    return Told(
        Entry("video", "", title, "post", published=day, description=said.description if text == "own" else text), item
    )


def _list_others(dice: random.Random, items: Items, others: Items) -> Items:
    """Return the items of another show on days of this one."""
    return [
        _post(
            other.title,
            replace(other, published=dice.choice(items).said.published),
            f"other {item}",
            dice.randint(-2, 2),
        )
        for other, item in others[: len(items)]
    ]


def _list_some(share: float, frame: str, dice: random.Random, items: Items, others: Items) -> Items:
    """Return posts that announce a share of the episodes, among others."""
    announced = [_post(frame.format(said.title), said, f"post {item}") for said, item in items if dice.random() < share]
    return [*announced, *_list_others(dice, items, others)]


def _list_clips(each: int, dice: random.Random, items: Items, _: Items) -> Items:
    clips = []
    for said, item in items:
        words = (said.description or said.title).split()
        for turn in range(dice.randint(1, each)):
            quote = " ".join(words[7 * turn + 7 : 7 * turn + 13]) or f"Moment {turn + 1} with us"
            title = dice.choice((quote, f"{' '.join(said.title.split()[:3])}: {quote}"))
            clips.append(_post(title, said, f"clip {item} {turn}", dice.randint(0, 3), None))
    return clips


OTHERS: dict[str, _Draw] = {
    "a blog": _list_others,
    "a blog that announces half": partial(_list_some, 0.5, "New episode: {}"),
    "another show among half": partial(_list_some, 0.5, "{}"),
    "clips": partial(_list_clips, 3),
    "one clip each": partial(_list_clips, 1),
    "trailers": lambda _, items, __: [
        _post(f"Trailer: {said.title}", said, f"trailer {item}", -2) for said, item in items
    ],
}


class Outcome(NamedTuple):
    """Entries of the listing: all, joined with their episode, with another, held, published beside it, and later."""

    listed: int
    joined: int
    wrong: int
    held: int
    beside: int
    beside_later: int


def refresh(path: Path, other: Path, seed: str, draw: _Draw, *, before: bool) -> Outcome:
    """Return what came of a show and a listing; the host is published ``before``, or both are new at once."""
    dice = random.Random(f"{seed} {path.name}")
    _, items = show(path)
    items = items[(start := dice.randrange(max(1, len(items) - 5))) : start + dice.choice(_SIZES)]
    host = [
        Told(replace(said, source="host", genre="episode", position=at), item) for at, (said, item) in enumerate(items)
    ]
    video = draw(dice, items, show(other)[1])
    video = [Told(replace(said, key=f"v-{at}", position=at), item) for at, (said, item) in enumerate(video)]
    truth = {said.id: item for said, item in (*host, *video)}
    plan = Plan(
        "show",
        Channel("show", "A show", "http://localhost:8000/show"),
        (Source("host", "feed", trust=0.8), Source("video", "feed", trust=0.8)),
    )
    with TemporaryDirectory() as folder, database.open_store(f"{folder}/store.db") as store:
        if before:
            _refresh_once(store, plan, {"host": host}, NOW - timedelta(days=1))
        feeds = [
            _refresh_once(store, plan, {"host": host, "video": video}, at)
            for at in (NOW, NOW + HOLD + timedelta(days=1))
        ]
    first, later = ([[truth[name] for name in item.entries] for item in feed.items] for feed in feeds)
    known = {item for _, item in host}
    return Outcome(
        len(video),
        sum(len(found) - 1 for found in first if len(set(found)) == 1),
        sum(len(set(found)) > 1 for found in first),
        len(feeds[0].held),
        *(
            sum(len(found) == 1 for found in each) - len(known) + sum(len(found) > 1 for found in each)
            for each in (first, later)
        ),
    )


def _refresh_once(store: database.Store, plan: Plan, listed: dict[str, Items], now: datetime) -> Feed:
    fetched = tuple(
        FetchedSource(source, (), (Listing(tuple(said for said, _ in listed[source.name])),), (), "ok")
        for source in plan.sources
        if source.name in listed
    )
    with database.transaction(store) as tx:
        persist.write_fetched(tx, [(plan, fetched)], now)
        composed = compose(tx, plan, now, keep=partial(cache.write_part, tx, plan.name))
        publications.write_composition(tx, plan, composed, now)
    return composed.feed


def measure(feeds: Sequence[Path], seeds: int) -> None:
    """Print for each kind of listing what whole refreshes made of it."""
    draws = {habit: partial(_list_episodes, habit) for habit in HABITS}
    print(
        "entries, joined, joined wrongly, held, published beside, the same once holds have ended; shows doubled at once"
    )
    for before in (False, True):
        print("the host was published before" if before else "both new at once")
        for name in (*draws, *OTHERS):
            found = []
            for seed in range(seeds):
                for at, path in enumerate(feeds):
                    draw = partial(draws[name], show(path)[0]) if name in draws else OTHERS[name]
                    found.append(refresh(path, feeds[at - len(feeds) // 2], f"{seed} {name}", draw, before=before))
            doubled = sum(2 * each.beside > each.listed for each in found)
            sums = " ".join(f"{sum(column):6}" for column in zip(*found, strict=True))
            print(f"  {name:28} {sums}   {doubled} of {len(found)}")
