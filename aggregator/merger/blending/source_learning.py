"""Learn boilerplate, the error rates of sources and the style of shows from many items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from types import MappingProxyType

from msgspec import Struct, field

from aggregator.merger.blending import boilerplate, truncation, vote, word_breaks
from aggregator.merger.blending.aligned_copies import Column, align_copies
from aggregator.merger.blending.blend import Text
from aggregator.merger.blending.copies import DEFAULT_RATES, Copy, PreparedCopy, Rates, prepare_copies, tokenise_copies
from aggregator.merger.blending.source_model import NO_ODDS, SourceModel
from aggregator.merger.blending.spelling import count_sides

_ENOUGH = 3  # copies of an item: of two, either may be right
_MOST_ITEMS = 150  # with alignment; 60 to 600 score the same within .006 on the development files
_MOST_SHOWS = 10_000
_PRIOR_WORDS = 400.0  # observations that the default rates count as
_PRIOR_ITEMS = 8.0
_BY_ITEM = frozenset(("moved", "stuck", "short", "restyled"))  # rates with one chance for each item


def learn_sources(texts: Iterable[Text]) -> SourceModel:
    """Return the model of the sources and shows of the texts; memory is bounded."""
    learner = SourceModelLearner()
    for text in texts:
        learner.add(text.copies, text.language, text.show)
    return learner.make_model()


class SourceModelLearner(Struct):
    """Counts of boilerplate, of errors by source, and of typographic styles by show."""

    phrases: boilerplate.BoilerplateLearner = field(default_factory=boilerplate.BoilerplateLearner)
    seen: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    sides: dict[str, list[list[int]]] = field(default_factory=dict)
    items: int = 0

    def add(self, copies: Sequence[Copy], language: str | None, show: str | None = None) -> None:
        """Count the copies of one text."""
        prepared = tokenise_copies(prepare_copies(copies))
        word_breaks.match_word_breaks(prepared, language)
        truncation.mark_cut_copies(prepared, learning=True)
        self.phrases.add(prepared)
        self._add_styles(prepared, show or "")
        if len(prepared) < _ENOUGH or self.items >= _MOST_ITEMS or len({copy.text for copy in prepared}) == 1:
            return
        self.items += 1
        stretches = vote.weigh_stretches(align_copies(prepared), prepared)
        columns = [column for stretch in stretches if stretch.odds >= 0 for column in stretch.columns]
        distorted = _count_distortions(columns, len(prepared))
        movers = frozenset().union(*(column.moved for column in columns))
        for number, copy in enumerate(prepared):
            moved = (float(number in movers), 1.0)
            self._add_counts(copy.source, copy.seen | {"wrong": distorted[number], "moved": moved})

    def _add_styles(self, copies: Sequence[PreparedCopy], show: str) -> None:
        """Count the styles of the copies by show, and by source the copies that differ from all others."""
        taken = [count_sides(copy.text) for copy in copies]
        if show in self.sides or len(self.sides) < _MOST_SHOWS:
            totals = self.sides.setdefault(show, [[0, 0] for _ in NO_ODDS])
            for kind, total in enumerate(totals):
                total[0] += sum(side[kind] > 0 for side in taken)
                total[1] += sum(side[kind] < 0 for side in taken)
        for kind in range(len(NO_ODDS)):
            clear = [side[kind] for side in taken if side[kind]]
            if len(clear) >= _ENOUGH:
                for copy, side in zip(copies, taken, strict=True):
                    if side[kind]:
                        self._add_counts(copy.source, {"restyled": (float(clear.count(side[kind]) == 1), 1.0)})

    def _add_counts(self, source: str, counts: Mapping[str, tuple[float, float]]) -> None:
        totals = self.seen.setdefault(source, {})
        for name, (events, chances) in counts.items():
            before = totals.get(name, (0.0, 0.0))
            totals[name] = (before[0] + events, before[1] + chances)

    def make_model(self) -> SourceModel:
        """Return the model of all texts so far."""
        rates = {source: _make_rates(seen) for source, seen in self.seen.items()}
        styles = {
            show: tuple(log((curled + 1) / (plain + 1)) for curled, plain in totals)
            for show, totals in self.sides.items()
            if show
        }
        return SourceModel(self.phrases.find_phrases(), MappingProxyType(rates), MappingProxyType(styles))


def _make_rates(seen: Mapping[str, tuple[float, float]]) -> Rates:
    by_word = {name: counts for name, counts in seen.items() if name not in _BY_ITEM}
    by_item = {name: counts for name, counts in seen.items() if name in _BY_ITEM}
    return DEFAULT_RATES.add_counts(by_word, _PRIOR_WORDS).add_counts(by_item, _PRIOR_ITEMS)


def _count_distortions(columns: Sequence[Column], count: int) -> list[tuple[float, float]]:
    """Return for each copy how many words it alone writes differently, and how many words two others have, too."""
    events, chances = [0.0] * count, [0.0] * count
    for column in columns:
        if len(column.cells) >= _ENOUGH:
            for number in column.cells:
                chances[number] += 1
            words = [token.word for token in column.cells.values()]
            if len(set(words)) == 2:  # noqa: PLR2004 - its own, and the others'
                for number, word in zip(column.cells, words, strict=True):
                    events[number] += words.count(word) == 1 and not _is_fuller(column, number)
    return list(zip(events, chances, strict=True))


def _is_fuller(column: Column, number: int) -> bool:
    """Return whether the others have the word of a copy with fewer letters beyond ASCII ("Gross"): they lost these."""
    own = column.cells[number]
    return any(
        other.key == own.key and sum(map(str.isascii, other.word)) > sum(map(str.isascii, own.word))
        for other in column.cells.values()
    )
