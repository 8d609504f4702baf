"""Find entries whose audio gives way to another source's: those that their own source lists no more.

A source counts as listing its entries until it has failed for the grace time, or was left out of the config for as
long. Of a source that answers, an entry that its listing lacks counts as listed while the listing is as long as it was
with the entry: a feed that shows its newest hundred removes nothing. Where no other source lists the item, its audio
stays.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from aggregator.model.entry import Entry


class LostAudio(NamedTuple):
    """The ids of entries whose audio gives way, and when that next changes with time alone (``None``: never)."""

    entries: frozenset[str]
    until: datetime | None = None


def find_lost_audio(
    entries: Sequence[Entry],
    listed: Mapping[str, datetime],
    heard: Mapping[str, datetime | None],
    grace: timedelta,
    now: datetime,
) -> LostAudio:
    """Return the entries whose audio gives way now.

    ``listed`` is when each entry was last listed, by id. ``heard`` are the sources that answer, each with the time
    until which its last answer counts (``None`` for as long as it is the last).
    """
    by_source: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_source[entry.source].append(entry)
    ends = [end for source, own in by_source.items() for end in _find_ends(own, listed, heard.get(source, now), grace)]
    if len(by_source) == 1:
        return LostAudio(frozenset())
    lost = frozenset(name for name, end in ends if end <= now)
    return LostAudio(lost, min((end for _, end in ends if end > now), default=None))


def _find_ends(
    own: Sequence[Entry], listed: Mapping[str, datetime], until: datetime | None, grace: timedelta
) -> list[tuple[str, datetime]]:
    """Return the ids of one source's entries with audio that will give way, each with the time."""
    firsts, lasts = sorted(entry.span.first for entry in own), sorted(entry.span.last for entry in own)
    newest = lasts[-1]

    def size(number: int) -> int:
        """Return how many entries a listing of the source had."""
        return bisect_right(firsts, number) - bisect_left(lasts, number)

    ends = []
    for entry in own:
        known = [until] if until is not None else []
        if entry.span.last < newest and size(newest) < size(entry.span.last):
            known.append(listed[entry.id] + grace)
        if entry.enclosure is not None and known:
            ends.append((entry.id, min(known)))
    return ends
