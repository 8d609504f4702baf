"""Equal titles on different days, and nothing else that speaks for them: two items of a series more often than one.

A weekly title ("Listener mail") that each of two listings shows once, from different weeks, has all that a shared title
gives. Where dates are worth anything in a run, such a pair needs one more witness: a shared id, an equal number, the
same text, or a length that is the same to the second. Minutes are none: half of the shows run to a fixed length.
Where all else that two listings have in common agrees on its dates, no witness helps: a re-run has the same text.
"""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.comparison import LONGER, Compared, Levels
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints
from aggregator.merger.matching.levels import KINDS, LEVELS
from aggregator.merger.matching.table import Table

APART = ("31 days", "a year", "more")
WITNESSES = {
    "id": ("equal",),
    "number": ("equal, same season", "equal"),
    "told": ("above .9", "above .9 of many words", "a sentence of its own"),
    "duration": ("precise, 2 s", "precise, 15 s"),
}

# What such a pair loses, in natural log-odds: with 2 the titles of two weeks in short listings still merge, with 4 no
# pair of the development sets is lost that 3 keeps.
COST = 3.0

# The same where nearly all other pairs of two listings agree to the day.
RERUN = 5.0

# A date level that weighs more than this is no evidence in the run: its hosts have stamped their archives anew.
WORTHLESS = -1.0


def doubtful(compared: Compared, table: Table, own: Ints) -> Floats:
    """For each pair what it loses, 0 or below; ``own`` says where its dates alone lie far apart (``restamped``)."""
    dates = compared.levels[:, KINDS.index("date")]
    far = [LEVELS["date"].index(level) for level in APART]
    telling = [level for level in far if table.weights[KINDS.index("date")][level] < WORTHLESS]
    lengths = [LEVELS["duration"].index(level) for level in LONGER]
    longer = np.isin(compared.levels[:, KINDS.index("duration")], lengths)
    apart = np.isin(dates, telling) | (np.isin(dates, far) & longer)
    doubted = (own > 0) | (apart & ~witnessed(compared.levels))
    cost = np.where(own > 1, np.float32(-RERUN), np.float32(-COST))
    return np.where(doubted, cost, np.float32(0))


def witnessed(levels: Levels) -> Bools:
    """Whether something besides title and date speaks for a pair."""
    found = np.zeros(len(levels), dtype=np.bool_)
    for kind, good in WITNESSES.items():
        found |= np.isin(levels[:, KINDS.index(kind)], [LEVELS[kind].index(level) for level in good])
    return found
