"""Episodes that an app would take for one are told apart by a number behind the title.

AntennaPod holds two items to be one where title, day and kind of media agree and their lengths differ by less than ten
minutes or are unknown, whatever their guids say, and never shows the second (its FeedDatabaseWriter, 2026). Two
trailers of one day are the common case. A date is never bent for this; the later episode becomes "Trailer (2)", and
the report names the repair. Right: "Trailer" twice on one day. Left alone: weekly "Listener mail", a full episode and
its short teaser of one title, posts. The day is that of UTC: apps use the reader's own, which we cannot know, and a
daily show that always bears one title must not be numbered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from aggregator.generator import clean, leaf
from aggregator.model.feed import Feed
from aggregator.model.item import Item, Provenance
from aggregator.model.sighting import Note

# Seconds by which lengths must differ to tell two episodes apart: AntennaPod's ten minutes.
GRACE: Final = 600
# Characters of a title that leave room for the number: a title has 255.
ROOM: Final = 245

Key = tuple[str, str, str]


def apart(feed: Feed) -> Feed:
    """The feed with every title that an app would take for an earlier one's numbered; the same where there is none."""
    numbered = _numbered([item for item in feed.items if item.enclosure and item.published])
    if not numbered:
        return feed
    return replace(feed, items=tuple(numbered.get(item.guid, item) for item in feed.items))


def _numbered(items: Sequence[Item]) -> Mapping[str, Item]:
    """The items that need another title, by guid; the oldest keeps its own."""
    days: dict[Key, list[Item]] = {}
    found: dict[str, Item] = {}
    for item in sorted(items, key=_age):
        key = _key(item)
        if key is None:
            continue
        same = days.setdefault(key, [])
        if any(_alike(item, other) for other in same):
            found[item.guid] = _renamed(item, key, len(same) + 1)
        same.append(item)
    return found


def _age(item: Item) -> tuple[str, str]:
    return (item.published.at.isoformat() if item.published else "", item.guid)


def _key(item: Item) -> Key | None:
    """Title, day and kind of media; ``None`` where no app compares the item."""
    media, title = leaf.media(item), clean.title(item.title)
    if media is None or not title or item.published is None:
        return None
    return title, item.published.at.date().isoformat(), media.type.partition("/")[0]


def _alike(item: Item, other: Item) -> bool:
    lengths = [each.duration.seconds if each.duration else 0 for each in (item, other)]
    return not all(lengths) or abs(lengths[0] - lengths[1]) < GRACE


def _renamed(item: Item, key: Key, number: int) -> Item:
    title = f"{key[0][:ROOM].rstrip()} ({number})"
    note = Note("title", "told apart", item.title, title)
    known = [each if each.field != "title" else _noted(each, note) for each in item.provenance]
    return replace(item, title=title, provenance=tuple(known))


def _noted(known: Provenance, note: Note) -> Provenance:
    return replace(known, notes=(*known.notes, note))
