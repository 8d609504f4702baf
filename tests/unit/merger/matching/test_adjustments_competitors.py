"""Rivals take from a pair what they fit, from either side; one that fits a third record better takes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from aggregator.merger.matching.adjustments import penalize_competitors
from aggregator.merger.matching.scoring import Compared
from tests.support.levels import KINDS


def lost(pairs: list[tuple[int, int, float]], listings: list[int], units: list[int] | None = None) -> list[float]:
    """What each pair of rows loses."""
    left, right, weights = (np.array(column) for column in zip(*pairs, strict=True))
    compared = Compared(left, right, np.zeros((len(left), len(KINDS)), dtype=np.int8))
    rows = np.array(units if units is not None else range(len(listings)))
    return penalize_competitors(compared, weights.astype(np.float32), np.array(listings), rows).tolist()


def test_two_of_one_listing_that_fit_one_record_are_rivals_from_either_side() -> None:
    expected = [pytest.approx(-np.log1p(np.exp(4)), rel=1e-5)] * 2
    assert lost([(0, 1, 4.0), (0, 2, 4.0)], [0, 1, 1]) == expected
    assert lost([(0, 2, 4.0), (1, 2, 4.0)], [0, 0, 1]) == expected


def test_what_fits_a_third_better_is_no_rival() -> None:
    assert lost([(0, 2, 4.0), (0, 3, 3.5), (1, 3, 9.0)], [0, 0, 1, 1])[0] == 0


def test_two_listings_are_no_rivals_and_rows_of_one_item_neither() -> None:
    assert lost([(0, 1, 4.0), (0, 2, 4.0)], [0, 1, 2]) == [0, 0]
    assert lost([(0, 1, 4.0), (0, 2, 4.0)], [0, 1, 1], [0, 1, 1]) == [0, 0]
