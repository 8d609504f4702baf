"""What no two items of one feed may share, because apps would then show only one of them.

An enclosure address stands once: Apple ignores later items with a known one ("Podcaster's guide to RSS", enclosure),
so the item published first keeps it. Items of one title, day and length are told apart where they are published
(``generator.apart``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from aggregator.model.item import Item


def unique_enclosures(
    items: Sequence[Item], minted: Mapping[str, datetime]
) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """The items with every enclosure address once, kept by the item first published, and a remark for each taken."""
    owner: dict[str, str] = {}
    for item in sorted(items, key=lambda item: (minted[item.guid], item.guid)):
        if item.enclosure is not None:
            owner.setdefault(item.enclosure.url, item.guid)
    remarks: list[str] = []
    answer: list[Item] = []
    for item in items:
        first = owner[item.enclosure.url] if item.enclosure else item.guid
        if first != item.guid:
            remarks.append(f"{item.title!r} has the audio of the item {first}: it is published without")
        answer.append(item if first == item.guid else replace(item, enclosure=None))
    return tuple(answer), tuple(sorted(remarks))
