"""Keep the shows of a mixed feed apart: the show of each entry, and its name before the titles of its items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from aggregator.model.entry import Entry, Note, Show
from aggregator.model.item import Item
from aggregator.text.fold import fold

_DECORATION: Final = re.compile(r"\s[-–—·•]\s|:\s|\|")
"""Separators between the name of a show and what a directory adds to it ("Crumbs – PodShelf")."""


def find_shows(entries: Iterable[Entry], shows: Mapping[str, Show]) -> dict[str, str]:
    """Return the name of the show of each entry, by its id; entries of one show have one name.

    An entry that names no show is of that of its source; ``shows`` is what each source says of its show. Names are of
    one show if they are equal, or one is the other with a decoration behind or before it.
    """
    named = {entry.id: entry.show or _find_title(shows.get(entry.source)) or entry.source for entry in entries}
    short: dict[str, str] = {}
    for name in sorted(set(named.values()), key=lambda name: (len(name), name.isupper(), name)):
        parts = (fold(name), *map(fold, _DECORATION.split(name)))
        short[fold(name)] = next((short[part] for part in parts if part in short), name)
    return {name: short[fold(show)] for name, show in named.items()}


def put_before_titles(items: Sequence[Item], shows: Mapping[str, str]) -> list[Item]:
    """Return the items with the name of their show in brackets before each title that does not name it."""
    return [_put_before(item, shows[item.entries[0]]) for item in items]


def _find_title(show: Show | None) -> str:
    return (show.title or "") if show else ""


def _put_before(item: Item, show: str) -> Item:
    if f" {fold(show)} " in f" {fold(item.title)} ":
        return item
    title = f"[{show}] {item.title}"
    note = Note("title", "name of the show", item.title, title)
    provenance = tuple(
        replace(each, notes=(*each.notes, note)) if each.field == "title" else each for each in item.provenance
    )
    return replace(item, title=title, prefix=None, provenance=provenance)
