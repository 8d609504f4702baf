"""What a media host says of its own files, asked once for each address, where no source gave length or type.

Off unless the config says ``probe_enclosures: true``. An answer is remembered for ever, and so is a failure of a host
that was reached. If none was reached (no network, no such name), the address is asked again when the feed is next made,
for ``GIVEN_UP`` at most. At most ``MOST`` are asked in one run, so that a feed of a thousand episodes is learned over
some days and no host is flooded.
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

PROBES: Final = "probes"
"""The fact under which the answers are kept: type and length, both ``None`` where the host gave none."""

MOST: Final = 20
"""Addresses asked in one run of one feed: a new feed of 200 episodes takes ten runs, half a day of hourly ones."""

GIVEN_UP: Final = timedelta(days=30)
"""How long a host that cannot be reached is asked again."""

PATIENCE: Final = 10.0
"""Seconds for one answer, redirects and all: HEAD brings some hundred bytes."""


class Missed(Record, frozen=True):
    """An address whose host was not reached, and since when."""

    url: str
    since: datetime


class Known(Record, frozen=True):
    """Everything ever answered; ``more`` says whether addresses were left for another run."""

    answers: tuple[Enclosure, ...] = ()
    more: bool = False
    missed: tuple[Missed, ...] = ()


def known(store: Store, plan: Plan) -> Known:
    """Read what is stored of the feed's media files; nothing unless the config asks for probes."""
    kept = facts.read_fact(store, plan.name, PROBES) if plan.probe_enclosures else None
    return records.decode(Known, kept.decode()) if kept else Known()


def completed(store: Store, plan: Plan, items: Iterable[Item]) -> tuple[Item, ...]:
    """Complete enclosures with size and type from their own host if no source gave them."""
    answers = {answer.url: answer for answer in known(store, plan).answers}
    return tuple(_completed(item, answers) for item in items) if answers else tuple(items)


def ask(store: Store, plan: Plan, items: Sequence[Item], limiter: host_limits.HostLimiter, now: datetime) -> int:
    """Ask for what no source gave, and write the answers down; return how many addresses were asked.

    A host that wants to be left alone is asked in a later run; those that were not reached before come last.
    """
    before = known(store, plan)
    answered = {answer.url for answer in before.answers}
    missed = {each.url: each.since for each in before.missed}
    wanted = [url for url in dict.fromkeys(_wanted(items)) if url not in answered]
    held = polls.read_holds(store, now)
    due = sorted((url for url in wanted if find_host(url) not in held), key=missed.__contains__)[:MOST]
    heads = {url: limiter.head(url, now, PATIENCE) for url in due}
    answers = []
    for url, head in heads.items():
        if _was_reached(head) or now - missed.setdefault(url, now) >= GIVEN_UP:
            missed.pop(url, None)
            answers.append(_sound(url, None if head.exception() else head.result()))
    after = Known(
        (*before.answers, *answers),
        more=any(url not in heads and url not in missed for url in wanted),
        missed=tuple(Missed(url, since) for url, since in missed.items()),
    )
    if after != before:
        facts.write_fact(store, plan.name, PROBES, records.encode(after).encode())
    return len(due)


def _was_reached(head: Future[Enclosure | None]) -> bool:
    """Whether any host answered, wait for it; an error other than of the network is raised."""
    try:
        head.result()
    except FetchError:
        return False
    return True


def _wanted(items: Sequence[Item]) -> Iterator[str]:
    """Yield the URLs whose size or type is unknown, also by the extension."""
    for item in items:
        enclosure = item.enclosure
        if enclosure is not None and links.clean_url(enclosure.url) is not None and not _whole(enclosure):
            yield enclosure.url


def _whole(enclosure: Enclosure) -> bool:
    return bool(enclosure.length) and links.find_media_type(enclosure) not in links.VAGUE_TYPES


def _sound(url: str, answer: Enclosure | None) -> Enclosure:
    """Return what an answer says of a media file; an error page in HTML says nothing."""
    if answer is None or (answer.type or "").startswith("text/"):
        return Enclosure(url)
    return Enclosure(url, answer.type, answer.length or None)


def _completed(item: Item, answers: Mapping[str, Enclosure]) -> Item:
    enclosure = item.enclosure
    answer = answers.get(enclosure.url) if enclosure else None
    if enclosure is None or answer is None:
        return item
    is_known = links.find_media_type(enclosure) not in links.VAGUE_TYPES
    kind = enclosure.type if is_known else answer.type or enclosure.type
    return replace(item, enclosure=Enclosure(enclosure.url, kind, enclosure.length or answer.length))
