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
from aggregator.merger.blending.aligned_copies import Column, backbone_first, weave
from aggregator.merger.blending.copies import Copy, Witness, call, in_tokens
from aggregator.merger.blending.error_rates import DEFAULT, NAMES, Rates
from aggregator.text.titles.affixes import NONE, Template
from aggregator.text.typography import sides

# Three copies can outvote one; of two nobody knows which is right.
ENOUGH = 3
MOST_ITEMS = 150  # 60 to 600 score the same within .006 on the development files; each costs an alignment
MOST_SHOWS = 10_000
# What is believed of a source before it is known, in words seen and in items seen.
WORDS_KNOWN = 400.0
ITEMS_KNOWN = 8.0
BY_ITEM = frozenset(("moved", "stuck", "short", "restyled"))
NO_ODDS = (0.0, 0.0, 0.0)


class Lore(Struct, frozen=True):
    """What was learned: phrases that are boilerplate, and the rates of each source by its name.

    ``styles`` are, by show, the log-odds that its quotes, dashes and ellipses are typographic. ``template`` is what
    the show puts round the words of its titles.
    """

    phrases: frozenset[str] = frozenset()
    rates: Mapping[str, Rates] = field(default_factory=lambda: MappingProxyType({}))
    styles: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: MappingProxyType({}))
    template: Template = NONE


NOTHING = Lore()


class Observer(Struct):
    """Counts, source by source, what its copies lose, add, distort and move where others can tell."""

    phrases: boilerplate.Learner = field(default_factory=boilerplate.Learner)
    seen: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    sides: dict[str, list[list[int]]] = field(default_factory=dict)
    items: int = 0

    def hear(self, copies: Sequence[Copy], language: str | None, show: str | None = None) -> None:
        """Takes in one item."""
        witnesses = in_tokens(call(copies))
        word_breaks.match_seams(witnesses, language)
        truncation.see_stops(witnesses)
        self.phrases.hear(witnesses)
        self._side(witnesses, show or "")
        if len(witnesses) < ENOUGH or self.items >= MOST_ITEMS:
            return
        if len({witness.text for witness in witnesses}) == 1:
            return
        self.items += 1
        columns = weave(witnesses, backbone_first(witnesses))
        stretches = vote.standing(columns, witnesses)
        kept = [column for stretch in stretches for column in stretch.columns]
        distorted = _distorted(kept, len(witnesses))
        movers = frozenset().union(*(column.moved for column in kept))
        for number, witness in enumerate(witnesses):
            counts = dict(witness.seen)
            counts["wrong"] = distorted[number]
            counts["moved"] = (float(number in movers), 1.0)
            self._add(witness.source, counts)

    def _side(self, witnesses: Sequence[Witness], show: str) -> None:
        """Counts on which side of style the copies of an item stand, and who stands alone."""
        taken = [sides(witness.text) for witness in witnesses]
        if show in self.sides or len(self.sides) < MOST_SHOWS:
            totals = self.sides.setdefault(show, [[0, 0] for _ in NO_ODDS])
            for kind, total in enumerate(totals):
                total[0] += sum(side[kind] > 0 for side in taken)
                total[1] += sum(side[kind] < 0 for side in taken)
        for kind in range(len(NO_ODDS)):
            clear = [side[kind] for side in taken if side[kind]]
            if len(clear) >= ENOUGH:
                for witness, side in zip(witnesses, taken, strict=True):
                    if side[kind]:
                        self._add(witness.source, {"restyled": (float(clear.count(side[kind]) == 1), 1.0)})

    def _add(self, source: str, counts: Mapping[str, tuple[float, float]]) -> None:
        totals = self.seen.setdefault(source, {})
        for name, (events, chances) in counts.items():
            before = totals.get(name, (0.0, 0.0))
            totals[name] = (before[0] + events, before[1] + chances)

    def lore(self) -> Lore:
        """What was learned so far."""
        rates = {source: _rates(seen) for source, seen in self.seen.items()}
        styles = {
            show: tuple(log((curled + 1) / (plain + 1)) for curled, plain in totals)
            for show, totals in self.sides.items()
            if show
        }
        return Lore(self.phrases.learned(), MappingProxyType(rates), MappingProxyType(styles))


def _rates(seen: Mapping[str, tuple[float, float]]) -> Rates:
    by_word = {name: counts for name, counts in seen.items() if name not in BY_ITEM}
    by_item = {name: counts for name, counts in seen.items() if name in BY_ITEM}
    return DEFAULT.moreover(by_word, WORDS_KNOWN).moreover(by_item, ITEMS_KNOWN)


def _distorted(columns: Sequence[Column], count: int) -> list[tuple[float, float]]:
    """How many words each witness writes otherwise than two others do, and how many it has with them."""
    events, chances = [0.0] * count, [0.0] * count
    for column in columns:
        if len(column.cells) < ENOUGH:
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


def to_json(lore: Lore) -> str:
    """The lore as one line of JSON: the same lore gives the same text."""
    said = {
        "phrases": sorted(lore.phrases),
        "rates": {source: asdict(rates) for source, rates in lore.rates.items()},
        "styles": {show: list(odds) for show, odds in lore.styles.items()},
        "heads": sorted(lore.template.heads),
        "tails": sorted(lore.template.tails),
    }
    return json.dumps(said, sort_keys=True)


def from_json(text: str) -> Lore:
    """The lore that ``to_json`` wrote; a rate that it does not name is the usual one, a template none."""
    said = json.loads(text)
    rates = {
        source: Rates(**{name: float(rate) for name, rate in kept.items() if name in NAMES})
        for source, kept in said["rates"].items()
    }
    styles = {show: tuple(map(float, odds)) for show, odds in said["styles"].items()}
    template = Template(frozenset(said.get("heads", ())), frozenset(said.get("tails", ())))
    return Lore(frozenset(said["phrases"]), MappingProxyType(rates), MappingProxyType(styles), template)
