"""What people decided, what was published, and what a source listed twice, as rules for clustering."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence

from aggregator.merger.matching.clustering import Rules
from aggregator.merger.matching.features.feature_table import Frame
from aggregator.model.cluster import Decision

_DAY = 86400  # seconds
_TWICE = 2  # entries of one title and instant, or days of one time, that may be chance


def rules_of(frame: Frame, decisions: Sequence[Decision], pins: Mapping[str, str], loose: Container[str] = ()) -> Rules:
    """The rules for a frame: twins, pinned rows and "same" together, "different" apart; pins of ``loose`` do not hold.

    A decision names entry ids or published guids; what it names and nobody lists any more is passed over. The
    last decision about two rows stands.
    """
    row = {record.id: at for at, record in enumerate(frame.records)}
    promised = {row[name]: value for name, value in pins.items() if name in row}
    guid = {at: value for at, value in promised.items() if frame.records[at].id not in loose}
    pinned: defaultdict[str, list[int]] = defaultdict(list)
    for at in sorted(promised):
        pinned[promised[at]].append(at)
    holding: defaultdict[str, list[int]] = defaultdict(list)
    for at in sorted(guid):
        holding[guid[at]].append(at)
    same: set[tuple[int, int]] = set()
    apart: set[tuple[int, int]] = set()
    for decision in decisions:
        left, right = ([row[name]] if name in row else pinned[name] for name in (decision.left, decision.right))
        pairs = {(min(one, other), max(one, other)) for one in left for other in right if one != other}
        same, apart = (same | pairs, apart - pairs) if decision.verdict == "same" else (same - pairs, apart | pairs)
    held = [*sorted(same), *holding.values(), *twins(frame)]
    groups = [part for group in held for part in _unparted(group, apart)]
    return Rules(
        frame.source.tolist(),
        frame.kind.tolist(),
        [record.span.first for record in frame.records],
        [record.span.last for record in frame.records],
        tuple(groups),
        frozenset(apart),
        guid,
        frame.scope.tolist(),
    )


def published(frame: Frame, pins: Mapping[str, str]) -> list[tuple[int, ...]]:
    """The rows that were published under one guid, whether or not that still holds them together."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for at, record in enumerate(frame.records):
        if record.id in pins:
            rows[pins[record.id]].append(at)
    return list(map(tuple, rows.values()))


def _unparted(group: Sequence[int], apart: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The rows that stay together, divided where a person said "different"; only parts of two rows or more."""
    parts: list[list[int]] = []
    for row in sorted(group):
        home = next((part for part in parts if not any((other, row) in apart for other in part)), None)
        if home is None:
            parts.append([row])
        else:
            home.append(row)
    return [tuple(part) for part in parts if len(part) > 1]


def twins(frame: Frame) -> list[tuple[int, ...]]:
    """Return the rows of one source that are one item listed twice (seen in a feed of 2022).

    Title, date, duration and number are equal, and the audio too, or the text where the date has a real time of day.
    Equal titles and stamps alone are two editions of one day, or items imported together. An equal guid is enough with
    both texts.
    """
    real = _real_times(frame)
    same: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for at, record in enumerate(frame.records):
        for value in record.ids:
            if value.startswith("guid:"):
                same[record.source, record.title, record.description, value].append(at)
        if record.instant is None:
            continue
        said = (record.source, record.title, record.instant, record.seconds, record.season, record.numbers)
        for value in record.ids:
            if value.startswith("audio:"):
                same[*said, value].append(at)
        if real[at] and record.description:
            same[*said, record.description].append(at)
    return [tuple(rows) for rows in same.values() if len(rows) > 1]


def _real_times(frame: Frame) -> list[bool]:
    """Return for each row whether its instant is a time of day that is the item's own.

    It is not where the time is midnight, where it is that of most days of its source (a day, written in another zone),
    or where entries of several titles share the instant, or three of one (an import).
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
        met = titles[record.source, record.instant]
        usual = times[record.source, record.instant % _DAY]
        stamped = len(set(met)) > 1 or len(met) > _TWICE
        found.append(not stamped and not (usual > _TWICE and 2 * usual > len(days[record.source])))
    return found
