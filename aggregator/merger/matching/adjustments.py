"""Adjust the weight of a pair by other pairs of the run.

There are weak titles, later editions of a title, entries that are listed again, and competitors.

**Weak titles.** A weekly title ("Listener mail") that each of two listings has once, from different weeks, has the full
weight of a shared title. If dates are evidence in a run and those of the pair lie far apart, it needs one more
agreement: a shared id, an equal number, the same text, or a length that is the same to the second (minutes do not
count: half of all shows have a fixed length). If the dates of all other pairs of the two listings agree, even that is
not enough: a re-run has the same text.

**Later editions.** A source of bulletins lists only the newest of them, under one title or a few. An entry that it
dates after it was first seen to list another one of that title is a later edition, unless they share an id, if it has
listed the title three times, or if it lists nothing older than the former any more, and most of what came again with
it did so after the same number of days. Else an item was posted again, or a new host has dated the archive anew.

**Listed again.** A source that lists many of its titles under new ids after the old entries vanished has moved or
rewritten them. Then different texts of equal titles are no evidence against a pair, and a title that the source has
twice because of this counts as once. At least three titles and half of the shorter listing must come back without a
contradicting date, because one title alone may be next week's "Listener mail". Seen: a blog's front page, then its
feed. If five titles or more come back, each with its own length to the second, dates do not count: a new host has
dated the archive again. So it has if it dates five or more of them within a tenth of the days of the former listing,
as it imported them; their lengths may differ by an advertisement then, but not by more.

**Competitors.** Two weekly items of one title and one day fit their copies elsewhere equally well. The best guess would
be right half of the time and a wrong merge hides an item, so a pair loses the odds of all other candidates of the same
listing that fit one of the two as well. A candidate that fits a third record better does not count.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aggregator.merger.matching.alignment.listings import DAY, MAX_ZONE
from aggregator.merger.matching.comparison import find_witnessed
from aggregator.merger.matching.evidence.date import FAR_DATES, DateLevel
from aggregator.merger.matching.evidence.ids import IdLevel
from aggregator.merger.matching.evidence.length import OTHER_LENGTHS, LengthLevel
from aggregator.merger.matching.evidence.levels import is_one_of
from aggregator.merger.matching.evidence.text import TextLevel
from aggregator.merger.matching.evidence.title import TitleLevel
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.habits import MIN_SERIES, MIN_TITLES, NEARLY_ALL
from aggregator.merger.matching.features.token_bags import Bools, Doubles, Floats, Ints, number_combinations
from aggregator.merger.matching.scoring import Compared, Table

# Natural log-odds that a weak title loses: with 2 the titles of two weeks in short listings still merge, with 4 no pair
# of the development sets is lost that 3 keeps.
_WEAK_TITLE = 3.0
_RERUN = 5.0  # the same if nearly all other pairs of two listings agree to the day
_LATER = 20.0  # natural log-odds that a later edition loses: whatever else agrees
_WORTHLESS = -1.0  # a level of far dates that weighs more is no evidence: hosts of the run have dated archives again

_IMPORTED = 0.1  # share of the days of the former listing within which an import dates it
_SAME_TITLE = TitleLevel.FEW, TitleLevel.ONCE
_UNDISPUTED = DateLevel.NONE, DateLevel.SAME_DAY, DateLevel.NEXT_DAY

_MOST = 60.0  # natural log-odds; beyond, the exponential overflows single precision


def penalize_weak_titles(compared: Compared, table: Table, own: Ints) -> Floats:
    """Return what each pair loses, 0 or less.

    ``own`` is 1 if its dates lie far apart though those of other pairs of the two listings agree, 2 if nearly all of
    these agree to the day, else 0 (``listing_evidence.correct_dates``).
    """
    date = compared.of(DateLevel)
    counting = (table.of(DateLevel)[date] < _WORTHLESS) | is_one_of(compared.of(LengthLevel), OTHER_LENGTHS)
    doubted = (own > 0) | (is_one_of(date, FAR_DATES) & counting & ~find_witnessed(compared.levels))
    cost = np.where(own > 1, np.float32(-_RERUN), np.float32(-_WEAK_TITLE))
    return np.where(doubted, cost, np.float32(0))


def penalize_later_editions(frame: Frame, compared: Compared, unit: Ints) -> Floats:
    """Return what each pair of one source loses as two editions of a title, 0 or less.

    ``unit`` numbers the rows known to be one item.
    """
    left, right = compared.left, compared.right
    lost = np.zeros(len(left), dtype=np.float32)
    same = (frame.source[left] == frame.source[right]) & (frame.title_key[left] == frame.title_key[right])
    same &= (frame.title_key[left] != ABSENT) & (compared.of(IdLevel) == IdLevel.NONE)
    some = np.flatnonzero(same)
    if not len(some):
        return lost
    instants, seen = (
        np.array([np.nan if value is None else value for value in values])
        for values in zip(*((record.instant, record.seen) for record in frame.records), strict=True)
    )
    early = np.where(instants[left[some]] <= instants[right[some]], left[some], right[some])
    late = left[some] + right[some] - early
    slack = np.array([0 if frame.records[row].timed else MAX_ZONE for row in late.tolist()])
    later = instants[late] > np.minimum(seen[early] + slack, _find_newest(frame, instants, early))
    later &= instants[late] <= seen[late] + MAX_ZONE
    some, early, late = some[later], early[later], late[later]
    title = number_combinations(frame.source, frame.likely_scope, frame.title_key, frame.title_number)
    often = np.bincount(np.unique(np.stack((title, unit)), axis=1)[0])
    next_one = (title[early] != title[late]) | (often[title[late]] >= MIN_TITLES)
    days = np.rint((instants[late] - instants[early]) / DAY).astype(np.int64)
    polls = number_combinations(frame.source[late], frame.first[late])
    for poll in np.unique(polls[~next_one]).tolist():
        at = np.flatnonzero(polls == poll)
        _, back, often_so = np.unique(days[at], return_inverse=True, return_counts=True)
        moved = (instants[late[at]] - instants[early[at]] <= MAX_ZONE) & (len(np.unique(title[late[at]])) >= MIN_TITLES)
        oldest = np.nanmin(instants[_find_listed_with(frame, late[at[0]])])
        next_one[at] |= (instants[early[at]] <= oldest) & (2 * often_so[back] > len(at)) & ~moved
    lost[some[next_one]] = -_LATER
    return lost


def _find_newest(frame: Frame, instants: Doubles, rows: Ints) -> Doubles:
    """Return for each row the newest instant of what its source had listed when it was first seen to list the row."""
    newest = np.full(len(instants), np.nan)
    for source in np.unique(frame.source[rows]).tolist():
        of_it = np.flatnonzero((frame.source == source) & ~np.isnan(instants))
        of_it = of_it[np.argsort(frame.first[of_it], kind="stable")]
        first = frame.first[of_it]
        highest = np.maximum.accumulate(instants[of_it])
        newest[of_it] = highest[np.searchsorted(first, first, side="right") - 1]
    return newest[rows]


def _find_listed_with(frame: Frame, row: int) -> Bools:
    """Return which rows the source of a row listed when it was first seen to list that one."""
    poll = frame.first[row]
    found: Bools = (frame.source == frame.source[row]) & (frame.first <= poll) & (frame.last >= poll)
    return found


def find_redated(frame: Frame, compared: Compared, era: Ints) -> Bools:
    """Return which pairs one source listed at different times with one title, and dated anew.

    They are half of the shorter listing, and either of one length to the second, each of its own, or dated at once
    (`_is_imported`). ``era`` is from ``listings.number_eras``.
    """
    found: Bools = np.zeros(len(compared.left), dtype=np.bool_)
    same = (frame.source[compared.left] == frame.source[compared.right]) & (era[compared.left] != era[compared.right])
    same &= is_one_of(compared.of(TitleLevel), _SAME_TITLE)
    exact = compared.of(LengthLevel) == LengthLevel.SECONDS_2
    for move in _group_moves(compared, era, np.flatnonzero(same & exact), MIN_SERIES):
        lengths = frame.seconds[compared.left[move]]
        if len(np.unique(lengths)) >= NEARLY_ALL * len(move):
            found[move] = True
    like = same & ~is_one_of(compared.of(LengthLevel), OTHER_LENGTHS)
    for move in _group_moves(compared, era, np.flatnonzero(like), MIN_SERIES):
        if _is_imported(frame, compared, era, move):
            listings = {int(era[compared.left[move[0]]]), int(era[compared.right[move[0]]])}
            found |= same & np.isin(era[compared.left], [*listings]) & np.isin(era[compared.right], [*listings])
    return found


def _is_imported(frame: Frame, compared: Compared, era: Ints, move: Ints) -> bool:
    """Return whether one of two listings dates the entries that both have within a tenth of the days of the other.

    At least within a day of ten: a page may list what is on today, under the same titles each day.
    """
    left, right = compared.left[move], compared.right[move]
    first = np.where(era[left] < era[right], left, right)
    then, now = frame.day[first], frame.day[left + right - first]
    dated = (then != ABSENT) & (now != ABSENT)
    if np.count_nonzero(dated) < MIN_SERIES:
        return False
    spans = sorted(int(np.ptp(days[dated])) for days in (then, now))
    return max(spans[0], 1) <= _IMPORTED * spans[1]


def _group_moves(compared: Compared, listing: Ints, again: Ints, least: int) -> Iterator[Ints]:
    """Yield the pairs of each two listings that are at least ``least``, and half of the shorter listing."""
    if len(again) < least:
        return
    sizes = np.bincount(listing)
    moves = np.sort(np.stack([listing[compared.left[again]], listing[compared.right[again]]]), axis=0)
    kinds, inverse, counts = np.unique(moves, axis=1, return_inverse=True, return_counts=True)
    for at in np.flatnonzero(counts >= np.maximum(least, np.minimum(sizes[kinds[0]], sizes[kinds[1]]) / 2)).tolist():
        yield again[inverse.reshape(-1) == at]


def credit_relisted(frame: Frame, compared: Compared, table: Table, listing: Ints, redated: Bools) -> Floats:
    """Return what each pair of entries that are listed again gains: what different texts and the repeated title took.

    ``listing`` numbers the listing in which each row first appeared; ``redated`` are the pairs of ``find_redated``.
    """
    gains = np.zeros(len(compared.left), dtype=np.float32)
    left, right = compared.left, compared.right
    apart = (frame.last[left] < frame.first[right]) | (frame.last[right] < frame.first[left])
    same = (frame.source[left] == frame.source[right]) & is_one_of(compared.of(TitleLevel), _SAME_TITLE)
    again = np.flatnonzero(apart & same & is_one_of(compared.of(DateLevel), _UNDISPUTED))
    some = [*_group_moves(compared, listing, again, MIN_TITLES), np.flatnonzero(redated)]
    back = np.unique(np.concatenate(some))
    gains[back] = -np.minimum(table.of(TextLevel)[compared.of(TextLevel)[back]], 0)
    title = table.of(TitleLevel)
    twice = frame.repeats[left[back]] == 2  # noqa: PLR2004 - then and now
    more = np.maximum(title[TitleLevel.ONCE] - title[compared.of(TitleLevel)[back]], 0)
    gains[back] += np.where(twice, more, 0)
    return gains


def penalize_competitors(compared: Compared, weights: Floats, listing: Ints, unit: Ints) -> Floats:
    """Return for each pair the natural log-odds that it loses to other candidates, 0 or less.

    ``listing`` numbers the listing of each row, ``unit`` the rows known to be one item; the pairs have no veto.
    """
    odds = np.exp(np.minimum(weights, _MOST).astype(np.float64))
    lost = np.zeros(len(weights), dtype=np.float64)
    for one, other in ((compared.left, compared.right), (compared.right, compared.left)):
        away = number_combinations(one, listing[other])
        home = number_combinations(other, listing[one])
        best = np.zeros(int(home.max(initial=-1)) + 1, dtype=np.float64)
        np.maximum.at(best, home, odds)
        claims = np.where(odds >= best[home], odds, 0.0)
        every = np.bincount(away, weights=claims)[away]
        same = number_combinations(one, unit[other])
        rivals = np.maximum(every - np.bincount(same, weights=claims)[same], 0.0)
        lost = np.minimum(lost, -np.log1p(rivals))
    return lost.astype(np.float32)
