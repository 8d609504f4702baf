"""Archives that were dated anew: how two listings disagree on dates as a whole says nothing against an item.

A host that imports a show may stamp all of it with other dates. Where the pairs of two listings that are sure without
their dates nearly all disagree, the disagreement is theirs, not the items'. Moved by one and the same stretch, the
dates are compared as if moved back, and tell next week's item of one title from this week's again; else they say
nothing. Where the others nearly all agree, months or years between two entries are the entries' own, no stamp: a re-run
without a mark, which nothing but the date tells from the original. A pair that only shares its title is no witness to
either: three weekly titles of one week and of the next would be moved by seven days. A third listing that has too
little in common with one of the two to tell is compared by the nearer of their calendars. Seen: 146 episodes of one
show later by 4.35 years in the median on its next host.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from aggregator.merger.matching.comparison import Compared, days_apart
from aggregator.merger.matching.features.feature_table import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints, numbered
from aggregator.merger.matching.levels import KINDS, LEVELS
from aggregator.merger.matching.listing_order import SURE, paired
from aggregator.merger.matching.table import Table
from aggregator.merger.matching.weak_titles import witnessed

LEAST = 3  # sure pairs by which two listings are seen to disagree
NEARLY_ALL = 0.8  # share of the sure pairs; an archive of which half was dated anew is two archives
FAR = 3  # days that time zones and the delay of a directory explain
MANY = 8  # other sure pairs by which two listings are seen to agree; 5 would do on all sets
HARDLY_ANY = 0.1  # share of them that may disagree; with .2 three true pairs of directories-dev are lost
NEXT_TO_NONE = 0.05  # share of them that may disagree by more than a day where they agree to the day
LATE = 9  # days by which a blog or a directory may come after the host; a re-run comes later
STEADY = 1  # days by which a move by one and the same stretch may vary: time zones
TIE = 0.01  # of the date's weight: which of two entries of one text and title is meant, the date says

_DATE = KINDS.index("date")
_YEAR, _MORE = (LEVELS["date"].index(level) for level in ("a year", "more"))


def redated(frame: Frame, compared: Compared, table: Table, weights: Floats, vetoes: Ints) -> tuple[Ints, Ints]:
    """The levels of all dates, those of listings that disagree as a whole put right; ``weights`` include them.

    And for each pair 1 where its dates lie far apart though those of the two listings' other pairs agree, 2 where
    nearly all of these agree to the day.
    """
    levels: Ints = compared.levels[:, _DATE].astype(np.int64)
    own = np.zeros(len(levels), dtype=np.int64)
    dated = np.flatnonzero((frame.day[compared.left] != ABSENT) & (frame.day[compared.right] != ABSENT) & (vetoes == 0))
    listing = numbered(frame.source, frame.last)
    left, right = compared.left[dated], compared.right[dated]
    turned = listing[left] > listing[right]
    one, other = np.where(turned, right, left), np.where(turned, left, right)
    meeting = numbered(listing[one], listing[other])
    bare = weights[dated] - np.array(table.weights[_DATE], dtype=np.float32)[levels[dated]]
    some = np.flatnonzero((bare >= SURE) & witnessed(compared.levels[dated]) & (listing[left] != listing[right]))
    meant: Floats = (bare + TIE * (weights[dated] - bare)).astype(np.float32)
    sure = paired(meeting, (one, other), meant, some)
    if len(sure) < LEAST:
        return levels, own
    moved = frame.day[other] - frame.day[one]
    met = _met(meeting, moved, sure)
    put_right = np.where(met.steady, 1, 0)[meeting] * days_apart(np.abs(moved - met.stretch[meeting]))
    itself = np.zeros(len(dated), dtype=np.int64)
    itself[sure] = np.abs(moved[sure]) > FAR
    others, differ = met.count[meeting] - itself, met.apart[meeting] - itself
    agree = (others >= MANY) & (differ <= HARDLY_ANY * others)
    astray = met.astray[meeting] - np.where(itself > 0, 1, 0)
    exact = agree & (astray <= NEXT_TO_NONE * others)
    own[dated] = np.where(agree & np.isin(levels[dated], (_YEAR, _MORE)), 1, 0)
    own[dated] = np.where(exact & (np.abs(moved) > LATE), 2, own[dated])
    elsewhere = _elsewhere(frame, listing, (one, other, meeting), sure, met)
    ways = np.stack([moved, elsewhere[other] - frame.day[one], frame.day[other] - elsewhere[one]])
    unknown = np.where((met.count < LEAST)[meeting], np.min(np.abs(ways), axis=0), moved)
    levels[dated] = np.where(
        met.disagree[meeting],
        put_right,
        np.where(agree & np.isin(levels[dated], (_YEAR, _MORE)), _YEAR, days_apart(np.abs(unknown))),
    )
    return levels, own


class _Met(Struct, frozen=True):
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


def _met(meeting: Ints, moved: Ints, sure: Ints) -> _Met:
    """What the sure pairs say of each encounter."""
    stretch, count = _middle(meeting[sure], moved[sure], int(meeting.max()) + 1)
    apart = np.bincount(meeting[sure], weights=np.abs(moved[sure]) > FAR, minlength=len(count))
    alike = np.abs(moved[sure] - stretch[meeting[sure]]) <= STEADY
    together = np.bincount(meeting[sure], weights=alike, minlength=len(count))
    disagree = (count >= LEAST) & (apart >= NEARLY_ALL * count)
    astray = np.bincount(meeting[sure], weights=np.abs(moved[sure]) > STEADY, minlength=len(count))
    return _Met(
        count,
        stretch,
        apart.astype(np.float32),
        astray.astype(np.float32),
        disagree,
        disagree & (together >= NEARLY_ALL * count),
    )


def _elsewhere(frame: Frame, listing: Ints, pairs: tuple[Ints, Ints, Ints], sure: Ints, met: _Met) -> Ints:
    """The day of each row by another calendar than its own: what a listing that disagrees says of it, else its own
    day, moved back by the stretch of its listing.
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


def _middle(group: Ints, values: Ints, groups: int) -> tuple[Ints, Ints]:
    """For each group the median of its values, and how many there are."""
    count = np.bincount(group, minlength=groups)
    ascending = values[np.lexsort((values, group))]
    starts = np.cumsum(count) - count
    middle: Ints = ascending[np.minimum(starts + count // 2, len(ascending) - 1)]
    return middle, count
