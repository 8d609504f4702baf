"""The closed list of source kinds as config.yaml may name them: how far each is trusted, and what it needs.

The modules that speak for the kinds stand in ``fetchers``; a test compares this list with the roster there. Kinds
of third parties are known by the names of the entry points in the group ``aggregator.sources``; none is loaded here.
"""

from __future__ import annotations

from importlib import metadata

from msgspec import Struct

ENTRY_POINTS = "aggregator.sources"
FOREIGN_TRUST = 0.5


class Kind(Struct, frozen=True):
    """One kind of source: its trust unless given, and the keys of which exactly one says where it is.

    ``options`` are those it understands (``None`` where only its package knows), ``needed`` those it cannot do without.

    The trusts only order the kinds: the host speaks for itself, a feed is whole where a directory cuts, and a page
    read by selectors is the easiest to misread. Ten percent more or less changes nothing while the order stands.
    """

    trust: float
    places: tuple[str, ...] = ("url", "path")
    options: tuple[str, ...] | None = ()
    needed: tuple[str, ...] = ()


PAGE = (
    "items",
    "title",
    "link",
    "date",
    "text",
    "audio",
    "image",
    "length",
    "id",
    "genre",
    "day_first",
    "show",
)
"""Selectors, and plain values, by which a page is read."""

KINDS: dict[str, Kind] = {
    "simplecast": Kind(0.9),
    "feed": Kind(0.8),
    "jsonfeed": Kind(0.8),
    "apple": Kind(0.7, ("show", "url", "path")),
    "blog": Kind(0.6),
    "listing": Kind(0.4),
    "page": Kind(0.3, options=PAGE, needed=("items",)),
}


def known() -> tuple[str, ...]:
    """Every kind that config.yaml may name here: the built-in ones first, then those of installed packages."""
    return (*KINDS, *sorted(metadata.entry_points(group=ENTRY_POINTS).names - KINDS.keys()))


def of(name: str) -> Kind:
    """What is known of a kind; a kind of a third party may name any place and is trusted middlingly."""
    return KINDS.get(name, Kind(FOREIGN_TRUST, ("show", "url", "path"), options=None))
