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


class _Sides(Struct, frozen=True):
    """Pairs by place: the number of the two listings' encounter, and the place of each row in its own listing."""

    meeting: Ints
    one: Ints
    other: Ints


def find_order(frame: Frame, compared: Compared, weights: Floats, vetoes: Ints) -> Ints:
    """Return for each pair the level of the evidence ``order``; ``weights`` are those of all other evidence."""
    levels = np.zeros(len(weights), dtype=np.int64)
    listing, place, size = _find_places(frame)
    left, right = compared.left, compared.right
    looked = np.flatnonzero((vetoes == 0) & (weights >= UNSEEN) & (place[left] >= 0) & (place[right] >= 0))
    looked = looked[listing[left[looked]] != listing[right[looked]]]
    swapped = listing[left[looked]] > listing[right[looked]]
    one, other = np.where(swapped, right[looked], left[looked]), np.where(swapped, left[looked], right[looked])
    codes, meeting = np.unique(listing[one] * len(size) + listing[other], return_inverse=True)
    sides = _Sides(meeting, place[one], place[other])
    sure = _find_landmarks(sides, weights[looked])
    if len(sure) < _LANDMARKS:
        return levels
    levels[looked] = _place_levels(sides, sure, (size[codes // len(size)], size[codes % len(size)]))
    return levels


def _find_places(frame: Frame) -> tuple[Ints, Ints, Ints]:
    """Return the listing of each row, its place there among the rows of its show, and the size of each listing.

    Places are counted from 0. Rows of one source that were last listed together are one listing. The place is
    ``ABSENT`` where a row has no position or shares it: a source read from several documents counts each from 0.
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
    return listing, place, np.bincount(listing, weights=place >= 0).astype(np.int64)


def _find_landmarks(sides: _Sides, weights: Floats) -> Ints:
    """Return the pairs that are sure, by encounter and place."""
    best = _select_best(sides.meeting, (sides.one, sides.other), weights, np.flatnonzero(weights >= SURE))
    return best[np.lexsort((sides.one[best], sides.meeting[best]))]


def _select_best(meeting: Ints, rows: tuple[Ints, Ints], weights: Floats, some: Ints) -> Ints:
    """Return those of some pairs that are each row's best of the other listing, the best first."""
    best = some[np.lexsort((rows[1][some], rows[0][some], -weights[some]))]
    for row in rows:
        codes = meeting[best] * (int(row.max(initial=0)) + 1) + row[best]
        best = best[np.sort(np.unique(codes, return_index=True)[1])]
    return best


def _place_levels(sides: _Sides, sure: Ints, sizes: tuple[Ints, Ints]) -> Ints:
    """Return the level of each pair, given the landmarks and how many rows the two listings of each encounter have."""
    meeting, one = sides.meeting[sure], sides.one[sure]
    backward = _is_backward(meeting, sides.other[sure], len(sizes[0]))
    turned = np.where(backward[sides.meeting], sizes[1][sides.meeting] - 1 - sides.other, sides.other)
    other = turned[sure]
    kept = _find_in_line(meeting, other)
    orderly = _is_orderly(meeting, other, kept, len(sizes[0]))
    kept &= orderly[meeting]
    levels = np.zeros(len(sides.one), dtype=np.int64)
    if not kept.any():
        return levels
    meeting, one, other = meeting[kept], one[kept], other[kept]
    wide = int(max(size.max(initial=0) for size in sizes)) + 2
    ends = np.flatnonzero(orderly)
    keys = np.concatenate((meeting * wide + one + 1, ends * wide, ends * wide + sizes[0][ends] + 1))
    across = np.concatenate((other, np.full(len(ends), -1), sizes[1][ends]))
    order = np.argsort(keys)
    keys, across = keys[order], across[order]
    asked = np.flatnonzero(orderly[sides.meeting] & ~_is_taken(sides, turned, (meeting, one, other)))
    key = sides.meeting[asked] * wide + sides.one[asked] + 1
    above, below = np.searchsorted(keys, key, side="left") - 1, np.searchsorted(keys, key, side="right")
    low, high = across[above], across[below]
    most = np.maximum(keys[below] - keys[above], high - low) - 1
    inside = (low < turned[asked]) & (turned[asked] < high)
    level = np.where(most <= 1, _ALONE, np.where(most <= _FEW, _AMONG_FEW, _BETWEEN))
    levels[asked] = np.where(low >= high, _NONE, np.where(inside, level, ELSEWHERE))
    return levels


def _is_backward(meeting: Ints, other: Ints, meetings: int) -> Bools:
    """Return for each encounter whether one listing has the landmarks in reverse."""
    same = meeting[1:] == meeting[:-1]
    up = np.bincount(meeting[1:][same], weights=np.sign(np.diff(other))[same], minlength=meetings)
    down: Bools = up < 0
    return down


def _find_in_line(meeting: Ints, other: Ints) -> Bools:
    """Return which landmarks do not stand out of the line that those before and after them make."""
    kept = np.ones(len(other), dtype=np.bool_)
    before, this, after = other[:-2], other[1:-1], other[2:]
    together = (meeting[:-2] == meeting[1:-1]) & (meeting[1:-1] == meeting[2:])
    kept[1:-1] = ~(together & (before < after) & ~((before < this) & (this < after)))
    return kept


def _is_orderly(meeting: Ints, other: Ints, kept: Bools, meetings: int) -> Bools:
    """Return for each encounter whether enough landmarks are in order."""
    same = meeting[1:] == meeting[:-1]
    steps = np.bincount(meeting[1:][same], minlength=meetings)
    rising = np.bincount(meeting[1:][same & (np.diff(other) > 0)], minlength=meetings)
    enough: Bools = (np.bincount(meeting[kept], minlength=meetings) >= _LANDMARKS) & (rising >= _AGREED * steps)
    return enough


def _is_taken(sides: _Sides, turned: Ints, landmarks: tuple[Ints, Ints, Ints]) -> Bools:
    """Return the pairs of which one row is a landmark with another row: those are rivals, not neighbours."""
    meeting, one, other = landmarks
    wide = int(max(sides.one.max(initial=0), sides.other.max(initial=0), turned.max(initial=0))) + 1
    found = np.zeros(len(turned), dtype=np.bool_)
    for mine, theirs in (((sides.one, turned), (one, other)), ((turned, sides.one), (other, one))):
        codes = meeting * wide + theirs[0]
        order = np.argsort(codes)
        codes, partner = codes[order], theirs[1][order]
        asked = sides.meeting * wide + mine[0]
        at = np.minimum(np.searchsorted(codes, asked), len(codes) - 1)
        found |= (codes[at] == asked) & (partner[at] != mine[1])
    return found


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
    same = np.flatnonzero(find_same_recordings(frame, compared, vetoes))
    if len(same) < _TRANSLATED:
        return compared
    listing, place, _ = _find_places(frame)
    left, right = compared.left[same], compared.right[same]
    turned = listing[left] > listing[right]
    one, other = np.where(turned, right, left), np.where(turned, left, right)
    meeting = number_combinations(listing[one], listing[other])
    order = np.lexsort((place[one], meeting))
    same, one, other, meeting = same[order], one[order], other[order], meeting[order]
    count = np.bincount(meeting)
    unlike = np.bincount(meeting, weights=has_level(compared.levels[same], "title", _UNLIKE))
    together = meeting[1:] == meeting[:-1]
    steps = np.sign(np.diff(place[other]))
    rising = np.abs(np.bincount(meeting[1:][together], weights=steps[together], minlength=len(count)))
    sizes = np.bincount(listing)
    shorter = np.zeros(len(count), dtype=np.int64)
    shorter[meeting] = np.minimum(sizes[listing[one]], sizes[listing[other]])
    translated = (count >= _TRANSLATED) & (count >= _MOSTLY * shorter) & (unlike >= _NEARLY_ALL * count)
    translated &= rising >= (2 * _AGREED - 1) * (count - 1)
    levels = compared.levels.copy()
    for kind in _WORDS:
        levels[same[translated[meeting]], KINDS.index(kind)] = 0
    return replace(compared, levels=levels)


def correct_dates(frame: Frame, compared: Compared, table: Table, weights: Floats, vetoes: Ints) -> tuple[Ints, Ints]:
    """Return the levels of all dates, those of listings that disagree as a whole put right; ``weights`` include them.

    And for each pair 1 where its dates lie far apart though those of the two listings' other pairs agree, 2 where
    nearly all of these agree to the day.
    """
    levels: Ints = compared.levels[:, _DATE].astype(np.int64)
    own = np.zeros(len(levels), dtype=np.int64)
    dated = np.flatnonzero((frame.day[compared.left] != ABSENT) & (frame.day[compared.right] != ABSENT) & (vetoes == 0))
    listing = number_combinations(frame.source, frame.last)
    left, right = compared.left[dated], compared.right[dated]
    turned = listing[left] > listing[right]
    one, other = np.where(turned, right, left), np.where(turned, left, right)
    meeting = number_combinations(listing[one], listing[other])
    bare = weights[dated] - np.array(table.weights[_DATE], dtype=np.float32)[levels[dated]]
    meant: Floats = (bare + _TIE * (weights[dated] - bare)).astype(np.float32)
    likely = (bare >= SURE) & (listing[left] != listing[right])
    titled = _select_best(meeting, (one, other), meant, np.flatnonzero(likely))
    if len(titled) < _LEAST:
        return levels, own
    sure = np.flatnonzero(likely & find_witnessed(compared.levels[dated]))
    sure = _select_best(meeting, (one, other), meant, sure)
    moved = frame.day[other] - frame.day[one]
    met = _survey(meeting, moved, sure)
    put_right = np.where(met.steady, 1, 0)[meeting] * grade_days(np.abs(moved - met.stretch[meeting]))
    agree, exact = _find_agreeing(met, meeting, moved, sure)
    agree |= _find_agreeing(_survey(meeting, moved, titled), meeting, moved, titled)[0] & ~met.disagree[meeting]
    own[dated] = np.where(agree & np.isin(levels[dated], (_YEAR, _MORE)), 1, 0)
    own[dated] = np.where(exact & (np.abs(moved) > _LATE), 2, own[dated])
    elsewhere = _elsewhere(frame, listing, (one, other, meeting), sure, met)
    ways = np.stack([moved, elsewhere[other] - frame.day[one], frame.day[other] - elsewhere[one]])
    unknown = np.where((met.count < _LEAST)[meeting], np.min(np.abs(ways), axis=0), moved)
    levels[dated] = np.where(
        met.disagree[meeting],
        put_right,
        np.where(agree & np.isin(levels[dated], (_YEAR, _MORE)), _YEAR, grade_days(np.abs(unknown))),
    )
    return levels, own


class _Encounters(Struct, frozen=True):
    """The sure pairs of each encounter of two listings: how many, by what days the second is later, how many differ,
    and how many by more than a day.

    ``disagree`` says whether nearly all do, ``steady`` whether they do by one and the same stretch.
    """

    count: Ints
    stretch: Ints
    apart: Floats
    astray: Floats
    disagree: Bools
    steady: Bools


def _survey(meeting: Ints, moved: Ints, sure: Ints) -> _Encounters:
    """Return what the sure pairs show of each encounter."""
    stretch, count = _find_medians(meeting[sure], moved[sure], int(meeting.max()) + 1)
    apart = np.bincount(meeting[sure], weights=np.abs(moved[sure]) > _FAR, minlength=len(count))
    alike = np.abs(moved[sure] - stretch[meeting[sure]]) <= _STEADY
    together = np.bincount(meeting[sure], weights=alike, minlength=len(count))
    disagree = (count >= _LEAST) & (apart >= _NEARLY_ALL * count)
    astray = np.bincount(meeting[sure], weights=np.abs(moved[sure]) > _STEADY, minlength=len(count))
    return _Encounters(
        count,
        stretch,
        apart.astype(np.float32),
        astray.astype(np.float32),
        disagree,
        disagree & (together >= _NEARLY_ALL * count),
    )


def _find_agreeing(met: _Encounters, meeting: Ints, moved: Ints, sure: Ints) -> tuple[Bools, Bools]:
    """Return for each pair whether the other sure pairs of its listings agree on dates, and whether to the day."""
    itself = np.zeros(len(meeting), dtype=np.int64)
    itself[sure] = np.abs(moved[sure]) > _FAR
    others, differ = met.count[meeting] - itself, met.apart[meeting] - itself
    agree = (others >= _MANY) & (differ <= _HARDLY_ANY * others)
    return agree, agree & (met.astray[meeting] - itself <= _NEXT_TO_NONE * others)


def _elsewhere(frame: Frame, listing: Ints, pairs: tuple[Ints, Ints, Ints], sure: Ints, met: _Encounters) -> Ints:
    """Return the day of each row by another calendar than its own.

    This is the day that a disagreeing listing gives it, else its own, moved back by the stretch of its listing.
    """
    one, other, meeting = pairs
    shift = np.zeros(int(listing.max(initial=0)) + 1, dtype=np.int64)
    order = np.flatnonzero(met.steady[meeting])
    order = order[np.argsort(met.count[meeting[order]], kind="stable")]
    shift[listing[one[order]]], shift[listing[other[order]]] = -met.stretch[meeting[order]], met.stretch[meeting[order]]
    days: Ints = frame.day - shift[listing]
    partners = sure[met.disagree[meeting[sure]]]
    days[one[partners]], days[other[partners]] = frame.day[other[partners]], frame.day[one[partners]]
    return days


def _find_medians(group: Ints, values: Ints, groups: int) -> tuple[Ints, Ints]:
    """Return for each group the median of its values, and how many there are."""
    count = np.bincount(group, minlength=groups)
    if not len(values):
        return np.zeros(groups, dtype=np.int64), count
    ascending = values[np.lexsort((values, group))]
    starts = np.cumsum(count) - count
    middle: Ints = ascending[np.minimum(starts + count // 2, len(ascending) - 1)]
    return middle, count
