"""Apply the filters of the config: conditions that leave entries and items out of a feed.

Entries that are left out stay in the store and come back under their old guid if the filter changes. Conditions about
an unknown length or date are ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from itertools import chain

from aggregator.merger import patterns
from aggregator.model.entry import Entry
from aggregator.model.item import Item, LeftOut
from aggregator.model.source import Conditions, Filter
from aggregator.text.fold import fold
from aggregator.translation.marks import N_


def find_reason(found: Entry | Item, chosen: Filter, place: str) -> str | None:
    """Return the condition that leaves an entry or item out, such as "only title"; ``None`` if it belongs to the feed.

    ``place`` is where the filter stands in the config. Raises PublishError for a pattern that takes too long.
    """
    failed = (f"only {name}" for name, is_met in _check_conditions(found, chosen.only, f"{place}.only") if not is_met)
    excluded = (
        f"exclude {name}" for name, is_met in _check_conditions(found, chosen.exclude, f"{place}.exclude") if is_met
    )
    return next(chain(failed, excluded), None)


def describe(left_out: Iterable[LeftOut]) -> tuple[str, ...]:
    """Return one line for each condition that leaves something out, with the number."""
    counted = Counter((each.source, each.why) for each in left_out)
    return tuple(_describe(*key, number) for key, number in sorted(counted.items()))


def _describe(source: str, why: str, number: int) -> str:
    kind = ("entry" if source else "item") if number == 1 else "entries" if source else "items"
    return f"{number} {kind}{f' of {source}' if source else ''} left out by {why}"


def list_emptied(left_out: Iterable[LeftOut], kept: Container[str]) -> tuple[str, ...]:
    """Return one line for each source whose filter leaves out all entries; ``kept`` are those with an entry left."""
    emptied = Counter(each.source for each in left_out if each.source and each.source not in kept)
    return tuple(
        N_(f"{name}: its filter leaves out all of its {count} entries") for name, count in sorted(emptied.items())
    )


def _check_conditions(found: Entry | Item, given: Conditions, place: str) -> Iterator[tuple[str, bool]]:
    """Yield each given condition with whether it is met, except for those about an unknown value.

    An episode that names no type is a full one (Apple, "A Podcaster's Guide to RSS", 2024).
    """
    if given.show and isinstance(found, Entry) and found.show:
        yield "show", fold(found.show) in map(fold, given.show)
    if given.title:
        yield "title", any(patterns.matches(pattern, found.title, f"{place}.title") for pattern in given.title)
    if given.category:
        yield "category", not {*map(fold, given.category)}.isdisjoint(map(fold, found.categories))
    if given.type:
        yield "type", (found.episode_type or "full") in given.type
    if given.longer_than is not None and found.duration:
        yield "longer_than", found.duration.seconds > given.longer_than
    if given.shorter_than is not None and found.duration:
        yield "shorter_than", found.duration.seconds < given.shorter_than
    at = found.published.at if found.published and found.published.precision != "guess" else None
    if given.since and at:
        yield "since", at >= given.since
    if given.before and at:
        yield "before", at < given.before
