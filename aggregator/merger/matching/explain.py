"""The waterfall of one pair: the prior, then each kind of evidence with both values as read and its weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

import numpy as np

from aggregator.merger.matching.comparison import VETOES
from aggregator.merger.matching.features.feature_table import Frame
from aggregator.merger.matching.features.record import Record
from aggregator.merger.matching.features.token_bags import Ints
from aggregator.merger.matching.levels import KINDS, LEVELS
from aggregator.merger.matching.resolve import Resolution
from aggregator.model.cluster import Evidence, Pair
from aggregator.text.titles.titles import Title

_WIDEST = 80  # characters of a value that are shown
_Row = tuple[int, int, float, float, int]  # of a pair: its rows, doubt, rivals and veto


def pairs_of(found: Resolution, places: Sequence[int]) -> list[Pair]:
    """The pairs at some positions, each with its evidence, the prior first; the weights sum up to its own."""
    at = np.array(places, dtype=np.int64)
    evidence = [[Evidence("prior", found.table.version, "", "", found.table.prior)] for _ in places]
    for kind in KINDS:
        for place, one in _of_kind(found, at, kind):
            evidence[place].append(one)
    columns = (found.compared.left, found.compared.right, found.doubts, found.rivals, found.vetoes)
    rows = zip(*(column[at].tolist() for column in columns), strict=True)
    return [_pair(found, row, known) for row, known in zip(rows, evidence, strict=True)]


def _of_kind(found: Resolution, at: Ints, kind: str) -> Iterator[tuple[int, Evidence]]:
    """The evidence of one kind, where it weighs anything, each with the place of its pair among those asked for."""
    column = KINDS.index(kind)
    weights = found.table.weights[column]
    levels = found.compared.levels[at, column]
    some = np.flatnonzero(np.array(weights)[levels])
    left, right = found.compared.left[at[some]], found.compared.right[at[some]]
    said = {row: _value(found.frame, kind, row) for row in {*left.tolist(), *right.tolist()}}
    known: dict[tuple[int, str, str], Evidence] = {}  # copies of an item say the same
    for place, level, one, other in zip(
        some.tolist(), levels[some].tolist(), left.tolist(), right.tolist(), strict=True
    ):
        name = level, said[one], said[other]
        if name not in known:
            known[name] = Evidence(kind, LEVELS[kind][level], said[one], said[other], weights[level])
        yield place, known[name]


def _pair(found: Resolution, row: _Row, evidence: list[Evidence]) -> Pair:
    """One pair out of its row and what the kinds of evidence say."""
    left, right, doubt, lost, veto = row
    if doubt:
        known = ("doubt", "other days, no other witness") if doubt < 0 else ("relisted", "its source lists it anew")
        evidence.append(Evidence(*known, "", "", doubt))
    if lost < 0:
        evidence.append(Evidence("rivals", "another fits as well", "", "", lost))
    total = sum([one.weight for one in evidence])
    ids = found.frame.records[left].id, found.frame.records[right].id
    return Pair(*ids, total, tuple(evidence), VETOES[veto])


def _value(frame: Frame, kind: str, row: int) -> str:
    """What a row says of a kind of evidence, as a person reads it."""
    value = _VALUES[kind](frame.records[row], frame.titles[row]) if kind != "names" else frame.names_of[row]
    return "" if value is None else str(value)[:_WIDEST]


def _date(record: Record, _title: Title) -> str | int | None:
    return record.year if record.day is None else date.fromordinal(record.day).isoformat()


def _number(record: Record, title: Title) -> str:
    numbers = " ".join(f"{number}" for number in dict.fromkeys((*record.numbers, *title.numbers)))
    season = record.season or title.season
    return numbers if season is None else f"season {season}: {numbers}"


_VALUES: Mapping[str, Callable[[Record, Title], str | int | None]] = {
    "id": lambda record, _: " ".join(record.ids),
    "title": lambda _, title: title.core,
    "told": lambda record, _: record.description,
    "duration": lambda record, _: None if record.seconds is None else f"{record.seconds} s ± {record.step // 2}",
    "date": _date,
    "number": _number,
    "tag": lambda _, title: title.tag,
    "digits": lambda _, title: " ".join(f"{number}" for number in title.digits),
    "part": lambda _, title: title.part,
    "order": lambda _record, _title: None,  # the level says it; a place would be another after the next item
}
