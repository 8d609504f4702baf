"""Adjust the weight of a pair by what else is known of its run: weak titles, sources that list anew, competitors.

**Weak titles.** A weekly title ("Listener mail") that each of two listings has once, from different weeks, has all that
a shared title gives. Where dates are worth anything in a run, such a pair needs one more agreement: a shared id, an
equal number, the same text, or a length that is the same to the second. Minutes are none: half of the shows run to a
fixed length. Where all else that two listings have in common agrees on its dates, none of these helps: a re-run has the
same text.

**Listed anew.** A source that lists many of its titles under new ids after the old entries vanished has moved or
rewritten them. Then other words below an equal title are no evidence against a pair, for the author's own text was
replaced; and a title that is twice in the source because of this is there once. One title alone proves nothing (next
week's "Listener mail" replaces this week's), so at least three and half of the shorter listing must come back, and no
date may contradict. Seen: a blog's text front page, saved, then its feed.

**Competitors.** Two weekly items of one title and one day fit their copies elsewhere equally well. The best guess would
be right half of the time; a wrong merge hides an item, so a pair loses the odds of all other candidates of the same
listing that fit one of the two as well. A candidate that fits a third record better is none.
"""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.comparison import LONGER, Compared, find_witnessed
from aggregator.merger.matching.features.feature_table import Frame
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints
from aggregator.merger.matching.scoring import KINDS, LEVELS, Table, has_level

_FAR_DATES = ("31 days", "a year", "more")
# What a weak title loses, in natural log-odds: with 2 the titles of two weeks in short listings still merge, with 4 no
# pair of the development sets is lost that 3 keeps.
_WEAK_TITLE = 3.0
_RERUN = 5.0  # the same where nearly all other pairs of two listings agree to the day
_WORTHLESS = -1.0  # a date level that weighs more is no evidence: the hosts of the run have stamped their archives anew

_LEAST = 3  # titles that must come back; with 2, two weekly titles of one page would do
_SAME_TITLE = ("equal, 2 or 3 times", "equal, in a source once")
_ONCE = LEVELS["title"].index("equal, in a source once")
_UNDISPUTED = ("none", "same day", "next day")

_MOST = 60.0  # natural log-odds beyond which the exponential would overflow single precision


def penalize_weak_titles(compared: Compared, table: Table, own: Ints) -> Floats:
    """Return what each pair loses, 0 or below; ``own`` is 1 or 2 where its dates alone lie far apart.

    2 is where nearly all other pairs of the two listings agree to the day.
    """
    levels = compared.levels
    dates = table.weights[KINDS.index("date")]
    telling = tuple(name for name in _FAR_DATES if dates[LEVELS["date"].index(name)] < _WORTHLESS)
    apart = has_level(levels, "date", telling)
    apart |= has_level(levels, "date", _FAR_DATES) & has_level(levels, "duration", LONGER)
    doubted = (own > 0) | (apart & ~find_witnessed(levels))
    cost = np.where(own > 1, np.float32(-_RERUN), np.float32(-_WEAK_TITLE))
    return np.where(doubted, cost, np.float32(0))


def credit_relisted(frame: Frame, compared: Compared, table: Table, listing: Ints) -> Floats:
    """Return what each pair gains, 0 or above: what the disagreement of texts and the repeated title took.

    ``listing`` numbers the listing in which each row first appeared.
    """
    gains = np.zeros(len(compared.left), dtype=np.float32)
    again = np.flatnonzero(_is_listed_again(frame, compared))
    if len(again) < _LEAST:
        return gains
    sizes = np.bincount(listing)
    description_weights = np.array(table.weights[KINDS.index("description")], dtype=np.float32)
    moves = np.sort(np.stack([listing[compared.left[again]], listing[compared.right[again]]]), axis=0)
    kinds, inverse, counts = np.unique(moves, axis=1, return_inverse=True, return_counts=True)
    enough = counts >= np.maximum(_LEAST, np.minimum(sizes[kinds[0]], sizes[kinds[1]]) / 2)
    back = again[enough[inverse.reshape(-1)]]
    gains[back] = -np.minimum(description_weights[compared.levels[back, KINDS.index("description")]], 0)
    title = np.array(table.weights[KINDS.index("title")], dtype=np.float32)
    twice = frame.repeats[compared.left[back]] == 2  # noqa: PLR2004 - then and now
    more = np.maximum(title[_ONCE] - title[compared.levels[back, KINDS.index("title")]], 0)
    gains[back] += np.where(twice, more, 0)
    return gains


def _is_listed_again(frame: Frame, compared: Compared) -> Bools:
    """Return which pairs one source listed at different times, with equal titles and no contradicting date."""
    left, right = compared.left, compared.right
    apart = (frame.last[left] < frame.first[right]) | (frame.last[right] < frame.first[left])
    same: Bools = (frame.source[left] == frame.source[right]) & apart
    return same & has_level(compared.levels, "title", _SAME_TITLE) & has_level(compared.levels, "date", _UNDISPUTED)


def penalize_competitors(compared: Compared, weights: Floats, listing: Ints, unit: Ints) -> Floats:
    """Return for each pair the natural log-odds that it loses to other candidates, 0 or below.

    ``listing`` numbers the listing of each row, ``unit`` the rows known to be one; the pairs are all that may be one.
    """
    odds = np.exp(np.minimum(weights, _MOST).astype(np.float64))
    lost = np.zeros(len(weights), dtype=np.float64)
    for one, other in ((compared.left, compared.right), (compared.right, compared.left)):
        away = _number_pairs(one, listing[other])
        home = _number_pairs(other, listing[one])
        best = np.zeros(int(home.max(initial=-1)) + 1, dtype=np.float64)
        np.maximum.at(best, home, odds)
        claims = np.where(odds >= best[home], odds, 0.0)
        every = np.bincount(away, weights=claims)[away]
        same = _number_pairs(one, unit[other])
        rivals = np.maximum(every - np.bincount(same, weights=claims)[same], 0.0)
        lost = np.minimum(lost, -np.log1p(rivals))
    return lost.astype(np.float32)


def _number_pairs(one: Ints, other: Ints) -> Ints:
    """Return a number for each distinct combination of two columns."""
    codes = one * (int(other.max(initial=0)) + 1) + other
    numbers: Ints = np.unique(codes, return_inverse=True)[1]
    return numbers
