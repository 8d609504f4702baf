"""Lore: what is learned from many items and helps with each: boilerplate, and how far each source can be believed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import asdict

from aggregator.merger.blending import boilerplate, truncation, vote, word_breaks
from aggregator.merger.blending.aligned_copies import Column, align_copies, order_by_reliability
from aggregator.merger.blending.copies import (
    DEFAULT_RATES,
    RATE_NAMES,
    Copy,
    PreparedCopy,
    Rates,
    prepare_copies,
    tokenise_copies,
)
from aggregator.merger.blending.spelling import count_sides
from aggregator.text.titles.affixes import NO_TEMPLATE, Template

# Three copies can outvote one; of two nobody knows which is right.
_ENOUGH = 3
_MOST_ITEMS = 150  # 60 to 600 score the same within .006 on the development files; each costs an alignment
_MOST_SHOWS = 10_000
# What is believed of a source before it is known, in words seen and in items seen.
_WORDS_KNOWN = 400.0
_ITEMS_KNOWN = 8.0
_BY_ITEM = frozenset(("moved", "stuck", "short", "restyled"))
NO_ODDS = (0.0, 0.0, 0.0)


class SourceModel(Struct, frozen=True):
    """What was learned: phrases that are boilerplate, and the rates of each source by its name.

    ``styles`` are, by show, the log-odds that its quotes, dashes and ellipses are typographic. ``template`` is what
    the show puts round the words of its titles.
    """

    phrases: frozenset[str] = frozenset()
    rates: Mapping[str, Rates] = field(default_factory=lambda: MappingProxyType({}))
    styles: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: MappingProxyType({}))
    template: Template = NO_TEMPLATE


EMPTY_MODEL = SourceModel()


class SourceLearner(Struct):
    """Counts, source by source, what its copies lose, add, distort and move where others can tell."""

    phrases: boilerplate.BoilerplateLearner = field(default_factory=boilerplate.BoilerplateLearner)
    seen: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    sides: dict[str, list[list[int]]] = field(default_factory=dict)
    items: int = 0

    def hear(self, copies: Sequence[Copy], language: str | None, show: str | None = None) -> None:
        """Takes in one item."""
        witnesses = tokenise_copies(prepare_copies(copies))
        word_breaks.match_word_breaks(witnesses, language)
        truncation.mark_cut_copies(witnesses)
        self.phrases.hear(witnesses)
        self._side(witnesses, show or "")
        if len(witnesses) < _ENOUGH or self.items >= _MOST_ITEMS:
            return
        if len({witness.text for witness in witnesses}) == 1:
            return
        self.items += 1
        columns = align_copies(witnesses, order_by_reliability(witnesses))
        stretches = vote.keep_likely(columns, witnesses)
        kept = [column for stretch in stretches for column in stretch.columns]
        distorted = _count_distortions(kept, len(witnesses))
        movers = frozenset().union(*(column.moved for column in kept))
        for number, witness in enumerate(witnesses):
            counts = dict(witness.seen)
            counts["wrong"] = distorted[number]
            counts["moved"] = (float(number in movers), 1.0)
            self._add(witness.source, counts)

    def _side(self, witnesses: Sequence[PreparedCopy], show: str) -> None:
        """Counts on which side of style the copies of an item stand, and who stands alone."""
        taken = [count_sides(witness.text) for witness in witnesses]
        if show in self.sides or len(self.sides) < _MOST_SHOWS:
            totals = self.sides.setdefault(show, [[0, 0] for _ in NO_ODDS])
            for kind, total in enumerate(totals):
                total[0] += sum(side[kind] > 0 for side in taken)
                total[1] += sum(side[kind] < 0 for side in taken)
        for kind in range(len(NO_ODDS)):
            clear = [side[kind] for side in taken if side[kind]]
            if len(clear) >= _ENOUGH:
                for witness, side in zip(witnesses, taken, strict=True):
                    if side[kind]:
                        self._add(witness.source, {"restyled": (float(clear.count(side[kind]) == 1), 1.0)})

    def _add(self, source: str, counts: Mapping[str, tuple[float, float]]) -> None:
        totals = self.seen.setdefault(source, {})
        for name, (events, chances) in counts.items():
            before = totals.get(name, (0.0, 0.0))
            totals[name] = (before[0] + events, before[1] + chances)

    def lore(self) -> SourceModel:
        """What was learned so far."""
        rates = {source: _make_rates(seen) for source, seen in self.seen.items()}
        styles = {
            show: tuple(log((curled + 1) / (plain + 1)) for curled, plain in totals)
            for show, totals in self.sides.items()
            if show
        }
        return SourceModel(self.phrases.learned(), MappingProxyType(rates), MappingProxyType(styles))


def _make_rates(seen: Mapping[str, tuple[float, float]]) -> Rates:
    by_word = {name: counts for name, counts in seen.items() if name not in _BY_ITEM}
    by_item = {name: counts for name, counts in seen.items() if name in _BY_ITEM}
    return DEFAULT_RATES.moreover(by_word, _WORDS_KNOWN).moreover(by_item, _ITEMS_KNOWN)


def _count_distortions(columns: Sequence[Column], count: int) -> list[tuple[float, float]]:
    """How many words each witness writes otherwise than two others do, and how many it has with them."""
    events, chances = [0.0] * count, [0.0] * count
    for column in columns:
        if len(column.cells) < _ENOUGH:
            continue
        tokens = list(column.cells.values())
        if tokens.count(tokens[0]) == len(tokens):
            for number in column.cells:
                chances[number] += 1
            continue
        words = {number: token.word for number, token in column.cells.items()}
        often = Counter(words.values()) if len(set(words.values())) > 1 else {}
        for number, word in words.items():
            chances[number] += 1
            events[number] += len(often) == 2 and often[word] == 1  # noqa: PLR2004 - its own and that of all others
    return list(zip(events, chances, strict=True))


def to_json(lore: SourceModel) -> str:
    """The lore as one line of JSON: the same lore gives the same text."""
    said = {
        "phrases": sorted(lore.phrases),
        "rates": {source: asdict(rates) for source, rates in lore.rates.items()},
        "styles": {show: list(odds) for show, odds in lore.styles.items()},
        "heads": sorted(lore.template.heads),
        "tails": sorted(lore.template.tails),
    }
    return json.dumps(said, sort_keys=True)


def from_json(text: str) -> SourceModel:
    """The lore that ``to_json`` wrote; a rate that it does not name is the usual one, a template none."""
    said = json.loads(text)
    rates = {
        source: Rates(**{name: float(rate) for name, rate in kept.items() if name in RATE_NAMES})
        for source, kept in said["rates"].items()
    }
    styles = {show: tuple(map(float, odds)) for show, odds in said["styles"].items()}
    template = Template(frozenset(said.get("heads", ())), frozenset(said.get("tails", ())))
    return SourceModel(frozenset(said["phrases"]), MappingProxyType(rates), MappingProxyType(styles), template)
