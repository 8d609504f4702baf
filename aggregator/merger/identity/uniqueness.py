"""Remove enclosures that two items of a feed share, because apps would show only one of the items.

Apple ignores items with the enclosure address of an earlier one ("Podcaster's guide to RSS", enclosure). An address
belongs to the item for which the most trusted source lists it; of sources trusted alike, to the item of one that lists
it for one item before one that lists it for several; then to the item that already has it, then to the item published
first. (Items of the same title get a number in ``generator.content.unique_titles``.)
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from msgspec.structs import replace

from aggregator.merger.reconciling.overrides import PERSON
from aggregator.model.item import Item, PublishedItem
from aggregator.translation.marks import N_


def make_enclosures_unique(
    items: Sequence[Item], published_items: Mapping[str, PublishedItem], trust: Mapping[str, float]
) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """Return the items with every enclosure address once, and a remark for each that was removed.

    ``published_items`` are by guid, with the audio of the last publication; ``trust`` is by source, 0 to 1.
    """
    owner: dict[str, tuple[object, str]] = {}
    likeness = {item.guid: _find_likeness(item.enclosure.url) for item in items if item.enclosure is not None}
    uses = Counter((item.source_of("enclosure"), likeness[item.guid]) for item in items if item.guid in likeness)
    for item in items:
        if item.enclosure is not None:
            record, url = published_items[item.guid], likeness[item.guid]
            giver = item.source_of("enclosure") or ""
            rank = giver != PERSON, -trust.get(giver, 0.0), uses[item.source_of("enclosure"), url] > 1
            claim = *rank, record.audio != item.enclosure.url, record.minted, item.guid
            owner[url] = min(owner.get(url, (claim, item.guid)), (claim, item.guid))
    remarks: list[str] = []
    answer: list[Item] = []
    for item in items:
        first = owner[likeness[item.guid]][1] if item.enclosure else item.guid
        if first != item.guid:
            remarks.append(N_(f"{item.title!r} has the audio of the item {first}: it is published without"))
        answer.append(item if first == item.guid else replace(item, enclosure=None))
    return tuple(answer), tuple(sorted(remarks))


def _find_likeness(url: str) -> str:
    """Return what is equal of two addresses that are published as one: without a login and encoded (generator/content).

    >>> _find_likeness("https://me:word@cdn.\uff45xample/%C3%A4.mp3") == _find_likeness("https://cdn.example/ä.mp3")
    True
    """
    if url.isascii() and "@" not in url and "%" not in url:
        return url
    scheme, mark, rest = unicodedata.normalize("NFKC", url).partition("://")
    host, slash, path = rest.partition("/")
    return unquote(f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}")
