"""Correct errors of whole listings before comparison: exchanged day and month, frames of a series.

**Dates.** 03/04 may be March or April. The listing as a whole decides: its order fits the other reading, or with it
entries have the same day as entries of another source with the same unique title. Three dates that show this are enough
for all of the listing; dates with a day above 12 have one reading only.

**Frames.** "Leftovers: X" is not a decorated "X" if other listings have an "X" of other length or text, and day: the
same words at the start or end of three titles may also name a series.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from itertools import combinations, pairwise

from msgspec.structs import replace

from aggregator.merger.matching.features.habits import MAX_DELAY, NEARLY_ALL, is_habit
from aggregator.merger.matching.features.records import Record, differ_in_length
from aggregator.text.fold import fold, normalize
from aggregator.text.titles.markers import strip_numbers
from aggregator.text.titles.titles import Title

_SHOWN = 8  # dated entries that show the order of a listing
_BREAKS = 2  # steps against the order that the other reading must correct
_HARDLY_ANY = 0.02  # share of the steps that may be against the order in the other reading
_MONTHS = 12

_WORDS = 6  # words below which a text is no evidence
_COMMON = 0.5  # share of the poorer text's words
_RELISTED = 3  # entries of one title of a source that may be one item, listed again by its hosts
_SERIES = 2  # titles under a frame that are another item than the same title without it

_Days = Mapping[str, frozenset[int]]  # by the words of the title


def correct_dates(records: Sequence[Record]) -> Sequence[Record]:
    """Return the records with corrected dates for listings that have day and month exchanged.

    Records that came since the feed was learned from do not show it.
    """
    by_source: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.day is not None and not record.fresh:
            by_source[record.source].append(record)
    wrong = {source for source, rows in by_source.items() if _is_out_of_order(rows)}
    find_words = cache(_find_words)  # most sources list the same titles
    titles = {source: _list_days(rows, find_words, swapped=source in wrong) for source, rows in by_source.items()}
    pairs = [pair for pair in combinations(sorted(titles), 2) if _are_exchanged(titles[pair[0]], titles[pair[1]])]
    often = Counter(source for pair in pairs for source in pair)
    timed = Counter(record.source for record in records if record.timed)
    for source in sorted(often, key=lambda each: (-often[each], timed[each], each)):
        if any(source in pair and not wrong & set(pair) for pair in pairs):
            wrong.add(source)
    return [_exchange_date(record) if record.source in wrong else record for record in records] if wrong else records


def _is_out_of_order(rows: Sequence[Record]) -> bool:
    """Return whether the order of a listing fits its dates only when day and month are exchanged."""
    last = max(row.span.last for row in rows)
    placed = sorted(
        (row.position, row.day) for row in rows if row.position is not None and row.day and row.span.last == last
    )
    days = [day for _, day in placed]
    if len(days) < _SHOWN or len({place for place, _ in placed}) < len(placed):
        return False
    return _count_breaks(days) >= _BREAKS and _count_breaks([_exchange_day(day) for day in days]) <= _HARDLY_ANY * len(
        days
    )


def _count_breaks(days: Sequence[int]) -> int:
    """Return how many steps are against the direction of most."""
    steps = [after - before for before, after in pairwise(days)]
    return min(sum(step > 0 for step in steps), sum(step < 0 for step in steps))


def _list_days(rows: Sequence[Record], find_words: Callable[[str], str], *, swapped: bool) -> _Days:
    """Return the days of each title of a source."""
    days: defaultdict[str, set[int]] = defaultdict(set)
    for row in rows:
        if row.day is not None:
            days[find_words(row.title)].add(_exchange_day(row.day) if swapped else row.day)
    return {title: frozenset(found) for title, found in days.items()}


def _find_words(title: str) -> str:
    """Return a folded title without its marked numbers, which one listing may add ("S1E3 | X"), if words are left."""
    own = fold(strip_numbers(normalize("NFKC", title))[0])
    return own if any(map(str.isalpha, own)) else fold(title)


def _are_exchanged(one: _Days, other: _Days) -> bool:
    """Return whether the days of equal titles agree only with day and month of one source exchanged."""
    pairs = [pair for title in one.keys() & other.keys() for pair in _pair_days(one[title], other[title])]
    apart = [(mine, theirs) for mine, theirs in pairs if abs(mine - theirs) > MAX_DELAY]
    explained = sum(
        abs(_exchange_day(mine) - theirs) <= 1 or abs(mine - _exchange_day(theirs)) <= 1 for mine, theirs in apart
    )
    if not is_habit(explained, len(apart)):
        return False
    return explained > sum(
        abs(mine - theirs) <= MAX_DELAY < abs(_exchange_day(mine) - theirs) for mine, theirs in pairs
    )


def _pair_days(one: Collection[int], other: Collection[int]) -> Iterable[tuple[int, int]]:
    """Yield pairs of days that two sources have for one title: the nearest, or those that an exchange explains."""
    if len(one) == len(other) == 1:
        yield min(one), min(other)
        return
    known = sorted(one)
    for day in other:
        at = bisect_left(known, day)
        near = min(known[max(at - 1, 0) : at + 1], key=lambda each: abs(each - day))
        exchanged = _exchange_day(day)
        explained = abs(near - day) > MAX_DELAY and exchanged in one and exchanged not in other
        yield (exchanged if explained else near), day


def _exchange_day(day: int) -> int:
    """Return the ordinal of the date with day and month exchanged, unchanged if that is no date."""
    read = date.fromordinal(day)
    return day if read.day > _MONTHS else read.replace(month=read.day, day=read.month).toordinal()


def _exchange_date(record: Record) -> Record:
    """Return the record with day and month of its date exchanged."""
    if record.day is None or (day := _exchange_day(record.day)) == record.day:
        return record
    instant = record.instant
    if instant is not None:
        instant += (day - datetime.fromtimestamp(instant, UTC).toordinal()) * 86_400
    return replace(record, day=day, year=date.fromordinal(day).year, instant=instant)


def find_series_frames(
    rows: Sequence[Record], titles: Sequence[Title], shows: Sequence[int], learned: Sequence[bool]
) -> Mapping[int, frozenset[str]]:
    """Return by show the frames that name a series: titles with them are other items than equal ones without.

    ``learned`` says which titles show it.
    """
    framed = {show for show, title in zip(shows, titles, strict=True) if any(title.frames)}
    equal: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for at, (title, show) in enumerate(zip(titles, shows, strict=True)):
        if show in framed and learned[at]:
            equal[show, title.core].append(at)
    seen: Counter[tuple[int, str, bool]] = Counter()
    for (show, _), places in equal.items():
        most = max(Counter(rows[at].source for at in places).values())
        for at in places if most <= _RELISTED else ():
            for frame in set(titles[at].frames) - {""}:
                others = (rows[each] for each in places if frame not in titles[each].frames)
                apart = [_are_apart(rows[at], other) for other in others if other.source != rows[at].source]
                known = [each for each in apart if each is not None]
                seen[show, frame, all(known)] += bool(known)
    found: defaultdict[int, frozenset[str]] = defaultdict(frozenset)
    for (show, frame, differ), often in seen.items():
        if differ and often >= max(_SERIES, NEARLY_ALL * (often + seen[show, frame, False])):
            found[show] |= {frame}
    return found


def _are_apart(one: Record, other: Record) -> bool | None:
    """Return whether lengths or texts contradict and the days differ; ``None`` if neither is known of both."""
    unlike = differ_in_length(one, other)
    mine, theirs = (set(fold(row.description or "").split()) for row in (one, other))
    if min(len(mine), len(theirs)) >= _WORDS:
        unlike = bool(unlike) or len(mine & theirs) < _COMMON * min(len(mine), len(theirs))
    return unlike and (one.day is None or one.day != other.day)
