"""Align items of one title: find which entries of two listings are one by laying the listings side by side.

A daily show gives every item the same title, and a directory may list it without text, under the day of another zone.
One pair alone is no evidence then: the entry of the same day and that of the next day fit equally well. The listings as
a whole show more: under the right displacement nearly every entry meets another, the lengths and texts of those that
meet agree, and no listing is ahead of the other. A displacement is believed where it explains both listings clearly
better than any other; where two explain them equally well there is no evidence.

Displacements that are tried: a stretch of time, where both listings have times of day (0 for the same instants, a zone
that was not given), else none, one day earlier, or one day later; and, where an archive was dated anew, so many places,
which only lengths and texts can show.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from aggregator.merger.matching.clustering import find_components
from aggregator.merger.matching.comparison import Compared, compare_lengths, compare_short_texts
from aggregator.merger.matching.features.feature_table import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints, number_combinations
from aggregator.merger.matching.scoring import ELSEWHERE, KINDS, LEVELS, SAME_PLACE, SURE, Table, has_level

_MEETING = 0.5  # natural log-odds of two entries that meet, of four at most: more meet where both lists are longer
_BEHIND = 2.0  # what an entry costs that is newer than all of the other listing, at most three of them: it came late
_BEFORE_HOST = 5.0  # the same where a directory has it before the host, which alone has audio
_INSIDE = 3.0  # what an entry costs that the other listing lacks though it is newer than the oldest pair
_SAME_ZONE = 1.5  # what speaks for no displacement where no zone explains another
_SAME_INSTANT = 5.0  # the same where both listings have times of day with their zone
_KNOWN = 1.5  # what each pair that is known to be one adds, at most four of them
_CLEARLY = 3.0  # by how much the best displacement must be better than the next
_DATED_ANEW = 6.0  # the same where nothing but lengths and texts can tell
_NEARLY_ALL = 0.8  # share of the entries that must meet, and of the pairs whose lengths or texts must agree then
_AGAINST = -3.0  # lengths and texts below which two entries that meet are not believed to be one
_DELAY, _FURTHER = 3, 3  # days that zones and delays explain; by which the next entry of the title lies further away
_FAR = 1000  # days to the next entry of a title where there is none
_LARGEST = 1000  # entries of one title of a listing that are laid side by side, the newest

_DAY, _MINUTE = 86_400, 60
_ZONES = 14 * 3600  # seconds by which a time without its zone may be off
_NEAR = 31  # days by which entries are ahead; what is dated later still is dated anew
_STRETCHES = 8  # stretches of time that are tried, the most frequent first
_LEAST = 5  # entries of each listing by which an archive is seen to be dated anew
_SHIFTS = 40  # places by which archives are displaced at most


class _Alignment(Struct, frozen=True):
    """For each pair the level of ``order`` (0 where nothing is known) and whether its dates are dated anew."""

    order: Ints
    anew: Bools


class _Side(Struct, frozen=True):
    """The entries of one title in one listing, the oldest first.

    ``timed`` says whether its instants are times of day, ``zoned`` whether with their zone, ``audio`` whether it has
    audio.
    """

    rows: Ints
    days: Ints
    instants: Floats
    timed: bool
    zoned: bool
    audio: bool
    source: int


class _Meeting(Struct, frozen=True):
    """Entries of two sides paired under one displacement (places in each), and the evidence for it.

    ``agreeing`` is the share of entries that meet, or, where dates say nothing, of pairs whose lengths or texts agree.
    """

    one: Ints
    other: Ints
    score: float
    agreeing: float = 1.0


def align_same_titles(
    frame: Frame, compared: Compared, table: Table, weights: Floats, groups: Iterable[tuple[int, ...]]
) -> _Alignment:
    """Return what the listings laid side by side show of each pair; ``groups`` are rows that are known to be one."""
    order = np.zeros(len(compared.left), dtype=np.int64)
    anew = np.zeros(len(compared.left), dtype=np.bool_)
    era, key = _number_eras(frame), number_combinations(frame.likely_scope, frame.core, frame.full_title, frame.tag)
    known = _Known(frame, compared, weights, era, groups)
    rows = len(frame.records)
    met: list[Ints] = []
    redated: list[Ints] = []
    for one, other in _find_encounters(frame, key, era):
        for found, dated in _find_pairs(frame, table, (one, other), known):
            left, right = one.rows[found.one], other.rows[found.other]
            codes = np.minimum(left, right) * rows + np.maximum(left, right)
            met.append(codes)
            redated += [] if dated else [codes]
    same = key[compared.left] == key[compared.right]
    order[same & _is_of_one_source(frame, compared)] = ELSEWHERE
    order[_stand_alone(frame, compared, key)] = SAME_PLACE
    if not met:
        return _Alignment(order, anew)
    codes = np.concatenate(met)
    pairs = compared.left * rows + compared.right
    left, right = np.divmod(codes, rows)
    eras = int(era.max()) + 1
    taken = np.concatenate((left * eras + era[right], right * eras + era[left]))
    for mine, theirs in ((compared.left, compared.right), (compared.right, compared.left)):
        order[same & np.isin(mine * eras + era[theirs], taken)] = ELSEWHERE
    order[np.isin(pairs, codes)] = SAME_PLACE
    if redated:
        anew = np.isin(pairs, np.concatenate(redated))
    return _Alignment(order, anew)


def _is_of_one_source(frame: Frame, compared: Compared) -> Bools:
    """Return which pairs a source listed one after the other with other times, and with no id or text in common."""
    left, right = compared.left, compared.right
    found: Bools = (frame.source[left] == frame.source[right]) & (frame.repeats[left] > 1)
    found &= compared.levels[:, KINDS.index("id")] == 0
    found &= compared.levels[:, KINDS.index("description")] < LEVELS["description"].index("above .9")
    at = np.flatnonzero(found)
    records = frame.records
    times = [(records[one].instant, records[other].instant) for one, other in zip(left[at], right[at], strict=True)]
    found[at] = [None not in pair and pair[0] != pair[1] for pair in times]
    return found


def _stand_alone(frame: Frame, compared: Compared, key: Ints) -> Bools:
    """Return which pairs of one title are a few days apart while either source's next of it lies further away."""
    listed = number_combinations(frame.source, key)
    order = np.lexsort((frame.day, listed))
    gaps = np.diff(frame.day[order])
    gaps[np.diff(listed[order]) != 0] = _FAR
    gap = np.empty(len(order), dtype=np.int64)
    gap[order] = np.minimum(np.append(gaps, _FAR), np.insert(gaps, 0, _FAR))
    left, right = compared.left, compared.right
    away = np.abs(frame.day[left] - frame.day[right])
    found = (key[left] == key[right]) & (frame.source[left] != frame.source[right]) & (frame.repeats[left] > 1)
    found &= (frame.day[left] != ABSENT) & (away <= _DELAY) & ~frame.wordless[left]
    found &= ~has_level(compared.levels, "number", ("equal, other season", "different"))
    alone: Bools = found & (np.minimum(gap[left], gap[right]) >= away + _FURTHER)
    return alone


class _Known:
    """Pairs that are known to be one, and the days between the sure pairs of two eras."""

    def __init__(
        self, frame: Frame, compared: Compared, weights: Floats, era: Ints, groups: Iterable[tuple[int, ...]]
    ) -> None:
        self.era = era
        self.unit = np.array(find_components(len(frame.records), groups), dtype=np.int64)
        self.days: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        left, right = compared.left, compared.right
        sure = (
            (weights >= SURE) & (frame.day[left] != ABSENT) & (frame.day[right] != ABSENT) & (era[left] != era[right])
        )
        for one, other in zip(left[sure].tolist(), right[sure].tolist(), strict=True):
            days = int(frame.day[other] - frame.day[one])
            self.days[int(era[one]), int(era[other])].append(days)
            self.days[int(era[other]), int(era[one])].append(-days)

    def weigh(self, one: _Side, other: _Side, met: tuple[Ints, Ints]) -> float:
        """Return what pairs that are known give for a displacement (natural log-odds)."""
        mine, theirs = self.unit[one.rows], self.unit[other.rows]
        _, at, there = np.intersect1d(mine, theirs, return_indices=True)
        together = int((np.abs(other.days[there] - one.days[at]) <= _NEAR).sum())
        agree = int((mine[met[0]] == theirs[met[1]]).sum())
        known_days = self.days.get((int(self.era[one.rows[0]]), int(self.era[other.rows[0]])), ())
        if len(met[0]):
            days = int(np.median(other.days[met[1]] - one.days[met[0]]))
            agree += sum(each == days for each in known_days)
            together += len(known_days)
        return _KNOWN * (min(agree, 4) - min(together - agree, 4))


def _number_eras(frame: Frame) -> Ints:
    """Return a number for each era of each source: entries that overlapping spans hold together.

    Where a source lists nothing any more that it listed before, another era begins: a moved host.
    """
    order = np.lexsort((frame.last, frame.first, frame.source))
    era = np.zeros(len(order), dtype=np.int64)
    number, source, last = -1, -1, 0
    for row in order.tolist():
        if frame.source[row] != source or frame.first[row] > last:
            number, source, last = number + 1, frame.source[row], 0
        era[row], last = number, max(last, frame.last[row])
    return era


def _find_encounters(frame: Frame, key: Ints, era: Ints) -> Iterator[tuple[_Side, _Side]]:
    """Yield each two listings' entries of one title, where one of them has several, all with their day."""
    some = np.flatnonzero((frame.repeats > 1) & (frame.day != ABSENT) & ~frame.wordless)
    order = some[np.lexsort((era[some], key[some]))]
    for together in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
        parts = np.split(together, np.flatnonzero(np.diff(era[together])) + 1)
        if len(parts) > 1:
            sides = [_side(frame, part) for part in parts]
            for at, one in enumerate(sides):
                yield from ((one, other) for other in sides[at + 1 :] if len(one.rows) + len(other.rows) > 2)  # noqa: PLR2004


def _side(frame: Frame, rows: Ints) -> _Side:
    """Return the newest of some rows of a listing, the oldest first."""
    records = [frame.records[row] for row in rows.tolist()]
    instants = np.array([record.instant or 0.0 for record in records])
    places = np.array([-1 if record.position is None else record.position for record in records])
    days = frame.day[rows]
    clock = np.mean(instants % _DAY != 0) >= _NEARLY_ALL
    order = np.lexsort((-places, instants, days))[-_LARGEST:]
    timed = bool(clock)
    zoned = timed and all(record.timed for record in records)
    audible = np.mean([any(value.startswith("audio:") for value in record.ids) for record in records]) >= _NEARLY_ALL
    return _Side(rows[order], days[order], instants[order], timed, zoned, bool(audible), int(frame.source[rows[0]]))


def _find_pairs(
    frame: Frame, table: Table, sides: tuple[_Side, _Side], known: _Known
) -> Iterator[tuple[_Meeting, bool]]:
    """Yield what meets under the displacement that is clearly the best, and whether the dates agree with it."""
    one, other = sides
    tried = [
        _judge(frame, table, sides, met, prior, known) for met, prior in _try_displacements(one, other) if len(met[0])
    ]
    best = _find_clear_best(tried, _CLEARLY)
    if best is not None and best.score > 0 and best.agreeing >= _NEARLY_ALL:
        yield best, True
        return
    if max((each.score for each in tried), default=0.0) > 0:
        return
    if min(len(one.rows), len(other.rows)) >= _LEAST:
        shifted = [_judge_shift(frame, table, sides, met) for met in _try_shifts(len(one.rows), len(other.rows))]
        best = _find_clear_best(shifted, _DATED_ANEW)
        if best is not None and best.score > 0 and best.agreeing >= _NEARLY_ALL:
            yield best, False


def _find_clear_best(tried: Sequence[_Meeting], margin: float) -> _Meeting | None:
    """Return the best where it is better than the next by a margin."""
    ranked = sorted(tried, key=lambda each: -each.score)
    return ranked[0] if ranked and (len(ranked) == 1 or ranked[0].score - ranked[1].score >= margin) else None


def _try_displacements(one: _Side, other: _Side) -> Iterator[tuple[tuple[Ints, Ints], float]]:
    """Yield what meets under each displacement in time, and what speaks for that before anything is compared."""
    same_source, exact = one.source == other.source, one.zoned and other.zoned
    if one.timed and other.timed:
        stretches = [0.0] if exact or same_source else _stretches(one, other)
        for stretch in stretches:
            keys = [np.rint((side.instants + move) / _MINUTE) for side, move in ((one, stretch), (other, 0))]
            prior = _SAME_INSTANT if exact else _SAME_ZONE
            yield _match_keys(keys), 0.0 if stretch else prior
    if same_source and one.timed and other.timed:
        return
    for days in (0,) if same_source else (-1, 0, 1):
        yield _match_keys([one.days + days, other.days]), 0.0 if days else _weigh_same_day(one, other)


def _weigh_same_day(one: _Side, other: _Side) -> float:
    """Return what speaks for equal days: in no zone of the Earth is a time before 10:00 UTC on the next day."""
    times = [float(np.median(side.instants % _DAY)) for side in (one, other) if side.timed]
    return _SAME_ZONE if times and max(times) < _DAY - _ZONES else 0.0


def _stretches(one: _Side, other: _Side) -> list[float]:
    """Return the most frequent stretches of time (seconds) between entries that a zone which was not told explains."""
    away = np.rint((other.instants[None, :] - one.instants[:, None]) / _MINUTE).ravel() * _MINUTE
    values, often = np.unique(away[np.abs(away) <= _ZONES], return_counts=True)
    best = values[np.argsort(-often, kind="stable")[:_STRETCHES]].tolist()
    return [float(value) for value in best if often.max() > 1]


def _match_keys(keys: Sequence[Ints | Floats]) -> tuple[Ints, Ints]:
    """Return the places of what has equal keys, where each side has one; of several in a day any may be meant."""
    values = [np.unique(column, return_index=True, return_counts=True) for column in keys]
    single = [(found[often == 1], places[often == 1]) for found, places, often in values]
    _, one, other = np.intersect1d(single[0][0], single[1][0], assume_unique=True, return_indices=True)
    return single[0][1][one], single[1][1][other]


def _judge(  # noqa: PLR0913, PLR0917 - what a displacement is judged by
    frame: Frame, table: Table, sides: tuple[_Side, _Side], met: tuple[Ints, Ints], prior: float, known: _Known
) -> _Meeting:
    """Return what meets under a displacement in time, with what speaks for it; pairs that contradict are left out."""
    one, other = sides
    weights = _weigh_contents(frame, table, one.rows[met[0]], other.rows[met[1]])
    score, missing = prior + known.weigh(one, other, met) + float(weights.sum()) + _MEETING * min(len(weights), 4), 0
    for side, places, across, others in ((one, met[0], other, met[1]), (other, met[1], one, met[0])):
        alone = np.setdiff1d(np.arange(len(side.rows)), places)
        days = side.days[alone] + int(np.median(across.days[others] - side.days[places]))
        newest, oldest = across.days[-1], across.days[others].min()
        ahead, inside = (days > newest) & (days <= newest + _NEAR), (days > oldest) & (days <= newest)
        cost = _BEFORE_HOST if across.audio and not side.audio else _BEHIND
        score -= cost * min(int(ahead.sum()), 3) + _INSIDE * int(inside.sum())
        missing += int(inside.sum())
    agreeing = 1.0 if prior == _SAME_INSTANT else len(weights) / (len(weights) + missing)
    good = weights > _AGAINST
    return _Meeting(met[0][good], met[1][good], score, agreeing)


def _try_shifts(one: int, other: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield what meets where one listing is moved by so many places, the newest beside the newest or the oldest."""
    least = max(_LEAST, min(one, other) // 2)
    near = {*range(-_SHIFTS, _SHIFTS + 1), *range(other - one - _SHIFTS, other - one + _SHIFTS + 1)}
    for shift in sorted(near):
        low, high = max(0, -shift), min(one, other - shift)
        if high - low >= least:
            yield np.arange(low, high), np.arange(low, high) + shift


def _judge_shift(frame: Frame, table: Table, sides: tuple[_Side, _Side], met: tuple[Ints, Ints]) -> _Meeting:
    """Return what meets where one listing is moved by places, with what lengths and texts alone give for it."""
    weights = _weigh_contents(frame, table, sides[0].rows[met[0]], sides[1].rows[met[1]])
    good = weights > _AGAINST
    return _Meeting(met[0][good], met[1][good], float(weights.sum()), float(np.mean(weights > 0)))


def _weigh_contents(frame: Frame, table: Table, left: Ints, right: Ints) -> Floats:
    """Return the weight of lengths and texts of each pair; a short text counts, too."""
    lengths = np.array(table.weights[KINDS.index("duration")], dtype=np.float32)
    texts = np.array(table.weights[KINDS.index("description")], dtype=np.float32)
    texts[LEVELS["description"].index("above .9 of many words")] = texts[LEVELS["description"].index("above .9")]
    weights: Floats = lengths[compare_lengths(frame, left, right)] + texts[compare_short_texts(frame, left, right)]
    return weights
