"""Comparisons of a listing with the feeds that it may belong to, and what they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from aggregator.model.entry import Entry, Listing
from aggregator.model.feed import Plan
from aggregator.model.item import HeldItem
from aggregator.model.source import Source


class Belonging(Struct, frozen=True):
    """A count of the entries of a listing that are items of a feed, ``of`` so many that could be: the fewer of both.

    ``doubtful`` are entries of the listing that look like an item and are none, ``new`` are all others that are none;
    ``known`` are the keys of those that are. ``held`` is what the next refresh would hold of both; ``fileless`` are the
    sources without files that list the episodes of others, the listing's among them.
    """

    feed: str
    matched: int
    of: int
    known: frozenset[str] = frozenset()
    doubtful: tuple[Entry, ...] = ()
    new: tuple[Entry, ...] = ()
    held: tuple[HeldItem, ...] = ()
    fileless: frozenset[str] = frozenset()

    @property
    def is_sure(self) -> bool:
        """Return whether the listing is one of the feed's show: most of the entries that could be its items are."""
        return self.matched > 1 and 2 * self.matched > self.of


class Comparison(Struct, frozen=True):
    """The listing of a source, to be compared with these feeds of the store ``state``, or with ``only`` one of them.

    ``listed`` are entries of sources that are not stored yet, by feed.
    """

    state: str
    plans: tuple[Plan, ...]
    source: Source
    listing: Listing
    at: datetime
    only: str | None = None
    listed: Mapping[str, Sequence[Entry]] = {}
