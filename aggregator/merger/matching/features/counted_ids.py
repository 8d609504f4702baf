"""Tell apart the guids of listings that count their entries on their own: "12" of one is not "12" of the other.

Two feeds made by hand, or two databases, number from 1 upwards; some number from the newest entry on. Equal guids would
then merge an episode with another one, whatever title, date and length say. A guid that is not counted cannot be equal
by chance: a source that was taken over and says other things under the ids of the show is no reason.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import combinations

from msgspec.structs import replace

from aggregator.merger.matching.features.habits import MAX_DELAY
from aggregator.merger.matching.features.records import Record, differ_in_length
from aggregator.text.fold import fold, normalize
from aggregator.text.titles.markers import strip_numbers

_COUNT = re.compile(r"(?!\D*://|tag:|urn:)\D{0,16}\d{1,6}(?:\D{1,8}\d{1,6})?\D{0,8}")  # "12", "ep-12", "s2e12"
_WRONG = 2  # pairs under one guid that are two items, which show that guids are counted
_COMMON = 0.8  # share of the words of the shorter title, from which two titles may be one
_SAME = 2  # seconds between lengths of one file

_GUID = "guid:"


def part_counted_ids(records: Sequence[Record]) -> Sequence[Record]:
    """Return the records with the source's name in the guids of listings that count on their own.

    Two listings do if most pairs with equal counted guids, and at least two, have another title, and another length or
    day. Records that came since the feed was learned from do not show it.
    """
    listed: defaultdict[str, dict[str, Record]] = defaultdict(dict)
    for record in records:
        for value in record.ids if not record.fresh else ():
            if value.startswith(_GUID) and _COUNT.fullmatch(value, len(_GUID)):
                listed[record.source][value] = record
    apart = _find_apart(listed)
    return [_name_guids(record) if record.source in apart else record for record in records] if apart else records


def _find_apart(listed: Mapping[str, Mapping[str, Record]]) -> Collection[str]:
    """Return sources such that no two others have guids of different counts, the fewest if it is simple."""
    wrong: set[frozenset[str]] = set()
    agrees: Counter[str] = Counter()
    find_words = cache(_find_words)
    for one, other in combinations(sorted(listed), 2):
        both = [(listed[one][guid], listed[other][guid]) for guid in listed[one].keys() & listed[other].keys()]
        differ = sum(_are_two(*pair, find_words(pair[0].title), find_words(pair[1].title)) for pair in both)
        if differ >= _WRONG and 2 * differ > len(both):
            wrong.add(frozenset((one, other)))
        else:
            agrees.update({one: len(both), other: len(both)})
    found: set[str] = set()
    while wrong:
        often = Counter(source for pair in wrong for source in pair)
        found.add(worst := min(often, key=lambda source: (-often[source], agrees[source], source)))
        wrong = {pair for pair in wrong if worst not in pair}
    return found


def _find_words(title: str) -> frozenset[str]:
    """Return the words of a title without its marked numbers, which one listing may add."""
    return frozenset(fold(strip_numbers(normalize("NFKC", title))[0]).split())


def _are_two(one: Record, other: Record, mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return whether two entries with these words of their titles are two items, whatever their guids."""
    if not mine or not theirs or len(mine & theirs) >= _COMMON * min(len(mine), len(theirs)):
        return False
    if one.seconds is not None and other.seconds is not None and abs(one.seconds - other.seconds) <= _SAME:
        return False
    if differ_in_length(one, other):
        return True
    return one.day is not None and other.day is not None and abs(one.day - other.day) > MAX_DELAY


def _name_guids(record: Record) -> Record:
    """Return the record with the name of its source in its guid."""
    ids = (f"{value} of {record.source}" if value.startswith(_GUID) else value for value in record.ids)
    return replace(record, ids=tuple(ids))
