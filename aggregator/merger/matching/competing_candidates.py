"""Whether a pair has rivals: another candidate of the same listing that fits one of the two as well.

Two weekly items of one title and one day fit their copies elsewhere equally well. The best guess would be right half
of the time; a merge that is wrong hides an item, so a contested pair loses the odds of all its rivals. A rival that
fits a third record better is none.
"""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.comparison import Compared
from aggregator.merger.matching.features.token_bags import Floats, Ints

_MOST = 60.0  # natural log-odds beyond which the exponential would overflow single precision


def contested(compared: Compared, weights: Floats, voice: Ints, unit: Ints) -> Floats:
    """For each pair the natural log-odds it loses to rivals, 0 or below.

    ``voice`` numbers the listing of each row, ``unit`` the rows known to be one; the pairs are all that may be one.
    """
    odds = np.exp(np.minimum(weights, _MOST).astype(np.float64))
    lost = np.zeros(len(weights), dtype=np.float64)
    for one, other in ((compared.left, compared.right), (compared.right, compared.left)):
        away = _grouped(one, voice[other])
        home = _grouped(other, voice[one])
        best = np.zeros(int(home.max(initial=-1)) + 1, dtype=np.float64)
        np.maximum.at(best, home, odds)
        claims = np.where(odds >= best[home], odds, 0.0)
        all_ = np.bincount(away, weights=claims)[away]
        same = _grouped(one, unit[other])
        rivals = np.maximum(all_ - np.bincount(same, weights=claims)[same], 0.0)
        lost = np.minimum(lost, -np.log1p(rivals))
    return lost.astype(np.float32)


def _grouped(one: Ints, other: Ints) -> Ints:
    """A number for each distinct combination of two columns."""
    codes = one * (int(other.max(initial=0)) + 1) + other
    numbers: Ints = np.unique(codes, return_inverse=True)[1]
    return numbers
