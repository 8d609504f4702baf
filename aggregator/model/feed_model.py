"""FeedModel: what was learned from all entries of a feed, kept until the feed has changed by a good part."""

from __future__ import annotations

from datetime import datetime

from aggregator.model.cluster import ListingAlignment
from aggregator.model.entry import Genre, Precision
from aggregator.model.record import Record


class ListingModel(Record, frozen=True):
    """One listing: how its source writes items.

    - ``entries``: how many were learned from.
    - ``heads`` and ``tails``: what it puts before and behind the words of titles, the most frequent first, in small
      letters and with each number as #.
    - ``precision`` and ``zoned``: of most of its dates; ``None`` if it dates nothing.
    - ``step``: seconds to which it rounds lengths; ``None`` if it gives none.
    - ``cut_at``: characters at which it shortens texts; ``None`` if it does not, or at no certain length.
    - ``misspelt``: the share of its words that are misspelt in no other copy.
    """

    source: str
    entries: int
    genre: Genre = "episode"
    heads: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    precision: Precision | None = None
    zoned: bool = True
    step: int | None = None
    cut_at: int | None = None
    misspelt: float = 0.0


class ListingPair(Record, frozen=True):
    """Two listings: how one stands to that of a source with more trust, by the ``items`` that both list.

    - ``minutes``: by how much its dates are later, ``None`` if that differs from item to item. Whole days if one of the
      two gives days alone.
    - ``ahead``: by how much its numbers are higher, ``None`` if that differs or is not known.
    - ``exchanged``: whether one of the two has day and month exchanged.
    - ``recounted``: whether its guids are mostly those of other entries of the other: it counts on its own.
    """

    source: str
    trusted: str
    items: int
    minutes: int | None = None
    ahead: int | None = None
    exchanged: bool = False
    recounted: bool = False


class FeedModel(Record, frozen=True):
    """Everything that was learned from the entries of a feed at a time, by a program.

    ``weights`` are those of evidence (``scoring.Table``), ``texts`` is what was learned of the texts of its sources
    (``SourceModel``), both as JSON. ``alignments`` are those of the listings whose relation is decided.
    """

    at: datetime
    program: str
    weights: str
    texts: str
    listings: tuple[ListingModel, ...] = ()
    pairs: tuple[ListingPair, ...] = ()
    alignments: tuple[ListingAlignment, ...] = ()
