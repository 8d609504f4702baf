"""Decide which new items are published now and which are held.

An item is new if none of its entries was ever published, or only as part of an item that keeps the guid; a published
item is never held. A source may add new items at once (``always``), once another source lists them (``confirmed``), or
not at all (``never``). By default a source waits for confirmation by one that answers and is more trusted by ``_GAP``.

Items of a source's first listing that are older than the oldest entry of the confirming source are its archive and do
not wait, unless its dates are mostly wrong. Those that lie among the entries of a source that was there before and is
trusted as much wait for it, too: it would have listed them, so that they may be its own under other names. If no
confirming source answers, all is published. Items of a source without files that lists the episodes of others wait for
each of these that is trusted as much, from the beginning: under a title that is hard to recognise, an episode would be
published twice. An item that no source confirms is published ``HOLD`` after it was first
seen. So is one that probably is an item of a more trusted source, while nothing decides which (a page of a show of one
title that may be an item behind, or in another zone).

A refresh publishes at most ``quota`` of the other items: those of the most trusted source first, then the newest, of
sources trusted alike in turn. Items of a source that is trusted more than all others do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.model.cluster import Cluster
from aggregator.model.entry import Entry, Genre
from aggregator.model.item import Admission, HeldItem, Item, PublishedItem, WhyHeld, sources_of
from aggregator.model.source import Source
from aggregator.translation.marks import N_, nN_

HOLD = timedelta(days=7)
"""Time for which an item is held that no other source lists; a weekly directory takes no longer to list it."""

_GAP = 0.2
"""Trust that a confirming source must have more: a host (0.9) beside Apple (0.7) has it."""

_QUOTA, _SHARE = 50, 5
"""New items that a refresh publishes at once: 50, or a fifth of the feed if that is more."""

_MISDATED = timedelta(days=3)
"""Difference from which a date is wrong; a directory may list an item a day or two after its host."""

_WAITING: tuple[WhyHeld, ...] = ("unconfirmed", "perhaps published")
"""Reasons that end with time, or when another source answers no more."""

_EARLIEST = datetime.min.replace(tzinfo=UTC)


class Coverage(Struct, frozen=True):
    """Genres that a source lists now, and the dates of its oldest and newest entry; ``None`` if no entry has a date."""

    genres: frozenset[Genre]
    oldest: datetime | None = None
    newest: datetime | None = None


class Arrival(Struct, frozen=True):
    """Time when an entry was first seen, and the number of that listing of its source, counted from 1.

    Listings of a snapshot count as 1, and so does the first one of the source itself.
    """

    first_seen: datetime
    listing: int = 1


class Situation(Struct, frozen=True):
    """Facts that decide about new items, besides the items themselves.

    - ``sources``: those of the config.
    - ``answering``: sources that answer, each with the time at which its answer expires (``None``: with the next).
    - ``coverage``: by source.
    - ``arrivals``: by entry id.
    - ``since``: by source, the time when it was first listed.
    - ``decided``: by entry id, true if a person decided to publish the entry now, false for never.
    - ``held_back``: entries whose items a person holds back, whichever source lists them.
    - ``quota``: new items that may be published, ``None`` for any number; first listings do not count.
    - ``misdating``: sources whose dates are mostly wrong.
    - ``undecided``: by entry id, sources that probably list it, too, though nothing decides which of their items it is.
    - ``fileless``: sources without files that list the episodes of others.
    """

    sources: tuple[Source, ...] = ()
    answering: Mapping[str, datetime | None] = field(default_factory=dict)
    coverage: Mapping[str, Coverage] = field(default_factory=dict)
    arrivals: Mapping[str, Arrival] = field(default_factory=dict)
    since: Mapping[str, datetime] = field(default_factory=dict)
    decided: Mapping[str, bool] = field(default_factory=dict)
    held_back: Collection[str] = ()
    quota: int | None = None
    misdating: Collection[str] = ()
    undecided: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fileless: frozenset[str] = frozenset()


def find_coverage(entries: Iterable[Entry]) -> dict[str, Coverage]:
    """Return the coverage of each source by its newest listing."""
    listed: dict[str, list[Entry]] = {}
    for entry in entries:
        known = listed.setdefault(entry.source, [])
        if known and known[0].span.last < entry.span.last:
            known.clear()
        if not known or known[0].span.last == entry.span.last:
            known.append(entry)
    return {source: _make_coverage(known) for source, known in listed.items()}


def _make_coverage(entries: Sequence[Entry]) -> Coverage:
    dates = [entry.published.at for entry in entries if entry.published is not None]
    genres = frozenset(entry.genre for entry in entries)
    return Coverage(genres, min(dates, default=None), max(dates, default=None))


def find_misdating(items: Iterable[Item], clusters: Iterable[Cluster]) -> frozenset[str]:
    """Return the sources that have wrong dates for most of the items that other sources list, too."""
    balance: Counter[str] = Counter()
    for item, cluster in zip(items, clusters, strict=True):
        dates = {entry.source: entry.published for entry in cluster.entries if entry.published is not None}
        for source, date in dates.items() if len(dates) > 1 else ():
            if item.published is not None and date.precision != "year":
                balance[source] += 1 if abs(date.at - item.published.at) < _MISDATED else -1
    return frozenset(source for source, right in balance.items() if right < 0)


def select_new(
    items: Iterable[Item],
    published: Iterable[PublishedItem],
    trust: Mapping[str, float],
    parted: Collection[str] = (),
) -> tuple[Item, ...]:
    """Return the items that were not published before; ``trust`` is by source.

    If a published item is split, the item of its most trusted entries stays published, and those that a person parted
    (``parted``: entry ids and guids). The others are new: else a source could publish an unconfirmed item by changing
    an entry that was joined to a published one. A guid without a digest was never published: its item has always been
    one with another by a decision.
    """
    items, published = tuple(items), tuple(published)
    homes = {entry: number for number, item in enumerate(items) for entry in item.entries}
    joined = {entry for record in published if not record.digest for entry in record.entries}
    known: set[int] = set()
    for record in published:
        ranks: dict[int, float] = {}
        for entry in record.entries if record.digest else ():
            if (number := homes.get(entry)) is not None:
                if entry in parted or record.guid in parted:
                    known.add(number)
                ranks[number] = max(ranks.get(number, 0.0), trust.get(entry.partition("/")[0], 0.0))
        most = max(ranks.values(), default=0.0)
        known.update(number for number, rank in ranks.items() if rank >= most)
    return tuple(item for at, item in enumerate(items) if at not in known or joined.issuperset(item.entries))


def compute_quota(published: int) -> int:
    """Return how many new items a refresh publishes at once, by the number of published ones.

    >>> compute_quota(10), compute_quota(1000)
    (50, 200)
    """
    return max(_QUOTA, published // _SHARE)


def admit(items: Iterable[Item], situation: Situation, now: datetime) -> Admission:
    """Return which of the new items are held, and when that next changes with time alone."""
    sources = {source.name: source for source in situation.sources}
    judged = [(item, _judge(item, sources, situation, now)) for item in items]
    held = [found for _, found in judged if found is not None]
    ready = _order((item for item, found in judged if found is None), sources)
    free = len(ready) if situation.quota is None else situation.quota
    for item in ready:
        if _is_exempt(item, sources, situation):
            continue
        if free <= 0:
            held.append(_hold(item, "quota", None))
        free -= 1
    grace = [until for until in situation.answering.values() if until is not None and until > now]
    ends = [each.until for each in held if each.until is not None]
    ends += [now for each in held if each.why == "quota"]
    waiting = any(each.why in _WAITING for each in held)
    return Admission(
        held=tuple(sorted(held, key=lambda each: each.entries)),
        until=min((*ends, *(grace if waiting else ())), default=None),
    )


def hold_rest(items: Iterable[Item], found: Admission) -> Admission:
    """Return the admission with every other new item held, too, as due with the next refresh."""
    known = {each.entries for each in found.held}
    due = [_hold(item, "due", None) for item in items if item.entries not in known]
    return Admission(tuple(sorted((*found.held, *due), key=lambda each: each.entries)), found.until)


def update_holds(held: Iterable[HeldItem], now: datetime) -> tuple[HeldItem, ...]:
    """Return held items as they are at a time: those that are held no longer are due with the next refresh."""
    return tuple(
        replace(each, why="due", until=None) if each.until is not None and each.until <= now else each for each in held
    )


def _judge(item: Item, sources: Mapping[str, Source], situation: Situation, now: datetime) -> HeldItem | None:
    """Return the item as held, ``None`` if it may be published."""
    if any(situation.decided.get(entry) for entry in item.entries):
        return None
    if any(entry in situation.held_back for entry in item.entries):
        return _hold(item, "declined", None)
    left = [entry for entry in item.entries if situation.decided.get(entry) is None]
    adding = [name for name in sources_of(left) if name in sources and sources[name].adds != "never"]
    if not adding:
        declined = len(left) < len(item.entries)
        named = any(name in sources for name in item.sources)
        return _hold(item, "declined" if declined else "never" if named else "removed", None)
    seen = min((situation.arrivals[entry].first_seen for entry in left if entry in situation.arrivals), default=now)
    why: WhyHeld | None = None
    alone = len(adding) == 1 or situation.fileless >= set(adding)
    if alone and all(_must_wait(item, sources[name], situation) for name in adding):
        why = "unconfirmed"
    elif _may_be_published(left, sources, situation):
        why = "perhaps published"
    return _hold(item, why, seen + HOLD) if why is not None and seen + HOLD > now else None


def _may_be_published(entries: Iterable[str], sources: Mapping[str, Source], situation: Situation) -> bool:
    """Return whether each entry probably is an item of a more trusted source that answers, undecided which one.

    Sources that may always add items do not wait.
    """
    for entry in entries:
        own = sources.get(entry.partition("/")[0])
        if own is not None:
            others = (sources[name] for name in situation.undecided.get(entry, ()) if name in sources)
            known = any(other.trust > own.trust and other.name in situation.answering for other in others)
            if own.adds == "always" or not known:
                return False
    return True


def _must_wait(item: Item, source: Source, situation: Situation) -> bool:
    """Return whether the item waits for another source that answers.

    An item of the first listing of its source does not, if it is older than all that the other lists and its dates are
    right; nor one without a date (directories without dates list old and new alike), unless ``confirmed`` is set.
    """
    fileless = source.name in situation.fileless
    others = _find_confirming(source, item, situation)
    if not _is_from_beginning(item, situation) or (item.published is not None and source.name in situation.misdating):
        return bool(others)
    if item.published is None and source.adds is None and not fileless:
        return False
    if any(_would_list(situation.coverage[other], item) for other in others):
        return True
    seen = min(situation.arrivals[entry].first_seen for entry in item.entries if entry in situation.arrivals)
    beside = _find_confirming(source, item, situation, gap=0.0)
    return any(
        situation.since.get(other, seen) < seen and _lists_around(situation.coverage[other], item) for other in beside
    )


def _is_from_beginning(item: Item, situation: Situation) -> bool:
    """Return whether an entry of the item was in the first listing of its source."""
    known = [situation.arrivals[entry] for entry in item.entries if entry in situation.arrivals]
    return any(arrival.listing <= 1 for arrival in known)


def _find_confirming(source: Source, item: Item, situation: Situation, gap: float = _GAP) -> tuple[str, ...]:
    """Return the sources that the source's new item waits for; by default those trusted more by ``gap``.

    By default an episode waits only for sources that list episodes, and a blog's post for those that list posts: others
    would never list it. A post of any other source waits for both: it may be an episode without its audio. An item of a
    source without files that lists episodes waits for each source with files that is trusted as much.
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
    if source.name in situation.fileless:
        return tuple(each.name for each in others if each.trust >= source.trust and each.name not in situation.fileless)
    return tuple(
        each.name
        for each in others
        if round(each.trust - source.trust, 6) >= gap
        and (item.genre in situation.coverage[each.name].genres or (item.genre == "post" and not _has_posts(source)))
    )


def _has_posts(source: Source) -> bool:
    """Return whether the config says that the source lists posts."""
    return source.kind == "blog" or ("genre", "post") in source.options


def _would_list(coverage: Coverage, item: Item) -> bool:
    """Return whether the item is newer than the oldest entry of the source; one without a date counts as new."""
    return item.published is None or coverage.oldest is None or item.published.at > coverage.oldest


def _lists_around(coverage: Coverage, item: Item) -> bool:
    """Return whether the source lists both older and newer entries than the item."""
    if item.published is None or coverage.oldest is None or coverage.newest is None:
        return False
    return coverage.oldest < item.published.at < coverage.newest


def _is_exempt(item: Item, sources: Mapping[str, Source], situation: Situation) -> bool:
    """Return whether the item does not count against the quota.

    A person released it, it is in a first listing, or a source lists it that is trusted more than all others.
    """
    if any(situation.decided.get(entry) for entry in item.entries):
        return True
    first, *others = sorted((source.trust for source in sources.values()), reverse=True) or (0.0,)
    if others and first > others[0] and any(name in sources and sources[name].trust == first for name in item.sources):
        return True
    return _is_from_beginning(item, situation) and any(name in sources for name in item.sources)


def _order(items: Iterable[Item], sources: Mapping[str, Source]) -> list[Item]:
    """Return items in the order of publication.

    The most trusted source first, sources trusted alike in turn, of each the newest date, then the ids.
    """
    turns: Counter[str] = Counter()
    ranked: list[tuple[float, int, Item]] = []
    for item in sorted(items, key=_rank_by_date):
        first = max(
            (name for name in item.sources if name in sources), key=lambda each: sources[each].trust, default=""
        )
        turns[first] += 1
        ranked.append((-sources[first].trust if first else 0.0, turns[first], item))
    return [item for *_, item in sorted(ranked, key=lambda each: (*each[:2], _rank_by_date(each[2])))]


def _rank_by_date(item: Item) -> tuple[float, tuple[str, ...]]:
    date = item.published.at if item.published else _EARLIEST
    return -(date - _EARLIEST).total_seconds(), item.entries


def _hold(item: Item, why: WhyHeld, until: datetime | None) -> HeldItem:
    return HeldItem(item.title, item.entries, why, until, item.published)


def describe_held(held: Sequence[HeldItem]) -> tuple[str, ...]:
    """Return one line for each source and reason: how many items are held, until when, and the first titles."""
    groups: dict[tuple[str, WhyHeld], list[HeldItem]] = {}
    for each in held:
        groups.setdefault((", ".join(each.sources), each.why), []).append(each)
    return tuple(_describe_group(names, why, groups[names, why]) for names, why in sorted(groups))


_LINES: Mapping[WhyHeld, tuple[str, str]] = {
    "unconfirmed": nN_(
        "%(sources)s: %(count)s new item is held until another source lists them, at the latest %(until)s: %(titles)s",
        "%(sources)s: %(count)s new items are held until another source lists them, at the latest %(until)s: "
        "%(titles)s",
    ),
    "perhaps published": nN_(
        "%(sources)s: %(count)s new item is held as each may be any of a more trusted source's items; until it is "
        "known which, at the latest %(until)s: %(titles)s",
        "%(sources)s: %(count)s new items are held as each may be any of a more trusted source's items; until it is "
        "known which, at the latest %(until)s: %(titles)s",
    ),
    "quota": nN_(
        "%(sources)s: %(count)s new item is held as more new items came than a refresh publishes at once; the next "
        "refresh publishes more of them: %(titles)s",
        "%(sources)s: %(count)s new items are held as more new items came than a refresh publishes at once; the "
        "next refresh publishes more of them: %(titles)s",
    ),
    "never": nN_(
        "%(sources)s: %(count)s new item is held as the source adds none (adds: never): %(titles)s",
        "%(sources)s: %(count)s new items are held as the source adds none (adds: never): %(titles)s",
    ),
    "declined": nN_(
        "%(sources)s: %(count)s new item is held as you decided: %(titles)s",
        "%(sources)s: %(count)s new items are held as you decided: %(titles)s",
    ),
    "due": nN_(
        "%(sources)s: %(count)s new item is held until the next refresh: %(titles)s",
        "%(sources)s: %(count)s new items are held until the next refresh: %(titles)s",
    ),
    "removed": nN_(
        "%(sources)s: %(count)s new item is held as the config no longer names the source: %(titles)s",
        "%(sources)s: %(count)s new items are held as the config no longer names the source: %(titles)s",
    ),
}
_TITLES = 3


def _describe_group(sources: str, why: WhyHeld, held: Sequence[HeldItem]) -> str:
    """Return the line for the items of one source that are held for one reason."""
    count = len(held) - _TITLES
    titles = ", ".join(f'"{each.title}"' for each in held[:_TITLES])
    titles = N_(f"{titles} and {count} more") if count > 0 else titles
    until = max((f"{each.until:%Y-%m-%d}" for each in held if each.until is not None), default="")
    return _LINES[why][len(held) > 1] % {"sources": sources, "count": len(held), "until": until, "titles": titles}
