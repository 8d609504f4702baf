"""Decide which new items are published now and which are held: a pure function between match and settle.

An item is new where none of its entries was ever published, or only as part of an item that keeps the guid; a published
item is never held. A source may add new items at once (``always``), once another source lists them (``confirmed``), or
not at all (``never``). Unless the config says which, a source waits for confirmation beside one that is more trusted by
``_GAP`` or more and that answers. What a source lists from the beginning, and dates before the oldest entry of that
listing, is its archive and does not wait; what it dates so later does, and all that a source lists whose dates of other
items are wrong. Where no such source answers, nothing can be confirmed and all is published. An item that no source
confirms is published ``HOLD`` after it was first seen.

What is left may still be more than a refresh publishes at once (``quota``): the items of the most trusted source go
first, then the newest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct, field

from aggregator.model.cluster import Cluster
from aggregator.model.entry import Entry, Genre
from aggregator.model.item import Admission, HeldItem, Item, PublishedItem, WhyHeld, sources_of
from aggregator.model.source import Source

HOLD = timedelta(days=7)
"""How long an item is held that no other source lists: the longest that a weekly directory takes to list it."""

_GAP = 0.2
"""How much more trusted a source must be to be waited for: that of a host (0.9) and of Apple (0.7) is enough."""

_QUOTA, _SHARE = 50, 5
"""New items that a refresh publishes at once: 50, or a fifth of the feed where that is more."""

_MISDATED = timedelta(days=3)
"""From so far off a date is wrong: a directory may list an item a day or two after its host."""

_EARLIEST = datetime.min.replace(tzinfo=UTC)


class Coverage(Struct, frozen=True):
    """Genres that a source lists now, and the date of its oldest entry; ``None`` if no entry has a date."""

    genres: frozenset[Genre]
    oldest: datetime | None = None


class Arrival(Struct, frozen=True):
    """Time when an entry was first seen, and the number of that listing of its source, counted from 1."""

    first_seen: datetime
    listing: int = 1


class Situation(Struct, frozen=True):
    """Facts that decide about new items, besides the items themselves.

    ``sources`` are those of the config. ``answering`` are the sources that answer, each with the time at which that
    answer no longer counts (``None``: as long as it is the last). ``coverage`` is by source. ``arrivals`` and
    ``decided`` are by entry id: ``decided`` is true where a person wants the entry published now, false where never.
    ``quota`` is how many new items may be published, ``None`` for any number; entries of a source's first listing do
    not count. ``misdating`` are the sources whose dates are mostly wrong.
    """

    sources: tuple[Source, ...] = ()
    answering: Mapping[str, datetime | None] = field(default_factory=dict)
    coverage: Mapping[str, Coverage] = field(default_factory=dict)
    arrivals: Mapping[str, Arrival] = field(default_factory=dict)
    decided: Mapping[str, bool] = field(default_factory=dict)
    quota: int | None = None
    misdating: Collection[str] = ()


def find_coverage(entries: Iterable[Entry]) -> dict[str, Coverage]:
    """Return what each source lists now; an entry that its newest listing lacks does not count."""
    listed: dict[str, list[Entry]] = {}
    for entry in entries:
        known = listed.setdefault(entry.source, [])
        if known and known[0].span.last < entry.span.last:
            known.clear()
        if not known or known[0].span.last == entry.span.last:
            known.append(entry)
    return {source: _coverage(known) for source, known in listed.items()}


def _coverage(entries: Sequence[Entry]) -> Coverage:
    dates = [entry.published.at for entry in entries if entry.published is not None]
    return Coverage(frozenset(entry.genre for entry in entries), min(dates, default=None))


def find_misdating(items: Iterable[Item], clusters: Iterable[Cluster]) -> frozenset[str]:
    """Return the sources that date most of what other sources list, too, otherwise than the items made of it."""
    right: Counter[str] = Counter()
    for item, cluster in zip(items, clusters, strict=True):
        dates = {entry.source: entry.published for entry in cluster.entries if entry.published is not None}
        for source, date in dates.items() if len(dates) > 1 else ():
            if item.published is not None and date.precision != "year":
                right[source] += 1 if abs(date.at - item.published.at) < _MISDATED else -1
    return frozenset(source for source, more in right.items() if more < 0)


def select_new(
    items: Iterable[Item],
    published: Iterable[PublishedItem],
    trust: Mapping[str, float],
    parted: Collection[str] = (),
) -> tuple[Item, ...]:
    """Return the items that were not published before; ``trust`` is by source.

    Where a published item is found to be several, those of its most trusted entries stay published, and those of
    entries that a person parted (``parted``). The others are new: else a source could have an entry joined to a
    published item, change it, and so publish an item unconfirmed.
    """
    items = tuple(items)
    homes = {entry: number for number, item in enumerate(items) for entry in item.entries}
    known: set[int] = set()
    for record in published:
        ranks: dict[int, float] = {}
        for entry in record.entries:
            if (number := homes.get(entry)) is not None:
                if entry in parted or record.guid in parted:
                    known.add(number)
                ranks[number] = max(ranks.get(number, 0.0), trust.get(entry.partition("/")[0], 0.0))
        most = max(ranks.values(), default=0.0)
        known.update(number for number, rank in ranks.items() if rank >= most)
    return tuple(item for number, item in enumerate(items) if number not in known)


def compute_quota(published: int) -> int:
    """Return how many new items a refresh publishes at once of a feed that has so many.

    >>> compute_quota(10), compute_quota(1000)
    (50, 200)
    """
    return max(_QUOTA, published // _SHARE)


def admit(items: Iterable[Item], situation: Situation, now: datetime) -> Admission:
    """Return which of the new items are held, and until when the answer stands if nothing else changes."""
    sources = {source.name: source for source in situation.sources}
    judged = [(item, _judge(item, sources, situation, now)) for item in items]
    held = [found for _, found in judged if found is not None]
    ready = sorted((item for item, found in judged if found is None), key=lambda item: _turn(item, sources))
    free = len(ready) if situation.quota is None else situation.quota
    for item in ready:
        if _exempt(item, sources, situation):
            continue
        if free <= 0:
            held.append(_held(item, "quota", None))
        free -= 1
    grace = [until for until in situation.answering.values() if until is not None and until > now]
    ends = [each.until for each in held if each.until is not None]
    ends += [now for each in held if each.why == "quota"]
    waiting = any(each.why == "unconfirmed" for each in held)
    return Admission(
        held=tuple(sorted(held, key=lambda each: each.entries)),
        until=min((*ends, *(grace if waiting else ())), default=None),
    )


def hold_rest(items: Iterable[Item], found: Admission) -> Admission:
    """Return the admission with every other new item held, too, as due with the next refresh."""
    known = {each.entries for each in found.held}
    due = [_held(item, "due", None) for item in items if item.entries not in known]
    return Admission(tuple(sorted((*found.held, *due), key=lambda each: each.entries)), found.until)


def _judge(item: Item, sources: Mapping[str, Source], situation: Situation, now: datetime) -> HeldItem | None:
    """Return the item as held, ``None`` where it may be published."""
    if any(situation.decided.get(entry) for entry in item.entries):
        return None
    left = [entry for entry in item.entries if situation.decided.get(entry) is None]
    adding = [name for name in sources_of(left) if name in sources and sources[name].adds != "never"]
    if not adding:
        declined = len(left) < len(item.entries)
        named = any(name in sources for name in item.sources)
        return _held(item, "declined" if declined else "never" if named else "removed", None)
    if len(adding) > 1 or not _waits(item, sources[adding[0]], situation):
        return None
    seen = min((situation.arrivals[entry].first_seen for entry in left if entry in situation.arrivals), default=now)
    return _held(item, "unconfirmed", seen + HOLD) if seen + HOLD > now else None


def _waits(item: Item, source: Source, situation: Situation) -> bool:
    """Return whether a source answers that would have to list the item.

    Of a source's first listing what the other would no longer list does not wait, if its dates are right; nor does what
    has no date, as a directory without dates shows old and new alike, unless the config says ``confirmed``.
    """
    others = _confirming(source, item, situation)
    if not _from_beginning(item, situation) or (item.published is not None and source.name in situation.misdating):
        return bool(others)
    if item.published is None and source.adds is None:
        return False
    return any(_lists(situation.coverage[other], item) for other in others)


def _from_beginning(item: Item, situation: Situation) -> bool:
    """Return whether an entry of the item was in the first listing of its source."""
    known = [situation.arrivals[entry] for entry in item.entries if entry in situation.arrivals]
    return any(arrival.listing == 1 for arrival in known)


def _confirming(source: Source, item: Item, situation: Situation) -> tuple[str, ...]:
    """Return the sources that the source's new item waits for.

    By default an episode waits only for a source that lists episodes, and a blog's post for one that lists posts: a
    blog that is more trusted than a directory lists no episodes, and a host none of what the blog writes. A post of any
    other source waits for both: it may be an episode without its audio.
    """
    others = [
        each
        for each in situation.sources
        if each.name != source.name and each.name in situation.answering and each.name in situation.coverage
    ]
    if source.adds == "confirmed":
        return tuple(each.name for each in others)
    if source.adds is not None:
        return ()
    return tuple(
        each.name
        for each in others
        if round(each.trust - source.trust, 6) >= _GAP
        and (item.genre in situation.coverage[each.name].genres or (item.genre == "post" and source.kind != "blog"))
    )


def _lists(coverage: Coverage, item: Item) -> bool:
    """Return whether the item is newer than the oldest entry of the source; one without a date counts as new."""
    return item.published is None or coverage.oldest is None or item.published.at > coverage.oldest


def _exempt(item: Item, sources: Mapping[str, Source], situation: Situation) -> bool:
    """Return whether the item counts against no quota: a person wants it, or a source lists it from the beginning."""
    if any(situation.decided.get(entry) for entry in item.entries):
        return True
    return _from_beginning(item, situation) and any(name in sources for name in item.sources)


def _turn(item: Item, sources: Mapping[str, Source]) -> tuple[float, float, tuple[str, ...]]:
    """Return the order of publication: the most trusted source first, then the newest date, then the ids."""
    trust = max((sources[name].trust for name in item.sources if name in sources), default=0.0)
    date = item.published.at if item.published else _EARLIEST
    return -trust, -(date - _EARLIEST).total_seconds(), item.entries


def _held(item: Item, why: WhyHeld, until: datetime | None) -> HeldItem:
    return HeldItem(item.title, item.entries, why, until, item.published)


def describe_held(held: Sequence[HeldItem]) -> tuple[str, ...]:
    """Return one line for each source and reason: how many items are held, until when, and the first titles."""
    groups: dict[tuple[str, WhyHeld], list[HeldItem]] = {}
    for each in held:
        groups.setdefault((", ".join(each.sources), each.why), []).append(each)
    return tuple(_line(names, why, groups[names, why]) for names, why in sorted(groups))


_REASONS: Mapping[WhyHeld, str] = {
    "unconfirmed": "until another source lists them, at the latest",
    "quota": "as more new items came than a refresh publishes at once; the next refresh publishes more of them",
    "never": "as the source adds none (adds: never)",
    "declined": "as you decided",
    "due": "until the next refresh",
    "removed": "as the config no longer names the source",
}
_TITLES = 3


def _line(names: str, why: WhyHeld, held: Sequence[HeldItem]) -> str:
    """Return the line for the items of one source that are held for one reason."""
    titles = ", ".join(f'"{each.title}"' for each in held[:_TITLES])
    more = f" and {len(held) - _TITLES} more" if len(held) > _TITLES else ""
    ends = [each.until for each in held if each.until is not None]
    until = f" {max(ends):%Y-%m-%d}" if why == "unconfirmed" and ends else ""
    noun = "item is" if len(held) == 1 else "items are"
    return f"{names}: {len(held)} new {noun} held {_REASONS[why]}{until}: {titles}{more}"
