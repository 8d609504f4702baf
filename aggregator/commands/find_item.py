"""Find the item that a person means: by its guid, an entry of it, or words of its title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from aggregator.commands.options import find_plan
from aggregator.commands.output import shorten
from aggregator.config.settings import Config
from aggregator.config.suggestions import find_nearest
from aggregator.errors import ConfigError
from aggregator.model.feed import Plan
from aggregator.model.item import Item, PublishedItem
from aggregator.store import database, guids
from aggregator.text.fold import fold

_Found = TypeVar("_Found", Item, PublishedItem)

_SHOWN = 20
_NOWHERE = 9


def find_plan_of(config: Config, feed: str | None, wanted: str) -> Plan:
    """Return the feed of that name; without a name the only one that has published what is ``wanted``.

    It is found as :func:`find_item` finds an item. Raises ConfigError where several feeds have it, or none of several.
    """
    if feed is not None or len(config.plans) <= 1:
        return find_plan(config, feed)
    with database.open_store(config.state) as store:
        ranks = {plan.name: _find_best(guids.read_guids(store, plan.name), wanted)[0] for plan in config.plans}
    best = [name for name, rank in ranks.items() if rank == min(ranks.values()) < _NOWHERE]
    if len(best) > 1:
        raise ConfigError(f'several feeds have "{wanted}"; choose one with --feed: {", ".join(best)}')
    return find_plan(config, best[0] if best else None)


def find_item(items: Sequence[_Found], wanted: str) -> _Found:
    """Return the item with this guid, entry id or title, or the only one with these words in its title.

    Raises ConfigError that lists them if there are several, or that suggests the nearest title if there is none.
    """
    _, found = _find_best(items, wanted)
    if len(found) == 1:
        return found[0]
    if not found:
        near = find_nearest(wanted, [item.title for item in items])
        hint = f'; did you mean "{shorten(near)}"?' if near else ""
        raise ConfigError(f'no item has "{wanted}" as its guid or in its title{hint}')
    listed: list[str] = [f"  {item.guid}  {shorten(item.title)}" for item in found[:_SHOWN]]
    more: list[str] = [f"  and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    raise ConfigError("\n".join((f'"{wanted}" is in the title of {len(found)} items; name one:', *listed, *more)))


def _find_best(items: Sequence[_Found], wanted: str) -> tuple[int, list[_Found]]:
    """Return the items that fit best, and how well they do: 0 is best, ``_NOWHERE`` is that of none."""
    folded = fold(wanted)
    ways = (
        [item for item in items if wanted == item.guid or wanted in item.entries],
        [item for item in items if wanted == item.title],
        [item for item in items if folded and folded == fold(item.title)],
        [item for item in items if folded and f" {folded} " in f" {fold(item.title)} "],
        [item for item in items if folded and folded in fold(item.title)],
    )
    return next(((rank, way) for rank, way in enumerate(ways) if way), (_NOWHERE, []))
