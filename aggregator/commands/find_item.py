"""The item that a person means by a guid, an entry's id, or some words of a title."""

from __future__ import annotations

from collections.abc import Sequence

from aggregator.commands.wording import line
from aggregator.config.nearest_word import nearest
from aggregator.errors import ConfigError
from aggregator.model.item import Item
from aggregator.text.fold import fold

SHOWN = 20


def find(items: Sequence[Item], wanted: str) -> Item:
    """The one item that is meant: by guid, entry id, title, folded title, or the only title with those words.

    ConfigError lists them where several are meant, and names the nearest title where none is.
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
        near = nearest(wanted, [item.title for item in items])
        hint = f'; did you mean "{line(near)}"?' if near else ""
        raise ConfigError(f'no item has "{wanted}" as its guid or in its title{hint}')
    listed = [f"  {item.guid}  {line(item.title)}" for item in found[:SHOWN]]
    more = [f"  and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    raise ConfigError("\n".join((f'"{wanted}" is in the title of {len(found)} items; name one:', *listed, *more)))
