"""Record of boilerplate, error rates of sources, and the style of shows, learned from many items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import asdict

from aggregator.merger.blending.copies import RATE_NAMES, Rates
from aggregator.text.titles.affixes import NO_TEMPLATE, Template

NO_ODDS = (0.0, 0.0, 0.0)


class SourceModel(Struct, frozen=True):
    """Phrases that are boilerplate, and the error rates of sources by name.

    ``styles`` are, by show, the log-odds that its quotes, dashes and ellipses are typographic. ``template`` are the
    affixes of its titles.
    """

    phrases: frozenset[str] = frozenset()
    rates: Mapping[str, Rates] = field(default_factory=lambda: MappingProxyType({}))
    styles: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: MappingProxyType({}))
    template: Template = NO_TEMPLATE


EMPTY_MODEL = SourceModel()


def to_json(model: SourceModel) -> str:
    """Return the model as one line of JSON; equal models give equal text."""
    content = {
        "phrases": sorted(model.phrases),
        "rates": {source: asdict(rates) for source, rates in model.rates.items()},
        "styles": {show: list(odds) for show, odds in model.styles.items()},
        "heads": sorted(model.template.heads),
        "tails": sorted(model.template.tails),
    }
    return json.dumps(content, sort_keys=True)


def from_json(text: str) -> SourceModel:
    """Return the model that ``to_json`` wrote; rates that are missing there have their default."""
    content = json.loads(text)
    rates = {
        source: Rates(**{name: float(rate) for name, rate in kept.items() if name in RATE_NAMES})
        for source, kept in content["rates"].items()
    }
    styles = {show: tuple(map(float, odds)) for show, odds in content["styles"].items()}
    template = Template(frozenset(content.get("heads", ())), frozenset(content.get("tails", ())))
    return SourceModel(frozenset(content["phrases"]), MappingProxyType(rates), MappingProxyType(styles), template)
