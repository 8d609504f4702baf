"""Listings that count their episodes higher or lower than another by the same number throughout.

A directory that counts a trailer lists "Episode 13" where the host has "Episode 12". Entries of one day then differ by
the same number everywhere, and have the same lengths or texts, while entries of one number have not. A listing is read
so before anything is compared. An early feed, a week ahead under the same numbers, is told from it by the same means.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from aggregator.merger.matching.features.record import Record
from aggregator.text.fold import fold
from aggregator.text.titles.titles import Title

LEAST = 5  # entries of one day that must be counted otherwise
NEARLY_ALL = 0.8  # share of them that differ by one and the same number; share of pairs whose lengths or texts agree
MOST = 3  # numbers by which a listing may be ahead; an archive dated anew has entries of one day that differ by more
TELLING = 0.4  # share of pairs of neighbours that contradict where lengths and texts tell items apart
_SECONDS, _SHARE = 240, 0.02  # lengths further apart than an advertisement are two items'
_WORDS = 6  # words of a text below which it says nothing
_COMMON = 0.5  # share of the poorer text's words
_DIGITS = re.compile(r"\d+")

_Entry = tuple[int, Record]  # the number of an episode and its record


def read_alike(
    rows: Sequence[Record], titles: Sequence[Title], stems: Sequence[str | None], shelves: Sequence[int]
) -> tuple[tuple[Record, ...], tuple[Title, ...], list[bool]]:
    """Return the records and titles, those that are only a number counted as the show's largest listing counts them.

    And for each whether it is of such a listing, or of one that lengths or texts show to count as that does.
    """
    listings: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, (row, stem) in enumerate(zip(rows, stems, strict=True)):
        if stem is not None:
            listings[shelves[at]][row.source].append(at)
    records, read, sure = list(rows), list(titles), [False] * len(rows)
    for by_source in listings.values():
        order = sorted(by_source, key=lambda source: (-len(by_source[source]), source))
        first = [(_counted(titles[at]), rows[at]) for at in by_source[order[0]]]
        for source in order:
            ahead = _ahead(first, [(_counted(titles[at]), rows[at]) for at in by_source[source]])
            for at in by_source[source] if ahead is not None else ():
                records[at], read[at] = _moved(rows[at], titles[at], ahead or 0)
                sure[at] = True
    return tuple(records), tuple(read), sure


def _counted(title: Title) -> int:
    """Return the number of a title that is only a number."""
    return int(_DIGITS.findall(title.core)[0])


def _ahead(one: Sequence[_Entry], other: Sequence[_Entry]) -> int | None:
    """Return by how much the second listing counts higher, 0 where it counts as the first, ``None`` if not known."""
    equal = _joined(one, other, lambda entry: entry[0])
    if any(set(mine.ids) & set(theirs.ids) for (_, mine), (_, theirs) in equal) or _agree(equal):
        return 0
    days = _joined(one, other, lambda entry: entry[1].day)
    moved = Counter(theirs[0] - mine[0] for mine, theirs in days)
    ahead, often = max(moved.items(), key=lambda item: (item[1], -abs(item[0])), default=(0, 0))
    steady = abs(ahead) <= MOST and often >= LEAST and often >= NEARLY_ALL * len(days)
    return ahead if steady and _agree(days) else None


def _agree(pairs: Sequence[tuple[_Entry, _Entry]]) -> bool:
    """Return whether nearly all pairs of which lengths or texts are known have those of one item, and these differ
    from item to item.
    """
    known = [found for (_, one), (_, other) in pairs if (found := _contradict(one, other)) is not None]
    shifted = [_contradict(one[1], other[1]) for (one, _), (_, other) in pairwise(pairs)]
    apart = [found for found in shifted if found is not None]
    return len(known) >= LEAST and sum(known) <= (1 - NEARLY_ALL) * len(known) and sum(apart) >= TELLING * len(apart)


def _joined(
    one: Iterable[_Entry], other: Iterable[_Entry], key: Callable[[_Entry], Hashable | None]
) -> list[tuple[_Entry, _Entry]]:
    """Return the entries of two listings with one key that each has once."""
    mine, theirs = _single(one, key), _single(other, key)
    return [(entry, theirs[value]) for value, entry in mine.items() if value in theirs]


def _single(entries: Iterable[_Entry], key: Callable[[_Entry], Hashable | None]) -> Mapping[Hashable, _Entry]:
    """Return the entries by a key that no other entry of the listing has."""
    by_key: defaultdict[Hashable, list[_Entry]] = defaultdict(list)
    for entry in entries:
        if (value := key(entry)) is not None:
            by_key[value].append(entry)
    return {value: found[0] for value, found in by_key.items() if len(found) == 1}


def _contradict(one: Record, other: Record) -> bool | None:
    """Return whether lengths or texts contradict; ``None`` where neither is known of both."""
    longer = None
    if one.seconds is not None and other.seconds is not None:
        longer = abs(one.seconds - other.seconds) > max(_SECONDS, _SHARE * max(one.seconds, other.seconds))
    mine, theirs = (set(fold(row.description or "").split()) for row in (one, other))
    if min(len(mine), len(theirs)) < _WORDS:
        return longer
    return bool(longer) or len(mine & theirs) < _COMMON * min(len(mine), len(theirs))


def _moved(row: Record, title: Title, ahead: int) -> tuple[Record, Title]:
    """Return an entry and its title with numbers as the other listing counts them; they may be 0 or less."""
    number = _counted(title)

    core = _DIGITS.sub(f"{number - ahead}", title.core)
    return (
        replace(row, numbers=tuple(each - ahead if each == number else each for each in row.numbers)),
        title._replace(
            core=core,
            numbers=tuple(each - ahead if each == number else each for each in title.numbers),
            digits=tuple(number - ahead if each == number else each for each in title.digits),
        ),
    )
