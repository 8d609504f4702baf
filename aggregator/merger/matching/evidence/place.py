"""Evidence of the place in the listing: between which entries that two listings share a pair stands.

It is graded when all other evidence is weighed (``listing_evidence.find_order``, ``same_titles.compare_same_titles``).
The weights come from pairs of simulated listings that all other evidence leaves open.
"""

from __future__ import annotations

from aggregator.merger.matching.evidence.levels import Kind, Level
from aggregator.translation.marks import N_


class PlaceLevel(Level):
    """The places of two entries in the order that their listings share."""

    NONE = N_("none"), 0.0
    ELSEWHERE = "elsewhere", -3.0, N_("between other entries")
    BETWEEN = "between the same items", 1.5, N_("between the same entries")
    AMONG_FEW = "one of few between the same items", 2.5, N_("one of few between the same entries")
    ALONE = "alone between the same items", 3.0, N_("alone between the same entries")
    SERIES = N_("same place in a series of one title"), 4.0


# The level says it: a place would be another after the next item.
PLACE = Kind("order", N_("place in the listings"), PlaceLevel, lambda _frame, _row: None, is_fitted=False)
