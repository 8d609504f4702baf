"""Listings whose dates have day and month exchanged: 3 April read as 4 March, 25 April as it is.

A page that writes 03/04 does not say which is the day. Its listing does: its own order fits the other reading, or
entries whose title another source has once lie on the other source's day when read so. What a listing shows of three
dates or more holds for all of them; dates with a day above 12 have one reading only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import combinations, pairwise

from msgspec.structs import replace

from aggregator.merger.matching.features.record import Record
from aggregator.text.fold import fold

LEAST = 3  # pairs that only the other reading explains
NEARLY_ALL = 0.8  # share of them among those that disagree as they are read
SHOWN = 8  # dated entries by which a listing shows its order
BREAKS = 2  # steps against the order that the other reading must mend
HARDLY_ANY = 0.02  # share of the steps that may go against the order in the other reading
FAR = 3  # days that zones and delays explain
_MONTHS = 12

Days = Mapping[str, int]  # by folded title that a source has once


def put_right(records: Sequence[Record]) -> Sequence[Record]:
    """Return the records with the dates of listings put right that have day and month exchanged."""
    by_source: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.day is not None:
            by_source[record.source].append(record)
    wrong = {source for source, rows in by_source.items() if _is_out_of_order(rows)}
    titles = {source: _days(rows, swapped=source in wrong) for source, rows in by_source.items()}
    pairs = [pair for pair in combinations(sorted(titles), 2) if _are_exchanged(titles[pair[0]], titles[pair[1]])]
    often = Counter(source for pair in pairs for source in pair)
    timed = Counter(record.source for record in records if record.timed)
    for source in sorted(often, key=lambda each: (-often[each], timed[each], each)):
        if any(source in pair and not wrong & set(pair) for pair in pairs):
            wrong.add(source)
    return [_exchanged(record) if record.source in wrong else record for record in records] if wrong else records


def _is_out_of_order(rows: Sequence[Record]) -> bool:
    """Return whether the order of a listing fits its dates only when day and month are exchanged."""
    last = max(row.span.last for row in rows)
    placed = sorted(
        (row.position, row.day) for row in rows if row.position is not None and row.day and row.span.last == last
    )
    days = [day for _, day in placed]
    if len(days) < SHOWN or len({place for place, _ in placed}) < len(placed):
        return False
    return _breaks(days) >= BREAKS and _breaks([_turned(day) for day in days]) <= HARDLY_ANY * len(days)


def _breaks(days: Sequence[int]) -> int:
    """Return how many steps go against the direction that most have."""
    steps = [after - before for before, after in pairwise(days)]
    return min(sum(step > 0 for step in steps), sum(step < 0 for step in steps))


def _days(rows: Sequence[Record], *, swapped: bool) -> Days:
    """Return the day of each title that a source has once."""
    often = Counter(fold(row.title) for row in rows)
    return {
        title: _turned(row.day) if swapped else row.day
        for row in rows
        if row.day is not None and often[title := fold(row.title)] == 1
    }


def _are_exchanged(one: Days, other: Days) -> bool:
    """Return whether the days of equal titles disagree and agree once day and month of one are exchanged."""
    pairs = [(one[title], other[title]) for title in one.keys() & other.keys()]
    apart = [(mine, theirs) for mine, theirs in pairs if abs(mine - theirs) > FAR]
    explained = sum(abs(_turned(mine) - theirs) <= 1 or abs(mine - _turned(theirs)) <= 1 for mine, theirs in apart)
    kept = sum(abs(mine - theirs) <= FAR < abs(_turned(mine) - theirs) for mine, theirs in pairs)
    return explained >= LEAST and explained >= NEARLY_ALL * len(apart) and explained > kept


def _turned(day: int) -> int:
    """Return the ordinal of the date with day and month exchanged, the same where that is no date."""
    read = date.fromordinal(day)
    return day if read.day > _MONTHS else read.replace(month=read.day, day=read.month).toordinal()


def _exchanged(record: Record) -> Record:
    """Return the record with day and month of its date exchanged."""
    if record.day is None or (day := _turned(record.day)) == record.day:
        return record
    instant = record.instant
    if instant is not None:
        instant += (day - datetime.fromtimestamp(instant, UTC).toordinal()) * 86_400
    return replace(record, day=day, year=date.fromordinal(day).year, instant=instant)
