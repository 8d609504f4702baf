"""The waterfall of one pair: the prior, then each kind of evidence with both values as read and its weight."""

from __future__ import annotations

from datetime import date

from aggregator.merger.compare import KINDS, LEVELS
from aggregator.merger.frame import Frame
from aggregator.merger.resolve import VETOES, Resolution
from aggregator.model.cluster import Evidence, Pair

_WIDEST = 80  # characters of a value that are shown


def pair_of(found: Resolution, at: int) -> Pair:
    """The pair at a position with its evidence, the prior first; the weights sum up to its own."""
    left, right = int(found.compared.left[at]), int(found.compared.right[at])
    evidence = [Evidence("prior", found.table.version, "", "", found.table.prior)]
    for column, kind in enumerate(KINDS):
        level = int(found.compared.levels[at, column])
        weight = found.table.weights[column][level]
        if weight:
            values = _value(found.frame, kind, left), _value(found.frame, kind, right)
            evidence.append(Evidence(kind, LEVELS[kind][level], *values, weight))
    doubt = float(found.doubts[at])
    if doubt:
        said = ("doubt", "other days, no other witness") if doubt < 0 else ("relisted", "its source lists it anew")
        evidence.append(Evidence(*said, "", "", doubt))
    lost = float(found.rivals[at])
    if lost < 0:
        evidence.append(Evidence("rivals", "another fits as well", "", "", lost))
    total = sum(one.weight for one in evidence)
    ids = found.frame.records[left].id, found.frame.records[right].id
    return Pair(*ids, total, tuple(evidence), VETOES[found.vetoes[at]])


def _value(frame: Frame, kind: str, row: int) -> str:
    """What a row says of a kind of evidence, as a person reads it."""
    record, title = frame.records[row], frame.titles[row]
    numbers = " ".join(f"{number}" for number in dict.fromkeys((*record.numbers, *title.numbers)))
    season = record.season or title.season
    values = {
        "id": " ".join(record.ids),
        "title": title.core,
        "names": frame.names_of[row],
        "told": record.description,
        "duration": None if record.seconds is None else f"{record.seconds} s ± {record.step // 2}",
        "date": record.year if record.day is None else date.fromordinal(record.day).isoformat(),
        "number": numbers if season is None else f"season {season}: {numbers}",
        "tag": title.tag,
        "digits": " ".join(f"{number}" for number in title.digits),
        "part": title.part,
        "order": None,  # the level says it; a place would be another in every report after the next item
    }
    value = values[kind]
    return "" if value is None else str(value)[:_WIDEST]
