"""Records side by side as columns, so that millions of pairs can be compared at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggregator.merger.record import Record
from aggregator.merger.scope import Scope, scopes_of
from aggregator.merger.sparse import Bags, Ints, frequency, gather, weighted
from aggregator.text.fold import fold
from aggregator.text.titles import Title, pieces

ABSENT = -(2**40)  # in every whole-number column: the source did not say
_DESCRIBED = 1000  # characters of a description that are compared; a directory's cut copy has 200 to 300


@dataclass(frozen=True, slots=True)
class Frame:
    """The records of a run as columns; row numbers follow the order of ids, so the input's order leaves no trace.

    ``repeats`` is the most that a row's core occurs in one source. Bags: ``grams`` of the compared text (unit
    length), ``tokens`` of the compared text, ``told`` of the description, ``names`` of author and the like,
    ``hard`` ids that occur once in their source, ``numbers``.
    """

    records: tuple[Record, ...]
    titles: tuple[Title, ...]
    texts: tuple[str, ...]
    source: Ints
    scope: Ints
    kind: Ints
    core: Ints
    repeats: Ints
    day: Ints
    year: Ints
    seconds: Ints
    step: Ints
    season: Ints
    part: Ints
    tag: Ints
    digits: Ints
    grams: Bags
    tokens: Bags
    told: Bags
    hard: Bags
    numbers: Bags


def framed(records: Sequence[Record]) -> Frame:
    """The columns of records, sorted by id."""
    rows = tuple(sorted(records, key=lambda record: record.id))
    scope = scopes_of(rows)
    titles = tuple(pieces(row.title, row.show or "") for row in rows)
    texts = tuple(_text(row, title, scope) for row, title in zip(rows, titles, strict=True))
    told = [fold((row.description or "")[:_DESCRIBED]).split() for row in rows]
    core = _coded([title.core for title in titles])
    source = _coded([row.source for row in rows])
    return Frame(
        records=rows,
        titles=titles,
        texts=texts,
        source=source,
        scope=np.array(scope.rows, dtype=np.int64),
        kind=_coded([row.kind or None for row in rows]),
        core=core,
        repeats=_repeats(core, source),
        day=_column(row.day for row in rows),
        year=_column(row.year for row in rows),
        seconds=_column(row.seconds for row in rows),
        step=_column(row.step for row in rows),
        season=_column(_either(row.season, title.season) for row, title in zip(rows, titles, strict=True)),
        part=_column(title.part for title in titles),
        tag=_coded([title.tag for title in titles]),
        digits=_coded([title.digits or None for title in titles]),
        grams=_rare(_bags([_grams(text) for text in texts]), unit=True),
        tokens=_bags([text.split() for text in texts]),
        told=_rare(_bags(told), unit=False),
        hard=_hard(rows),
        numbers=_bags([(*row.numbers, *title.numbers) for row, title in zip(rows, titles, strict=True)]),
    )


def _text(row: Record, title: Title, scope: Scope) -> str:
    """What is compared as text: the core, and show and author where they vary item by item."""
    extra = [
        fold(value)
        for value, varies in ((row.show, scope.show_varies), (row.author, scope.author_varies))
        if value and varies
    ]
    return " ".join([title.core, *extra])


def _grams(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


def _bags(rows: Iterable[Iterable[Hashable]]) -> Bags:
    """Bags of the distinct features of each row, numbered as first met."""
    number: dict[Hashable, int] = {}
    return gather(
        [[number.setdefault(feature, len(number)) for feature in dict.fromkeys(row)] for row in rows], len(number)
    )


def _rare(bags: Bags, *, unit: bool) -> Bags:
    """The bags weighted by how rare each feature is among the rows (idf)."""
    rows = len(bags.starts) - 1
    idf = np.log((rows + 1) / np.maximum(frequency(bags), 1)).astype(np.float32)
    return weighted(bags, np.maximum(idf, np.float32(0.05)), unit=unit)


def _hard(rows: Sequence[Record]) -> Bags:
    """The hard ids of each row that occur once in their source."""
    often = Counter((row.source, value) for row in rows for value in set(row.ids))
    return _bags([[value for value in row.ids if often[row.source, value] == 1] for row in rows])


def _repeats(core: Ints, source: Ints) -> Ints:
    """For each row the most that its core occurs in any one source."""
    often = Counter(zip(core.tolist(), source.tolist(), strict=True))
    most: defaultdict[int, int] = defaultdict(int)
    for (one, _), times in often.items():
        most[one] = max(most[one], times)
    return np.array([most[one] for one in core.tolist()], dtype=np.int64)


def _coded(values: Sequence[Hashable | None]) -> Ints:
    """Whole numbers that are equal where the values are; ``ABSENT`` for ``None``."""
    number: dict[Hashable, int] = {}
    return np.array(
        [ABSENT if value is None else number.setdefault(value, len(number)) for value in values], dtype=np.int64
    )


def _column(values: Iterable[int | None]) -> NDArray[np.int64]:
    return np.array([ABSENT if value is None else value for value in values], dtype=np.int64)


def _either(one: int | None, other: int | None) -> int | None:
    return other if one is None else one
