"""Evidence about a pair from its two listings as a whole: order of their items, difference of dates, translation.

**Order.** Two listings of one show have the same items in the same order, or reversed. If enough pairs of two listings
are sure by other evidence and agree on an order, any other pair is between the same two sure pairs, which is evidence
for it, or elsewhere, which is evidence against it. Listings without positions, or in another order (titles, relevance),
give no such evidence. The weights are those of pairs that all other evidence leaves open (``docs/matching.md``), so
that dates are not counted twice.

**Dates.** A host that imports a show may date all of it again. If nearly all pairs of two listings that are sure
without their dates disagree on them, the difference is that of the listings, not of the items: if it is the same for
all pairs, the dates are compared without it; else they are no evidence. If nearly all other pairs agree, months or
years between two entries are their own: a re-run without a mark differs from the original in its date alone. A pair
that only shares its title does not show that listings disagree: weekly titles of two successive weeks would differ by
seven days. A third listing with too few pairs is compared by the nearer of the two calendars. Seen: 146 episodes of one
show later by 4.35 years in the median on its next host.

**Translation.** A listing in another language has other titles and texts. If most entries of two listings have one
instant and one length to the second in pairs, which no other entry of either listing has, in one order, their words are
no evidence.

Dates and order are as the pairs show it that were learned from: an entry that came since changes no other pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.matching.comparison import find_witnessed
from aggregator.merger.matching.evidence.date import DateLevel, grade_days
from aggregator.merger.matching.evidence.length import LengthLevel
from aggregator.merger.matching.evidence.levels import is_one_of
from aggregator.merger.matching.evidence.place import PlaceLevel
from aggregator.merger.matching.evidence.text import SAME_TEXT, TextLevel
from aggregator.merger.matching.evidence.title import TITLE, TitleLevel
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.habits import MAX_DELAY, MIN_SERIES, MIN_TITLES, NEARLY_ALL
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints, number_combinations
from aggregator.merger.matching.scoring import KINDS, SURE, UNSEEN, Compared, Table

_FEW = 3  # items between two landmarks that are few

_MANY = 8  # other sure pairs that show that two listings agree; 5 would be enough on all sets
_HARDLY_ANY = 0.1  # share of them that may disagree; with .2 three true pairs of directories-dev are lost
_NEXT_TO_NONE = 0.05  # share of them that may disagree by more than a day if they agree to the day
_LATE = 9  # days by which a blog or a directory may be later than the host; a re-run is later still
_STEADY = 1  # days by which a constant difference of dates may vary: time zones
_TIE = 0.01  # share of the date's weight that decides between two entries of the same text and title

_MOSTLY = 0.5  # share of the shorter listing's entries that they must be
_SAME_INSTANT = 60  # seconds


class _ListingPairs(Struct, frozen=True):
    """The pairs of two listings: their positions among all pairs, and the row of each in one and the other listing."""

    at: Ints
    one: Ints
    other: Ints

    def select_best(self, weights: Floats, some: Ints) -> Ints:
        """Return those of some pairs that are the best of both their rows, the best first."""
        best = some[np.lexsort((self.other[some], self.one[some], -weights[some]))]
        for rows in (self.one, self.other):
            best = best[np.sort(np.unique(rows[best], return_index=True)[1])]
        return best


def _group_by_listings(compared: Compared, listing: Ints, wanted: Bools, least: int) -> Iterator[_ListingPairs]:
    """Yield the pairs in ``wanted`` of each two listings that have ``least`` such pairs or more."""
    some = np.flatnonzero(wanted & (listing[compared.left] != listing[compared.right]))
    left, right = compared.left[some], compared.right[some]
    turned = listing[left] > listing[right]
    one, other = np.where(turned, right, left), np.where(turned, left, right)
    meeting = number_combinations(listing[one], listing[other])
    order = np.argsort(meeting, kind="stable")
    starts = np.flatnonzero(np.diff(meeting[order], prepend=-1))
    for start, count in zip(starts, np.diff(starts, append=len(order)), strict=True):
        if count >= least:
            group = order[start : start + count]
            yield _ListingPairs(some[group], one[group], other[group])


# Order


def find_order(frame: Frame, compared: Compared, table: Table, weights: Floats, vetoes: Ints) -> Ints:
    """Return for each pair the level of its place in the listings; ``weights`` are those of all other evidence.

    Pairs that were learned from have their places among all entries that were.
    """
    levels = np.zeros(len(weights), dtype=np.int64)
    learned = ~(frame.fresh[compared.left] | frame.fresh[compared.right])
    title_alone = table.prior + table.weights[KINDS.index(TITLE)][TitleLevel.ONCE]  # less than SURE in some tables
    for counted, wanted in ((~frame.fresh, learned), (np.ones_like(frame.fresh), ~learned)):
        listing, place = _find_places(frame, counted)
        size = np.bincount(listing, weights=place >= 0).astype(np.int64)
        placed = (place[compared.left] >= 0) & (place[compared.right] >= 0) & (vetoes == 0) & (weights >= UNSEEN)
        for pairs in _group_by_listings(compared, listing, placed, MIN_SERIES) if wanted.any() else ():
            if not wanted[pairs.at].any():
                continue
            own = weights[pairs.at]
            sure = pairs.select_best(own, np.flatnonzero(learned[pairs.at] & (own >= min(SURE, title_alone))))
            if len(sure) >= MIN_SERIES:
                sizes = int(size[listing[pairs.one[0]]]), int(size[listing[pairs.other[0]]])
                graded = _grade_places(place[pairs.one], place[pairs.other], sure, sizes)
                levels[pairs.at] = np.where(wanted[pairs.at], graded, levels[pairs.at])
    return levels


def _find_places(frame: Frame, counted: Bools) -> tuple[Ints, Ints]:
    """Return the listing of each row and its place there among the counted rows of its show, from 0.

    Rows of one source that were last listed together are one listing. The place is ``ABSENT`` where a row is not
    counted, has no position or shares it: a source read from several documents counts each from 0.
    """
    position = np.array([ABSENT if row.position is None else row.position for row in frame.records], dtype=np.int64)
    position[~counted] = ABSENT
    listing = number_combinations(frame.source, frame.last, frame.likely_scope)
    order = np.lexsort((position, listing))
    group, at = listing[order], position[order]
    tied = np.zeros(len(order), dtype=np.bool_)
    tied[1:] = (group[1:] == group[:-1]) & (at[1:] == at[:-1])
    tied[:-1] |= tied[1:]
    known = ~tied & (at != ABSENT)
    rank = np.cumsum(known) - 1
    starts = np.searchsorted(group, group)
    place = np.full(len(order), ABSENT, dtype=np.int64)
    place[order] = np.where(known, rank - rank[starts] + known[starts] - 1, ABSENT)
    return listing, place


def _grade_places(one: Ints, other: Ints, sure: Ints, sizes: tuple[int, int]) -> Ints:
    """Return the level of each pair by its places in two listings of some sizes; ``sure`` pairs are the landmarks."""
    sure = sure[np.argsort(one[sure])]
    if np.sign(np.diff(other[sure])).sum() < 0:  # one listing has them in reverse
        other = sizes[1] - 1 - other
    mine, theirs = one[sure], other[sure]
    if (np.diff(theirs) > 0).mean() < NEARLY_ALL:
        return np.zeros(len(one), dtype=np.int64)
    ends, across = np.concatenate(([-1], mine, [sizes[0]])), np.concatenate(([-1], theirs, [sizes[1]]))
    above, below = np.searchsorted(ends, one, side="left") - 1, np.searchsorted(ends, one, side="right")
    low, high = across[above], across[below]
    most = np.maximum(ends[below] - ends[above], high - low) - 1
    level = np.where(most <= _FEW, PlaceLevel.AMONG_FEW, PlaceLevel.BETWEEN)
    level = np.where(most <= 1, PlaceLevel.ALONE, level)
    level = np.where((low < other) & (other < high), level, PlaceLevel.ELSEWHERE)
    taken = np.isin(one, mine) | np.isin(other, theirs)  # with another row such a pair is a rival, no neighbour
    taken &= ~np.isin(one * (sizes[1] + 1) + other, mine * (sizes[1] + 1) + theirs)
    return np.where(taken | (low >= high), 0, level)


# Translation


def find_same_recordings(frame: Frame, compared: Compared, vetoes: Ints) -> Bools:
    """Return the pairs of one instant and one length to the second, which no other entry of either listing has."""
    instants = np.array([np.nan if row.instant is None or not row.timed else row.instant for row in frame.records])
    listing = number_combinations(frame.source, frame.last)
    left, right = compared.left, compared.right
    same = (np.abs(instants[left] - instants[right]) < _SAME_INSTANT) & (listing[left] != listing[right])
    some = np.flatnonzero(same & (vetoes == 0) & (compared.of(LengthLevel) == LengthLevel.SECONDS_2))
    found = np.zeros(len(left), dtype=np.bool_)
    alone = np.ones(len(some), dtype=np.bool_)
    for one, other in ((left[some], right[some]), (right[some], left[some])):
        _, which, often = np.unique(number_combinations(one, listing[other]), return_inverse=True, return_counts=True)
        alone &= often[which] == 1
    found[some[alone]] = True
    return found


def forget_translated_words(frame: Frame, compared: Compared, vetoes: Ints) -> Compared:
    """Return the pairs without the levels of titles and texts if one listing is a translation of the other.

    Of two such sources, different words are no evidence for any pair of one length to the second: entries that one of
    them listed before it moved have other ids or dates.
    """
    same = find_same_recordings(frame, compared, vetoes)
    if same.sum() < MIN_SERIES:
        return compared
    listing, place = _find_places(frame, np.ones_like(frame.fresh))
    size, forgotten = np.bincount(listing), replace(compared, levels=compared.levels.copy())
    unlike, exact = compared.of(TitleLevel) < TitleLevel.FROM_6, compared.of(LengthLevel) == LengthLevel.SECONDS_2
    one, other = frame.source[compared.left], frame.source[compared.right]
    low, high, translated = np.minimum(one, other), np.maximum(one, other), np.zeros(len(one), dtype=np.bool_)
    for pairs in _group_by_listings(compared, listing, same, MIN_SERIES):
        count, shorter = len(pairs.at), min(size[listing[pairs.one[0]]], size[listing[pairs.other[0]]])
        steps = np.sign(np.diff(place[pairs.other[np.argsort(place[pairs.one])]]))
        steady = abs(steps.sum()) >= (2 * NEARLY_ALL - 1) * (count - 1)
        if count >= _MOSTLY * shorter and unlike[pairs.at].mean() >= NEARLY_ALL and steady:
            translated[pairs.at] = True
            first = pairs.at[0]
            translated |= (low == low[first]) & (high == high[first]) & unlike & exact
    same_text = np.isin(compared.of(TextLevel), SAME_TEXT)  # of a host that changed all titles
    for kind in KINDS:
        if kind.is_translated:
            forgotten.of(kind.levels)[translated & ~(same_text & (kind.levels is TextLevel))] = 0
    return forgotten


# Dates


class _Survey(Struct, frozen=True):
    """Dates of the pairs of two listings: the days (``moved``) by which the second row of each is later.

    ``sure`` are pairs that are sure without their dates, ``titled`` also those that share only a title. ``disagree``
    says whether the dates of nearly all sure pairs do, ``steady`` whether by the same number of days (``stretch``).
    """

    pairs: _ListingPairs
    moved: Ints
    sure: Ints
    titled: Ints
    disagree: bool = False
    steady: bool = False
    stretch: int = 0


def correct_dates(frame: Frame, compared: Compared, table: Table, weights: Floats, vetoes: Ints) -> tuple[Ints, Ints]:
    """Return the levels of all dates, corrected for listings that disagree as a whole; ``weights`` include dates.

    Also return for each pair 1 if its dates lie far apart though those of the other pairs of the two listings agree, 2
    if nearly all of these agree to the day, else 0.
    """
    before: Ints = compared.of(DateLevel).astype(np.int64)
    levels, own = before.copy(), np.zeros(len(before), dtype=np.int64)
    bare = weights - table.of(DateLevel)[before]
    meant: Floats = (bare + _TIE * (weights - bare)).astype(np.float32)
    titled = (bare >= SURE) & ~(frame.fresh[compared.left] | frame.fresh[compared.right])
    sure = titled & find_witnessed(compared.levels)
    dated = (frame.day[compared.left] != ABSENT) & (frame.day[compared.right] != ABSENT) & (vetoes == 0)
    listing = number_combinations(frame.source, frame.last)
    surveys = []
    for pairs in _group_by_listings(compared, listing, dated, MIN_TITLES):
        chosen = (pairs.select_best(meant[pairs.at], np.flatnonzero(known[pairs.at])) for known in (sure, titled))
        surveys.append(_make_survey(pairs, frame.day[pairs.other] - frame.day[pairs.one], *chosen))
    elsewhere = _find_other_calendar(frame, surveys)
    day, one, other = frame.day, compared.left, compared.right
    days = np.abs([day[other] - day[one], elsewhere[other] - day[one], day[other] - elsewhere[one]]).min(axis=0)
    apart = dated & (listing[one] != listing[other])
    levels[apart] = grade_days(days[apart])
    for survey in surveys:
        at = survey.pairs.at
        nearest = np.abs(survey.moved) if len(survey.sure) >= MIN_TITLES else days[at]
        levels[at], own[at] = _grade_dates(survey, nearest, before[at])
    return levels, own


def _make_survey(pairs: _ListingPairs, moved: Ints, sure: Ints, titled: Ints) -> _Survey:
    """Return the survey of the dates of two listings by their sure pairs."""
    away = moved[sure]
    if len(sure) < MIN_TITLES or (np.abs(away) > MAX_DELAY).mean() < NEARLY_ALL:
        return _Survey(pairs, moved, sure, titled)
    stretch = int(np.sort(away)[len(away) // 2])
    steady = bool((np.abs(away - stretch) <= _STEADY).mean() >= NEARLY_ALL)
    return _Survey(pairs, moved, sure, titled, disagree=True, steady=steady, stretch=stretch)


def _grade_dates(survey: _Survey, days: Ints, before: Ints) -> tuple[Ints, Ints]:
    """Return the corrected levels of the dates of two listings, and the second result of ``correct_dates``.

    ``days`` are the days between the dates, ``before`` the levels by these alone.
    """
    own = np.zeros(len(days), dtype=np.int64)
    if survey.disagree:
        return grade_days(np.abs(survey.moved - survey.stretch)) if survey.steady else own, own
    agree, exact = _find_agreeing(survey.moved, survey.sure)
    agree |= _find_agreeing(survey.moved, survey.titled)[0]
    far = agree & is_one_of(before, (DateLevel.YEAR, DateLevel.MORE))
    own = np.where(exact & (np.abs(survey.moved) > _LATE), 2, np.where(far, 1, 0))
    return np.where(far, DateLevel.YEAR, grade_days(days)), own


def _find_agreeing(moved: Ints, sure: Ints) -> tuple[Bools, Bools]:
    """Return for each pair whether the other sure pairs of its listings agree on dates, and whether to the day."""
    away = np.abs(moved[sure])
    itself = np.zeros(len(moved), dtype=np.int64)
    itself[sure] = away > MAX_DELAY
    others = len(sure) - itself
    agree = (others >= _MANY) & ((away > MAX_DELAY).sum() - itself <= _HARDLY_ANY * others)
    return agree, agree & ((away > _STEADY).sum() - itself <= _NEXT_TO_NONE * others)


def _find_other_calendar(frame: Frame, surveys: Sequence[_Survey]) -> Ints:
    """Return the day of each row in the calendar of a listing that disagrees with its own.

    It is the day of its partner in that listing, else its own.
    """
    days: Ints = frame.day.copy()
    for survey in (each for each in surveys if each.disagree):
        one, other = survey.pairs.one[survey.sure], survey.pairs.other[survey.sure]
        days[one], days[other] = frame.day[other], frame.day[one]
    return days
