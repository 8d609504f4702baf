"""What no two items of one feed may share, because apps would then show only one of them.

An enclosure address stands once: Apple ignores later items with a known one ("Podcaster's guide to RSS", enclosure),
so the item published first keeps it. Items of one title, day and length (AntennaPod 3, FeedItemDuplicateGuesser) are
told, not altered: both are real, and bending a date or a title would be inventing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby, pairwise

from aggregator.model.item import Item
from aggregator.text.fold import fold

ALIKE_SECONDS = 600
"""AntennaPod takes items of one title and day for one where their lengths differ by less than ten minutes."""


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


def lookalikes(items: Sequence[Item]) -> tuple[str, ...]:
    """A remark for each two episodes that some apps take for one: same title, same day, nearly the same length."""
    keyed = sorted(((fold(item.title), _day(item)), _seconds(item), item.guid) for item in items if item.enclosure)
    remarks = []
    for (title, day), group in groupby(keyed, key=lambda each: each[0]):
        alike = list(group)
        remarks += [
            f"{one[2]} and {two[2]} share title, day and length ({title}, {day}): some apps show only one of them"
            for one, two in pairwise(alike)
            if two[1] - one[1] < ALIKE_SECONDS
        ]
    return tuple(remarks)


def _day(item: Item) -> str:
    return item.published.at.strftime("%Y-%m-%d") if item.published else ""


def _seconds(item: Item) -> int:
    return item.duration.seconds if item.duration else 0
