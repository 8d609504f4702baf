"""The waterfall of one pair: the prior, then each kind of evidence with both values as read and its weight."""

from __future__ import annotations

from datetime import date

from aggregator.merger.compare import KINDS, LEVELS, Compared
from aggregator.merger.frame import Frame
from aggregator.merger.table import Table
from aggregator.model.cluster import Evidence, Pair

_WIDEST = 80  # characters of a value that are shown


def pair_of(frame: Frame, compared: Compared, at: int, table: Table, veto: str | None = None) -> Pair:
    """The pair at a position of the comparison with its evidence, the prior first; the weights sum up to its own."""
    left, right = int(compared.left[at]), int(compared.right[at])
    found = [Evidence("prior", table.version, "", "", table.prior)]
    for column, kind in enumerate(KINDS):
        level = int(compared.levels[at, column])
        weight = table.weights[column][level]
        if weight:
            values = _value(frame, kind, left), _value(frame, kind, right)
            found.append(Evidence(kind, LEVELS[kind][level], *values, weight))
    total = sum(evidence.weight for evidence in found)
    return Pair(frame.records[left].id, frame.records[right].id, total, tuple(found), veto)


def _value(frame: Frame, kind: str, row: int) -> str:
    """What a row says of a kind of evidence, as a person reads it."""
    record, title = frame.records[row], frame.titles[row]
    numbers = " ".join(f"{number}" for number in dict.fromkeys((*record.numbers, *title.numbers)))
    season = record.season or title.season
    values = {
        "id": " ".join(record.ids),
        "text": frame.texts[row],
        "core": title.core,
        "told": record.description,
        "duration": None if record.seconds is None else f"{record.seconds} s ± {record.step // 2}",
        "date": record.year if record.day is None else date.fromordinal(record.day).isoformat(),
        "number": numbers if season is None else f"season {season}: {numbers}",
        "tag": title.tag,
        "digits": " ".join(f"{number}" for number in title.digits),
        "part": title.part,
    }
    value = values[kind]
    return "" if value is None else str(value)[:_WIDEST]
