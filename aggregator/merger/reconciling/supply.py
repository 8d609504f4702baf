"""Limit which source may supply which fields and tags, by rank, not by being the only one that has them.

A less trusted source may complete an item with what listeners only read: a summary, a number, a person's name. Where
the money goes, what a player fetches, what stands for the show (artwork, author, licence) and who may hear it comes
from the source of the item's audio or from one that is trusted as much; of an item without audio, from its most
trusted source. Addresses in tags are of the web (http, https) or the tag is left out, whoever supplies it.
``docs/trust.md`` has the table; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec.structs import replace

from aggregator.model.entry import Tag
from aggregator.text import urls

_Rank = Literal["owner", "any"]
"""``owner``: the source of the audio, or one that is trusted as much. ``any``: every source of the item."""

FIELDS: Mapping[str, _Rank] = {"image": "owner", "author": "owner", "explicit": "owner"}
"""The fields of an Item whose supplier needs a rank; every other field may come from any source."""

TAGS: Mapping[str, _Rank] = {
    "podcast:value": "owner",
    "podcast:funding": "owner",
    "podcast:alternateEnclosure": "owner",
    "podcast:liveItem": "owner",
    "podcast:txt": "owner",
    "podcast:license": "owner",
    "podcast:chapters": "owner",
    "podcast:transcript": "owner",
    "podcast:image": "owner",
    "podcast:images": "owner",
    "podcast:socialInteract": "owner",
    "podcast:contentLink": "owner",
    "podcast:person": "any",
    "podcast:location": "any",
    "podcast:season": "any",
    "podcast:episode": "any",
    "podcast:soundbite": "any",
}
"""The elements of the podcast namespace; one that is not named here needs the rank of the owner."""


ADDRESSES = frozenset({"url", "uri", "href", "img", "accountUrl", "feedUrl"})
"""The attributes of these elements that hold an address."""


def limit_by_rank(name: str, value: object, *, owner: bool) -> object:
    """Return what a source may supply of a field: its value, or ``None`` where its rank is too low.

    ``owner`` says whether the source has the rank of the item's audio. Of tags those remain that it may supply.
    """
    if name == "tags" and isinstance(value, tuple):
        return tuple(keep_web_tags(tag for tag in value if owner or TAGS.get(tag.name) == "any"))
    return value if owner or FIELDS.get(name) != "owner" else None


def keep_web_tags(tags: Iterable[Tag]) -> Iterator[Tag]:
    """Yield the tags without those that hold an address which is not http or https, at any depth."""
    for tag in tags:
        if all(not value or urls.is_web(value) for name, value in tag.attributes if name in ADDRESSES):
            children = tuple(keep_web_tags(tag.children))
            yield tag if children == tag.children else replace(tag, children=children)
