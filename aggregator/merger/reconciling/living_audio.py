"""Find entries whose audio is replaced by another source's, because their own source no longer lists them.

A source counts as listing its entries until it has failed, or was left out of the config, for the grace time. An entry
missing from the listing of a source that answers counts as listed while the listing is as long as it was with the
entry: a feed of its newest hundred items removes nothing. If no other source lists the item, its audio stays.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from aggregator.model.entry import Entry


class LostAudio(NamedTuple):
    """Ids of entries whose audio is to be replaced, and when that next changes with time alone (``None``: never)."""

    entries: frozenset[str]
    until: datetime | None = None


def find_lost_audio(
    entries: Sequence[Entry],
    listed: Mapping[str, datetime],
    heard: Mapping[str, datetime | None],
    grace: timedelta,
    now: datetime,
) -> LostAudio:
    """Return the entries whose audio is to be replaced now.

    ``listed`` is when each entry was last listed, by id. ``heard`` are the sources that answer, each with the time
    until which its last answer counts (``None`` until the next answer).
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
    """Return the ids of one source's entries with audio that will be replaced, each with the time."""
    firsts, lasts = sorted(entry.span.first for entry in own), sorted(entry.span.last for entry in own)
    newest = lasts[-1]

    def count_entries(listing: int) -> int:
        return bisect_right(firsts, listing) - bisect_left(lasts, listing)

    ends = []
    for entry in own:
        known = [until] if until is not None else []
        if entry.span.last < newest and count_entries(newest) < count_entries(entry.span.last):
            known.append(listed[entry.id] + grace)
        if entry.enclosure is not None and known:
            ends.append((entry.id, min(known)))
    return ends
