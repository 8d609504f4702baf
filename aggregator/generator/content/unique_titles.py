"""Add a number to titles of episodes that apps would take for the same one.

AntennaPod takes two items for one if title, day and kind of media are equal and their lengths differ by less than ten
minutes or are unknown, even with different guids, and never shows the second (its FeedItemDuplicateGuesser, 2026). Two
trailers of one day are the common case: the later one becomes "Trailer (2)", and the report names the repair. Dates are
never changed for this. Unchanged are weekly "Listener mail", a full episode and its short teaser of one title, and
posts. The day is that of UTC: apps use that of the listener, which is unknown, and a daily show with one title must not
be numbered.

The item of the less trusted source gets the number, then the one that was published later, whatever its date. A number
once given stays: an older duplicate that is found late gets the next free number, and no other item is renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.generator.content import feed_item, sanitize
from aggregator.model.entry import Moment, Note
from aggregator.model.item import Item, PublishedItem, Settlement

# Seconds by which lengths must differ to tell two episodes apart: AntennaPod's ten minutes.
_GRACE_SECONDS: Final = 600
# Characters of a title that leave room for the number: a title has 255.
_MAX_TITLE: Final = 245


def make_titles_unique(
    settlement: Settlement, before: Iterable[PublishedItem], now: datetime, trust: Mapping[str, float]
) -> Settlement:
    """Add a number to each title that an app would take for that of an earlier item.

    ``before`` are the records of the last run: an item whose own title is the same there keeps its published title if
    possible; else it was changed ``now``. ``trust`` is by source.
    """
    past = {record.guid: record for record in before}
    kept = {record.guid: record for record in settlement.published_items}
    found = _choose_titles(settlement.items, past, kept, now, trust)
    renamed: list[Item] = []
    changed = set(settlement.changed)
    for item in settlement.items:
        title, record = found.get(item.guid), kept.get(item.guid)
        final = item if title is None else _rename(item, title)
        if record is not None and record.numbered_title != title:
            record = replace(record, numbered_title=title)
            if item.guid in past:
                changed.add(item.guid)
                record, final = replace(record, updated=now), replace(final, updated=Moment(now))
            kept[item.guid] = record
        renamed.append(final)
    return replace(
        settlement, items=tuple(renamed), published_items=tuple(kept.values()), changed=tuple(sorted(changed))
    )


class _Day(Struct):
    """The titles of one day and kind of media: the durations of items under each, and the next number to try."""

    lengths: dict[str, dict[int, int]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def take(self, title: str, seconds: int) -> bool:
        """Take this title unless an item has it that an app would take for the same; return whether it was taken."""
        borne = self.lengths.setdefault(sanitize.fold_title(title), {})
        place = seconds // _GRACE_SECONDS
        near = (borne[at] for at in (place - 1, place, place + 1) if at in borne)
        if borne and (not seconds or borne.get(0) == 0 or any(abs(seconds - other) < _GRACE_SECONDS for other in near)):
            return False
        borne[place] = seconds
        return True

    def number(self, title: str, seconds: int) -> str:
        """Take and return the first free numbered form of the title."""
        bare = title[:_MAX_TITLE].rstrip()
        while True:
            turn = self.numbers[bare] = self.numbers.get(bare, 1) + 1
            if self.take(numbered := f"{bare} ({turn})", seconds):
                return numbered


def _choose_titles(
    items: Sequence[Item],
    past: Mapping[str, PublishedItem],
    kept: Mapping[str, PublishedItem],
    now: datetime,
    trust: Mapping[str, float],
) -> Mapping[str, str]:
    """Return numbered titles by guid; items of the most trusted source keep theirs first, then the oldest."""

    def turn(item: Item) -> tuple[float, bool, datetime, datetime, str]:
        first, then = past.get(item.guid), kept.get(item.guid)
        stays = first is not None and then is not None and first.title == then.title
        minted, at = first.minted if first else now, item.published.at if item.published else now
        return -trust.get(item.origin or "", 0.0), not stays, minted, at, item.guid

    days: dict[tuple[date, str], _Day] = {}
    found: dict[str, str] = {}
    for item in sorted(_find_same_day(items, kept), key=turn):
        media, title = feed_item.find_media(item), sanitize.clean_title(item.title, plain=item.plain_title)
        if media is None or not title or item.published is None:
            continue
        day = days.setdefault((item.published.at.date(), media.type.partition("/")[0]), _Day())
        seconds = item.duration.seconds if item.duration else 0
        before = _find_numbered_title(item, kept)
        if before and before.rpartition(" (")[0] == title[:_MAX_TITLE].rstrip() and day.take(before, seconds):
            found[item.guid] = before
        elif not day.take(title, seconds):
            found[item.guid] = day.number(title, seconds)
    return found


def _find_same_day(items: Iterable[Item], kept: Mapping[str, PublishedItem]) -> Iterator[Item]:
    """Yield items with media that share their day with others, or did so when they were published."""
    days: dict[date, list[Item]] = {}
    for item in items:
        if item.enclosure and item.published:
            days.setdefault(item.published.at.date(), []).append(item)
    return (item for same in days.values() if len(same) > 1 or _find_numbered_title(same[0], kept) for item in same)


def _find_numbered_title(item: Item, kept: Mapping[str, PublishedItem]) -> str | None:
    record = kept.get(item.guid)
    return record.numbered_title if record else None


def _rename(item: Item, title: str) -> Item:
    note = Note("title", "told apart", item.title, title)
    provenance = tuple(
        replace(each, notes=(*each.notes, note)) if each.field == "title" else each for each in item.provenance
    )
    return replace(item, title=title, provenance=provenance)
