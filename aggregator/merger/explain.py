"""The waterfall of one pair: the prior, then each kind of evidence with both values as read and its weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from aggregator.merger.compare import KINDS, LEVELS
from aggregator.merger.frame import Frame
from aggregator.merger.record import Record
from aggregator.merger.resolve import Resolution
from aggregator.merger.sight import VETOES
from aggregator.model.cluster import Evidence, Pair
from aggregator.text.titles import Title

_WIDEST = 80  # characters of a value that are shown
_Row = tuple[int, int, list[int], float, float, int]  # of a pair: its rows, levels, doubt, rivals and veto


def pair_of(found: Resolution, at: int) -> Pair:
    """The pair at a position with its evidence, the prior first; the weights sum up to its own."""
    return pairs_of(found, [at])[0]


def pairs_of(found: Resolution, places: Sequence[int]) -> list[Pair]:
    """The pairs at some positions; what a row says is read once, however many pairs it is in."""
    compared = found.compared
    columns = (compared.left, compared.right, compared.levels, found.doubts, found.rivals, found.vetoes)
    said: dict[tuple[str, int], str] = {}
    return [_pair(found, row, said) for row in zip(*(column[places].tolist() for column in columns), strict=True)]


def _pair(found: Resolution, row: _Row, said: dict[tuple[str, int], str]) -> Pair:
    """One pair out of its row."""
    left, right, levels, doubt, lost, veto = row
    evidence = [Evidence("prior", found.table.version, "", "", found.table.prior)]
    for kind, level, weights in zip(KINDS, levels, found.table.weights, strict=True):
        weight = weights[level]
        if weight:
            for one in ((kind, left), (kind, right)):
                if one not in said:
                    said[one] = _value(found.frame, *one)
            evidence.append(Evidence(kind, LEVELS[kind][level], said[kind, left], said[kind, right], weight))
    if doubt:
        known = ("doubt", "other days, no other witness") if doubt < 0 else ("relisted", "its source lists it anew")
        evidence.append(Evidence(*known, "", "", doubt))
    if lost < 0:
        evidence.append(Evidence("rivals", "another fits as well", "", "", lost))
    total = sum(one.weight for one in evidence)
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
