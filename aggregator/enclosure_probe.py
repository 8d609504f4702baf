"""Ask media hosts for the length and type of files, once for each address, and whether the files are still there.

The first is off unless the config says ``probe_enclosures: true``. An answer is kept permanently, also that there is
no such file. After a failure that may pass (no network, no connection, 429, 5xx) the address is asked again when the
feed is next made, for 30 days at most. At most ``MOST`` are asked in one run: a feed of a thousand episodes is
completed over some days and no host is flooded.

The second is off unless the config says ``probe_gone: DAYS``. Only audio that another source could replace is asked
for, each address once in so many days. What answered 404 or 410 twice in a row gives way, until it is there again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import unquote

from msgspec.structs import replace

from aggregator.errors import FetchError, GoneError
from aggregator.generator.content import links
from aggregator.model.entry import Enclosure
from aggregator.model.feed import Plan
from aggregator.model.item import Item
from aggregator.model.record import Record
from aggregator.model.source import Source
from aggregator.store import polls
from aggregator.store.database import Store
from aggregator.store.facts import Fact
from aggregator.text import media_types
from aggregator.text.urls import find_host

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


_PROBES: Final = Fact("probes", _Probes)


_Head = Callable[[str, datetime, float, Source | None], Future[Enclosure | None]]
"""Ask for length and type of a media file in some seconds (``fetchers.http.host_limits.HostLimiter.head``)."""


class _AudioProbe(Record, frozen=True):
    """Published audio that another source could replace: its item's source, when it was last asked for, and if gone.

    ``missed`` is when the first 404 or 410 in a row came.
    """

    url: str
    source: str = ""
    asked: datetime | None = None
    missed: datetime | None = None
    gone: bool = False


_AUDIO_PROBES: Final = Fact("audio probes", tuple[_AudioProbe, ...])


Incomplete = tuple[str, str]
"""An address, and the name of the source of its item, empty if it has several: the private networks that a source may
use are allowed for its own addresses only."""


def read_probes(store: Store, plan: Plan) -> _Probes:
    """Return the stored answers for a feed, none unless the config asks for probes."""
    return (_PROBES.read(store, plan.name) if plan.probe_enclosures else None) or _Probes()


def fill_enclosures(store: Store, plan: Plan, items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items, their enclosures with the length and type that their own hosts gave if no source did."""
    answers = {answer.url: answer for answer in read_probes(store, plan).answers}
    return tuple(_fill(item, answers) for item in items) if answers else tuple(items)


def probe(store: Store, plan: Plan, incomplete: Iterable[Incomplete], head: _Head, now: datetime) -> int:
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
    heads = {url: head(url, now, _TIMEOUT_SECONDS, wanted[url]) for url in due}
    answers = []
    for url, answer in heads.items():
        if _has_answer(answer) or now - missed.setdefault(url, now) >= _GIVE_UP_AFTER:
            missed.pop(url, None)
            answers.append(_believable(url, None if answer.exception() else answer.result()))
    after = _Probes(
        (*before.answers, *answers),
        more=any(url not in heads and url not in missed for url in wanted),
        missed=tuple(_FailedProbe(url, since) for url, since in missed.items()),
    )
    if after != before:
        _PROBES.write(store, plan.name, after)
    return len(due)


def _has_answer(head: Future[Enclosure | None]) -> bool:
    """Wait for the answer, and return whether there is one; an error other than FetchError is raised."""
    try:
        head.result()
    except GoneError:
        return True
    except FetchError:
        return False
    return True


def probe_gone(store: Store, plan: Plan, rivals: Iterable[Incomplete], head: _Head, now: datetime) -> bool:
    """Ask for the audio of `find_rivals` that is due, and for what was gone; return whether that is other audio now.

    A host under Retry-After is asked in a later run.
    """
    kept = {each.url: each for each in _read_audio_probes(store, plan)}
    probes = {url: kept.get(url, _AudioProbe(url, name)) for url, name in rivals}
    probes |= {url: each for url, each in kept.items() if each.gone}
    sources, held = {source.name: source for source in plan.sources}, polls.read_holds(store, now)
    due = [each for each in probes.values() if _is_due(each, plan, now) and find_host(each.url) not in held]
    due = sorted(due, key=lambda each: (each.asked is not None, each.asked or now))[:MOST]
    heads = [head(each.url, now, _TIMEOUT_SECONDS, sources.get(each.source)) for each in due]
    probes |= {each.url: _note_head(each, head, plan, now) for each, head in zip(due, heads, strict=True)}
    before = read_gone(store, plan)
    if probes != kept:
        _AUDIO_PROBES.write(store, plan.name, tuple(probes.values()))
    return read_gone(store, plan) != before


def is_probe_due(store: Store, plan: Plan, now: datetime) -> bool:
    """Return whether any address is to be asked."""
    if plan.probe_enclosures and read_probes(store, plan).more:
        return True
    return any(_is_due(each, plan, now) for each in _read_audio_probes(store, plan))


def _is_due(probe: _AudioProbe, plan: Plan, now: datetime) -> bool:
    return probe.asked is None or now - probe.asked >= timedelta(days=plan.probe_gone)


def _note_head(probe: _AudioProbe, head: Future[Enclosure | None], plan: Plan, now: datetime) -> _AudioProbe:
    try:
        answer = head.result()
    except GoneError:
        missed = probe.missed or now
        return replace(probe, asked=now, missed=missed, gone=now - missed >= timedelta(days=plan.probe_gone))
    except FetchError:
        answer = None
    return replace(probe, asked=now) if answer is None else replace(probe, asked=now, missed=None, gone=False)


def read_gone(store: Store, plan: Plan) -> tuple[str, ...]:
    """Return the addresses of audio that is gone, sorted; none unless the config asks for it."""
    return tuple(sorted(each.url for each in _read_audio_probes(store, plan) if each.gone))


def _read_audio_probes(store: Store, plan: Plan) -> tuple[_AudioProbe, ...]:
    return (_AUDIO_PROBES.read(store, plan.name) if plan.probe_gone else None) or ()


def find_rivals(items: Sequence[Item]) -> Iterator[Incomplete]:
    """Yield the addresses of audio that another source of the item has at another address."""
    for item in items:
        if item.enclosure is not None and _can_be_asked(item.enclosure):
            source = next((each.source for each in item.provenance if each.field == "enclosure" and each.dissent), None)
            if source is not None:
                yield item.enclosure.url, source


def find_incomplete(items: Sequence[Item]) -> Iterator[Incomplete]:
    """Yield the addresses without a length, or without a type that the path's extension tells."""
    for item in items:
        enclosure = item.enclosure
        if enclosure is not None and _can_be_asked(enclosure) and not _is_complete(enclosure):
            names = {entry.partition("/")[0] for entry in item.entries}
            yield enclosure.url, names.pop() if len(names) == 1 else ""


def _can_be_asked(enclosure: Enclosure) -> bool:
    """Return whether it has a web address, without the name of a secret in place of its value (``credentials``)."""
    return "${" not in unquote(enclosure.url) and links.clean_url(enclosure.url) is not None


def _is_complete(enclosure: Enclosure) -> bool:
    return bool(enclosure.length) and media_types.find_media_type(enclosure) not in media_types.VAGUE_TYPES


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
    is_known = media_types.find_media_type(enclosure) not in media_types.VAGUE_TYPES
    kind = enclosure.type if is_known else answer.type or enclosure.type
    return replace(item, enclosure=Enclosure(enclosure.url, kind, enclosure.length or answer.length))
