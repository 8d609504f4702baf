"""Which show each record belongs to, where the records let that be known.

A show name is a *scope* where a source has few of them and they recur in other sources: then records of two known,
different shows are never compared. Where it varies item by item (the album of a song) it is text; where it never
recurs elsewhere (the venues of two paper catalogues) it says nothing. A scope is never a scored feature: inside a
source it is constant, so its agreement there would look worthless.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from aggregator.merger.record import Record
from aggregator.text.fold import fold

_DECORATION = re.compile(r"\b(?:the|a|podcasts?|show|feed)\b")
_FEW = 0.2  # distinct names per record of a source: listings have below .05, albums of songs above .6
_RECUR = 0.5  # share of the records whose name is known to another source


@dataclass(frozen=True, slots=True)
class Scope:
    """``rows`` holds a show number for each record, -1 where unknown; whether show and author vary item by item."""

    rows: tuple[int, ...]
    show_varies: bool = False
    author_varies: bool = False


def scopes_of(records: Sequence[Record]) -> Scope:
    """The show of each record, and whether shows and authors are text."""
    shows = [_plain(record.show) for record in records]
    authors = [fold(record.author) if record.author else "" for record in records]
    sources = [record.source for record in records]
    varies = _varies(shows, sources)
    if varies or not _recur(shows, sources):
        return Scope((-1,) * len(records), varies, _varies(authors, sources))
    return Scope(tuple(_numbered(shows)), False, _varies(authors, sources))


def _plain(name: str | None) -> str:
    folded = fold(name) if name else ""
    return " ".join(_DECORATION.sub(" ", folded).split()) or folded


def _varies(values: Sequence[str], sources: Sequence[str]) -> bool:
    """Whether most records lie in sources where the value changes with nearly every item."""
    distinct: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for value, source in zip(values, sources, strict=True):
        if value:
            distinct[source][value] += 1
    total = sum(sum(names.values()) for names in distinct.values())
    various = sum(sum(names.values()) for names in distinct.values() if len(names) > max(2, _FEW * sum(names.values())))
    return total > 0 and various > total / 2


def _recur(values: Sequence[str], sources: Sequence[str]) -> bool:
    """Whether the values of a source are found in others, or there is one value only."""
    where: defaultdict[str, set[str]] = defaultdict(set)
    for value, source in zip(values, sources, strict=True):
        if value:
            where[value].add(source)
    named = [value for value in values if value]
    if not named:
        return False
    return sum(1 for value in named if len(where[value]) > 1) >= _RECUR * len(named)


def _numbered(shows: Sequence[str]) -> list[int]:
    """A number for each show name; a name that contains another as whole words is the same show."""
    names = sorted({name for name in shows if name}, key=lambda name: (len(name), name))
    number: dict[str, int] = {}
    for name in names:
        inside = [short for short in number if f" {short} " in f" {name} "]
        number[name] = number[inside[-1]] if inside else len(number)
    return [number[name] if name else -1 for name in shows]
