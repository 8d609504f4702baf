"""Set fields of an item to the values that a person gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from msgspec.structs import replace

from aggregator.model.entry import Duration, Enclosure, EpisodeType
from aggregator.model.item import Item, Override, Provenance
from aggregator.text import urls
from aggregator.text.times import dates, durations

PERSON = "a person"
"""Source of a field in provenance that an override set."""

_TRUE = frozenset({"true", "yes", "on", "1"})


def _parse_number(value: str) -> int | None:
    return int(value) if value.isdecimal() else None


def _parse_duration(value: str) -> Duration | None:
    return durations.parse(int(value) if value.isdecimal() else value)


# The fields that may be overridden and how their text is parsed; a test compares them with the config's.
FIELDS: Mapping[str, Callable[[str], object]] = {
    "title": str,
    "description": str,
    "summary": str,
    "link": str,
    "published": dates.parse,
    "duration": _parse_duration,
    "season": _parse_number,
    "episode": _parse_number,
    "episode_type": lambda value: value if value in get_args(EpisodeType) else None,
    "explicit": lambda value: value.casefold() in _TRUE,
    "image": str,
    "author": str,
    "enclosure": lambda value: Enclosure(value) if urls.is_web(value) else None,
}


def apply_overrides(item: Item, overrides: Sequence[Override]) -> Item:
    """Return the item with the given fields set and a person as their source; such a description has no markup.

    A value that is not valid for its field is ignored.
    """
    for each in overrides:
        value = FIELDS[each.field](each.value) if each.field in FIELDS else None
        if value is None:
            continue
        item = replace(item, **{each.field: value})
        if each.field == "description":
            item = replace(item, html=None, cut=False)
        if each.field == "title":
            item = replace(item, prefix=None, suffix=None)
        others = tuple(origin for origin in item.provenance if origin.field != each.field)
        mine = Provenance(each.field, PERSON)
        item = replace(item, provenance=tuple(sorted((*others, mine), key=lambda origin: origin.field)))
    return item
