"""Ask media hosts for the length and type of their files, once for each address, if no source gave them.

Off unless the config says ``probe_enclosures: true``. An answer is remembered for ever, also that there is no such
file. After a failure that may pass (no network, no connection, 429, 5xx) the address is asked again when the feed is
next made, for 30 days at most. At most ``MOST`` are asked in one run: a feed of a thousand episodes is completed
over some days and no host is flooded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from aggregator.errors import FetchError
from aggregator.fetchers.http import host_limits
from aggregator.generator.content import links
from aggregator.model.entry import Enclosure
from aggregator.model.feed import Plan
from aggregator.model.item import Item
from aggregator.model.record import Record
from aggregator.store import facts, polls, records
from aggregator.store.database import Store
from aggregator.text.urls import find_host

_FACT: Final = "probes"
"""The fact under which the answers are stored: type and length, both ``None`` if the host gave none."""

MOST: Final = 20
"""Addresses asked in one run of one feed: a new feed of 200 episodes takes ten runs, half a day of hourly ones."""

_GIVE_UP_AFTER: Final = timedelta(days=30)
"""From the first failure of an address on."""

_TIMEOUT_SECONDS: Final = 10.0
"""For one answer, redirects and all: HEAD brings some hundred bytes."""


class _FailedProbe(Record, frozen=True):
    """An address that could not be asked, and since when."""

    url: str
    since: datetime


class _Probes(Record, frozen=True):
    """All answers so far; ``more`` is whether addresses were left for another run."""

    answers: tuple[Enclosure, ...] = ()
    more: bool = False
    missed: tuple[_FailedProbe, ...] = ()


Incomplete = tuple[str, str]
"""An address, and the name of the source of its item, empty if it has several: one may not have the network of another
asked."""


def read_probes(store: Store, plan: Plan) -> _Probes:
    """Return the stored answers for a feed, none unless the config asks for probes."""
    kept = facts.read_fact(store, plan.name, _FACT) if plan.probe_enclosures else None
    return records.decode(_Probes, kept.decode()) if kept else _Probes()


def fill_enclosures(store: Store, plan: Plan, items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items, their enclosures with the length and type that their own hosts gave if no source did."""
    answers = {answer.url: answer for answer in read_probes(store, plan).answers}
    return tuple(_fill(item, answers) for item in items) if answers else tuple(items)


def probe(
    store: Store, plan: Plan, incomplete: Iterable[Incomplete], limiter: host_limits.HostLimiter, now: datetime
) -> int:
    """Ask the ``incomplete`` addresses and store the answers; return how many were asked.

    A host under Retry-After is asked in a later run; addresses that failed before come last.
    """
    before = read_probes(store, plan)
    answered = {answer.url for answer in before.answers}
    missed = {each.url: each.since for each in before.missed}
    sources = {source.name: source for source in plan.sources}
    wanted = {url: sources.get(name) for url, name in incomplete if url not in answered}
    held = polls.read_holds(store, now)
    due = sorted((url for url in wanted if find_host(url) not in held), key=missed.__contains__)[:MOST]
    heads = {url: limiter.head(url, now, _TIMEOUT_SECONDS, wanted[url]) for url in due}
    answers = []
    for url, head in heads.items():
        if _has_answer(head) or now - missed.setdefault(url, now) >= _GIVE_UP_AFTER:
            missed.pop(url, None)
            answers.append(_believable(url, None if head.exception() else head.result()))
    after = _Probes(
        (*before.answers, *answers),
        more=any(url not in heads and url not in missed for url in wanted),
        missed=tuple(_FailedProbe(url, since) for url, since in missed.items()),
    )
    if after != before:
        facts.write_fact(store, plan.name, _FACT, records.encode(after).encode())
    return len(due)


def _has_answer(head: Future[Enclosure | None]) -> bool:
    """Wait for the answer, and return whether there is one; an error other than FetchError is raised."""
    try:
        head.result()
    except FetchError:
        return False
    return True


def find_incomplete(items: Sequence[Item]) -> Iterator[Incomplete]:
    """Yield the addresses without a length, or without a type that the path's extension tells."""
    for item in items:
        enclosure = item.enclosure
        if enclosure is not None and links.clean_url(enclosure.url) is not None and not _is_complete(enclosure):
            names = {entry.partition("/")[0] for entry in item.entries}
            yield enclosure.url, names.pop() if len(names) == 1 else ""


def _is_complete(enclosure: Enclosure) -> bool:
    return bool(enclosure.length) and links.find_media_type(enclosure) not in links.VAGUE_TYPES


def _believable(url: str, answer: Enclosure | None) -> Enclosure:
    """Return what can be used of an answer: an error page in HTML is no media file and has another length."""
    if answer is None or (answer.type or "").startswith("text/"):
        return Enclosure(url)
    return Enclosure(url, answer.type, answer.length or None)


def _fill(item: Item, answers: Mapping[str, Enclosure]) -> Item:
    enclosure = item.enclosure
    answer = answers.get(enclosure.url) if enclosure else None
    if enclosure is None or answer is None:
        return item
    is_known = links.find_media_type(enclosure) not in links.VAGUE_TYPES
    kind = enclosure.type if is_known else answer.type or enclosure.type
    return replace(item, enclosure=Enclosure(enclosure.url, kind, enclosure.length or answer.length))
