"""Evidence that two listings as a whole give about a pair: order of their items, difference of dates, translation.

**Order.** Two listings of one show hold the same items in the same order, or in the reverse one. Where enough pairs of
two listings are sure without it, and those agree on an order, any other pair stands between the same two sure pairs,
which is evidence for it, or elsewhere, which is evidence against it. A listing without positions, or one sorted by
something else (titles, relevance), has no order in common with another and gives none. The weights are those of pairs
that all other evidence leaves open (``docs/matching.md``), so that what dates say already is not counted twice.

**Dates.** A host that imports a show may stamp all of it with other dates. Where the pairs of two listings that are
sure without their dates nearly all disagree, the disagreement is that of the listings, not of the items. Moved by one
and the same stretch, the dates are compared as if moved back, and tell next week's item of one title from this week's
again; else they are no evidence. Where the others nearly all agree, months or years between two entries are the
entries' own, no stamp: a re-run without a mark, which nothing but the date tells from the original. A pair that only
shares its title does not show that listings disagree: three weekly titles of one week and of the next would be moved by
seven days. A
third listing that has too little in common with one of the two to tell is compared by the nearer of their calendars.
Seen: 146 episodes of one show later by 4.35 years in the median on its next host.

**Translation.** A listing in another language has other titles and texts throughout. Where entries of two listings have
one instant and one length to the second, which no other entry of either listing has, and this holds for most entries
and in one order, their words are no evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.matching.comparison import Compared, find_witnessed, grade_days
from aggregator.merger.matching.features.feature_table import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints, number_combinations
from aggregator.merger.matching.scoring import ELSEWHERE, KINDS, LEVELS, SURE, UNSEEN, Table, has_level

_LANDMARKS = 5  # by which two listings show an order; with 3 wrong orders cost precision .001, 8 change nothing
_AGREED = 0.8  # share of neighbouring landmarks in one order; .7 lets listings in no order through, .9 loses a few
_FEW = 3  # items between two landmarks that are few

_LEAST = 3  # sure pairs by which two listings are seen to disagree on dates
_NEARLY_ALL = 0.8  # share of the sure pairs; an archive of which half was dated anew is two archives
_FAR = 3  # days that time zones and the delay of a directory explain
_MANY = 8  # other sure pairs by which two listings are seen to agree; 5 would do on all sets
_HARDLY_ANY = 0.1  # share of them that may disagree; with .2 three true pairs of directories-dev are lost
_NEXT_TO_NONE = 0.05  # share of them that may disagree by more than a day where they agree to the day
_LATE = 9  # days by which a blog or a directory may come after the host; a re-run comes later
_STEADY = 1  # days by which a move by one and the same stretch may vary: time zones
_TIE = 0.01  # of the date's weight: which of two entries of one text and title is meant, the date says

_TRANSLATED = 5  # entries of one instant and length by which a listing is seen to be a translation
_MOSTLY = 0.5  # share of the shorter listing's entries that they must be
_SAME_INSTANT = 60  # seconds

_DATE = KINDS.index("date")
_WORDS = ("title", "names", "description", "tag", "digits")
_UNLIKE = ("none", "below .2", ".2 to .3", ".3 to .4", ".4 to .5", ".5 to .6")
_YEAR, _MORE = (LEVELS["date"].index(level) for level in ("a year", "more"))

_NONE, _, _BETWEEN, _AMONG_FEW, _ALONE, _ = range(len(LEVELS["order"]))


class _Encounter(Struct, frozen=True):
    """The pairs of two listings: their positions among all pairs, and the row of each in one and the other listing."""

    at: Ints
    one: Ints
    other: Ints

    def select_best(self, weights: Floats, some: Ints) -> Ints:
        """Return those of some pairs that are each row's best of the other listing, the best first."""
        best = some[np.lexsort((self.other[some], self.one[some], -weights[some]))]
        for rows in (self.one, self.other):
            best = best[np.sort(np.unique(rows[best], return_index=True)[1])]
        return best


def _find_encounters(compared: Compared, listing: Ints, asked: Bools) -> Iterator[_Encounter]:
    """Yield the pairs that are asked about, by the two listings that they are of."""
    some = np.flatnonzero(asked & (listing[compared.left] != listing[compared.right]))
    left, right = compared.left[some], compared.right[some]
    turned = listing[left] > listing[right]
    one, other = np.where(turned, right, left), np.where(turned, left, right)
    meeting = number_combinations(listing[one], listing[other])
    order = np.argsort(meeting, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(meeting[order])) + 1) if len(some) else ():
        yield _Encounter(some[group], one[group], other[group])


# Order


def find_order(frame: Frame, compared: Compared, weights: Floats, vetoes: Ints) -> Ints:
    """Return for each pair the level of the evidence ``order``; ``weights`` are those of all other evidence."""
    levels = np.zeros(len(weights), dtype=np.int64)
    listing, place = _find_places(frame)
    size = np.bincount(listing, weights=place >= 0).astype(np.int64)
    placed = (place[compared.left] >= 0) & (place[compared.right] >= 0)
    for met in _find_encounters(compared, listing, placed & (vetoes == 0) & (weights >= UNSEEN)):
        own = weights[met.at]
        sure = met.select_best(own, np.flatnonzero(own >= SURE))
        if len(sure) >= _LANDMARKS:
            sizes = int(size[listing[met.one[0]]]), int(size[listing[met.other[0]]])
            levels[met.at] = _grade_places(place[met.one], place[met.other], sure, sizes)
    return levels


def _find_places(frame: Frame) -> tuple[Ints, Ints]:
    """Return the listing of each row and its place there among the rows of its show, counted from 0.

    Rows of one source that were last listed together are one listing. The place is ``ABSENT`` where a row has no
    position or shares it: a source read from several documents counts each from 0.
    """
    position = np.array([ABSENT if row.position is None else row.position for row in frame.records], dtype=np.int64)
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
    kept = _find_in_line(theirs)
    if kept.sum() < _LANDMARKS or (np.diff(theirs) > 0).mean() < _AGREED:
        return np.zeros(len(one), dtype=np.int64)
    mine, theirs = mine[kept], theirs[kept]
    ends, across = np.concatenate(([-1], mine, [sizes[0]])), np.concatenate(([-1], theirs, [sizes[1]]))
    above, below = np.searchsorted(ends, one, side="left") - 1, np.searchsorted(ends, one, side="right")
    low, high = across[above], across[below]
    most = np.maximum(ends[below] - ends[above], high - low) - 1
    level = np.where(most <= 1, _ALONE, np.where(most <= _FEW, _AMONG_FEW, _BETWEEN))
    level = np.where((low < other) & (other < high), level, ELSEWHERE)
    taken = np.isin(one, mine) | np.isin(other, theirs)  # with another row such a pair is a rival, no neighbour
    taken &= ~np.isin(one * (sizes[1] + 1) + other, mine * (sizes[1] + 1) + theirs)
    return np.where(taken | (low >= high), _NONE, level)


def _find_in_line(places: Ints) -> Bools:
    """Return which landmarks do not stand out of the line that those before and after them make."""
    kept = np.ones(len(places), dtype=np.bool_)
    before, this, after = places[:-2], places[1:-1], places[2:]
    kept[1:-1] = (before >= after) | ((before < this) & (this < after))
    return kept


# Translation


def find_same_recordings(frame: Frame, compared: Compared, vetoes: Ints) -> Bools:
    """Return the pairs of one instant and one length to the second, which no other entry of either listing has."""
    instants = np.array([np.nan if row.instant is None or not row.timed else row.instant for row in frame.records])
    listing = number_combinations(frame.source, frame.last)
    left, right = compared.left, compared.right
    same = (np.abs(instants[left] - instants[right]) < _SAME_INSTANT) & (listing[left] != listing[right])
    some = np.flatnonzero(same & (vetoes == 0) & has_level(compared.levels, "duration", ("precise, 2 s",)))
    found = np.zeros(len(left), dtype=np.bool_)
    alone = np.ones(len(some), dtype=np.bool_)
    for one, other in ((left[some], right[some]), (right[some], left[some])):
        _, which, often = np.unique(number_combinations(one, listing[other]), return_inverse=True, return_counts=True)
        alone &= often[which] == 1
    found[some[alone]] = True
    return found


def forget_translated_words(frame: Frame, compared: Compared, vetoes: Ints) -> Compared:
    """Return the pairs without the levels of titles and texts where one listing is a translation of the other."""
    same = find_same_recordings(frame, compared, vetoes)
    if same.sum() < _TRANSLATED:
        return compared
    listing, place = _find_places(frame)
    size, levels = np.bincount(listing), compared.levels.copy()
    for met in _find_encounters(compared, listing, same):
        count, shorter = len(met.at), min(size[listing[met.one[0]]], size[listing[met.other[0]]])
        unlike = has_level(levels[met.at], "title", _UNLIKE).mean()
        steps = np.sign(np.diff(place[met.other[np.argsort(place[met.one])]]))
        steady = abs(steps.sum()) >= (2 * _AGREED - 1) * (count - 1)
        if count >= max(_TRANSLATED, _MOSTLY * shorter) and unlike >= _NEARLY_ALL and steady:
            for kind in _WORDS:
                levels[met.at, KINDS.index(kind)] = 0
    return replace(compared, levels=levels)


# Dates


class _Survey(Struct, frozen=True):
    """The days by which the second row of each pair of an encounter is later, and what its sure pairs say of them.

    ``sure`` are pairs that are sure without their dates, ``titled`` also those that share a title alone. ``disagree``
    says whether nearly all sure pairs do, ``steady`` whether they do by one and the same ``stretch`` of days.
    """

    met: _Encounter
    moved: Ints
    sure: Ints
    titled: Ints
    disagree: bool = False
    steady: bool = False
    stretch: int = 0


def correct_dates(frame: Frame, compared: Compared, table: Table, weights: Floats, vetoes: Ints) -> tuple[Ints, Ints]:
    """Return the levels of all dates, those of listings that disagree as a whole put right; ``weights`` include them.

    And for each pair 1 where its dates lie far apart though those of the two listings' other pairs agree, 2 where
    nearly all of these agree to the day.
    """
    levels: Ints = compared.levels[:, _DATE].astype(np.int64)
    own = np.zeros(len(levels), dtype=np.int64)
    bare = weights - np.array(table.weights[_DATE], dtype=np.float32)[levels]
    meant: Floats = (bare + _TIE * (weights - bare)).astype(np.float32)
    titled = bare >= SURE
    sure = titled & find_witnessed(compared.levels)
    dated = (frame.day[compared.left] != ABSENT) & (frame.day[compared.right] != ABSENT) & (vetoes == 0)
    listing = number_combinations(frame.source, frame.last)
    surveys = []
    for met in _find_encounters(compared, listing, dated):
        chosen = (met.select_best(meant[met.at], np.flatnonzero(known[met.at])) for known in (sure, titled))
        surveys.append(_survey(met, frame.day[met.other] - frame.day[met.one], *chosen))
    elsewhere = _find_other_calendar(frame, listing, surveys)
    for survey in surveys:
        at, one, other = survey.met.at, survey.met.one, survey.met.other
        ways = np.stack([survey.moved, elsewhere[other] - frame.day[one], frame.day[other] - elsewhere[one]])
        days = np.abs(ways[:1] if len(survey.sure) >= _LEAST else ways).min(axis=0)
        levels[at], own[at] = _grade_dates(survey, days, levels[at])
    return levels, own


def _survey(met: _Encounter, moved: Ints, sure: Ints, titled: Ints) -> _Survey:
    """Return what the sure pairs of an encounter show of its dates."""
    away = moved[sure]
    if len(sure) < _LEAST or (np.abs(away) > _FAR).mean() < _NEARLY_ALL:
        return _Survey(met, moved, sure, titled)
    stretch = int(np.sort(away)[len(away) // 2])
    steady = bool((np.abs(away - stretch) <= _STEADY).mean() >= _NEARLY_ALL)
    return _Survey(met, moved, sure, titled, disagree=True, steady=steady, stretch=stretch)


def _grade_dates(survey: _Survey, days: Ints, before: Ints) -> tuple[Ints, Ints]:
    """Return the levels of the dates of an encounter, and for which pairs they are their own (``correct_dates``).

    ``days`` lie between the dates, ``before`` are the levels by these dates alone.
    """
    own = np.zeros(len(days), dtype=np.int64)
    if survey.disagree:
        return grade_days(np.abs(survey.moved - survey.stretch)) if survey.steady else own, own
    agree, exact = _find_agreeing(survey.moved, survey.sure)
    agree |= _find_agreeing(survey.moved, survey.titled)[0]
    far = agree & np.isin(before, (_YEAR, _MORE))
    own = np.where(exact & (np.abs(survey.moved) > _LATE), 2, np.where(far, 1, 0))
    return np.where(far, _YEAR, grade_days(days)), own


def _find_agreeing(moved: Ints, sure: Ints) -> tuple[Bools, Bools]:
    """Return for each pair whether the other sure pairs of its listings agree on dates, and whether to the day."""
    away = np.abs(moved[sure])
    itself = np.zeros(len(moved), dtype=np.int64)
    itself[sure] = away > _FAR
    others = len(sure) - itself
    agree = (others >= _MANY) & ((away > _FAR).sum() - itself <= _HARDLY_ANY * others)
    return agree, agree & ((away > _STEADY).sum() - itself <= _NEXT_TO_NONE * others)


def _find_other_calendar(frame: Frame, listing: Ints, surveys: Sequence[_Survey]) -> Ints:
    """Return the day of each row by another calendar than its own.

    This is the day that a disagreeing listing gives it, else its own, moved back by the stretch of its listing.
    """
    shift = np.zeros(int(listing.max(initial=0)) + 1, dtype=np.int64)
    for survey in sorted((each for each in surveys if each.steady), key=lambda each: len(each.sure)):
        shift[listing[survey.met.one[0]]], shift[listing[survey.met.other[0]]] = -survey.stretch, survey.stretch
    days: Ints = frame.day - shift[listing]
    for survey in (each for each in surveys if each.disagree):
        one, other = survey.met.one[survey.sure], survey.met.other[survey.sure]
        days[one], days[other] = frame.day[other], frame.day[one]
    return days
