"""Align items of one title: find which entries of two listings are one by comparing the listings as a whole.

A daily show gives every item the same title, and a directory may list it without text, under the day of another zone.
A single pair is no evidence then: the entry of the same day and that of the next day fit equally well. But under the
right displacement of the listings nearly every entry meets another, the lengths and texts of these pairs agree, and no
listing is ahead of the other. A displacement counts if it explains both listings clearly better than any other; if two
explain them equally well there is no evidence.

Displacements that are tried: a time, if both listings have times of day (0 for the same instants, or the offset of a
zone that was not given), else none, one day earlier, or one day later; and, if an archive was dated again, a number of
places, for which only lengths and texts are evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from aggregator.merger.matching.clustering import find_components
from aggregator.merger.matching.comparison import (
    OTHER_TEXT,
    Compared,
    compare_lengths,
    compare_short_texts,
    find_witnessed,
)
from aggregator.merger.matching.features.feature_table import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints, number_combinations
from aggregator.merger.matching.scoring import ELSEWHERE, KINDS, LEVELS, SAME_PLACE, SURE, Table, has_level

_MEETING = 0.5  # natural log-odds for each pair of entries that meet, at most four: longer listings have more
_BEHIND = 2.0  # against it for each entry newer than all of the other listing, at most three: it may come late
_BEFORE_HOST = 5.0  # the same if a directory has it before the host, which alone has audio
_INSIDE = 3.0  # against it for each entry that the other listing lacks though it is newer than the oldest pair
_SAME_ZONE = 1.5  # for no displacement, if no zone explains another
_SAME_INSTANT = 5.0  # the same if both listings have times of day with their zone
_KNOWN = 1.5  # for each pair that is known to be one, at most four
_CLEARLY = 3.0  # by which the best displacement must be better than the next
_DATED_ANEW = 6.0  # the same if only lengths and texts are evidence
_NEARLY_ALL = 0.8  # share of the entries that must meet, and of the pairs whose lengths or texts must agree then
_AGAINST = -3.0  # weight of lengths and texts below which two entries that meet are not one
_DELAY, _FURTHER = 3, 3  # days that zones and delays explain; by which the next entry of the title must be further away
_FAR = 1000  # days to the next entry of a title if there is none
_LARGEST = 1000  # newest entries of one title of a listing that are compared
_MOST_SIDES = 100  # newest listings of one title that are compared: a source may list other bulletins each hour

_DAY, _MINUTE = 86_400, 60
_ZONES = 14 * 3600  # seconds by which a time without its zone may be wrong
_NEAR = 31  # days by which a listing may be ahead; entries dated even later were dated again
_STRETCHES = 8  # displacements in time that are tried, the most frequent first
_LEAST_DISPLACED = 2  # pairs that must meet on another day
_LEAST = 5  # entries of each listing that show that an archive was dated again
_SHIFTS = 40  # places by which archives are displaced at most


class _Alignment(Struct, frozen=True):
    """For each pair the level of ``order`` (0 if nothing is known) and whether its dates were given again."""

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
    """Return the evidence of aligned listings for each pair; ``groups`` are rows that are known to be one."""
    order = np.zeros(len(compared.left), dtype=np.int64)
    anew = np.zeros(len(compared.left), dtype=np.bool_)
    era, key = number_eras(frame), number_combinations(frame.likely_scope, frame.core, frame.full_title, frame.tag)
    known = _Known(frame, compared, weights, era, groups)
    rows, first = len(frame.records), _find_first_listed(era, known.unit)
    aligned: list[Ints] = []
    redated: list[Ints] = []
    for one, other in _find_encounters(frame, key, era, first):
        for found, dated in _find_pairs(frame, table, (one, other), known):
            left, right = one.rows[found.one], other.rows[found.other]
            codes = np.minimum(left, right) * rows + np.maximum(left, right)
            aligned.append(codes)
            redated += [] if dated else [codes]
    same = key[compared.left] == key[compared.right]
    gap = _find_gaps(frame, key)
    order[same & (_is_of_one_source(frame, compared) | _are_two_of_a_daily_title(frame, compared, gap))] = ELSEWHERE
    order[same & _stand_alone(frame, compared, gap)] = SAME_PLACE
    if not aligned:
        return _Alignment(order, anew)
    codes = np.concatenate(aligned)
    mine, theirs = first[compared.left], first[compared.right]
    pairs = np.minimum(mine, theirs) * rows + np.maximum(mine, theirs)
    left, right = np.divmod(codes, rows)
    eras = int(era.max()) + 1
    taken = np.concatenate((left * eras + era[right], right * eras + era[left]))
    for one_row, other_row in ((mine, theirs), (theirs, mine)):
        order[same & np.isin(one_row * eras + era[other_row], taken)] = ELSEWHERE
    order[np.isin(pairs, codes)] = SAME_PLACE
    if redated:
        anew = np.isin(pairs, np.concatenate(redated))
    return _Alignment(order, anew)


def _find_first_listed(era: Ints, unit: Ints) -> Ints:
    """Return for each row the first row of its era that is known to be the same item, mostly itself."""
    order = np.lexsort((np.arange(len(era)), unit, era))
    starts = np.ones(len(order), dtype=np.bool_)
    starts[1:] = (era[order][1:] != era[order][:-1]) | (unit[order][1:] != unit[order][:-1])
    first = np.empty(len(order), dtype=np.int64)
    first[order] = order[starts][np.cumsum(starts) - 1]
    return first


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


def _find_gaps(frame: Frame, key: Ints) -> Ints:
    """Return for each row the days to the next entry of its title in its source."""
    listed = number_combinations(frame.source, key)
    order = np.lexsort((frame.day, listed))
    gaps = np.diff(frame.day[order])
    gaps[np.diff(listed[order]) != 0] = _FAR
    gap = np.empty(len(order), dtype=np.int64)
    gap[order] = np.minimum(np.append(gaps, _FAR), np.insert(gaps, 0, _FAR))
    return gap


def _are_two_of_a_daily_title(frame: Frame, compared: Compared, gap: Ints) -> Bools:
    """Return which pairs of a title that a source repeats within days differ in text, or in day with known lengths.

    Texts count even if they have few words. An id, a number, or a length to the second is evidence for a pair; minutes
    are none, as they agree by chance.
    """
    left, right, levels = compared.left, compared.right, compared.levels
    found: Bools = (frame.source[left] != frame.source[right]) & (np.minimum(gap[left], gap[right]) <= _DELAY)
    found &= (frame.day[left] != ABSENT) & (frame.day[right] != ABSENT) & ~find_witnessed(levels)
    timed = levels[:, KINDS.index("duration")] > 0
    at = np.flatnonzero(found)
    texts = compare_short_texts(frame, left[at], right[at])
    found[at] = timed[at] & (frame.day[left[at]] != frame.day[right[at]])
    found[at] |= np.isin(texts, [LEVELS["description"].index(name) for name in OTHER_TEXT])
    return found


def _stand_alone(frame: Frame, compared: Compared, gap: Ints) -> Bools:
    """Return which pairs are a few days apart while the next entry of their title in each source is further away."""
    left, right = compared.left, compared.right
    away = np.abs(frame.day[left] - frame.day[right])
    found = (frame.source[left] != frame.source[right]) & (frame.repeats[left] > 1)
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

    def weigh(self, one: _Side, other: _Side, pairs: tuple[Ints, Ints]) -> float:
        """Return the natural log-odds for a displacement by the known pairs."""
        mine, theirs = self.unit[one.rows], self.unit[other.rows]
        _, at, there = np.intersect1d(mine, theirs, return_indices=True)
        together = int((np.abs(other.days[there] - one.days[at]) <= _NEAR).sum())
        agree = int((mine[pairs[0]] == theirs[pairs[1]]).sum())
        known_days = self.days.get((int(self.era[one.rows[0]]), int(self.era[other.rows[0]])), ())
        if len(pairs[0]):
            days = int(np.median(other.days[pairs[1]] - one.days[pairs[0]]))
            agree += sum(each == days for each in known_days)
            together += len(known_days)
        return _KNOWN * (min(agree, 4) - min(together - agree, 4))


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


def _find_encounters(frame: Frame, key: Ints, era: Ints, first: Ints) -> Iterator[tuple[_Side, _Side]]:
    """Yield the dated entries of one title of each two listings, if one of them has several.

    Of an item that is listed twice only the first entry counts.
    """
    some = (frame.repeats > 1) & (frame.day != ABSENT) & ~frame.wordless
    some = np.flatnonzero(some & (first == np.arange(len(first))))
    order = some[np.lexsort((era[some], key[some]))]
    for together in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
        parts = np.split(together, np.flatnonzero(np.diff(era[together])) + 1)
        if len(parts) > 1:
            oldest = set(sorted(range(len(parts)), key=lambda at: frame.last[parts[at]].max())[:-_MOST_SIDES])
            sides = [_make_side(frame, part) for at, part in enumerate(parts) if at not in oldest]
            for at, one in enumerate(sides):
                yield from ((one, other) for other in sides[at + 1 :] if len(one.rows) + len(other.rows) > 2)  # noqa: PLR2004


def _make_side(frame: Frame, rows: Ints) -> _Side:
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
    """Yield the pairs under the displacement that is clearly the best, and whether the dates agree with it."""
    one, other = sides
    tried = [
        _judge(frame, table, sides, pairs, prior, known)
        for pairs, prior in _try_displacements(one, other)
        if len(pairs[0])
    ]
    best = _find_clear_best(tried, _CLEARLY)
    if best is not None and best.score > 0 and best.agreeing >= _NEARLY_ALL:
        yield best, True
        return
    if max((each.score for each in tried), default=0.0) > 0:
        return
    if min(len(one.rows), len(other.rows)) >= _LEAST:
        shifted = [_judge_shift(frame, table, sides, pairs) for pairs in _try_shifts(len(one.rows), len(other.rows))]
        best = _find_clear_best(shifted, _DATED_ANEW)
        if best is not None and best.score > 0 and best.agreeing >= _NEARLY_ALL:
            yield best, False


def _find_clear_best(tried: Sequence[_Meeting], margin: float) -> _Meeting | None:
    """Return the best if it is better than the next by a margin, else ``None``."""
    ranked = sorted(tried, key=lambda each: -each.score)
    return ranked[0] if ranked and (len(ranked) == 1 or ranked[0].score - ranked[1].score >= margin) else None


def _try_displacements(one: _Side, other: _Side) -> Iterator[tuple[tuple[Ints, Ints], float]]:
    """Yield the pairs under each displacement in time, and the prior log-odds for it."""
    same_source, exact = one.source == other.source, one.zoned and other.zoned
    if one.timed and other.timed:
        stretches = [0.0] if exact or same_source else _find_stretches(one, other)
        for stretch in stretches:
            keys = [np.rint((side.instants + move) / _MINUTE) for side, move in ((one, stretch), (other, 0))]
            prior = _SAME_INSTANT if exact else _SAME_ZONE
            yield _match_keys(keys), 0.0 if stretch else prior
    if same_source and one.timed and other.timed:
        return
    for days in (0,) if same_source else (-1, 0, 1):
        pairs = _match_keys([one.days + days, other.days])
        if len(pairs[0]) >= (_LEAST_DISPLACED if days else 1):
            yield pairs, 0.0 if days else _weigh_same_day(one, other)


def _weigh_same_day(one: _Side, other: _Side) -> float:
    """Return the log-odds for equal days: in no zone of the Earth is a time before 10:00 UTC on the next day."""
    times = [float(np.median(side.instants % _DAY)) for side in (one, other) if side.timed]
    return _SAME_ZONE if times and max(times) < _DAY - _ZONES else 0.0


def _find_stretches(one: _Side, other: _Side) -> list[float]:
    """Return the most frequent differences of time (seconds) between entries that an unknown zone explains."""
    away = np.rint((other.instants[None, :] - one.instants[:, None]) / _MINUTE).ravel() * _MINUTE
    values, often = np.unique(away[np.abs(away) <= _ZONES], return_counts=True)
    best = values[np.argsort(-often, kind="stable")[:_STRETCHES]].tolist()
    return [float(value) for value in best if often.max() > 1]


def _match_keys(keys: Sequence[Ints | Floats]) -> tuple[Ints, Ints]:
    """Return the places of equal keys that each side has once; of several in a day any may be the right one."""
    values = [np.unique(column, return_index=True, return_counts=True) for column in keys]
    single = [(found[often == 1], places[often == 1]) for found, places, often in values]
    _, one, other = np.intersect1d(single[0][0], single[1][0], assume_unique=True, return_indices=True)
    return single[0][1][one], single[1][1][other]


def _judge(  # noqa: PLR0913, PLR0917 - what a displacement is judged by
    frame: Frame, table: Table, sides: tuple[_Side, _Side], pairs: tuple[Ints, Ints], prior: float, known: _Known
) -> _Meeting:
    """Return the pairs under a displacement in time, without contradicting ones, and the evidence for it."""
    one, other = sides
    weights = _weigh_contents(frame, table, one.rows[pairs[0]], other.rows[pairs[1]])
    score, missing = prior + known.weigh(one, other, pairs) + float(weights.sum()) + _MEETING * min(len(weights), 4), 0
    for side, places, across, others in ((one, pairs[0], other, pairs[1]), (other, pairs[1], one, pairs[0])):
        alone = np.setdiff1d(np.arange(len(side.rows)), places)
        days = side.days[alone] + int(np.median(across.days[others] - side.days[places]))
        newest, oldest = across.days[-1], across.days[others].min()
        ahead, inside = (days > newest) & (days <= newest + _NEAR), (days > oldest) & (days <= newest)
        cost = _BEFORE_HOST if across.audio and not side.audio else _BEHIND
        score -= cost * min(int(ahead.sum()), 3) + _INSIDE * int(inside.sum())
        missing += int(inside.sum())
    agreeing = 1.0 if prior == _SAME_INSTANT else len(weights) / (len(weights) + missing)
    if not prior:
        agreeing = min(agreeing, _find_share_of_like_lengths(frame, one.rows[pairs[0]], other.rows[pairs[1]]))
    good = weights > _AGAINST
    return _Meeting(pairs[0][good], pairs[1][good], score, agreeing)


def _find_share_of_like_lengths(frame: Frame, left: Ints, right: Ints) -> float:
    """Return the share of the pairs with known lengths that agree to the minute; 1 if none is known.

    Lengths a few minutes apart may be one item with other advertisements, but are no evidence for a displacement.
    """
    levels = compare_lengths(frame, left, right)
    levels = levels[levels > 0]
    like = [LEVELS["duration"].index(name) for name in ("precise, 2 s", "precise, 15 s", "minutes, 60 s")]
    return float(np.isin(levels, like).mean()) if len(levels) else 1.0


def _try_shifts(one: int, other: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs with one listing moved by a number of places from where both begin, or both end, together."""
    least = max(_LEAST, min(one, other) // 2)
    near = {*range(-_SHIFTS, _SHIFTS + 1), *range(other - one - _SHIFTS, other - one + _SHIFTS + 1)}
    for shift in sorted(near):
        low, high = max(0, -shift), min(one, other - shift)
        if high - low >= least:
            yield np.arange(low, high), np.arange(low, high) + shift


def _judge_shift(frame: Frame, table: Table, sides: tuple[_Side, _Side], pairs: tuple[Ints, Ints]) -> _Meeting:
    """Return the pairs with one listing moved by places, and the evidence of lengths and texts for it."""
    weights = _weigh_contents(frame, table, sides[0].rows[pairs[0]], sides[1].rows[pairs[1]])
    good = weights > _AGAINST
    return _Meeting(pairs[0][good], pairs[1][good], float(weights.sum()), float(np.mean(weights > 0)))


def _weigh_contents(frame: Frame, table: Table, left: Ints, right: Ints) -> Floats:
    """Return the weight of lengths and texts of each pair; a short text counts, too."""
    lengths, texts = table.of("duration"), table.of("description")
    texts[LEVELS["description"].index("above .9 of many words")] = texts[LEVELS["description"].index("above .9")]
    weights: Floats = lengths[compare_lengths(frame, left, right)] + texts[compare_short_texts(frame, left, right)]
    return weights
