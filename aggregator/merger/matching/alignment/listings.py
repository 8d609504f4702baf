"""The listings that are aligned, two at a time: their entries of titles that both have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct

from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.habits import MIN_SERIES, NEARLY_ALL
from aggregator.merger.matching.features.token_bags import Bools, Doubles, Ints, number_combinations
from aggregator.model.cluster import ListingRelation

DAY, HOUR, MINUTE = 86_400, 3600, 60
MAX_ZONE = 14 * HOUR
"""Difference of a local time from UTC in seconds, at most."""

_CLOCK = 0.2  # share of instants that are not midnight: the listing has times of day
_MAX_LISTINGS = 100  # newest listings of one title that are aligned: a source may list other bulletins each hour
_MAX_ENTRIES = 1000  # newest entries of a listing that are aligned


class TitleList(Struct, frozen=True):
    """The entries of one listing with titles that another one has, the oldest first.

    - ``listing``: its number (``number_listings``); ``source``: that of its source.
    - ``last``: when it was last read (`_find_last`).
    - ``name``: of source and show, and when it was first read: the same in each run.
    - ``fresh``: which entries came since the feed was learned from.
    - ``seen``: when the listing was first seen with each entry, NaN where unknown.
    - ``keys``: the numbers of their titles; ``numbers``: ``ABSENT`` where a title has none.
    - ``clock``: whether its instants are times of day; ``zoned``: whether with their zone.
    - ``ordered``: whether entries of one day have an order.
    - ``host``: whether no listing of the show has its audio earlier.
    """

    listing: int
    source: int
    last: int
    name: str
    fresh: Bools
    rows: Ints
    keys: Ints
    days: Ints
    instants: Doubles
    seen: Doubles
    numbers: Ints
    clock: bool
    zoned: bool
    ordered: bool
    host: bool


class Hypothesis(Struct):
    """The places of the entries of two listings that meet, and what the hypothesis costs.

    - ``timed``: whether entries meet at their times, not by days or places.
    - ``ahead``: by how much the numbers of the other are higher; ``None`` if they say nothing.
    - ``anew``: whether an archive was dated anew, so that dates are no evidence.
    - ``crowded``: places of entries that may meet one of several, so that they meet none.
    - ``score``: natural log-odds, filled in by ``scores``.
    - ``relation``: by which the same entries are found to meet in a later run; ``None`` if only all evidence tells.
    """

    one: Ints
    other: Ints
    cost: float
    timed: bool = False
    ahead: int | None = None
    anew: bool = False
    crowded: tuple[Ints, Ints] = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    score: float = 0.0
    relation: ListingRelation | None = None


def number_eras(frame: Frame) -> Ints:
    """Return the number of the era of each row: entries of a source with overlapping spans.

    If a source lists nothing that it listed before, another era begins: the show has moved.
    """
    order = np.lexsort((frame.last, frame.first, frame.source))
    era = np.zeros(len(order), dtype=np.int64)
    number, source, last = -1, -1, 0
    for row in order.tolist():
        if frame.source[row] != source or frame.first[row] > last:
            number, source, last = number + 1, frame.source[row], 0
        era[row], last = number, max(last, frame.last[row])
    return era


def number_listings(frame: Frame) -> Ints:
    """Return the number of the listing of each row: what a source lists of one show until it moves."""
    return number_combinations(number_eras(frame), frame.likely_scope)


def find_first_rows(listing: Ints, unit: Ints) -> Ints:
    """Return for each row the first row of its listing that is known to be the same item (``unit``), mostly itself."""
    _, first, inverse = np.unique(number_combinations(listing, unit), return_index=True, return_inverse=True)
    rows: Ints = first[inverse]
    return rows


def find_encounters(frame: Frame, listing: Ints, first: Ints) -> Iterator[tuple[TitleList, TitleList]]:
    """Yield each two listings that have a title in common which one of them has several times.

    Of an item that a listing has twice only the first row counts.
    """
    some = np.flatnonzero((frame.day != ABSENT) & (frame.title_key != ABSENT) & (first == np.arange(len(first))))
    by_key: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, key, each in zip(some.tolist(), frame.title_key[some].tolist(), listing[some].tolist(), strict=True):
        by_key[key][each].append(row)
    hosts, keys = _find_hosts(frame, listing), defaultdict[int, set[int]](set)
    count = int(listing.max(initial=0)) + 1
    earliest, last = np.full(count, frame.first.max(initial=0)), np.zeros(count, dtype=np.int64)
    np.minimum.at(earliest, listing, frame.first)
    np.maximum.at(last, listing, _find_last(frame))
    for key, listed in by_key.items():
        for each in listed:
            keys[each].add(key)
    for pair in sorted(_find_meetings(frame, listing, by_key)):
        shared = sorted(keys[pair[0]] & keys[pair[1]])
        rows = ([row for key in shared for row in by_key[key][each]] for each in pair)
        one, other = (
            _list_titles(frame, each, some, (int(earliest[each]), int(last[each])), host=each in hosts)
            for each, some in zip(pair, rows, strict=True)
        )
        gap = max(one.days[0], other.days[0]) - min(one.days[-1], other.days[-1])
        if gap <= 1 or min(len(one.rows), len(other.rows)) >= MIN_SERIES:
            yield one, other


def _find_meetings(
    frame: Frame, listing: Ints, by_key: Mapping[int, Mapping[int, Sequence[int]]]
) -> set[tuple[int, int]]:
    """Return each two listings of one title which one of them has several times.

    A source that has moved twice is compared with the listing that it moved from only.
    """
    source = dict(zip(listing.tolist(), frame.source.tolist(), strict=True))
    last = _find_last(frame)
    met: set[tuple[int, int]] = set()
    for listed in by_key.values():
        if max(map(len, listed.values())) == 1:
            continue
        newest = sorted(listed, key=lambda each: (last[listed[each]].max(), each))[-_MAX_LISTINGS:]
        latest: dict[int, int] = {}
        before: dict[int, int | None] = {}
        for each in sorted(newest):
            before[each] = latest.get(source[each])
            latest[source[each]] = each
        met |= {
            pair
            for pair in combinations(sorted(newest), 2)
            if len(listed[pair[0]]) + len(listed[pair[1]]) > 2  # noqa: PLR2004 - one of them has several
            and (source[pair[0]] != source[pair[1]] or before[pair[1]] == pair[0])
        }
    return met


def _find_last(frame: Frame) -> Ints:
    """Return when each row was last listed: the number of that listing, the highest for all that are listed now.

    Numbers of two sources do not compare: one that is read more often has higher ones.
    """
    newest = np.zeros(int(frame.source.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(newest, frame.source, frame.last)
    return np.where(frame.last == newest[frame.source], frame.last.max(initial=0), frame.last)


def _find_hosts(frame: Frame, listing: Ints) -> set[int]:
    """Return the listings with audio that are not behind another with audio: a store has the host's audio, too."""
    rows: defaultdict[int, list[int]] = defaultdict(list)
    for row, each in enumerate(listing.tolist()):
        rows[each].append(row)
    newest: dict[int, tuple[int, float]] = {}
    latest: dict[int, float] = {}
    for each, some in rows.items():
        records = [frame.records[row] for row in some]
        if np.mean([any(value.startswith("audio:") for value in record.ids) for record in records]) >= NEARLY_ALL:
            show, at = int(frame.likely_scope[some[0]]), max(record.instant or 0.0 for record in records)
            newest[each], latest[show] = (show, at), max(at, latest.get(show, at))
    return {each for each, (show, at) in newest.items() if at >= latest[show] - HOUR}


def _list_titles(frame: Frame, listing: int, some: Sequence[int], span: tuple[int, int], *, host: bool) -> TitleList:
    """Return the newest of some rows of a listing that was read from a first to a last time."""
    rows = np.array(some, dtype=np.int64)
    records = [frame.records[row] for row in some]
    instants = np.array([record.instant or 0.0 for record in records])
    places = np.array([-1 if record.position is None else record.position for record in records])
    order = np.lexsort((-places, instants, frame.day[rows]))[-_MAX_ENTRIES:]
    clock = bool(np.mean(instants % DAY != 0) >= _CLOCK)
    return TitleList(
        listing=listing,
        source=int(frame.source[rows[0]]),
        last=span[1],
        name=f"{records[0].source} {span[0]} {frame.likely_scope[rows[0]]}",
        fresh=frame.fresh[rows][order],
        rows=rows[order],
        keys=frame.title_key[rows][order],
        days=frame.day[rows][order],
        instants=instants[order],
        seen=np.array([np.nan if record.seen is None else record.seen for record in records])[order],
        numbers=frame.title_number[rows][order],
        clock=clock,
        zoned=clock and bool(np.mean([record.timed for record in records]) >= NEARLY_ALL),
        ordered=bool(len(np.unique(instants)) == len(rows) or (places >= 0).all()),
        host=host,
    )
