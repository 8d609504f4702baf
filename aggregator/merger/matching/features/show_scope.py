"""Find the show of each record, if that can be known.

The name of a show is a *scope* if a source has few of them and they recur in other sources: then records of two known,
different shows are never compared. If it varies item by item (the album of a song) it is text; if it never recurs
elsewhere (the venues of two paper catalogues) it is ignored. A scope is not a scored feature: it is constant inside a
source, so that its agreement would seem worthless.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from msgspec import Struct

from aggregator.merger.matching.features.records import Record
from aggregator.text.fold import fold

_DECORATION = re.compile(r"\b(?:the|a|podcasts?|show|feed)\b")
_FEW = 0.2  # distinct names per record of a source: listings have below .05, albums of songs above .6
_RECUR = 0.5  # share of the records whose name is known to another source


class Scope(Struct, frozen=True):
    """``rows`` are the show numbers of the records, -1 for unknown; whether show and author vary item by item.

    ``likely_scope`` also has the only show of a listing, or of all: enough to compare with that show first and to learn
    its frames, not enough to exclude another.
    """

    rows: tuple[int, ...]
    likely_scope: tuple[int, ...]
    show_varies: bool = False
    author_varies: bool = False


def find_scopes(records: Sequence[Record]) -> Scope:
    """Return the show of each record, and whether shows and authors are text.

    Records that came since the feed was learned from do not show it.
    """
    learned = [record for record in records if not record.fresh]
    sources = [record.source for record in learned]
    authors_vary = _do_vary([fold(record.author) if record.author else "" for record in learned], sources)
    shows = [_simplify(record.show) for record in learned]
    varies = _do_vary(shows, sources)
    if varies or not _do_recur(shows, sources):
        unknown = (-1,) * len(records)
        return Scope(unknown, unknown, varies, authors_vary)
    rows = _drop_unconfirmed(_number_shows([_simplify(record.show) for record in records]), records)
    return Scope(tuple(rows), tuple(_fill_in(rows, records)), False, authors_vary)


def _simplify(name: str | None) -> str:
    words = fold(name) if name else ""
    return " ".join(_DECORATION.sub(" ", words).split()) or words


def _do_vary(values: Sequence[str], sources: Sequence[str]) -> bool:
    """Return whether the value varies with nearly every item in the sources of most records."""
    distinct: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for value, source in zip(values, sources, strict=True):
        if value:
            distinct[source][value] += 1
    total = sum(sum(names.values()) for names in distinct.values())
    various = sum(sum(names.values()) for names in distinct.values() if len(names) > max(2, _FEW * sum(names.values())))
    return total > 0 and various > total / 2


def _do_recur(values: Sequence[str], sources: Sequence[str]) -> bool:
    """Return whether the values of a source occur in others, or there is one value only."""
    where: defaultdict[str, set[str]] = defaultdict(set)
    for value, source in zip(values, sources, strict=True):
        if value:
            where[value].add(source)
    named = [value for value in values if value]
    if not named:
        return False
    return sum(1 for value in named if len(where[value]) > 1) >= _RECUR * len(named)


def _fill_in(rows: Sequence[int], records: Sequence[Record]) -> list[int]:
    """Return the show numbers, for unknown ones the only show of the same listing, or of all."""
    listed: defaultdict[str, set[int]] = defaultdict(set)
    for record, row in zip(records, rows, strict=True):
        listed[record.source] |= set() if record.fresh else {row}
    every, out = set().union(*listed.values()) - {-1}, []
    for record, row in zip(records, rows, strict=True):
        known = (listed[record.source] - {-1}) or every
        out.append(min(known) if row < 0 and len(known) == 1 else row)
    return out


def _drop_unconfirmed(rows: Sequence[int], records: Sequence[Record]) -> list[int]:
    """Return the show numbers, -1 for a name that one source alone gives to all its items.

    It may be another name of the same show. The names in a listing of several shows count.
    """
    where: defaultdict[int, set[str]] = defaultdict(set)
    listed: defaultdict[str, set[int]] = defaultdict(set)
    for row, record in zip(rows, records, strict=True):
        if not record.fresh:
            where[row].add(record.source)
            listed[record.source].add(row)
    alone = {row for row, found in where.items() if len(found) == 1}
    return [
        -1 if row in alone and len(listed[record.source] - {-1}) == 1 else row
        for row, record in zip(rows, records, strict=True)
    ]


def _number_shows(shows: Sequence[str]) -> list[int]:
    """Return a number for each show name; a name that contains another as whole words is the same show."""
    names = sorted({name for name in shows if name}, key=lambda name: (len(name), name))
    number: dict[str, int] = {}
    for name in names:
        inside = [short for short in number if f" {short} " in f" {name} "]
        number[name] = number[inside[-1]] if inside else len(number)
    return [number[name] if name else -1 for name in shows]
