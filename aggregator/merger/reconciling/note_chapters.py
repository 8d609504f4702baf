"""Give an episode the chapters that its notes list, where no source has any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from aggregator.model.entry import Note, Tag
from aggregator.model.item import Item, Provenance
from aggregator.text.chapter_lines import Chapters, find_chapters

_INLINE: Final = "psc:chapters"
_GIVEN: Final = frozenset({_INLINE, "podcast:chapters"})


def add_chapters(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items, those with audio and notes that list chapters with these (Podlove Simple Chapters 1.2)."""
    return tuple(map(_add, items))


def _add(item: Item) -> Item:
    if item.enclosure is None or not item.description or item.cut or any(tag.name in _GIVEN for tag in item.tags):
        return item
    found = find_chapters(item.description, item.duration.seconds if item.duration else None)
    if not found:
        return item
    note = Note(_INLINE, "chapters of the notes", "", "; ".join(f"{_format_time(at)} {title}" for at, title in found))
    origin = Provenance(f"tags {_INLINE}", item.source_of("description") or item.origin or "", notes=(note,))
    provenance = tuple(sorted((*item.provenance, origin), key=lambda each: each.field))
    return replace(item, tags=(*item.tags, _make_tag(found)), provenance=provenance)


def _make_tag(found: Chapters) -> Tag:
    chapters = (Tag("psc:chapter", None, (("start", _format_time(at)), ("title", title))) for at, title in found)
    return Tag(_INLINE, None, (("version", "1.2"),), tuple(chapters))


def _format_time(seconds: int) -> str:
    """Return a time as Podlove Simple Chapters and people write it.

    >>> _format_time(3723)
    '01:02:03'
    """
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
