"""Limit which source may supply which fields and tags, by rank, even if no other source has them.

A less trusted source may complete an item with what listeners only read: a summary, a number, a person's name.
Payments, files that a player fetches, the identity of the show (artwork, author, licence), ``explicit`` and the type of
an episode (filters use it) come from the source of the item's audio or from one that is trusted as much; of an item
without audio, from its most trusted source. Tags with addresses other than http and https are always left out.
``docs/trust.md`` has the table; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from aggregator.model.elements import ATTRIBUTE_KINDS, ELEMENTS, Rank
from aggregator.model.entry import Tag
from aggregator.text import urls

FIELDS: Mapping[str, Rank] = {
    "image": "owner",
    "author": "owner",
    "explicit": "owner",
    "episode_type": "owner",
}
"""Fields of an item that need a rank; every other field may come from any source."""

TAGS: Mapping[str, Rank] = {name: rule.rank for name, rule in ELEMENTS.items() if rule.places and rule.rank != "config"}
"""Elements that sources supply, and the rank for it; elements that are not named here need that of the owner."""


_ADDRESSES = frozenset({"url", "any"})  # kinds of attributes


def limit_by_rank(tags: Iterable[Tag], *, owner: bool, lost: bool) -> list[Tag]:
    """Return those of the tags that their source may supply.

    ``owner`` says whether the source has the rank of the item's audio, ``lost`` whether its audio was replaced.
    """
    allowed = {"any", *(("owner",) if owner else ()), *(("audio",) if owner and not lost else ())}
    return list(keep_web_tags(tag for tag in tags if TAGS.get(tag.name, "owner") in allowed))


def keep_web_tags(tags: Iterable[Tag]) -> Iterator[Tag]:
    """Yield the tags without those that have an address other than http or https, at any depth."""
    for tag in tags:
        kinds = ATTRIBUTE_KINDS.get(tag.name, {})
        if all(not value or urls.is_web(value) for name, value in tag.attributes if kinds.get(name) in _ADDRESSES):
            children = tuple(keep_web_tags(tag.children))
            yield tag if children == tag.children else replace(tag, children=children)
