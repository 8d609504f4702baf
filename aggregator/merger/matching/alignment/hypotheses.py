"""Hypotheses about two listings: which of their entries of one title meet, and what each costs before any evidence.

A hypothesis is an offset in time with its tolerance, a zone, or other places of an archive that was dated anew. Prior
costs are natural log-odds. They were chosen on the cases of ``python -m evaluation.matching one-title``; what matters
is their order, not their size (``docs/matching.md``).

What was learned to relate two listings (``ListingRelation``) tells again which of their entries meet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from aggregator.merger.matching.alignment.listings import DAY, HOUR, MAX_ZONE, MINUTE, Hypothesis, TitleList
from aggregator.merger.matching.features.frame import ABSENT
from aggregator.merger.matching.features.habits import MIN_SERIES, NEARLY_ALL
from aggregator.merger.matching.features.token_bags import Ints, number_combinations
from aggregator.model.cluster import ListingRelation

# A mirror that is up to five minutes late; half-hours, or none, between two clocks of which one has no zone; higher
# numbers throughout.
_USUAL = 1.2
UNUSUAL = 3.7
"""The same beyond 10.5 hours; whole hours after a move, as the new host has converted the times; no relation at all."""

# Other offsets, of clocks with zones and of days; an archive that was dated anew: only lengths and texts are evidence.
_RARE = 5.5
_IMPOSSIBLE = 14.0  # more than two hours between two clocks with zones: other editions

_TOLERANCES = (60, 600)  # seconds
_ZONES = range(-11, 15)  # hours
_MAX_OFFSETS = 8  # most frequent differences of time that are tried, at two resolutions
_MAX_AHEAD = 3  # difference of numbers: trailers that are counted; beyond, a listing has numbers of its own
_MAX_SHIFT = 40  # places by which an archive that was dated anew is moved


def suppose(one: TitleList, other: TitleList) -> Iterator[Hypothesis]:
    """Yield the hypotheses about two listings under which some of their entries meet."""
    if one.clock and other.clock:
        tried = list(_try_offsets(one, other))
    elif one.clock or other.clock:
        tried = [
            *_try_zones(one, other, _ZONES),
            *(each for days in (-1, 1) for each in _meet_days_apart(one, other, days, _RARE)),
        ]
    else:
        tried = [each for days in (0, -1, 1) for each in _meet_days_apart(one, other, days, _RARE if days else 0.0)]
    for each in tried:
        each.ahead = _find_lead(one.numbers[each.one], other.numbers[each.other])
        each.cost += _USUAL if each.ahead else 0.0
        yield each
    yield from _try_places(one, other)


def suppose_again(one: TitleList, other: TitleList, relations: Iterable[ListingRelation]) -> Iterator[Hypothesis]:
    """Yield what meets of two listings under the relations that were learned of them, with the scores of these."""
    for relation in relations:
        if relation.zones:
            found = list(_try_zones(one, other, relation.zones))
        elif relation.tolerance:
            found = list(_meet_clocks_apart(one, other, relation.offset, relation.tolerance))
        else:
            found = _meet_days_apart(one, other, int(relation.offset), 0.0)
        for each in found:
            each.ahead = relation.ahead
            each.score = relation.score
            if relation.zones and each.relation is not None:  # each is as likely as any other
                each.score += float(np.log(len(each.relation.zones) / len(relation.zones)))
            yield each


def _find_lead(one: Ints, other: Ints) -> int | None:
    """Return by how much the numbers of the other are higher, ``None`` if they say nothing.

    Two listings that count their own entries drift apart where one of them lacks some: that is no lead.
    """
    both = (one != ABSENT) & (other != ABSENT)
    if not both.any():
        return None
    ahead, often = np.unique((other - one)[both], return_counts=True)
    at = np.lexsort((np.abs(ahead), -often))[0]
    usual, steady = int(ahead[at]), often[at] >= NEARLY_ALL * both.sum()
    return usual if abs(usual) <= _MAX_AHEAD and (steady or not usual) else None


# Times


def _try_offsets(one: TitleList, other: TitleList) -> Iterator[Hypothesis]:
    """Yield what meets under the most frequent differences between two clocks."""
    zoned, moved = one.zoned and other.zoned, one.source == other.source
    if moved and (other.instants > np.max(one.seen)).all():  # next editions: all came later than the former were seen
        return
    away = (other.instants[None, :] - one.instants[:, None])[other.keys[None, :] == one.keys[:, None]]
    away = away[np.abs(away) <= MAX_ZONE]
    offsets = [0.0]
    for step in (MINUTE, 5 * MINUTE):
        values, often = np.unique(np.rint(away / step) * step, return_counts=True)
        offsets += values[np.lexsort((np.abs(values), -often))[:_MAX_OFFSETS]].tolist()
    for offset in dict.fromkeys(offsets):
        cost = _price_offset(offset, zoned=zoned, moved=moved)
        for tolerance in _TOLERANCES:
            for each in _meet_clocks_apart(one, other, offset, tolerance):
                each.cost = cost
                each.timed = True
                yield each


def _meet_clocks_apart(one: TitleList, other: TitleList, offset: float, tolerance: int) -> Iterator[Hypothesis]:
    """Yield what meets if the clock of the other is some seconds ahead, as one hypothesis or none."""
    places = _meet_by_time(one, other, offset, tolerance)
    if len(places[0]):
        yield Hypothesis(*places, 0.0, relation=ListingRelation(offset=offset, tolerance=tolerance))


def _price_offset(offset: float, *, zoned: bool, moved: bool) -> float:
    """Return the prior cost of an offset (seconds) between two clocks."""
    away = abs(offset)
    if not zoned:
        half = abs(away - HOUR / 2 * round(2 * away / HOUR)) < MINUTE
        return (UNUSUAL if away > 10.5 * HOUR else _USUAL) if half else _RARE
    if away <= 5 * MINUTE:
        return _USUAL if away >= MINUTE else 0.0
    if away > 2 * HOUR + MINUTE and not moved:
        return _IMPOSSIBLE
    return UNUSUAL if moved and abs(away - HOUR * round(away / HOUR)) < MINUTE else _RARE


def _meet_by_time(one: TitleList, other: TitleList, offset: float, tolerance: float) -> tuple[Ints, Ints]:
    """Return the places of entries that are each other's only neighbours of their title within the tolerance."""
    base = min(one.instants.min(), other.instants.min()) - 2 * MAX_ZONE
    width = max(one.instants.max(), other.instants.max()) - base + 2 * MAX_ZONE
    keys = np.unique(np.concatenate((one.keys, other.keys)))
    mine = np.searchsorted(keys, one.keys) * width + one.instants - base + offset
    theirs = np.searchsorted(keys, other.keys) * width + other.instants - base
    order = np.argsort(theirs, kind="stable")
    low = np.searchsorted(theirs[order], mine - tolerance, side="left")
    high = np.searchsorted(theirs[order], mine + tolerance, side="right")
    single = np.flatnonzero(high - low == 1)
    partner = order[low[single]]
    near = np.cumsum(np.bincount(low, minlength=len(theirs) + 1) - np.bincount(high, minlength=len(theirs) + 1))
    often = np.empty(len(theirs), dtype=np.int64)  # how many of the one listing each of the other is near to
    often[order] = near[:-1]
    kept = often[partner] == 1
    return single[kept], partner[kept]


# Days


def _try_zones(one: TitleList, other: TitleList, zones: Iterable[int]) -> Iterator[Hypothesis]:
    """Yield what meets if the days of one listing are those of one of some zones of the Earth.

    Zones that give the same days are added up: each is as likely as any other.
    """
    timed = one if one.clock else other
    known: defaultdict[bytes, list[int]] = defaultdict(list)
    for zone in zones:
        known[np.floor((timed.instants + zone * HOUR) / DAY).astype(np.int64).tobytes()].append(zone)
    first = (timed.instants // DAY).astype(np.int64)
    for packed, alike in known.items():
        days = np.frombuffer(packed, dtype=np.int64) + timed.days - first
        columns = (days, other.days) if one.clock else (one.days, days)
        for each in _meet_by_day(one, other, columns, float(-np.log(len(alike) / len(_ZONES)))):
            each.relation = ListingRelation(zones=tuple(alike))
            yield each


def _meet_days_apart(one: TitleList, other: TitleList, days: int, cost: float) -> list[Hypothesis]:
    """Return what meets if the other has its entries some days later, as one hypothesis or none."""
    found = _meet_by_day(one, other, (one.days + days, other.days), cost)
    for each in found:
        each.relation = ListingRelation(offset=days)
    return found


def _meet_by_day(one: TitleList, other: TitleList, days: tuple[Ints, Ints], cost: float) -> list[Hypothesis]:
    """Return what meets on equal days, as one hypothesis or none.

    Several entries of a title on one day meet in order if nearly all days of both listings have as many: with some
    left out, order would pair others.
    """
    cells = number_combinations(np.concatenate((one.keys, other.keys)), np.concatenate(days))
    here, there = cells[: len(one.keys)], cells[len(one.keys) :]
    mine, theirs = (np.bincount(column, minlength=int(cells.max()) + 1) for column in (here, there))
    level = (mine == theirs) & (mine > 0)
    least = np.minimum(mine, theirs)
    several = (least > 0) & (np.maximum(mine, theirs) > 1)
    steady = (several & level).sum() >= max(MIN_SERIES, NEARLY_ALL * several.sum())
    if not (one.ordered and other.ordered and steady):
        level &= mine == 1
    left, right = (np.flatnonzero(level[column]) for column in (here, there))
    if not len(left):
        return []
    left, right = left[np.argsort(here[left], kind="stable")], right[np.argsort(there[right], kind="stable")]
    crowded = tuple(np.flatnonzero(~level[at] & (_count_before(at) < least[at])) for at in (here, there))
    return [Hypothesis(left, right, cost, crowded=(crowded[0], crowded[1]))]


def _count_before(cells: Ints) -> Ints:
    """Return for each place how many earlier ones are in its cell."""
    order = np.argsort(cells, kind="stable")
    before = np.empty(len(cells), dtype=np.int64)
    before[order] = np.arange(len(cells)) - np.searchsorted(cells[order], cells[order])
    return before


# Places


def _try_places(one: TitleList, other: TitleList) -> Iterator[Hypothesis]:
    """Yield what meets with one listing moved by places from where both begin together."""
    mine, theirs = len(one.rows), len(other.rows)
    if min(mine, theirs) < MIN_SERIES or len({*one.keys.tolist(), *other.keys.tolist()}) > 1:
        return
    for shift in range(-_MAX_SHIFT, _MAX_SHIFT + 1):
        places = np.arange(max(0, -shift), min(mine, theirs - shift))
        if len(places) >= max(MIN_SERIES, min(mine, theirs) // 2):
            yield Hypothesis(places, places + shift, _RARE, anew=True)
