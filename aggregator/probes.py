"""What a media host says of its own files, asked once for each address, where no source gave length or type.

Off unless the config says ``probe_enclosures: true``. An answer is remembered for ever, a failure too: an address that
did not answer is not asked again. At most ``MOST`` are asked in one run, so that a feed of a thousand episodes is
learned over some days and no host is flooded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from aggregator.fetchers import policy
from aggregator.fetchers.http import client, host_limits
from aggregator.generator.content import links
from aggregator.ledger import facts, memories, records
from aggregator.ledger.ledger import Ledger
from aggregator.model.feed import Plan
from aggregator.model.item import Item
from aggregator.model.record import Record
from aggregator.model.sighting import Enclosure
from aggregator.text.hosts import host

PROBES: Final = "probes"
"""The fact under which the answers are kept: type and length, both ``None`` where the host gave none."""

MOST: Final = 20
"""Addresses asked in one run of one feed: a new feed of 200 episodes takes ten runs, half a day of hourly ones."""

AT_ONCE: Final = 4
"""Addresses asked at once; how many of one host is the gate's."""

PATIENCE: Final = 10.0
"""Seconds for one answer, redirects and all: HEAD brings some hundred bytes."""

Head = Callable[[str], Enclosure | None]


class Known(Record, frozen=True):
    """Everything ever answered; ``more`` says whether addresses were left for another run."""

    answers: tuple[Enclosure, ...] = ()
    more: bool = False


def known(book: Ledger, plan: Plan) -> Known:
    """What is remembered of the feed's media files; nothing while the config does not ask for it."""
    kept = facts.facts(book, plan.name, PROBES) if plan.probe_enclosures else None
    return records.decode(Known, kept.decode()) if kept else Known()


def completed(book: Ledger, plan: Plan, items: Iterable[Item]) -> tuple[Item, ...]:
    """The items, each enclosure with the length and the type that its own host gave where no source did."""
    answers = {answer.url: answer for answer in known(book, plan).answers}
    return tuple(_completed(item, answers) for item in items) if answers else tuple(items)


def ask(book: Ledger, plan: Plan, items: Sequence[Item], head: Head, now: datetime) -> int:
    """Ask for what no source gave, and write the answers down; how many addresses were asked.

    A host that wants to be left alone is asked in a later run.
    """
    before = known(book, plan)
    answered = {answer.url for answer in before.answers}
    wanted = [url for url in dict.fromkeys(_wanted(items)) if url not in answered]
    held = memories.holds(book, now)
    due = [url for url in wanted if host(url) not in held][:MOST]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = tuple(_sound(url, answer) for url, answer in zip(due, threads.map(head, due), strict=True))
    after = Known((*before.answers, *answers), more=len(due) < len(wanted))
    if after != before:
        facts.keep_fact(book, plan.name, PROBES, records.encode(after).encode())
    return len(due)


def by_head(by: host_limits.Gate, how: policy.Policy, now: datetime) -> Head:
    """The question as this run asks it: a guarded HEAD, when it is the host's turn."""
    short, permit = replace(how, deadline=min(how.deadline, PATIENCE)), by.permit(now)

    def head(url: str) -> Enclosure | None:
        with by.turn(url):
            return client.head(url, short, permit)

    return head


def _wanted(items: Sequence[Item]) -> Iterator[str]:
    """The addresses whose length or type nobody knows, not even by the path's extension."""
    for item in items:
        enclosure = item.enclosure
        if enclosure is not None and links.web(enclosure.url) is not None and not _whole(enclosure):
            yield enclosure.url


def _whole(enclosure: Enclosure) -> bool:
    return bool(enclosure.length) and links.media_type(enclosure) not in links.VAGUE


def _sound(url: str, answer: Enclosure | None) -> Enclosure:
    """What may be believed of an answer: a page that apologises in HTML is no media file, and has another length."""
    if answer is None or (answer.type or "").startswith("text/"):
        return Enclosure(url)
    return Enclosure(url, answer.type, answer.length or None)


def _completed(item: Item, answers: Mapping[str, Enclosure]) -> Item:
    enclosure = item.enclosure
    answer = answers.get(enclosure.url) if enclosure else None
    if enclosure is None or answer is None:
        return item
    kind = enclosure.type if links.media_type(enclosure) not in links.VAGUE else answer.type or enclosure.type
    return replace(item, enclosure=Enclosure(enclosure.url, kind, enclosure.length or answer.length))
