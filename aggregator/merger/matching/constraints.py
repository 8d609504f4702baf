"""Constraints on clusters: decisions of people, entries published together, entries that a source lists twice.

**Splitting.** Entries published under one guid stay together, else small changes of the weights, or a title that a host
changes before a directory, would end one item and begin another. But early joins may be wrong: while few entries of a
listing are known, "Listener mail" occurs once, and a replay without its original. So entries are split from a published
item if three things hold: the present weights, without the constraint, put them into another cluster than the first
entry of their guid; one source lists entries of both clusters at the same time; and the mean of their weights with
those that stay is below ``_SPLIT``. Entries that are split off join other clusters or become an item of their own. The
guid stays with the entry from which it was published.

**Merging.** Items that were published early may be one: no frame was learned and no weight fitted then. A merge is
permanent, so the present weights count only if nothing contradicts them: no other tag, number or digits, no other text
or time of the year, no different titles without an equal text. A part or number that one title only leaves out is no
contradiction. Over nine random orders of two development sets 27 pairs of published items were merged wrongly without
this rule, and 6 are with it; of 137 right merges it prevents 11.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from aggregator.merger.matching.clustering import Rules
from aggregator.merger.matching.evidence.text import TextLevel
from aggregator.merger.matching.evidence.title import TitleLevel
from aggregator.merger.matching.features.frame import Frame
from aggregator.merger.matching.features.habits import MIN_TITLES
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints
from aggregator.merger.matching.scoring import KINDS, UNSEEN, Compared
from aggregator.model.cluster import Decision

# Mean weight (natural log-odds) with the entries that stay, below which others are split off: lower than the 1 at which
# they were joined, because weights change a little from run to run.
_SPLIT = 0.0
_DAY = 86400  # seconds
_LISTED_TWICE = 3  # entries of one item that a source lists at once, at most
_TWICE = 2  # entries of one title and instant, or days with one time, that may be chance


def make_rules(
    frame: Frame, decisions: Sequence[Decision], pins: Mapping[str, str], loose: Container[str] = ()
) -> Rules:
    """Return the rules for a frame: twins, pinned rows and rows decided "same" together, "different" ones apart.

    ``pins`` maps entry ids to published guids; those in ``loose`` are ignored. Decisions have entry ids or published
    guids; unknown ones are ignored, and the last one about two rows counts.
    """
    guid = {at: value for at, value in _find_pinned(frame, pins).items() if frame.records[at].id not in loose}
    same, apart = find_decided(frame, decisions, pins)
    held = [*sorted(same), *_group_by_guid(guid).values(), *find_twins(frame)]
    return Rules(
        source=frame.source.tolist(),
        kind=frame.kind.tolist(),
        first=[record.span.first for record in frame.records],
        last=[record.span.last for record in frame.records],
        groups=tuple(part for group in held for part in _divide(group, apart)),
        apart=frozenset(apart),
        guid=guid,
        scope=frame.scope.tolist(),
    )


def find_decided(
    frame: Frame, decisions: Sequence[Decision], pins: Mapping[str, str]
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return the pairs of rows that people decided to be the same and to be different, given as for ``make_rules``."""
    same: set[tuple[int, int]] = set()
    apart: set[tuple[int, int]] = set()
    if not decisions:
        return same, apart
    row, pinned = {record.id: at for at, record in enumerate(frame.records)}, _group_by_guid(_find_pinned(frame, pins))
    for decision in decisions:
        left, right = ([row[name]] if name in row else pinned.get(name, []) for name in (decision.left, decision.right))
        pairs = {(min(one, other), max(one, other)) for one in left for other in right if one != other}
        same, apart = (same | pairs, apart - pairs) if decision.verdict == "same" else (same - pairs, apart | pairs)
    return same, apart


def _find_pinned(frame: Frame, pins: Mapping[str, str]) -> dict[int, str]:
    """Return the published guid of each row that has one."""
    return {at: pins[record.id] for at, record in enumerate(frame.records) if record.id in pins}


def group_published(frame: Frame, pins: Mapping[str, str]) -> list[tuple[int, ...]]:
    """Return the groups of rows that were published under one guid."""
    return list(map(tuple, _group_by_guid(_find_pinned(frame, pins)).values()))


def _group_by_guid(guid: Mapping[int, str]) -> dict[str, list[int]]:
    """Return the rows of each guid in ascending order."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for at in sorted(guid):
        rows[guid[at]].append(at)
    return rows


def _divide(group: Sequence[int], apart: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the parts of a group that stay together; only parts of two rows or more."""
    parts: list[list[int]] = []
    for row in sorted(group):
        home = next((part for part in parts if not any((other, row) in apart for other in part)), None)
        if home is None:
            parts.append([row])
        else:
            home.append(row)
    return [tuple(part) for part in parts if len(part) > 1]


def find_twins(frame: Frame) -> list[tuple[int, ...]]:
    """Return the groups of rows of one source that are one item listed twice.

    Title, date, duration and number are equal, and the audio, too, or the text if the date has a real time of day
    (equal titles and times alone may be two editions of a day, or imported together); or title, guid and both texts
    are equal. Further ones have an id in common (``_find_twins_by_id``).
    """
    if len({(record.source, record.title) for record in frame.records}) == len(frame.records):
        return []
    real = _has_real_time(frame)
    same: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for at, record in enumerate(frame.records):
        for value in record.ids:
            if value.startswith("guid:"):
                same[record.source, record.title, record.description, value].append(at)
        if record.instant is None:
            continue
        known = (record.source, record.title, record.instant, record.seconds, record.season, record.numbers)
        for value in record.ids:
            if value.startswith("audio:"):
                same[*known, value].append(at)
        if real[at] and record.description:
            same[*known, record.description].append(at)
    return [*(tuple(rows) for rows in same.values() if len(rows) > 1), *_find_twins_by_id(frame)]


def _find_twins_by_id(frame: Frame) -> Iterator[tuple[int, ...]]:
    """Yield the rows of one source that have one title and one file, or one title, text and link, within a day.

    A feed lists an item anew under another guid ("…/story#3") or time and keeps the old entry. A re-run has the file of
    the original weeks later; editions of a day have other files. The source must have other ids of the kind as well: a
    homepage, or "latest.mp3", is the same for all items.
    """
    rows: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    kinds: Counter[tuple[str, str]] = Counter()
    for at, record in enumerate(frame.records):
        for value in set(record.ids):
            if value.startswith(("audio:", "link:")):
                rows[record.source, value].append(at)
    for source, value in rows:
        kinds[source, value.partition(":")[0]] += 1
    for (source, value), group in rows.items():
        kind = value.partition(":")[0]
        if 1 < len(group) <= _LISTED_TWICE and kinds[source, kind] >= MIN_TITLES and _is_one(frame, group, kind):
            yield tuple(group)


def _is_one(frame: Frame, group: Sequence[int], kind: str) -> bool:
    """Return whether nothing but guid and time of day differs between the rows of a group; ``kind`` of id is shared."""
    records = [frame.records[at] for at in group]
    instants = [record.instant for record in records if record.instant is not None]
    texts = {record.description for record in records}
    if kind == "audio":
        texts.discard(None)
    audio = {value for record in records for value in record.ids if value.startswith("audio:")}
    return (
        len({record.title for record in records}) == 1
        and len(texts) <= 1
        and texts != {None}
        and len(audio) <= 1
        and len({(record.season, record.numbers) for record in records}) == 1
        and len({record.seconds for record in records if record.seconds is not None}) <= 1
        and (not instants or max(instants) - min(instants) < _DAY)
    )


def _has_real_time(frame: Frame) -> list[bool]:
    """Return for each row whether its instant is a real time of day.

    It is not if it is midnight, the time of most days of its source (a day in another zone), or shared by entries of
    several titles or by three of one (an import).
    """
    titles: defaultdict[tuple[str, float], list[str]] = defaultdict(list)
    days: defaultdict[str, set[float]] = defaultdict(set)
    for record in frame.records:
        if record.instant is not None:
            titles[record.source, record.instant].append(record.title)
            days[record.source].add(record.instant)
    times = Counter((source, instant % _DAY) for source, instants in days.items() for instant in instants)
    found = []
    for record in frame.records:
        if record.instant is None or not record.instant % _DAY:
            found.append(False)
            continue
        equal = titles[record.source, record.instant]
        usual = times[record.source, record.instant % _DAY]
        stamped = len(set(equal)) > 1 or len(equal) > _TWICE
        found.append(not stamped and not (usual > _TWICE and 2 * usual > len(days[record.source])))
    return found


# Splitting published items


def keeps_published(frame: Frame, pins: Mapping[str, str], groups: Sequence[Sequence[int]]) -> bool:
    """Return whether all rows published under one guid are in one group, and each group has one guid at most."""
    if not pins:
        return True
    guids = [{pins[name] for at in group if (name := frame.records[at].id) in pins} for group in groups]
    return all(len(found) <= 1 for found in guids) and sum(map(len, guids)) == len(set().union(*guids))


def find_split(
    frame: Frame, pins: Mapping[str, str], groups: Sequence[Sequence[int]], weighed: tuple[Compared, Floats]
) -> frozenset[str]:
    """Return the ids of the entries that leave a published item; ``groups`` are the clusters by the weights alone.

    The first entry of a guid in ``pins`` keeps it. Two entries of one source that were published together (twins) are
    no evidence that clusters are two items.
    """
    row = {record.id: at for at, record in enumerate(frame.records)}
    home = {at: number for number, group in enumerate(groups) for at in group}
    pinned: defaultdict[str, list[int]] = defaultdict(list)
    for name, guid in pins.items():
        if name in row:
            pinned[guid].append(row[name])
    divided = [rows for rows in pinned.values() if len({home[at] for at in rows}) > 1]
    weights = _find_weights_within(divided, weighed, len(row))
    gone: set[int] = set()
    for rows in divided:
        stay = [at for at in rows if home[at] == home[rows[0]]]
        for other in {home[at] for at in rows} - {home[rows[0]]}:
            part = [at for at in rows if home[at] == other]
            between = [weights.get((min(one, at), max(one, at)), UNSEEN) for one in stay for at in part]
            clusters = groups[home[rows[0]]], groups[other]
            if sum(between) < _SPLIT * len(between) and are_beside(frame, *clusters, but=frozenset(rows)):
                gone.update(part)
    return frozenset(frame.records[at].id for at in gone)


def are_beside(frame: Frame, one: Sequence[int], other: Sequence[int], but: Container[int] = ()) -> bool:
    """Return whether a source lists an entry of each of two clusters at the same time, not both in ``but``."""
    return any(
        frame.source[left] == frame.source[right]
        and frame.first[left] <= frame.last[right]
        and frame.first[right] <= frame.last[left]
        and not (left in but and right in but)
        for left in one
        for right in other
    )


def _find_weights_within(
    groups: Iterable[Sequence[int]], weighed: tuple[Compared, Floats], rows: int
) -> dict[tuple[int, int], float]:
    """Return the weight of each pair that was compared inside one of the groups of rows."""
    number: Ints = np.full(rows, -1, dtype=np.int64)
    for at, group in enumerate(groups):
        number[list(group)] = at
    compared, weights = weighed
    left, right = compared.left, compared.right
    inside = np.flatnonzero((number[left] >= 0) & (number[left] == number[right]))
    pairs = zip(left[inside].tolist(), right[inside].tolist(), strict=True)
    return dict(zip(pairs, weights[inside].tolist(), strict=True))


# Merging published items


def find_mergeable(
    frame: Frame, guid: Mapping[int, str], groups: Sequence[Sequence[int]], weighed: tuple[Compared, Bools]
) -> frozenset[tuple[str, str]]:
    """Return the pairs of guids, the lower first, whose rows are all in one group and that nothing contradicts.

    ``guid`` is that of each published row; ``groups`` are the clusters by the weights alone. ``weighed`` are the pairs,
    and which of them are translations: their words are no evidence.
    """
    compared, translated = weighed
    together = _find_together(guid, groups)
    if not together:
        return frozenset()
    names = sorted({name for pair in together for name in pair})
    number = {name: at for at, name in enumerate(names)}
    rows: Ints = np.full(len(frame.records), -1, dtype=np.int64)
    for at, name in guid.items():
        rows[at] = number.get(name, -1)
    left, right = rows[compared.left], rows[compared.right]
    contradicted: Bools = (compared.of(TitleLevel) < TitleLevel.FROM_8) & (compared.of(TextLevel) < TextLevel.FROM_7)
    for kind in KINDS:
        contradicted |= np.isin(compared.of(kind.levels), kind.contradicting)
    some = np.flatnonzero((left >= 0) & (right >= 0) & contradicted & ~translated)
    against = {(min(one, other), max(one, other)) for one, other in zip(left[some], right[some], strict=True)}
    return frozenset(together - {(names[one], names[other]) for one, other in against})


def _find_together(guid: Mapping[int, str], groups: Sequence[Sequence[int]]) -> set[tuple[str, str]]:
    """Return the pairs of guids whose rows all lie in one group."""
    homes: defaultdict[str, set[int]] = defaultdict(set)
    for number, group in enumerate(groups):
        for at in group:
            if at in guid:
                homes[guid[at]].add(number)
    whole: defaultdict[int, list[str]] = defaultdict(list)
    for name in sorted(homes):
        if len(homes[name]) == 1:
            whole[min(homes[name])].append(name)
    return {pair for together in whole.values() for pair in combinations(together, 2)}
