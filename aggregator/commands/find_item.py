"""Find the item that a person means: by its guid, an entry of it, or words of its title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from aggregator.commands.output import shorten
from aggregator.config.messages import find_nearest
from aggregator.errors import ConfigError
from aggregator.model.item import Item, PublishedItem
from aggregator.text.fold import fold

_Found = TypeVar("_Found", Item, PublishedItem)

_SHOWN = 20


def find_item(items: Sequence[_Found], wanted: str) -> _Found:
    """Return the item with this guid, entry id or title, or the only one with these words in its title.

    Raises ConfigError that lists them if there are several, or that suggests the nearest title if there is none.
    """
    folded = fold(wanted)
    ways = (
        [item for item in items if wanted == item.guid or wanted in item.entries],
        [item for item in items if wanted == item.title],
        [item for item in items if folded and folded == fold(item.title)],
        [item for item in items if folded and f" {folded} " in f" {fold(item.title)} "],
        [item for item in items if folded and folded in fold(item.title)],
    )
    found = next((way for way in ways if way), [])
    if len(found) == 1:
        return found[0]
    if not found:
        near = find_nearest(wanted, [item.title for item in items])
        hint = f'; did you mean "{shorten(near)}"?' if near else ""
        raise ConfigError(f'no item has "{wanted}" as its guid or in its title{hint}')
    listed: list[str] = [f"  {item.guid}  {shorten(item.title)}" for item in found[:_SHOWN]]
    more: list[str] = [f"  and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    raise ConfigError("\n".join((f'"{wanted}" is in the title of {len(found)} items; name one:', *listed, *more)))
