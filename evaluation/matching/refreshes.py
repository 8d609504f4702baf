"""Whole refreshes of shows that give all items one title: which items are published twice, and how late others are.

A host and a page without time zone, trusted a little less, are refreshed again and again. The page may list an item of
its own, which the host lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from tempfile import TemporaryDirectory
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from aggregator import persist
from aggregator.compose import compose
from aggregator.fetchers.fetched import FetchedSource
from aggregator.merger.identity import admission
from aggregator.model.entry import Entry, Listing
from aggregator.model.feed import Channel, Feed, Plan
from aggregator.model.source import Source
from aggregator.store import cache, database, publications
from evaluation.matching.one_title import TITLES, Told, host, items, page

SOURCES = (Source("host", "feed", trust=0.7), Source("page", "page", trust=0.6))
PLAN = Plan("brief", Channel("brief", "The Harbour Brief", "http://localhost:8000/brief"), SOURCES)


class History(Struct, frozen=True):
    """A show, its listings and its refreshes.

    - ``hours``: between two items; ``size`` items in all, of which the first refresh sees ``known``; ``step``: hours
      between refreshes.
    - ``late``: by how many hours the page lists an item; ``zone``: of its times, in hours; ``clock``: whether it has
      times.
    - ``audio``: whether the host has audio; ``alone``: an item that it lacks, by its number.
    """

    name: str
    hours: float
    size: int
    known: int
    step: float
    late: float
    zone: int = 0
    clock: bool = True
    audio: bool = True
    alone: int | None = None


class Outcome(NamedTuple):
    """Items published twice at some time, those still twice, those held, and hours until the latest was published.

    An item that is never published counts as published at the end.
    """

    twice: int
    left: int
    held: int
    latest: float


HISTORIES = (
    History("daily, days, blog without audio", 24, 18, 10, 6, 12, clock=False, audio=False),
    History("twice a day, zone +9, blog without audio", 12, 20, 10, 3, 1, zone=9, audio=False),
    History("hourly, level", 1, 26, 12, 0.5, 0.2, zone=1),
    History("hourly, one behind", 1, 26, 12, 0.5, 1.2, zone=1),
)


def refresh(history: History) -> Outcome:
    """Return what came of all refreshes."""
    told = items(history.hours, history.size, TITLES[4], equal=True)
    first: dict[str, datetime] = {}
    twice: set[str] = set()
    now, end = told[history.known - 1].at + timedelta(minutes=12), told[-1].at + timedelta(hours=history.hours)
    with TemporaryDirectory() as folder, database.open_store(f"{folder}/store.db") as store:
        while now < end:
            feed = _refresh_once(store, history, told, now)
            left = _find_twice(feed)
            twice |= left
            for number in {number for item in feed.items for number in _read_numbers(item.entries)}:
                first.setdefault(number, now)
            now += timedelta(hours=history.step)
    new = [(first.get(str(each.number), end) - each.at).total_seconds() / 3600 for each in told[history.known :]]
    return Outcome(len(twice), len(left), len(feed.held), max(new))


def _refresh_once(store: database.Store, history: History, told: list[Told], now: datetime) -> Feed:
    hosted = [each for each in told if each.at <= now and each.number != history.alone]
    paged = [each for each in told if each.at + timedelta(hours=history.late) <= now]
    listed: list[list[Entry]] = [
        list(host(hosted, bare=True)),
        list(page(paged, zone=history.zone, clock=history.clock, step=0)),
    ]
    if not history.audio:
        listed[0] = [replace(each, enclosure=None) for each in listed[0]]
    fetched = tuple(
        FetchedSource(source, (), (Listing(tuple(entries)),), (), "ok")
        for source, entries in zip(SOURCES, listed, strict=True)
        if entries
    )
    with database.transaction(store) as tx:
        persist.write_fetched(tx, [(PLAN, fetched)], now)
        composed = compose(tx, PLAN, now, keep=partial(cache.write_part, tx, PLAN.name))
        publications.write_composition(tx, PLAN, composed, now)
    return composed.feed


def _find_twice(feed: Feed) -> set[str]:
    known: set[str] = set()
    twice: set[str] = set()
    for item in feed.items:
        numbers = _read_numbers(item.entries)
        twice |= known & numbers
        known |= numbers
    return twice


def _read_numbers(entries: tuple[str, ...]) -> set[str]:
    return {name.rpartition("-")[2] for name in entries}


@contextmanager
def _hold_for(time: timedelta) -> Iterator[None]:
    before, admission.HOLD = admission.HOLD, time
    try:
        yield
    finally:
        admission.HOLD = before


def measure() -> None:
    """Print what is published twice without a hold, with the usual one, and with one that ends within the history."""
    for each in HISTORIES:
        alone, short = each.size - 6, timedelta(hours=6 * each.hours)
        for without, hold in (
            (None, timedelta()),
            (None, admission.HOLD),
            (None, short),
            (alone, timedelta()),
            (alone, admission.HOLD),
        ):
            with _hold_for(hold):
                found = refresh(replace(each, alone=without))
            name = f"{each.name}{'' if without is None else ', one on the page alone'}"
            print(
                f"{name}; held for {hold // timedelta(hours=1)} h: published twice {found.twice} of {each.size}, at the"
                f" end {found.left}, held {found.held}, latest new item after {found.latest:.1f} h"
            )
